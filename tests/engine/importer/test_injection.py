"""Texts of a hostile ``.pt2`` file: none of them becomes code that runs."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from engine.diagnostics import DiagnosticError
from engine.importer.custom_code import CodeFile
from engine.importer.module import require_same_results
from engine.importer.pt2 import from_exported


def _rewritten(source: Path, target: Path, document: object) -> Path:
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for member in old.infolist():
            content = old.read(member)
            if member.filename.endswith("models/model.json"):
                content = json.dumps(document).encode()
            new.writestr(member.filename, content)
    return target


class Broad(nn.Module):
    """Comes in as code, a block, a layer and a table, with an open batch and two results."""

    table: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(3, 4), Curved())
        self.register_buffer("table", torch.rand(4), persistent=False)

    def forward(self, x: Tensor) -> dict[str, Tensor]:
        spread, mean = torch.std_mean(self.inner(x) + self.table, dim=1)
        turned = torch.einsum("ij,kj->ik", x, x)
        return {"spread": spread.view(x.shape[0], 1), "mean": mean + turned.sum()}


class Curved(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.speed = nn.Parameter(torch.rand(4))

    def forward(self, x: Tensor) -> Tensor:
        return torch.special.i0(x * self.speed)


@pytest.fixture(scope="module")
def broad(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("broad") / "broad.pt2"
    sizes = {"x": {0: torch.export.Dim("batch")}}
    program = torch.export.export(Broad(), (torch.randn(2, 3),), dynamic_shapes=sizes)
    torch.export.save(program, path)
    return path


def _kinds(value: object, path: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    """Return where texts stand in a document, places in lists left out."""
    if isinstance(value, dict):
        return {found for key, item in value.items() for found in _kinds(item, (*path, str(key)))}
    if isinstance(value, list):
        return {found for item in value for found in _kinds(item, (*path, "*"))}
    return {path} if isinstance(value, str) else set()


def _changed(value: Any, path: tuple[str, ...], change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return value if path else change(value)
    if isinstance(value, list):
        return [_changed(item, path[1:], change) for item in value] if path[:1] == ("*",) else value
    if isinstance(value, dict):
        return {
            key: _changed(item, path[1:], change) if path[:1] == (key,) else item
            for key, item in value.items()
        }
    return value


@pytest.mark.fault("S02", "S08")
@pytest.mark.timeout(900)
@pytest.mark.parametrize("quote", ['"""', "'", ""])
def test_that_no_text_of_a_file_becomes_code(
    broad: Path, tmp_path: Path, quote: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    evil = f'{quote}); open("canary", "w")\n    open("canary", "w")\n{quote}#'
    with zipfile.ZipFile(broad) as archive:
        content = archive.read(next(n for n in archive.namelist() if n.endswith("model.json")))
    document = json.loads(content)
    imported = 0
    for path in sorted(_kinds(document)):
        if "metadata" in path and path[-1] != "nn_module_stack":
            continue  # notes of the exporter, which nobody reads
        changed = _changed(document, path, lambda text: text + evil)

        try:
            found = from_exported(_rewritten(broad, tmp_path / "evil.pt2", changed))
            require_same_results(found.graph, found.module, found.inputs, [found.mode])
            imported += 1
        except DiagnosticError:
            pass
        assert not (tmp_path / "canary").exists(), path
    assert imported  # of texts that do not matter


@pytest.mark.fault("S08")
def test_that_a_name_that_is_consistent_becomes_no_code(
    broad: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    evil = json.dumps('x"""\n    open("canary", "w")\n    """')[1:-1]
    for name in (
        "x",
        "table",
        "b_table",
        "p_inner_0_weight",
        "speed",
        "inner",
        "std_mean",
        "spread",
    ):
        file = tmp_path / "evil.pt2"
        with zipfile.ZipFile(broad) as old, zipfile.ZipFile(file, "w") as new:
            for member in old.infolist():
                content = old.read(member)
                if member.filename.endswith(".json"):
                    content = content.replace(f'"{name}"'.encode(), f'"{evil}"'.encode())
                new.writestr(member.filename, content)
        try:
            found = from_exported(file)
            require_same_results(found.graph, found.module, found.inputs, [found.mode])
        except DiagnosticError:
            pass
        assert not (tmp_path / "canary").exists(), name


@pytest.mark.fault("S02")
@pytest.mark.parametrize(
    "line",
    [
        'return open("canary", "w")',
        "return torch.ops.aten.from_file.default('canary', True, 1)",
        "return torch.load('canary')",
        "return x.__class__.__base__.__subclasses__()",
        "return [y for y in x]",
        "import os",
    ],
)
def test_that_code_that_does_more_than_it_should_is_not_run(
    broad: Path, tmp_path: Path, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written = CodeFile.files

    def planted(self: CodeFile) -> dict[str, str]:
        return {file: f"{text}    {line}\n" for file, text in written(self).items()}

    monkeypatch.setattr(CodeFile, "files", planted)
    with pytest.raises(DiagnosticError) as caught:
        from_exported(broad)
    assert caught.value.problems[0].code == "I039"
    assert not (tmp_path / "canary").exists()
