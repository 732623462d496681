"""Findings about the files of an index."""

import pytest
import torch
from PIL import Image

from engine.data.source.registry import load_source
from engine.spec.run import Choice
from tests.engine.data.source.test_image_folder import codes, draw, folder_of, source_of


@pytest.mark.fault("B12")
def test_that_a_class_with_fewer_pictures_than_sets_is_told_once(tmp_path):
    folder = folder_of(tmp_path / "s")
    for number in range(2):
        draw(folder / "few" / f"{number}.png", 40 + number)
    draw(folder / "lone" / "0.png", 90)
    source = source_of(folder)
    labels = source.column("label")
    few, lone = (source.index.head.classes.index(name) for name in ("few", "lone"))
    rows = [index for index, label in enumerate(labels.tolist()) if label not in (few, lone)]
    some = [labels.tolist().index(few), labels.tolist().index(lone)]
    parts = {"train": [*some, *rows[2:]], "validation": rows[:1], "test": rows[1:2]}
    found = codes(source, **{part: torch.tensor(index) for part, index in parts.items()})
    assert found["D574"].params == {"field": "label", "count": 1, "classes": "few"}
    assert found["D059"].params["names"] == "lone"
    halves = {"train": torch.tensor([*some, *rows]), "test": torch.tensor([some[0] + 1])}
    assert "D574" not in codes(source, **halves)


def test_that_empty_folders_of_sets_of_pictures_with_boxes_are_told(tmp_path):
    for part in ("train", "val", "test"):
        for kind in ("images", "labels"):
            (tmp_path / kind / part).mkdir(parents=True)
    for part in ("train", "val"):
        Image.new("L", (6, 4)).save(tmp_path / "images" / part / "a.png")
        (tmp_path / "labels" / part / "a.txt").write_text("0 0.5 0.5 0.5 0.5\n")
    (tmp_path / "classes.txt").write_text("cat\n")
    source = load_source(Choice(type="detection_folder", params={"path": str(tmp_path)}))
    found = {problem.code: problem for problem in source.check({})}
    assert found["D592"].params["names"] == "images/test"
