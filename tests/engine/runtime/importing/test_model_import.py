"""What the process that imports does: trained weights, other classes, a part of another model."""

import hashlib
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgspec
import pytest
import torch
from safetensors.torch import load_file, save_file

from engine.catalog.zoo import ZooModel, zoo
from engine.diagnostics import DiagnosticError
from engine.runtime import Download, ImportRequest, InputSize
from engine.runtime.importing import torchvision_model
from engine.runtime.importing.model_import import ModelImport
from engine.runtime.importing.request import ImportDone, ImportMessage, ImportProgress

NAME = "squeezenet1_1"
SMALL = (InputSize(shape=(3, 32, 32)),)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give PyTorch's cache a place of its own and put back what an import changes."""
    monkeypatch.setattr(torch.hub, "_hub_dir", str(tmp_path / "hub"))
    monkeypatch.setattr(torch.hub, "tqdm", torch.hub.tqdm)
    monkeypatch.setattr(
        "engine.runtime.importing.download.socket.setdefaulttimeout", lambda _: None
    )
    monkeypatch.setenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "0")
    return tmp_path / "hub"


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """Return a file of weights as torchvision would publish them, under its name."""
    torch.manual_seed(7)
    folder = tmp_path / "site"
    folder.mkdir()
    file = folder / zoo()[NAME].weights[0].file
    torch.save(torchvision_model.untrained(NAME, {}).state_dict(), file)
    return file


@pytest.fixture
def url(published: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def __init__(self, *args: object) -> None:
            super().__init__(*args, directory=str(published.parent))  # type: ignore[arg-type]

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/{published.name}"
    server.shutdown()
    server.server_close()
    thread.join()


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:8]


def _import(folder: Path, **request: object) -> tuple[dict[str, torch.Tensor], list[ImportMessage]]:
    folder.mkdir()
    asked = ImportRequest(**{"inputs": SMALL, **request})  # type: ignore[arg-type]
    (folder / "request.json").write_bytes(msgspec.json.encode(asked))
    said: list[ImportMessage] = []
    ModelImport(folder, said.append).run()
    return load_file(folder / "imported.safetensors"), said


@pytest.mark.row("S118")
def test_that_trained_weights_come_over_the_network_and_into_the_import(
    hub: Path, published: Path, url: str, tmp_path: Path
) -> None:
    wanted = Download(name="IMAGENET1K_V1", url=url, digest=_digest(published))
    found, said = _import(tmp_path / "work", model=NAME, download=wanted)
    expected = torch.load(published, weights_only=True)
    assert found.keys() == expected.keys()
    assert all(torch.equal(found[name], value) for name, value in expected.items())
    stages = [one.stage for one in said if isinstance(one, ImportProgress)]
    assert stages[-4:] == ["build", "follow", "compare", "write"]
    assert set(stages[:-4]) == {"download"}
    assert (hub / "checkpoints" / published.name).is_file()


@pytest.mark.row("S119", "S122")
def test_that_another_number_of_classes_takes_all_weights_but_those_of_the_head(
    hub: Path, published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = zoo()[NAME]
    kept = msgspec.structs.replace(model.weights[0], url=_renamed(published))
    known = {NAME: msgspec.structs.replace(model, weights=(kept,))}
    monkeypatch.setattr(torchvision_model, "zoo", lambda: known)
    found, said = _import(
        tmp_path / "work",
        model=NAME,
        weights_file=str(published),
        arguments={"num_classes": 5},
    )
    expected = torch.load(published, weights_only=True)
    assert found["classifier.1.weight"].shape[0] == 5
    rest = [name for name in expected if not name.startswith("classifier.1")]
    assert all(torch.equal(found[name], expected[name]) for name in rest)
    done = said[-1]
    assert isinstance(done, ImportDone)
    assert done.notices[0].params["new"] == "classifier.1.weight, classifier.1.bias"


def _renamed(file: Path) -> str:
    """Return an address whose name tells the digest of a file."""
    return f"https://example.invalid/{NAME}-{_digest(file)}.pth"


def test_that_a_file_of_ones_own_is_taken_and_one_of_another_model_refused(
    hub: Path, published: Path, tmp_path: Path
) -> None:
    weights = {f"module.{k}": v for k, v in torch.load(published, weights_only=True).items()}
    own = tmp_path / "mine.pt"
    torch.save(weights, own)
    found, _ = _import(tmp_path / "work", model=NAME, weights_file=str(own))
    name = "features.0.weight"
    assert torch.equal(found[name], weights[f"module.{name}"])
    save_file({"other": torch.zeros(2)}, tmp_path / "other.safetensors")
    with pytest.raises(DiagnosticError) as caught:
        _import(tmp_path / "again", model=NAME, weights_file=str(tmp_path / "other.safetensors"))
    assert caught.value.problems[0].code == "R141"
    assert not (tmp_path / "again" / "imported.safetensors").exists()


@pytest.mark.row("S118")
def test_that_the_weights_of_a_part_are_written_with_those_of_the_whole(
    hub: Path, tmp_path: Path
) -> None:
    beside = tmp_path / "imported.safetensors"
    save_file({"fc.weight": torch.ones(3)}, beside)
    found, _ = _import(tmp_path / "work", model=NAME, prefix="body.", beside=str(beside))
    assert torch.equal(found.pop("fc.weight"), torch.ones(3))
    assert len(found) > 50
    assert all(name.startswith("body.") for name in found)


def test_that_the_list_of_models_is_that_of_torchvision() -> None:
    from torchvision.models import get_model_weights, list_models

    known = zoo()
    assert list(known) == list_models()
    assert all(
        [one.url for one in model.weights] == [one.url for one in get_model_weights(name)]
        and all(one.digest for one in model.weights)
        for name, model in known.items()
    )
    assert isinstance(known[NAME], ZooModel)
    assert known["resnet18"].parameters == 11_689_512


FORGETFUL = """from torch import nn

class Forgetful(nn.Module):
    def __init__(self):
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x)
"""
LISTED = """from torch import nn

class Listed(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(4, 4), nn.Linear(4, 2)]

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
"""


@pytest.mark.row("S352", "S353")
@pytest.mark.parametrize(("name", "code"), [("x.pth", "I058"), ("net.py", "I059")])
def test_that_what_is_no_model_by_itself_names_the_way(tmp_path: Path, name: str, code: str):
    with pytest.raises(DiagnosticError) as caught:
        _import(tmp_path / "work", model=str(tmp_path / name))
    assert [problem.code for problem in caught.value.problems] == [code]
    assert f"{name}::Class" in str(caught.value) or f"--weights {name}" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "codes"),
    [("Forgetful", FORGETFUL, ["U040", "I023"]), ("Listed", LISTED, ["U041", "I002"])],
)
def test_that_a_class_that_pytorch_finds_no_layers_in_is_refused_with_the_mistake(
    tmp_path: Path, name: str, text: str, codes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])  # an import gives its process the file's folder
    file = tmp_path / f"{name.lower()}.py"
    other = LISTED if text is FORGETFUL else FORGETFUL
    file.write_text(f"{other.replace('class ', 'class Other')}\n{text}")
    with pytest.raises(DiagnosticError) as caught:
        _import(tmp_path / "work", model=f"{file}::{name}", inputs=(InputSize(shape=(4,)),))
    assert [problem.code for problem in caught.value.problems] == codes
