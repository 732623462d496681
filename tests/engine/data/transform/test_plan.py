"""What comes out of the transforms of training and of evaluation, known before a run."""

import pytest
import torch

from engine.data.transform.plan import plan_transforms
from engine.diagnostics import Severity
from engine.spec.transform import TransformSpec
from tests.engine.data.transform.photos import Photos

PARTS = {
    "train": torch.arange(12),
    "validation": torch.arange(12, 18),
    "test": torch.arange(18, 24),
}
RESIZE = TransformSpec(type="Resize", params={"size": (16, 18)})
FLOAT = TransformSpec(type="ToDtype", params={"dtype": "float32", "scale": True})
SMALL = TransformSpec(type="RandomResize", params={"min_size": 8, "max_size": 30})
TWO_MEANS = TransformSpec(type="Normalize", params={"mean": (0.1, 0.2), "std": (1.0,)})
NORMALIZE = TransformSpec(type="Normalize", params={"mean": (0.5,), "std": (0.25,)})
ERASING = TransformSpec(type="RandomErasing")


def plan(*transforms: TransformSpec, **photos):
    return plan_transforms(transforms, Photos(**photos), PARTS)


def names(part) -> list[str]:
    return [step.name for step in part.chain.steps] if part.chain else []


def codes(found) -> list[str]:
    return [problem.code for problem in found.problems]


def test_that_the_fields_are_described_as_they_come_out():
    found = plan(RESIZE)
    assert not found.problems
    for part in (found.training, found.evaluation):
        photo, label = part.infos
        assert (photo.shape, photo.dtype) == ((3, 16, 18), "float32")
        assert label.dtype == "int64"


def test_that_images_of_whole_numbers_become_decimal_without_any_transform():
    photo = plan(varies=False).training.infos[0]
    assert (photo.shape, photo.dtype) == ((3, 20, 24), "float32")


def test_that_random_transforms_are_left_out_of_evaluation_unless_they_are_asked_for():
    flip = TransformSpec(type="RandomHorizontalFlip")
    everywhere = TransformSpec(type="RandomHorizontalFlip", parts="all")
    found = plan(RESIZE, flip, everywhere, TransformSpec(type="RGB", parts="train"))
    assert names(found.training) == ["Resize", flip.type, flip.type, "RGB"]
    assert names(found.evaluation) == ["Resize", flip.type]


def test_that_a_transform_that_is_off_does_nothing():
    off = TransformSpec(type="Resize", params={"size": (4, 4)}, enabled=False)
    assert plan(RESIZE, off).training.infos[0].shape == (3, 16, 18)


@pytest.mark.row("S142")
def test_that_a_normalization_at_the_end_stays_apart_from_what_is_shown():
    found = plan(RESIZE, FLOAT, NORMALIZE)
    for part in (found.training, found.evaluation):
        assert names(part) == ["Resize", "ToDtype"]
        assert part.norms["photo"].mean == (0.5,)


def test_that_training_normalizes_before_what_follows_and_evaluation_at_the_end():
    found = plan(RESIZE, FLOAT, NORMALIZE, ERASING)
    assert names(found.training) == ["Resize", "ToDtype", "Normalize", "RandomErasing"]
    assert not found.training.norms
    assert names(found.evaluation) == ["Resize", "ToDtype"]
    assert found.evaluation.norms["photo"].std == (0.25,)


def test_that_a_normalization_in_the_middle_is_a_transform():
    found = plan(FLOAT, NORMALIZE, RESIZE)
    assert names(found.evaluation) == ["ToDtype", "Normalize", "Resize"]
    assert not found.evaluation.norms


@pytest.mark.parametrize(
    ("transforms", "code"),
    [
        ((), "D105"),
        ((TransformSpec(type="Resize", params={"size": 16}),), "D105"),
        ((RESIZE, SMALL), "D105"),
        ((RESIZE, FLOAT, TWO_MEANS), "D116"),
        ((RESIZE, NORMALIZE, TransformSpec(type="RGB")), "D102"),
        ((TransformSpec(type="RandomCrop", params={"size": 99}),), "D100"),
        ((TransformSpec(type="Resize", params={"size": 8}, field="label"),), "D111"),
        ((TransformSpec(type="Resize"),), "D114"),
    ],
)  # fmt: skip
def test_that_what_cannot_be_trained_on_is_an_error_before_the_run(transforms, code):
    found = plan(*transforms)
    assert codes(found) == [code]
    assert found.problems[0].severity is Severity.ERROR


@pytest.mark.row("S143")
def test_that_another_size_in_evaluation_is_told():
    crop = TransformSpec(type="RandomCrop", params={"size": 12})
    found = plan(RESIZE, crop)
    assert codes(found) == ["D109"]
    assert found.problems[0].severity is Severity.WARNING
    assert (found.problems[0].params["train"], found.problems[0].params["other"]) == (
        "3 × 12 × 12",
        "3 × 16 × 18",
    )
    center = TransformSpec(type="CenterCrop", params={"size": 12})
    assert not plan(RESIZE, crop, center).problems


def test_that_a_conversion_that_leaves_bytes_unscaled_is_told():
    plain = TransformSpec(type="ToDtype", params={"dtype": "float32"})
    assert codes(plan(RESIZE, plain)) == ["D104"]


def test_that_a_gray_image_is_not_made_colored_by_its_normalization():
    three = TransformSpec(type="Normalize", params={"mean": (0.1, 0.2, 0.3), "std": (1.0,)})
    assert codes(plan(RESIZE, FLOAT, three, channels=1)) == ["D116"]
