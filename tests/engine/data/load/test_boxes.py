"""Boxes on their way into batches: filled up there, moved with their picture, the same with any
number of workers.
"""

import msgspec
import pytest
import torch

from engine.data.load.load import LoadedData, load_data
from engine.data.load.loader import BatchPlan, PartLoader
from engine.data.load.order import epoch_order
from engine.data.load.part import prepared
from engine.data.preview import describe, preview
from engine.data.source.box_table import BoxTable, box_table
from engine.data.source.boxed_tensors import BoxedTensorSource
from engine.data.source.field import box_infos, image_field
from engine.data.transform.chain import build_chain
from engine.data.transform.step import build_step
from engine.diagnostics import DiagnosticError
from engine.spec.data import IGNORED
from engine.spec.run import Choice, DataSpec, LoaderSpec, RunSpec
from engine.spec.transform import BatchTransformSpec, TransformSpec
from engine.spec.transform_rule import check_transforms

SHAPES = Choice(
    type="shapes", params={"samples": 40, "size": 24, "target": "boxes", "classes": 3, "noise": 0.0}
)
STRONG = (
    TransformSpec(type="RandomResizedCrop", params={"size": 20, "scale": (0.2, 1.0)}),
    TransformSpec(type="RandomHorizontalFlip"),
    TransformSpec(type="RandomRotation", params={"degrees": (-20.0, 20.0)}),
    TransformSpec(type="ColorJitter", params={"brightness": 0.4}),
)
BOXES = torch.tensor([[2.0, 1.0, 8.0, 5.0], [14.0, 6.0, 20.0, 10.0]])
SIZES = torch.full((3, 2), 8)
FLIP = TransformSpec(type="RandomHorizontalFlip", params={"p": 1.0})


def loaded(**changes) -> LoadedData:
    return load_data(DataSpec(source=SHAPES, **changes))


def batches(data: LoadedData, workers: int = 0, start: int = 0) -> list[dict[str, torch.Tensor]]:
    part = data.training
    order = epoch_order(len(part), 5, 1, shuffle=True)
    plan = BatchPlan(order=order, size=3, seed=5, epoch=1, start=start)
    return list(PartLoader(part, LoaderSpec(num_workers=workers)).batches(plan))


def equal(first, second) -> bool:
    return len(first) == len(second) and all(
        torch.equal(one[name], other[name])
        for one, other in zip(first, second, strict=True)
        for name in one
    )


def table_of(data: LoadedData) -> BoxTable:
    table = data.source.boxes()
    assert table is not None
    return table


def source_of(table: BoxTable) -> BoxedTensorSource:
    pictures = image_field(torch.rand(table.samples, 3, 8, 8))
    return BoxedTensorSource(pictures=pictures, table=table, classes=("a", "b"))


def applied(*transforms: TransformSpec) -> tuple[list[list[float]], list[int]]:
    """Return the boxes of a picture of 20 × 10 pixels and their classes after transforms."""
    picture = image_field(torch.rand(1, 3, 10, 20))
    steps = [build_step(number, each) for number, each in enumerate(transforms)]
    sample = {"image": picture.values[0], "boxes": BOXES, "labels": torch.tensor([1, 0])}
    after = build_chain(steps, (picture.info, *box_infos(("a", "b")))).apply(sample, 0, 0, 0)
    return after["boxes"].tolist(), after["labels"].tolist()


def test_that_a_batch_has_as_many_boxes_as_its_fullest_sample():
    data = loaded()
    table = table_of(data)
    order = epoch_order(len(data.training), 5, 1, shuffle=True)
    found = batches(data)
    assert len({batch["boxes"].shape[1] for batch in found}) > 1
    for number, batch in enumerate(found):
        indices = data.indices["train"][order[number * 3 : number * 3 + 3]].tolist()
        assert batch["boxes"].shape[1] == max(int(table.counts[index]) for index in indices)
        for at, index in enumerate(indices):
            count = int(table.counts[index])
            assert torch.equal(batch["boxes"][at, :count], table.boxes_of(index))
            assert torch.equal(batch["labels"][at, :count], table.labels_of(index))
            assert not batch["boxes"][at, count:].any()
            assert (batch["labels"][at, count:] == IGNORED).all()


def test_that_pictures_without_boxes_are_samples_too():
    one = box_table(torch.tensor([[1.0, 2, 3, 4]]), torch.tensor([1]), torch.tensor([2]), SIZES)
    source = source_of(one)
    assert one.counts.tolist() == [0, 0, 1]
    none = prepared(source, [0, 1], None, 0, 0)
    assert none["boxes"].shape == (2, 0, 4)
    assert none["labels"].shape == (2, 0)
    assert none["labels"].dtype == torch.int64
    both = prepared(source, [2, 0], None, 0, 0)
    assert both["boxes"].tolist() == [[[1, 2, 3, 4]], [[0, 0, 0, 0]]]
    assert both["labels"].tolist() == [[1], [IGNORED]]
    assert prepared(source, [], None, 0, 0)["boxes"].shape == (0, 0, 4)


def test_that_boxes_in_any_order_find_their_samples():
    boxes = torch.arange(16.0).reshape(4, 4)
    table = box_table(boxes, torch.tensor([0, 1, 2, 3]), torch.tensor([2, 0, 2, 0]), SIZES)
    assert table.labels_of(0).tolist() == [1, 3]
    assert table.labels_of(1).tolist() == []
    assert table.boxes_of(2).tolist() == [boxes[0].tolist(), boxes[2].tolist()]
    assert table.owners.tolist() == [0, 0, 2, 2]
    assert table.class_counts(torch.tensor([1, 2]), 4).tolist() == [1, 0, 1, 0]


