"""Masks of objects: outlines of COCO as pixels, beside their boxes through sizes and transforms,
and what strangers' outlines must not do.
"""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image, ImageDraw

from engine.data.browse.picture import Pictures
from engine.data.load.load import load_data
from engine.data.source.boxes import masks as box_masks
from engine.data.source.boxes.outlines import FoundOutlines, polygon_mask
from engine.data.source.registry import forget_sources
from engine.diagnostics import DiagnosticError
from engine.spec.data import IGNORED
from engine.spec.run import Choice, DataSpec, SplitSpec
from engine.spec.transform import TransformSpec
from tests.custom_data import of_item
from tests.engine.data.source.test_detection_folder import pictures, source_of

SIZE = (40, 50)
SQUARE = [5, 4, 25, 4, 25, 14, 5, 14]
HOLES = [[30, 20, 40, 20, 40, 30, 30, 30], [42, 20, 50, 20, 50, 40, 42, 40]]


def packed(runs: list[int]) -> str:
    """Return runs as COCO packs them: differences, five bits a letter, the lowest first."""
    text = ""
    for at, run in enumerate(runs):
        value = run - runs[at - 2] if at > 2 else run
        while True:
            bits, value = value & 31, value >> 5
            is_last = value == (-1 if bits & 16 else 0)
            text += chr(48 + bits + (0 if is_last else 32))
            if is_last:
                break
    return text


def runs_of(mask: np.ndarray) -> list[int]:
    flat = np.concatenate(([False], mask.T.reshape(-1)))
    turns = np.flatnonzero(flat[1:] != flat[:-1])
    return np.diff(np.concatenate(([0], turns, [mask.size]))).tolist()


def spot(size: tuple[int, int] = SIZE) -> np.ndarray:
    rows, columns = np.indices(size)
    return (rows - 20) ** 2 + (columns - 25) ** 2 < 90


def written(root: Path, outlines: list[object], **more) -> Path:
    """Write a picture with an object for each outline; the box is that of the spot."""
    pictures(root, names=["a.png"])
    shared = {"image_id": 1, "category_id": 1, "bbox": [15, 10, 20, 20]}
    document = {
        "images": [{"id": 1, "file_name": "a.png", "height": SIZE[0], "width": SIZE[1]}],
        "categories": [{"id": 1, "name": "spot"}],
        "annotations": [{**shared, "segmentation": each} for each in outlines],
        **more,
    }
    (root / "boxes.json").write_text(json.dumps(document))
    return root


def masks_of(root: Path, **settings) -> torch.Tensor:
    forget_sources()
    return source_of(root, masks=True, **settings).read([0])["masks"][0]


def test_that_polygons_cover_the_pixels_whose_middles_are_inside():
    corners = np.array([[10.0, 3.0], [70.3, 20.2], [31.6, 55.1], [50.5, 21.0], [4.2, 44.8]])
    large = Image.new("1", (80 * 16, 60 * 16))
    ImageDraw.Draw(large).polygon([tuple(corner) for corner in corners * 16], fill=1)
    share = np.array(large).reshape(60, 16, 80, 16).mean(axis=(1, 3))
    mask = polygon_mask([corners], 60, 80)
    assert not (mask != (share > 0.5))[(share < 0.25) | (share > 0.75)].any()
    whole = polygon_mask([np.array([[-9.0, -9], [99, -9], [99, 99], [-9, 99]])], 60, 80)
    assert whole.all()


def test_that_polygons_and_both_kinds_of_runs_are_masks(tmp_path):
    runs = runs_of(spot())
    plain, text = ({"size": list(SIZE), "counts": each} for each in (runs, packed(runs)))
    square, two, first, second = masks_of(written(tmp_path, [[SQUARE], HOLES, plain, text]))
    expected = torch.zeros(SIZE, dtype=torch.bool)
    expected[4:14, 5:25] = True
    assert torch.equal(square, expected)
    expected = torch.zeros(SIZE, dtype=torch.bool)
    expected[20:30, 30:40] = expected[20:40, 42:50] = True
    assert torch.equal(two, expected)
    assert torch.equal(first, torch.from_numpy(spot()))
    assert torch.equal(second, first)


@pytest.mark.parametrize(
    "outline",
    [
        [],
        [[1, 2, 3, 4]],
        [[1, 2, 3, 4, 5]],
        [[1e30, 0, 5, 5, 0, 5]],
        "none",
        {"size": [40, 50], "counts": [1, 2]},
        {"size": [40, 50], "counts": [-5, 2005]},
        {"size": [1 << 40, 1 << 40], "counts": [1 << 80]},
        {"size": [40, 50], "counts": "\u0000é"},
        {"size": [40, 50], "counts": "o" * 50},
        {"size": [40], "counts": [2000]},
        {"counts": [2000]},
    ],
)
def test_that_the_box_stands_for_an_outline_that_is_none_and_is_told(tmp_path, outline):
    (mask,) = masks_of(written(tmp_path, [outline]))
    expected = torch.zeros(SIZE, dtype=torch.bool)
    expected[10:30, 15:35] = True
    assert torch.equal(mask, expected)
    forget_sources()
    problems = {each.code: each.params for each in source_of(tmp_path, masks=True).check({})}
    assert problems["D434"]["count"] == 1


def test_that_the_box_stands_for_runs_of_another_picture(tmp_path):
    whole = {"size": [20, 25], "counts": [0, 500]}
    (mask,) = masks_of(written(tmp_path, [whole]))
    assert mask.sum() == 400


