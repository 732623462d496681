"""Pictures that a table names: as large as those of a folder, in parts that their paths name."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.spec.proposal import Answers, Proposal

PARTS = ("train", "train", "train", "val")


def picture(path: Path, shape: tuple[int, int], value: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.full((*shape, 3), value, np.uint8)).save(path)


def proposed(folder: Path, lines: list[str]) -> Proposal:
    (folder / "all.csv").write_text("\n".join(lines))
    return propose_data(ProposeData(path=str(folder / "all.csv")))


@pytest.mark.parametrize(
    ("shapes", "size"),
    [([(96, 80)], (96, 80)), ([(150, 200), (160, 160)], 128), ([(300, 400)], 224), ([(9, 7)], 32)],
)
def test_that_named_pictures_are_as_large_as_those_of_a_folder(tmp_path, shapes, size):
    for number in range(24):
        shape = shapes[number % len(shapes)]
        picture(tmp_path / "cats" / f"{number}.png", shape, number)
        picture(tmp_path / "dogs" / f"{number}.png", shape, number)
    folder = propose_data(ProposeData(path=str(tmp_path))).spec.data.source
    assert folder.type == "image_folder"
    rows = [f"{kind}/{number}.png,{kind}" for kind in ("cats", "dogs") for number in range(24)]
    table = proposed(tmp_path, ["file,label", *rows]).spec.data.source
    wanted = folder.params["size"]
    assert table.type == "table"
    assert table.params["size"] == wanted
    assert wanted == size or shapes == [(9, 7)]


def test_that_pictures_beside_texts_stay_small(tmp_path):
    rows = []
    for number in range(40):
        picture(tmp_path / f"{number}.png", (200, 200), number)
        note = f"the {number}th picture of all that there are, seen {number % 3} times"
        rows.append(f"{number}.png,{note},{'ab'[number % 2]}")
    assert proposed(tmp_path, ["file,note,label", *rows]).spec.data.source.params["size"] == 64


@pytest.mark.parametrize("place", ["{part}/{number}.png", "img/{part}/x/{number}.png"])
def test_that_the_folders_in_paths_say_the_part(tmp_path, place):
    rows = []
    for number in range(40):
        name = place.format(part=PARTS[number % 4], number=number)
        picture(tmp_path / name, (8, 8), number)
        rows.append(f"{name},{'ab'[number // 4 % 2]}")
    found = proposed(tmp_path, ["file,label", *rows])
    assert (found.spec.data.split.kind, found.spec.data.split.stratified) == ("given", True)
    parts = {part.name: part.samples for part in found.info.splits}
    assert parts["validation"] == 10
    assert parts["train"] + parts["test"] == 30


@pytest.mark.parametrize("folders", [("train", "other"), ("train", "train"), ("val", "test")])
def test_that_other_folders_say_no_part(tmp_path, folders):
    rows = []
    for number in range(40):
        name = f"{folders[number % 2]}/{number}.png"
        picture(tmp_path / name, (8, 8), number)
        rows.append(f"{name},{'ab'[number // 4 % 2]}")
    assert proposed(tmp_path, ["file,label", *rows]).spec.data.split.kind == "stratified"


def test_that_a_column_of_parts_goes_before_the_folders(tmp_path):
    rows = []
    for number in range(40):
        name = f"{PARTS[number % 4]}/{number}.png"
        picture(tmp_path / name, (8, 8), number)
        rows.append(f"{name},{'ab'[number // 4 % 2]},{('train', 'test')[number % 2]}")
    split = proposed(tmp_path, ["file,label,split", *rows]).spec.data.split
    assert (split.kind, split.column) == ("column", "split")


@pytest.mark.parametrize(
    ("kinds", "told"), [("", "age, sex"), ("sex=ignored", "age"), ("age=ignored, sex=ignored", "")]
)
def test_that_columns_read_beside_pictures_are_told(tmp_path, kinds, told):
    rows = []
    for number in range(40):
        picture(tmp_path / f"{number}.png", (8, 8), number)
        rows.append(
            f"{number}.png,{20 + number * 7 % 50},{'mf'[number // 3 % 2]},{'ab'[number % 2]}"
        )
    (tmp_path / "all.csv").write_text("\n".join(["file,age,sex,label", *rows]))
    answers = Answers(params={"kinds": kinds} if kinds else {})
    found = propose_data(ProposeData(path=str(tmp_path / "all.csv"), answers=answers))
    beside = [each.params for each in found.info.problems if each.code == "D723"]
    assert [each["columns"] for each in beside] == ([told] if told else [])
    assert all(each["files"] == "file" for each in beside)
