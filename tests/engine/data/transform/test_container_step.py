"""Containers of transforms: equal to torchvision's to the bit, with what goes with a picture."""

import pickle

import pytest
import torch
from torch import nn

from engine.custom.trust import set_trust
from engine.data.seed import mixed_seed, seeded
from engine.data.transform.chain import Chain
from engine.data.transform.placement import chain_placement
from engine.data.transform.plan import plan_transforms
from engine.data.transform.preview import preview_sample
from engine.diagnostics import DiagnosticError
from engine.spec.transform import TransformSpec
from tests.engine.data.transform.photos import Photos
from tests.engine.data.transform.test_chain import PARTS

STEPS = (
    TransformSpec(type="RandomApply", params={"p": 0.7}),
    TransformSpec(type="ColorJitter", params={"brightness": (0.5, 1.5)}, level=1),
    TransformSpec(type="RandomChoice", params={"p": (1.0, 5.0, 2.0)}, level=1),
    TransformSpec(type="RandomRotation", params={"degrees": 30.0}, level=2),
    TransformSpec(type="RandomInvert", enabled=False, level=2),
    TransformSpec(type="RandomHorizontalFlip", level=2),
    TransformSpec(type="RandomOrder"),
    TransformSpec(type="GaussianBlur", params={"kernel_size": 3}, level=1),
    TransformSpec(type="RandomChoice", level=1),
    TransformSpec(type="RandomInvert", params={"p": 1.0}, level=2),
    TransformSpec(type="RandomVerticalFlip", params={"p": 1.0}, level=2),
)
FIXED = Photos(varies=False)


def plain() -> nn.Module:
    """Return the same of torchvision alone."""
    from torchvision.transforms import v2

    weighted = v2.RandomChoice([v2.RandomRotation(30.0), v2.RandomHorizontalFlip()], p=[1.0, 2.0])
    even = v2.RandomChoice([v2.RandomInvert(1.0), v2.RandomVerticalFlip(1.0)])
    return v2.Compose([
        v2.RandomApply([v2.ColorJitter(brightness=(0.5, 1.5)), weighted], p=0.7),
        v2.RandomOrder([v2.GaussianBlur(3), even]),
    ])  # fmt: skip


def built(*steps: TransformSpec, source: Photos = FIXED, parts: str = "training") -> Chain:
    plan = plan_transforms(steps, source, PARTS)
    assert not [each for each in plan.problems if each.severity == "error"]
    chain = getattr(plan, parts).chain
    assert chain is not None
    return chain


def sample(source: Photos, index: int) -> dict[str, torch.Tensor]:
    return {name: values[0] for name, values in source.read([index]).items()}


@pytest.mark.row("S142", "S143")
def test_that_containers_are_to_the_bit_those_of_torchvision():
    from torchvision import tv_tensors

    chain, compose = built(*STEPS), plain()
    again = pickle.loads(pickle.dumps(chain))
    seen = set()
    for index in range(24):
        given = sample(FIXED, index)
        found = chain.apply(given, 3, 2, index)["photo"]
        with seeded(mixed_seed(3, 2, index)):
            expected = compose(tv_tensors.Image(given["photo"]))
        assert torch.equal(found, expected)
        assert torch.equal(found, again.apply(given, 3, 2, index)["photo"])
        seen.add(torch.equal(found, given["photo"]))
    assert False in seen


def test_that_masks_and_boxes_go_with_the_picture_through_containers():
    from torchvision import tv_tensors
    from torchvision.transforms import v2

    source = Photos(varies=False, target=True)
    steps = (
        TransformSpec(type="RandomOrder"),
        TransformSpec(type="RandomCrop", params={"size": (16, 20)}, level=1),
        TransformSpec(type="RandomHorizontalFlip", level=1),
    )
    chain = built(*steps, source=source)
    compose = v2.RandomOrder([v2.RandomCrop((16, 20)), v2.RandomHorizontalFlip()])
    for index in range(12):
        given = sample(source, index)
        found = chain.apply(given, 0, 1, index)
        wrapped = {
            "photo": tv_tensors.Image(given["photo"]),
            "mask": tv_tensors.Mask(given["mask"]),
            "boxes": tv_tensors.BoundingBoxes(given["boxes"], format="XYXY", canvas_size=(20, 24)),
        }
        with seeded(mixed_seed(0, 1, index)):
            expected = compose(wrapped)
        for name in ("photo", "mask", "boxes"):
            assert torch.equal(found[name], expected[name]), name


