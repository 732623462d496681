"""Indices of folders of pictures: what is told of folders in which nothing is."""

from pathlib import Path

import torch
from PIL import Image

from engine.data.source.image_check import check_index
from engine.data.source.image_index import build_index
from engine.data.source.image_walk import Names
from engine.diagnostics import Diagnostic, sentence


def draw(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (6, 4)).save(path)


def folder_of(root: Path, classes: tuple[str, ...] = ("cats", "dogs", "mice")) -> None:
    """Fill a class folder for each name."""
    for name in classes:
        for number in range(2):
            draw(root / name / f"{number}.png")


def findings(root: Path) -> dict[str, Diagnostic]:
    index = build_index(root)
    labels = torch.from_numpy(index.arrays["label"]).to(torch.int64)
    return {found.code: found for found in check_index(index, Names(), labels, {})}


def test_that_empty_folders_of_sets_are_told_by_name(tmp_path):
    folder = tmp_path / "set"
    for part in ("train", "val", "test"):
        folder_of(folder / part)
    for path in ("val/cats", "test/cats", "test/dogs", "test/mice"):
        for file in (folder / path).iterdir():
            file.unlink()
    (folder / "train" / "nothing").mkdir()
    draw(folder / "test" / "beside.png")  # is in no class folder
    found = findings(folder)
    assert found["D591"].params["names"] == "val/cats"
    assert found["D592"].params["names"] == "test"
    assert found["D058"].params["names"] == "nothing"
    assert "test" in sentence(found["D592"])


def test_that_empty_folders_of_sets_are_told_without_classes_and_in_a_folder_of_their_own(tmp_path):
    for number in range(6):
        draw(tmp_path / "a" / "train" / f"{number}.png")
    (tmp_path / "a" / "val").mkdir()
    assert findings(tmp_path / "a")["D592"].params["names"] == "val"
    folder_of(tmp_path / "b" / "all" / "train")
    folder_of(tmp_path / "b" / "all" / "val", ("cats",))
    (tmp_path / "b" / "all" / "val" / "dogs").mkdir()
    found = findings(tmp_path / "b")
    assert found["D591"].params["names"] == "all/val/dogs"
    assert "D592" not in found


def test_that_full_folders_of_sets_are_not_told(tmp_path):
    for part in ("train", "val"):
        folder_of(tmp_path / part)
        (tmp_path / part / "cats" / "more").mkdir()
    assert not {"D591", "D592"} & set(findings(tmp_path))
