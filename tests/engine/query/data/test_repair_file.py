"""What repairs the data at which a run ended."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from engine.data.source.registry import load_source
from engine.data.source.source import Source
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.model import Graph
from engine.query.ask import ask
from engine.query.data.request import RepairFile
from engine.spec.data_edits import split_name
from engine.spec.repair import repaired
from engine.spec.run import Choice, DataSpec, RunSpec


def pictures(folder: Path) -> DataSpec:
    """Write pictures of two classes, one of them damaged, in a path with a space."""
    for name in ("a", "b 2"):
        for number in range(4):
            path = folder / name / f"{number}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(np.full((8, 8, 3), number * 20, np.uint8)).save(path)
    (folder / "b 2" / "1.png").write_bytes(b"damaged")
    return DataSpec(source=Choice(type="image_folder", params={"path": str(folder), "size": 8}))


def table(folder: Path) -> DataSpec:
    """Write a table whose third row names a damaged picture."""
    pictures(folder / "files")
    lines = ["photo,age,sold"]
    names = ("a/0.png", "a/1.png", "b 2/1.png", "b 2/2.png")
    lines += [f"files/{name},{number},{number % 2}" for number, name in enumerate(names)]
    (folder / "homes.csv").write_text("\n".join(lines), "utf-8")
    params = {"path": str(folder / "homes.csv"), "kinds": "photo=image", "size": 8}
    return DataSpec(source=Choice(type="table", params=params))


def problem_of(data: DataSpec) -> Diagnostic:
    source = load_source(data.source)
    with pytest.raises(DiagnosticError) as caught:
        source.read(range(source.samples))
    return caught.value.problems[0]


@pytest.mark.fault("F15")
@pytest.mark.parametrize(("make", "name"), [(pictures, "b 2/1.png"), (table, "4")])
def test_that_the_sample_of_a_damaged_file_can_be_left_out(tmp_path: Path, make, name: str) -> None:
    data = make(tmp_path / "数据 set")
    (fixes,) = ask(RepairFile(data=data, problem=problem_of(data))).fixes
    assert [split_name(each)[0] for each in fixes[0].excluded] == [name]
    _, spec = repaired(fixes[0], Graph(), RunSpec(data=data))
    source = load_source(spec.data.source)
    (sample,) = source.find_samples([name]).values()
    rest = [index for index in range(source.samples) if index != sample]
    source.read(rest)  # nothing else is damaged


def test_that_the_sample_of_a_file_is_found_by_its_name(tmp_path: Path, monkeypatch) -> None:
    data = pictures(tmp_path / "set")
    problem = problem_of(data)
    source = load_source(data.source)
    (sample,) = source.find_samples(["b 2/1.png"]).values()
    looked_at: list[int] = []
    file_of = type(source).file

    def file(self: Source, name: str, index: int) -> Path | None:
        looked_at.append(index)
        return file_of(self, name, index)

    monkeypatch.setattr(type(source), "file", file)
    assert ask(RepairFile(data=data, problem=problem)).fixes[0][0].excluded == ("b 2/1.png",)
    assert set(looked_at) == {sample}  # not all the others before it


def test_that_others_stand_in_only_where_the_source_can_do_so_and_does_not(tmp_path: Path) -> None:
    data = pictures(tmp_path / "p")
    problem = problem_of(data)
    (fixes,) = ask(RepairFile(data=data, problem=problem)).fixes
    assert [dict(fix.settings) for fix in fixes] == [{}, {"data.source.on_damaged": "replace"}]
    _, spec = repaired(fixes[1], Graph(), RunSpec(data=data))
    load_source(spec.data.source).read(range(8))
    (fixes,) = ask(RepairFile(data=spec.data, problem=problem)).fixes
    assert [bool(fix.excluded) for fix in fixes] == [True]
    of_table = table(tmp_path / "t")
    (fixes,) = ask(RepairFile(data=of_table, problem=problem_of(of_table))).fixes
    assert [bool(fix.excluded) for fix in fixes] == [True]