def test_that_no_draw_makes_a_size_that_the_plan_did_not_see():
    rare = (
        TransformSpec(type="RandomApply", params={"p": 0.001}),
        TransformSpec(type="RandomChoice", params={"p": (1.0, 0.0001)}, level=1),
        TransformSpec(type="RandomInvert", level=2),
        TransformSpec(type="CenterCrop", params={"size": 8}, level=2),
    )
    problems = plan_transforms(rare, FIXED, PARTS).problems
    assert [each.code for each in problems] == ["D105"]
    never = (TransformSpec(type="RandomApply", params={"p": 0.0}), rare[3])
    never = (never[0], TransformSpec(type="CenterCrop", params={"size": 8}, level=1))
    assert plan_transforms(never, FIXED, PARTS).problems == ()


def test_that_a_container_of_nothing_is_left_out_and_wrong_weights_are_refused():
    nothing = (TransformSpec(type="RandomOrder"),)
    assert plan_transforms(nothing, FIXED, PARTS).training.chain is None
    wrong = (
        TransformSpec(type="RandomChoice", params={"p": (1.0,)}),
        TransformSpec(type="RGB", level=1),
        TransformSpec(type="RandomInvert", level=1),
    )
    assert [each.code for each in plan_transforms(wrong, FIXED, PARTS).problems] == ["D562"]


def test_that_a_step_in_a_container_names_itself_where_it_fails():
    steps = (
        TransformSpec(type="RandomApply", params={"p": 1.0}),
        TransformSpec(type="RandomInvert", level=1),
        TransformSpec(type="RandomCrop", params={"size": 200}, level=1),
    )
    stages = preview_sample(steps, FIXED, 1, seed=0, draw=0, is_training=True).stages
    assert [stage.number for stage in stages] == [-1, 1, 2]
    problem = stages[-1].problem
    assert problem is not None
    assert (problem.code, problem.field) == ("D100", "data.transforms.2")


def test_that_the_preview_shows_what_was_drawn_of_a_container():
    steps = (
        TransformSpec(type="RandomChoice"),
        TransformSpec(type="RandomInvert", level=1),
        TransformSpec(type="RandomApply", params={"p": 0.0}, level=1),
        TransformSpec(type="RGB", level=2),
        TransformSpec(type="ToDtype", params={"dtype": "float32", "scale": True}),
        TransformSpec(type="Normalize", params={"mean": (0.5,), "std": (0.5,)}),
    )
    shown = {
        tuple(
            stage.number
            for stage in preview_sample(steps, FIXED, 0, seed=0, draw=draw, is_training=True).stages
        )
        for draw in range(20)
    }
    assert shown == {(-1, 1, 4, 5), (-1, 2, 4, 5)}


def test_that_own_functions_work_in_a_container():
    steps = (
        TransformSpec(type="RandomApply", params={"p": 1.0}),
        TransformSpec(type="code.changes.noisy", level=1),
    )
    code = {"changes.py": "import torch\n\ndef noisy(image):\n    return 255 - image\n"}
    set_trust(code, trusted=True)
    chain = plan_transforms(steps, FIXED, PARTS, code=code).training.chain
    assert chain is not None
    given = sample(FIXED, 0)
    assert torch.equal(chain.apply(given, 0, 0, 0)["photo"], 255 - given["photo"])
    assert chain.custom_steps


def test_that_a_container_that_moves_pixels_in_evaluation_has_no_way_back():
    def chain_of(key: str) -> Chain:
        steps = (
            TransformSpec(type="RandomApply", parts="all"),
            TransformSpec(type=key, level=1),
        )
        return built(*steps, parts="evaluation")

    assert chain_placement(chain_of("RandomInvert"), "photo", (20, 24)).result == (20, 24)
    with pytest.raises(DiagnosticError) as caught:
        chain_placement(chain_of("RandomVerticalFlip"), "photo", (20, 24))
    assert [each.code for each in caught.value.problems] == ["P066"]