def test_that_a_crop_by_boxes_keeps_those_in_it_with_their_classes():
    picture = torch.zeros(3, 40, 40)
    boxes = torch.tensor([[4.0, 4.0, 12.0, 14.0], [24.0, 22.0, 36.0, 36.0]])
    for number, (left, top, right, bottom) in enumerate(boxes.int().tolist(), 1):
        picture[:, top:bottom, left:right] = number
    steps = [build_step(0, TransformSpec(type="RandomIoUCrop"))]
    infos = (image_field(picture[None]).info, *box_infos(("a", "b")))
    chain = build_chain(steps, infos)
    sample = {"image": picture, "boxes": boxes, "labels": torch.tensor([1, 2])}
    counts = set()
    for index in range(40):
        after = chain.apply(sample, 0, 0, index)
        counts.add((len(after["boxes"]), tuple(after["image"].shape[1:]) == (40, 40)))
        for box, label in zip(after["boxes"].int().tolist(), after["labels"], strict=True):
            inside = after["image"][:, box[1] : box[3], box[0] : box[2]]
            assert (inside == label).all()
    assert {(1, False), (2, True)} <= counts
    bare = {**sample, "boxes": boxes[:0], "labels": sample["labels"][:0]}
    for index in range(5):
        assert len(chain.apply(bare, 0, 0, index)["boxes"]) == 0


def test_that_a_crop_by_boxes_is_refused_where_there_are_none():
    spec = RunSpec(data=DataSpec(transforms=(TransformSpec(type="RandomIoUCrop"),)))
    boxed = describe(DataSpec(source=SHAPES))
    assert "D380" not in {each.code for each in check_transforms(spec, boxed)}
    bare = msgspec.structs.replace(boxed, fields=boxed.fields[:1])
    assert "D380" in {each.code for each in check_transforms(spec, bare)}


def test_that_a_flip_moves_boxes_to_the_other_side():
    assert applied(FLIP) == ([[12, 1, 18, 5], [0, 6, 6, 10]], [1, 0])


def test_that_boxes_grow_with_their_picture():
    resize = TransformSpec(type="Resize", params={"size": (30, 10)})
    assert applied(resize)[0] == [[1, 3, 4, 15], [7, 18, 10, 30]]


def test_that_a_crop_cuts_boxes_and_takes_those_away_with_their_class_that_are_outside():
    crop = TransformSpec(type="CenterCrop", params={"size": (10, 10)})  # from x = 5 to 15
    assert applied(crop) == ([[0, 1, 3, 5], [9, 6, 10, 10]], [1, 0])
    narrow = TransformSpec(type="CenterCrop", params={"size": (10, 8)})  # from x = 6 to 14
    assert applied(narrow) == ([[0, 1, 2, 5]], [1])
    nothing = TransformSpec(type="CenterCrop", params={"size": (2, 2)})
    assert applied(nothing) == ([], [])
    later = TransformSpec(type="Resize", params={"size": (30, 30)})
    assert applied(nothing, FLIP, later) == ([], [])


def test_that_colors_leave_boxes_as_they_are():
    jitter = TransformSpec(type="ColorJitter", params={"brightness": 0.5})
    assert applied(jitter) == (BOXES.tolist(), [1, 0])


def test_that_batches_with_transforms_are_equal_from_the_middle_of_an_epoch_on():
    data = loaded(transforms=STRONG)
    alone = batches(data)
    assert any(batch["boxes"].shape[1] for batch in alone)
    assert equal(alone[4:], batches(data, start=4))


@pytest.mark.real
@pytest.mark.parametrize("workers", [1, 2])
def test_that_batches_with_transforms_are_equal_with_any_number_of_workers(workers):
    data = loaded(transforms=STRONG)
    assert equal(batches(data), batches(data, workers=workers))


def test_that_boxes_stay_in_their_picture_and_never_vanish_from_one_side_alone():
    for batch in batches(loaded(transforms=STRONG)):
        boxes, labels = batch["boxes"], batch["labels"]
        is_there = labels != IGNORED
        assert ((boxes[..., 2:] - boxes[..., :2]).amin(dim=2) >= 1)[is_there].all()
        assert boxes.min() >= 0
        assert boxes.max() <= 20
        assert not boxes[~is_there].any()


def test_that_parts_count_boxes_and_samples_are_shown_with_theirs():
    spec = DataSpec(source=SHAPES)
    info = describe(spec)
    data = load_data(spec)
    training = info.part("train")
    assert training is not None
    table = table_of(data)
    assert sum(training.class_counts) == int(table.counts[data.indices["train"]].sum())
    boxes, labels = info.field("boxes"), info.field("labels")
    assert boxes is not None
    assert (boxes.shape, boxes.dtype) == ((-1, 4), "float32")
    assert labels is not None
    assert (labels.shape, labels.dtype, len(labels.classes)) == ((-1,), "int64", 3)
    shown = preview(data, "train", 0, 3).samples
    first = shown[0]
    count = len(table.labels_of(first.index))
    assert first.values["boxes"][: 4 * count] == tuple(
        table.boxes_of(first.index).flatten().tolist()
    )


def test_that_whole_pictures_with_boxes_are_not_blended():
    with pytest.raises(DiagnosticError) as caught:
        loaded(batch_transforms=(BatchTransformSpec(type="MixUp"),))
    assert caught.value.problems[0].code == "D286"


def test_that_a_class_without_boxes_in_training_is_told():
    table = box_table(torch.tensor([[1.0, 2, 3, 4]]), torch.tensor([1]), torch.tensor([2]), SIZES)
    found = source_of(table).check({"train": torch.tensor([0, 2])})
    assert [problem.code for problem in found] == ["D285"]
    assert found[0].params["names"] == "a"
