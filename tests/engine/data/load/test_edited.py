"""Edits of data: the same as changing the files, which stay as they are."""

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from msgspec.structs import replace
from PIL import Image

from engine.data.load.edited import check_edits, edit_names, edited_samples
from engine.data.load.load import LoadedData, load_data
from engine.data.preview import describe
from engine.data.source.registry import load_source
from engine.data.source.source import PARTS
from engine.data.split.split import equal_groups
from engine.diagnostics import DiagnosticError, Severity
from engine.spec.data_edits import DataEdits
from engine.spec.data_path import data_key
from engine.spec.run import Choice, DataSpec, SplitSpec
from engine.train.checkpoint.lookup import open_checkpoint
from tests.tiny_run import CROSS_ENTROPY, chain, curves, make_run, node, train

COLORS = {"black": 10, "gray": 128, "white": 240}
Rows = list[list[str]]


def edited(spec: DataSpec, change: Callable[[DataEdits], DataEdits]) -> DataSpec:
    return replace(spec, edits=change(spec.edits.of(data_key(spec.source))))


def rows_of_table() -> Rows:
    chance = random.Random(5)
    rows = []
    for number in range(60):
        label = ("low", "mid", "high")[number % 3]
        middle = {"low": -2.0, "mid": 0.0, "high": 2.0}[label]
        values = [f"{middle + chance.gauss(0, 1):.4f}" for _ in range(3)]
        rows.append([*values, label, ("train", "train", "val", "test")[number // 3 % 4]])
    return rows


def write_table(path: Path, rows: Rows) -> DataSpec:
    lines = [",".join(row) for row in [["a", "b", "c", "kind", "part"], *rows]]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    params = {"path": str(path), "target": "kind", "ignored": "part"}
    split = SplitSpec(kind="column", column="part")
    return DataSpec(source=Choice(type="table", params=params), split=split, batch_size=8)


def same_values(one: LoadedData, other: LoadedData) -> bool:
    return all(
        values.keys() == other.tensors(part).keys()
        and all(torch.equal(values[name], other.tensors(part)[name]) for name in values)
        for part in PARTS
        for values in [one.tensors(part)]
    )


def result(project: Path, data: DataSpec) -> tuple[dict[str, bytes], object]:
    graph = chain(
        node("Input", "features", field="features", shape=(3,)),
        node("Linear", "head", out_features=3),
        node("Output", "logits"),
    )
    run = make_run(project, graph, data=data, losses=(CROSS_ENTROPY,), epochs=3)
    train(run)
    state = open_checkpoint(run, "last").model
    return {name: value.numpy().tobytes() for name, value in state.items()}, curves(run)


def test_that_a_run_is_the_same_as_on_a_table_that_was_changed_by_hand(tmp_path: Path):
    rows = rows_of_table()
    spec = write_table(tmp_path / "table.csv", rows)
    before = (tmp_path / "table.csv").read_bytes()
    spec = edited(
        spec,
        lambda edits: (
            edits.excluding(["2", "5", "31"], is_excluded=True)
            .relabelled(["4", "9"], "high")
            .moved(["3"], "test")
            .moved(["14"], "train")
        ),
    )
    changed = [row.copy() for row in rows]
    changed[4 - 2][3] = changed[9 - 2][3] = "high"  # the first row stands in line 2
    changed[3 - 2][4], changed[14 - 2][4] = "test", "train"
    kept = [row for number, row in enumerate(changed, 2) if number not in (2, 5, 31)]
    by_hand = write_table(tmp_path / "by_hand.csv", kept)
    assert same_values(load_data(spec), load_data(by_hand))
    assert not same_values(load_data(spec), load_data(replace(spec, edits=DataEdits())))
    assert result(tmp_path / "one", spec) == result(tmp_path / "two", by_hand)
    assert (tmp_path / "table.csv").read_bytes() == before


def by_content(spec: DataSpec, numbers: list[str]) -> list[str]:
    source = load_source(spec.source)
    return edit_names(spec, source, [source.find_samples([number])[number] for number in numbers])


@pytest.mark.parametrize("kind", ["inserted", "sorted", "shortened"])
def test_that_edits_stay_with_their_rows_where_the_table_changes(tmp_path: Path, kind: str):
    rows = rows_of_table()
    file = tmp_path / "table.csv"
    spec = write_table(file, rows)
    out, high = by_content(spec, ["4", "7"]), by_content(spec, ["6"])
    spec = edited(
        spec, lambda edits: edits.excluding(out, is_excluded=True).relabelled(high, "high")
    )
    new = {
        "inserted": [["9", "9", "9", "low", "train"], *rows],
        "sorted": sorted(rows),
        "shortened": [row for number, row in enumerate(rows) if number not in (0, 20)],
    }[kind]
    write_table(file, new)
    assert not list(check_edits(spec))
    loaded = load_data(spec)
    labels = loaded.source.column("label")
    assert labels is not None
    kept = [int(at) for part in PARTS for at in loaded.indices[part]]
    seen = {loaded.source.text("a", at): int(labels[at]) for at in kept}
    assert len(seen) == len(new) - 2
    assert not {rows[2][0], rows[5][0]} & set(seen)
    (classes,) = (info.classes for info in loaded.source.infos if info.name == "label")
    assert classes[seen[rows[4][0]]] == "high" != rows[4][3]


def test_that_rows_that_are_alike_are_each_left_out_once(tmp_path: Path):
    rows = [*rows_of_table(), *rows_of_table()[:2]]  # the first two again at the end
    spec = write_table(tmp_path / "table.csv", rows)
    names = by_content(spec, ["2", "62"])
    spec = edited(spec, lambda edits: edits.excluding(names, is_excluded=True))
    write_table(tmp_path / "table.csv", [["9", "9", "9", "low", "train"], *rows])
    source = load_source(spec.source)
    assert sorted(edited_samples(source, spec.edits)) == [1, 61]


def test_that_the_edit_of_a_row_that_was_changed_is_told_and_does_nothing(tmp_path: Path):
    rows = rows_of_table()
    spec = write_table(tmp_path / "table.csv", rows)
    names = by_content(spec, ["5"])
    spec = edited(spec, lambda edits: edits.excluding(names, is_excluded=True))
    rows[3][0] = "7.7"
    write_table(tmp_path / "table.csv", rows)
    (problem,) = check_edits(spec)
    assert (problem.code, problem.params["name"]) == ("D181", "5")
    assert sum(len(load_data(spec).parts[part]) for part in PARTS) == len(rows)


def write_pictures(folder: Path) -> DataSpec:
    chance = np.random.default_rng(3)
    for part, count in (("train", 6), ("val", 3), ("test", 2)):
        for name, shade in COLORS.items():
            (folder / part / name).mkdir(parents=True)
            for number in range(count):
                values = (shade + chance.integers(-9, 9, (12, 12, 3))).clip(0, 255)
                picture = Image.fromarray(values.astype(np.uint8))
                picture.save(folder / part / name / f"图 {number}.png")
    source = Choice(type="image_folder", params={"path": str(folder), "size": 8})
    return DataSpec(source=source, split=SplitSpec(kind="given"), batch_size=4)


def test_that_excluded_pictures_are_as_if_their_files_were_not_there(tmp_path: Path):
    names = ["train/black/图 2.png", "val/white/图 0.png"]
    spec = write_pictures(tmp_path / "whole")
    fewer = write_pictures(tmp_path / "fewer")
    for name in names:
        (tmp_path / "fewer" / name).unlink()
    spec = edited(spec, lambda edits: edits.excluding(names, is_excluded=True))
    assert same_values(load_data(spec), load_data(fewer))
    assert all((tmp_path / "whole" / name).is_file() for name in names)


def test_that_an_excluded_picture_stands_for_no_damaged_one(tmp_path: Path):
    spec = write_pictures(tmp_path / "set")
    source = replace(spec.source, params={**spec.source.params, "on_damaged": "replace"})
    folder = tmp_path / "set" / "val" / "gray"
    (folder / "图 0.png").write_bytes(b"damaged")
    before = load_data(replace(spec, source=source)).source
    first, second, third = (f"val/gray/图 {number}.png" for number in range(3))
    at = before.find_samples([first, second, third])
    shown = before.read([at[second], at[third]])["image"]
    assert torch.equal(before.read([at[first]])["image"][0], shown[0])
    edits = edited(replace(spec, source=source), lambda e: e.excluding([second], is_excluded=True))
    after = load_data(edits).source
    assert torch.equal(after.read([at[first]])["image"][0], shown[1])


def test_that_relabelled_pictures_are_equal_to_those_that_lie_in_the_other_folder(tmp_path: Path):
    spec = write_pictures(tmp_path / "set")
    copied = tmp_path / "set" / "train" / "white" / "copy.png"
    copied.write_bytes((tmp_path / "set/train/black/图 1.png").read_bytes())
    names = ["train/black/图 1.png", "train/white/copy.png"]

    def is_one_group(spec: DataSpec) -> bool:
        data = load_data(spec)
        first, second = (data.source.find_samples(names)[name] for name in names)
        groups = equal_groups(data.source)
        return bool(groups[first] == groups[second])

    assert not is_one_group(spec)
    assert is_one_group(edited(spec, lambda edits: edits.relabelled(names[:1], "white")))


def test_that_edits_leave_all_other_samples_in_their_parts():
    spec = DataSpec(source=Choice(type="digits"), split=SplitSpec(kind="stratified"))
    before = load_data(spec).indices
    names = [str(int(before[part][0])) for part in PARTS]
    after = load_data(
        edited(
            spec, lambda edits: edits.excluding(names, is_excluded=True).relabelled(["900"], "0")
        )
    ).indices
    for part in PARTS:
        assert after[part].tolist() == before[part].tolist()[1:]


def test_that_classes_and_truth_values_of_two_classes_change_together():
    spec = DataSpec(source=Choice(type="breast_cancer"))
    label = load_data(spec).source.column("label")
    names = load_data(spec).info.field("label").classes
    other = names[1 - int(label[7])]
    source = load_data(edited(spec, lambda edits: edits.relabelled(["7"], other))).source
    assert int(source.column("label")[7]) == 1 - int(label[7])
    assert float(source.column("target")[7, 0]) == 1 - int(label[7])
    assert source.keys([7]) != load_source(spec.source).keys([7])
    assert int(load_source(spec.source).column("label")[7]) == int(label[7])


def problem_codes(spec: DataSpec) -> list[str]:
    return [each.code for each in describe(spec).problems if each.code.startswith("D18")]


def test_that_names_that_are_gone_are_told_and_the_rest_holds(tmp_path: Path):
    spec = write_pictures(tmp_path / "set")
    names = ["train/black/图 0.png", "train/black/gone.png", "nowhere/x.png"]
    spec = edited(spec, lambda edits: edits.excluding(names, is_excluded=True))
    (problem,) = [each for each in describe(spec).problems if each.code == "D181"]
    assert problem.severity == Severity.WARNING
    assert problem.params["count"] == 2
    assert load_data(spec).samples("train") == 3 * 6 - 1


def test_that_edits_of_other_data_do_not_hold(tmp_path: Path):
    spec = edited(
        write_table(tmp_path / "one.csv", rows_of_table()),
        lambda edits: edits.excluding(["4"], is_excluded=True),
    )
    (tmp_path / "moved").mkdir()
    moved = (tmp_path / "one.csv").rename(tmp_path / "moved" / "one.csv")
    other = write_table(tmp_path / "two.csv", rows_of_table())
    assert problem_codes(replace(spec, source=other.source)) == ["D180"]
    assert describe(replace(spec, source=other.source)).part("train").samples == 30
    params = {**spec.source.params, "path": str(moved)}
    elsewhere = replace(spec, source=replace(spec.source, params=params))
    assert problem_codes(elsewhere) == []
    assert describe(elsewhere).part("train").samples == 29


def test_that_a_class_that_there_is_not_is_refused_with_those_that_there_are(tmp_path: Path):
    spec = edited(
        write_table(tmp_path / "one.csv", rows_of_table()),
        lambda edits: edits.relabelled(["4"], "hihg"),
    )
    with pytest.raises(DiagnosticError) as raised:
        load_data(spec)
    (problem,) = raised.value.problems
    assert problem.code == "D182"
    assert problem.params["classes"] == "high, low, mid"
    assert problem_codes(spec) == ["D182"]  # the data can be looked at still


def test_that_labels_of_data_without_classes_are_told():
    spec = DataSpec(source=Choice(type="diabetes"))
    spec = edited(spec, lambda edits: edits.relabelled(["4"], "high"))
    assert problem_codes(spec) == ["D183"]


def test_that_pictures_with_boxes_are_left_out_and_moved_but_get_no_other_class(tmp_path: Path):
    for at in range(6):
        Image.new("RGB", (20, 20), (at * 9, 0, 0)).save(tmp_path / f"{at}.png")
    rows = [f"{at}.png,2,2,{9 + at},9,{'cat' if at % 2 else 'dog'}" for at in range(6)]
    (tmp_path / "boxes.csv").write_text("\n".join(rows))
    source = Choice(type="detection_folder", params={"path": str(tmp_path), "size": 20})
    whole = DataSpec(
        source=source, split=SplitSpec(kind="sequential", train=0.5, validation=0.5, test=0.0)
    )
    spec = edited(whole, lambda edits: edits.excluding(["1.png"], is_excluded=True))
    spec = edited(spec, lambda edits: edits.moved(["2.png"], "validation"))
    data = load_data(spec)
    assert data.indices["train"].tolist() == [0]
    assert data.indices["validation"].tolist() == [2, 3, 4, 5]
    assert data.tensors("validation")["boxes"][:, 0, 2].tolist() == [11, 12, 13, 14]
    part = data.info.part("train")
    assert part is not None
    assert part.class_counts == (0, 1)  # cat, dog
    relabelled = edited(spec, lambda edits: edits.relabelled(["0.png"], "cat"))
    assert "D183" in problem_codes(relabelled)


def test_that_a_row_without_a_number_can_be_left_out(tmp_path: Path):
    values = np.random.default_rng(0).normal(size=(30, 3)).astype(np.float32)
    values[17, 1] = np.nan
    np.savez(tmp_path / "rows.npz", x=values, y=np.arange(30) % 2)
    source = Choice(type="arrays", params={"path": str(tmp_path / "rows.npz")})
    with pytest.raises(DiagnosticError):
        load_data(DataSpec(source=source))
    spec = edited(DataSpec(source=source), lambda e: e.excluding(["17"], is_excluded=True))
    assert sum(len(load_data(spec).indices[part]) for part in PARTS) == 29


def test_that_names_of_rows_stay_when_rows_without_a_target_are_left_out(tmp_path: Path):
    rows = rows_of_table()
    rows[3][3] = ""
    source = load_source(write_table(tmp_path / "one.csv", rows).source)
    assert source.samples == len(rows) - 1
    assert source.sample_names([2, 3]) == ["4", "6"]
    assert source.find_samples(["4", "5", "6", "06", "x", "9" * 30]) == {"4": 2, "6": 3}


@pytest.mark.parametrize(
    ("params", "names"),
    [
        ({"task": "classification"}, ["1", "3", "4"]),
        ({"task": "pairs"}, ["1", "3", "4"]),
        ({"task": "language model", "tokens": "characters", "length": 4}, ["0", "4", "8"]),
    ],
)
def test_that_texts_are_named_by_their_line_or_where_they_start(tmp_path: Path, params, names):
    path = tmp_path / "text.txt"
    path.write_text("yes\tsure thing\n\nno\tno way\nyes\tof course\n", encoding="utf-8")
    source = load_source(Choice(type="text", params={"path": str(path), **params}))
    assert source.sample_names(range(3)) == names
    assert source.find_samples(names) == {name: index for index, name in enumerate(names)}


def test_that_files_of_texts_are_named_by_their_path_and_can_be_relabelled(tmp_path: Path):
    for name in ("good", "bad"):
        (tmp_path / "set" / name).mkdir(parents=True)
        for number in range(6):
            (tmp_path / "set" / name / f"{number}.txt").write_text(f"{name} text {number}")
    params = {"path": str(tmp_path / "set"), "task": "classification"}
    spec = DataSpec(source=Choice(type="text", params=params))
    spec = edited(spec, lambda edits: edits.relabelled(["good/3.txt"], "bad"))
    source = load_data(spec).source
    index = source.find_samples(["good/3.txt"])["good/3.txt"]
    assert source.sample_names([index]) == ["good/3.txt"]
    assert source.texts(index)["text"] == "good text 3"
    assert source.infos[1].classes[int(source.read([index])["label"][0])] == "bad"
