"""Folders of files: what the folders within and around those of the classes are for."""

from pathlib import Path

import pytest
import torch
from PIL import Image

from engine.data.load.load import load_data
from engine.data.preview import describe
from engine.data.source.registry import load_source
from engine.spec.run import Choice, DataSpec, SplitSpec


def draw(path: Path, shade: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("L", (4, 4), shade).save(path)


@pytest.mark.parametrize("layout", ["{kind}/{patient}", "train/{kind}/{patient}"])
def test_that_folders_below_those_of_classes_keep_their_pictures_in_one_part(tmp_path, layout):
    for kind in ("ill", "well"):
        for patient in range(12):
            for number in range(2):
                place = tmp_path / layout.format(kind=kind, patient=f"p{patient}")
                draw(place / f"{number}.png", 10 * patient + number)
    split = SplitSpec(kind="group", column="folder")
    source = Choice(type="image_folder", params={"path": str(tmp_path), "size": 8})
    found = load_data(DataSpec(source=source, split=split))
    assert [
        each.name for each in describe(DataSpec(source=source)).columns if each.kind == "category"
    ]
    patients = {
        part: {Path(name).parts[-2] for name in found.source.sample_names(indices.tolist())}
        for part, indices in found.indices.items()
    }
    assert set.union(*patients.values()) == {f"p{patient}" for patient in range(12)}
    for part, others in (("train", "validation"), ("train", "test"), ("validation", "test")):
        assert patients[part]
        assert not patients[part] & patients[others]


def test_that_folders_of_classes_alone_are_no_column(tmp_path):
    for kind in ("ill", "well"):
        draw(tmp_path / kind / "1.png", 9)
    source = load_source(Choice(type="image_folder", params={"path": str(tmp_path)}))
    assert source.column("folder") is None
    assert "folder" not in source.column_names


def test_that_a_sample_of_another_class_leaves_the_folders_those_of_the_classes(tmp_path):
    for kind in ("ill", "well"):
        for number in range(2):
            draw(tmp_path / kind / f"{number}.png", 9 + number)
    source = load_source(Choice(type="image_folder", params={"path": str(tmp_path)}))
    changed = source.relabelled(torch.tensor([1, 0, 1, 0]))
    assert changed is not None
    assert "folder" not in changed.column_names
    again = changed.relabelled(torch.tensor([1, 1, 0, 0]))
    assert again is not None
    assert "folder" not in again.column_names
