"""What is proposed for pictures with masks: classes by the masks, a size, parts, a U-Net."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from engine.diagnostics import DiagnosticError
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.spec.data import DataInfo
from engine.spec.proposal import Answers, Proposal
from tests import user_data

RANDOM = np.random.default_rng(0)


def folder_of(root: Path, values: list[object], size: tuple[int, int] = (18, 14)) -> Path:
    """Return pictures with masks that hold these values or colors in turn."""
    for name in ("images", "masks"):
        (root / name).mkdir(parents=True)
    for number in range(6):
        pixels = RANDOM.integers(0, 255, (*size, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(root / "images" / f"{number}.jpg")
        mask = np.array(values, np.uint8)[np.arange(size[0]) % len(values)]
        mask = np.repeat(mask[:, None], size[1], axis=1)
        Image.fromarray(mask).save(root / "masks" / f"{number}.png")
    return root


def proposed(path: Path, **changes: str) -> Proposal:
    return propose_data(ProposeData(path=str(path), **changes))


def classes_of(info: DataInfo) -> tuple[str, ...]:
    return next(field.classes for field in info.fields if field.kind == "mask")


@pytest.mark.parametrize(
    ("values", "settings"),
    [
        ([0, 1], {}),
        ([0, 255], {}),
        ([0, 1, 255], {"classes": 2, "ignored": "255"}),
        ([0, 4, 2, 255], {"classes": 5}),
        ([0, 15, 255], {"classes": 16}),
        ([0, 128, 255], {"colors": "#000000 #808080 #ffffff"}),
        ([(0, 0, 0), (255, 0, 0)], {"colors": "#000000 #ff0000"}),
        (
            [(0, 0, 0), (128, 0, 0), (224, 224, 192)],
            {"colors": "#000000 #800000", "ignored": "#e0e0c0"},
        ),
    ],
)
def test_that_classes_are_those_of_the_masks(tmp_path, values, settings):
    proposal = proposed(folder_of(tmp_path / "s", values))
    params = proposal.spec.data.source.params
    names = ("classes", "colors", "ignored", "names")
    assert {name: params[name] for name in names if name in params} == settings
    output = next(node for node in proposal.graph.nodes.values() if node.name == "head")
    assert output.params["out_channels"] == len(classes_of(proposal.info))


def test_that_names_are_those_of_a_list_beside_the_masks(tmp_path):
    folder = folder_of(tmp_path / "s", [0, 1, 2])
    (folder / "classes.txt").write_text("0: ground\n1: cat\n2: dog\n", encoding="utf-8")
    assert classes_of(proposed(folder).info) == ("ground", "cat", "dog")
    for names in ("one\ntwo\n", "ground\ncat\ncat\n"):  # which are not names of each
        (folder / "classes.txt").write_text(names, encoding="utf-8")
        assert classes_of(proposed(folder).info) == ("0", "1", "2")


def test_that_the_lists_of_classes_of_pascal_voc_name_the_masks(tmp_path):
    folder = folder_of(tmp_path / "s", [0, 1, 2])
    lists = folder / "ImageSets" / "Main"
    lists.mkdir(parents=True)
    for name in ("pear_train", "apple_train", "apple_val", "train", "fig_trainval", "trainval"):
        (lists / f"{name}.txt").write_text("0 1\n")
    assert classes_of(proposed(folder).info) == ("background", "apple", "fig", "pear")
    for name in ("fig_trainval", "pear_train"):  # of fewer classes than the masks have
        (lists / f"{name}.txt").unlink()
    assert classes_of(proposed(folder).info) == ("0", "1", "2")


RED, GREEN, VOID = (128, 0, 0), (0, 128, 0), (224, 224, 192)


def test_that_colors_of_pascal_voc_are_in_its_order(tmp_path):
    folder = folder_of(tmp_path / "s", [(0, 0, 0), GREEN, RED, VOID])
    (folder / "classes.txt").write_text("ground\nplane\nbicycle\n", encoding="utf-8")
    proposal = proposed(folder)
    assert proposal.spec.data.source.params["colors"] == "#000000 #800000 #008000"
    assert classes_of(proposal.info) == ("ground", "plane", "bicycle")


def test_that_other_colors_have_names_only_where_a_list_names_each(tmp_path):
    folder = folder_of(tmp_path / "s", [(0, 0, 0), (1, 2, 3), (9, 9, 99)])
    (folder / "classes.txt").write_text("ground\nplane\nbicycle\n", encoding="utf-8")
    assert classes_of(proposed(folder).info) == ("0", "1", "2")
    for file, text in (
        ("label_colors.txt", "9 9 99\tBig cat\n1 2 3\tDog\n7 7 7\tNever\n0 0 0\tVoid\n"),
        ("class_dict.csv", "name,r,g,b\nBig cat,9,9,99\nDog,1,2,3\nNever,7,7,7\nvoid,0,0,0\n"),
    ):
        (folder / file).write_text(text, encoding="utf-8")
        proposal = proposed(folder)
        assert classes_of(proposal.info) == ("Big cat", "Dog", "Never"), file
        assert proposal.spec.data.source.params["ignored"] == "#000000"
        (folder / file).unlink()


@pytest.mark.parametrize(
    ("shape", "size", "kept"),
    [((18, 14), "small", (18, 14)), ((400, 300), "small", (128, 96)), ((333, 250), "large", None)],
)
def test_that_pictures_of_one_size_keep_their_proportions(tmp_path, shape, size, kept):
    params = proposed(folder_of(tmp_path / "s", [0, 1], shape), size=size).spec.data.source.params
    assert params["fit"] == "stretch"
    height, width = params["size"]
    assert (height, width) == (kept or (height, width))
    assert height / width == pytest.approx(shape[0] / shape[1], rel=0.05)


def test_that_all_of_pictures_of_different_sizes_is_kept(tmp_path):
    folder = folder_of(tmp_path / "s", [0, 1], (50, 70))
    for name, ending in (("images", "jpg"), ("masks", "png")):
        Image.new("L", (90, 60)).save(folder / name / f"0.{ending}")
    assert proposed(folder).spec.data.source.params["fit"] == "pad"


def test_that_a_mask_of_many_colors_is_told(tmp_path):
    folder = folder_of(tmp_path / "s", [0, 1], (40, 40))
    noise = RANDOM.integers(0, 255, (40, 40, 3), dtype=np.uint8)
    Image.fromarray(noise).save(folder / "masks" / "0.png")
    with pytest.raises(DiagnosticError) as caught:
        proposed(folder)
    assert caught.value.problems[0].code == "D236"


def test_that_parts_of_the_folder_are_taken(tmp_path):
    for part in ("train", "val"):
        folder_of(tmp_path / "s" / part, [0, 1])
    proposal = proposed(tmp_path / "s")
    assert proposal.spec.data.split.kind == "given"
    samples = {split.name: split.samples for split in proposal.info.splits}
    assert samples["validation"] == samples["train"] + samples["test"] == 6


def test_that_outlines_of_objects_beside_boxes_are_told_and_can_be_chosen(tmp_path):
    (tmp_path / "images").mkdir()
    for name in "abcdef":
        Image.new("RGB", (60, 50)).save(tmp_path / "images" / f"{name}.jpg")
    box = {"category_id": 1, "bbox": [5, 5, 20, 10]}
    document = {
        "images": [
            {"id": at, "file_name": f"{name}.jpg", "width": 60, "height": 50}
            for at, name in enumerate("abcdef")
        ],
        "annotations": [{**box, "image_id": at, "segmentation": []} for at in range(6)],
        "categories": [{"id": 1, "name": "cat"}],
    }
    file = tmp_path / "instances.json"
    file.write_text(json.dumps(document))
    assert not proposed(tmp_path).has_outlines  # a list of no polygon is none
    document["annotations"][3]["segmentation"] = [[5, 5, 25, 5, 25, 15]]
    file.write_text(json.dumps(document, indent=1))
    found = proposed(tmp_path)
    assert found.has_outlines
    assert not any(field.kind == "box_masks" for field in found.info.fields)
    masks = propose_data(ProposeData(path=str(tmp_path), answers=Answers(params={"masks": True})))
    assert any(field.kind == "box_masks" for field in masks.info.fields)
    assert not masks.has_outlines  # they are read
    inputs = [node for node in masks.graph.nodes.values() if node.type == "Input"]
    assert "masks" in [node.params.get("field") for node in inputs]  # small models learn them, too


def test_that_boxes_beside_masks_are_told_and_can_be_chosen(tmp_path):
    root = folder_of(tmp_path, [0, 1])
    assert not proposed(root).has_boxes
    (root / "labels").mkdir()
    for file in (root / "images").iterdir():
        (root / "labels" / f"{file.stem}.txt").write_text("0 0.5 0.5 0.4 0.4\n")
    found = proposed(root)
    assert found.has_boxes
    assert found.spec.data.source.type == "segmentation_folder"
    assert "detection_folder" in found.sources
    answers = Answers(source="detection_folder")
    boxes = propose_data(ProposeData(path=str(root), answers=answers))
    assert boxes.spec.data.source.type == "detection_folder"
    assert not boxes.has_boxes


def test_that_few_pictures_with_boxes_give_several_steps_an_epoch(tmp_path):
    proposal = proposed(user_data.coco(tmp_path)[0])
    training = proposal.info.part("train")
    assert training is not None
    assert training.samples > proposal.spec.data.batch_size
