"""The version of data: equal for equal data wherever it lies, another for any change of it."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image

from engine.data.load.version import data_version
from engine.data.source.fingerprint import content_digest
from engine.data.source.registry import load_source
from engine.query.data.comparison import compare_data
from engine.query.data.request import CompareData
from engine.runs.folder import RunFolder
from engine.spec.data_edits import DataEdits
from engine.spec.data_path import data_key
from engine.spec.run import Choice, DataSpec, SplitSpec
from engine.spec.transform import TransformSpec
from tests.tiny_run import CROSS_ENTROPY, chain, make_run, node, train


def table(path: Path, rows: int = 40) -> DataSpec:
    lines = ["a,b,kind"]
    lines += [f"{row % 7 - 3}.5,{row % 5}.25,{('x', 'y')[row % 2]}" for row in range(rows)]
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return DataSpec(source=Choice(type="table", params={"path": str(path), "target": "kind"}))


def pictures(folder: Path) -> DataSpec:
    for name, shade in (("black", 0), ("white", 255)):
        (folder / name).mkdir(parents=True)
        for number in range(3):
            picture = Image.fromarray(np.full((4, 4, 3), shade, np.uint8))
            picture.save(folder / name / f"{number}.png")
    return DataSpec(source=Choice(type="image_folder", params={"path": str(folder), "size": 4}))


def moved(spec: DataSpec, path: Path) -> DataSpec:
    params = {**spec.source.params, "path": str(path)}
    return replace(spec, source=replace(spec.source, params=params))


def excluding(spec: DataSpec, *names: str) -> DataSpec:
    edits = spec.edits.of(data_key(spec.source)).excluding(names, is_excluded=True)
    return replace(spec, edits=edits)


@pytest.mark.parametrize("kind", ["table", "pictures"])
def test_that_copied_data_has_the_same_version(tmp_path: Path, kind: str):
    spec = table(tmp_path / "a" / "t.csv") if kind == "table" else pictures(tmp_path / "a")
    other = tmp_path / "b"
    shutil.copytree(tmp_path / "a", other)
    for file in other.rglob("*"):
        os.utime(file, (5, 5))
    copied = moved(spec, other / "t.csv" if kind == "table" else other)
    assert data_version(copied) == data_version(spec)


def test_that_each_change_tells_what_it_is(tmp_path: Path):
    spec = table(tmp_path / "t.csv")
    first = data_version(spec)
    source = replace(spec.source, params={**spec.source.params, "missing": "drop"})
    flip = TransformSpec(type="RandomHorizontalFlip")
    for change, part in (
        (excluding(spec, "3"), "edits"),
        (replace(spec, split=SplitSpec(seed=4)), "split"),
        (replace(spec, transforms=(flip,)), "transforms"),
        (replace(spec, normalization="standard"), "transforms"),
        (replace(spec, source=source), "source"),
    ):
        assert first.differences(data_version(change)) == (part,)
    tagged = replace(spec, edits=DataEdits(source=data_key(spec.source)).tagged(["3"], "odd"))
    assert data_version(tagged) == first
    table(tmp_path / "t.csv", 41)
    assert first.differences(data_version(spec)) == ("files",)


def test_that_another_content_of_the_same_size_is_another_version(tmp_path: Path):
    spec = pictures(tmp_path / "set")
    file = tmp_path / "set" / "white" / "1.png"
    first = data_version(spec)
    content = file.read_bytes()
    file.write_bytes(content[:-20] + bytes(20))
    assert load_source(spec.source).samples == 6
    assert first.differences(data_version(spec)) == ("files",)


def test_that_a_folder_that_is_gone_has_no_version_of_its_files(tmp_path: Path):
    spec = table(tmp_path / "t.csv")
    source = load_source(spec.source)
    (tmp_path / "t.csv").unlink()
    assert content_digest(spec.source, source) == ""


def run_on(project: Path, data: DataSpec) -> str:
    graph = chain(
        node("Input", "features", field="features", shape=(2,)),
        node("Linear", "head", out_features=2),
        node("Output", "logits"),
    )
    run = make_run(project, graph, data=data, losses=(CROSS_ENTROPY,), epochs=1)
    assert train(run).data == data_version(data)
    return str(run.path)


def test_that_runs_tell_in_which_samples_their_data_differs(tmp_path: Path):
    spec = table(tmp_path / "t.csv")
    edits = spec.edits.of(data_key(spec.source))
    edits = (
        edits.excluding(["2", "4"], is_excluded=True).relabelled(["5"], "x").moved(["6"], "test")
    )
    parts = SplitSpec(kind="sequential")
    runs = [
        run_on(tmp_path, replace(spec, split=parts)),
        run_on(tmp_path, replace(spec, split=parts, edits=edits)),
    ]
    (other,) = compare_data(CompareData(run_folders=tuple(runs))).others
    assert other.parts == ("edits",)
    assert other.samples is not None
    counts = other.samples
    assert (counts.only_first, counts.only_other, counts.moved, counts.relabelled) == (2, 0, 1, 1)
    found = {each.name: (each.first, each.other) for each in counts.samples}
    assert found == {
        "2": ("train", "absent"),
        "4": ("train", "absent"),
        "5": ("train", "train"),
        "6": ("train", "test"),
    }
    relabelled = next(each for each in counts.samples if each.name == "5")
    assert (relabelled.first_class, relabelled.other_class) == ("y", "x")
    assert counts.differing == 4
    request = CompareData(run_folders=tuple(runs), start=1, count=2)
    (paged,) = compare_data(request).others
    assert paged.samples is not None
    assert [each.name for each in paged.samples.samples] == ["4", "5"]
    assert paged.samples.differing == 4
    (same,) = compare_data(CompareData(run_folders=(runs[1], runs[1]))).others
    assert same.parts == ()
    assert same.samples is not None
    assert same.samples.total == 0


def test_that_samples_of_other_files_are_compared_by_name_until_they_are_changed(tmp_path: Path):
    first, second = table(tmp_path / "a" / "t.csv"), table(tmp_path / "b" / "t.csv", 43)
    parts = SplitSpec(kind="sequential")
    runs = tuple(run_on(tmp_path, replace(spec, split=parts)) for spec in (first, second))
    (other,) = compare_data(CompareData(run_folders=runs)).others
    assert other.parts == ("files",)
    assert other.samples is not None
    assert (other.samples.only_first, other.samples.only_other) == (0, 3)
    named = [(each.name, each.first, each.other) for each in other.samples.samples]
    assert len(named) == other.samples.differing
    assert named[-3:] == [(name, "absent", "test") for name in ("42", "43", "44")]
    request = CompareData(run_folders=runs, start=other.samples.differing - 1, count=9)
    (last,) = compare_data(request).others
    assert last.samples is not None
    assert [each.name for each in last.samples.samples] == ["44"]
    table(tmp_path / "b" / "t.csv", 50)
    (other,) = compare_data(CompareData(run_folders=runs)).others
    assert other.parts == ("files",)
    assert other.samples is None


def test_that_a_run_that_goes_on_with_other_files_tells_so(tmp_path: Path):
    spec = table(tmp_path / "t.csv")
    run = RunFolder.open(run_on(tmp_path, spec))
    assert train(run, "latest", length=2).warnings == ()
    content = (tmp_path / "t.csv").read_text(encoding="utf-8")
    (tmp_path / "t.csv").write_text(content.replace("2.25", "2.75"), encoding="utf-8")
    state = train(run, "latest", length=3)
    assert [problem.code for problem in state.warnings] == ["D188"]
    assert state.epoch == 3


def test_that_parts_kept_from_before_more_rows_came_are_another_split(tmp_path: Path):
    spec = replace(table(tmp_path / "t.csv"), split=SplitSpec(kind="random"))
    grown = RunFolder.open(run_on(tmp_path, spec))
    content = (tmp_path / "t.csv").read_text(encoding="utf-8")
    (tmp_path / "t.csv").write_text(f"{content}1.5,2.25,x\n2.5,3.25,y\n", encoding="utf-8")
    train(grown, "latest", length=2)
    fresh = run_on(tmp_path, spec)
    again = run_on(tmp_path, spec)
    report = compare_data(CompareData(run_folders=(fresh, str(grown.path), again)))
    with_parts, same = report.others
    assert with_parts.samples is not None
    assert with_parts.samples.total > 0
    assert with_parts.parts == ("split",)
    first, other, last = report.versions
    assert first is not None
    assert other is not None
    assert first.short != other.short
    assert (same.parts, last) == ((), first)