def test_that_outlines_are_bounded(monkeypatch, tmp_path):
    from engine.data.source.boxes import outlines

    written(tmp_path, [[SQUARE]] * 3)
    monkeypatch.setattr(outlines, "_MOST_NUMBERS", 20)
    with pytest.raises(DiagnosticError) as caught:
        masks_of(tmp_path)
    assert caught.value.problems[0].code == "D432"
    monkeypatch.undo()
    monkeypatch.setattr(box_masks, "_MOST_BYTES", 3 * 2000 - 1)
    with pytest.raises(DiagnosticError) as caught:
        masks_of(tmp_path)
    assert caught.value.problems[0].code == "D433"
    assert FoundOutlines().add(json.dumps([[0.5] * 200_002]).encode()) is False


def test_that_masks_follow_their_picture_into_another_size(tmp_path):
    written(tmp_path, [[SQUARE]], annotations=[
        {"image_id": 1, "category_id": 1, "bbox": [5, 4, 20, 10], "segmentation": [SQUARE]},
        {"image_id": 1, "category_id": 1, "bbox": [0, 0, 4, 4], "segmentation": [[0] * 6]},
    ])  # fmt: skip
    (mask, _) = masks_of(tmp_path, size=(20, 25), fit="stretch")
    rows, columns = mask.nonzero().unbind(1)
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == (2, 6, 2, 11)
    masks = masks_of(tmp_path, size=(20, 20), fit="crop")
    assert masks.shape == (1, 20, 20)  # the corner is cut off, and its mask with it
    assert masks[0, 2:7, 0:9].all()


def spec(root: Path, *transforms: TransformSpec) -> DataSpec:
    params = {"path": str(root), "masks": True, "size": None}
    source = Choice(type="detection_folder", params=params)
    split = SplitSpec(train=1.0, validation=0.0, test=0.0)
    return DataSpec(source=source, split=split, transforms=transforms, batch_size=1)


@pytest.mark.parametrize(
    "transform",
    [
        TransformSpec(type="RandomHorizontalFlip", params={"p": 1.0}),
        TransformSpec(type="RandomRotation", params={"degrees": (90.0, 90.0), "expand": False}),
        TransformSpec(type="RandomZoomOut", params={"p": 1.0, "fill": 127.0}),
        TransformSpec(type="RandomIoUCrop", params={}),
        TransformSpec(type="RandomAffine", params={"degrees": (5.0, 5.0), "fill": 9.0}),
        TransformSpec(type="Resize", params={"size": (30, 60)}),
    ],
)
def test_that_masks_stay_at_their_boxes_through_transforms(tmp_path, transform):
    outlines = [[SQUARE], [HOLES[0]], [HOLES[1]]]
    written(tmp_path, [], annotations=[
        {
            "image_id": 1,
            "category_id": 1,
            "bbox": [min(each[::2]), min(each[1::2]), max(each[::2]) - min(each[::2]),
                     max(each[1::2]) - min(each[1::2])],
            "segmentation": [each],
        }
        for (each,) in outlines
    ])  # fmt: skip
    resize = TransformSpec(type="Resize", params={"size": (60, 75)})
    data = load_data(spec(tmp_path, transform, resize))
    seen = 0
    for _ in range(3):
        batch = data.training.all()
        boxes, labels, masks = (batch[name][0] for name in ("boxes", "labels", "masks"))
        assert masks.dtype == torch.bool
        assert masks.shape == (len(boxes), *batch["image"].shape[-2:])
        for box, label, mask in zip(boxes, labels, masks, strict=True):
            assert label != IGNORED
            rows, columns = mask.nonzero().unbind(1)
            own = torch.tensor([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1])
            slack = 5.0 if transform.type == "RandomAffine" else 2.1  # a box around a turned box
            assert (box - own).abs().max() <= slack
            seen += 1
    assert seen


def test_that_batches_are_filled_up_with_nothing(tmp_path):
    written(tmp_path, [[SQUARE], HOLES])
    pictures(tmp_path, names=["b.png"])
    file = tmp_path / "boxes.json"
    document = json.loads(file.read_text())
    document["images"].append({"id": 2, "file_name": "b.png", "height": 40, "width": 50})
    file.write_text(json.dumps(document))
    data = load_data(spec(tmp_path, TransformSpec(type="Resize", params={"size": SIZE})))
    batch = data.raw([0, 1])
    assert batch["masks"].shape == (2, 2, *SIZE)
    assert batch["masks"][0].flatten(1).any(dim=1).all()
    assert not batch["masks"][1].any()
    assert batch["labels"][1].tolist() == [IGNORED, IGNORED]


def test_that_pictures_show_which_object_each_pixel_is_of(tmp_path):
    forget_sources()
    written(tmp_path, [[[0, 0, 50, 0, 50, 40, 0, 40]], [SQUARE]])
    (picture,) = Pictures(source_of(tmp_path, masks=True)).of([0], 25)[0].pictures
    shapes = np.frombuffer(picture.shapes, np.uint8).reshape(picture.height, picture.width)
    assert shapes.shape == (20, 25)
    assert (shapes[2:7, 3:12] == 1).all()  # the smaller one lies above
    assert shapes[15, 20] == 0
    assert len(picture.boxes) == 2


def test_that_masks_of_the_users_own_code_are_read_and_checked():
    target = "{'boxes': [[0, 0, 4, 4]], 'labels': [0], 'masks': MASK}"
    item = f"(torch.ones(3, 8, 8), {target})"
    source = of_item(item.replace("MASK", "np.eye(8, dtype=np.uint8)[None]"))
    info = source.infos[-1]
    assert (info.name, info.kind, info.shape, info.dtype) == (
        "masks",
        "box_masks",
        (-1, 8, 8),
        "bool",
    )
    assert source.read([1])["masks"][0].tolist() == [torch.eye(8).bool().tolist()]
    with pytest.raises(DiagnosticError) as caught:
        of_item(item.replace("MASK", "torch.zeros(2, 8, 8)"))
    assert caught.value.problems[0].code == "D430"
