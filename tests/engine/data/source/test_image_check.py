"""Findings about the files of an index."""

import pytest
import torch

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
