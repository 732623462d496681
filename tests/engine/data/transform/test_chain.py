"""Transforms of one sample: their numbers follow from seed, epoch and sample, and from nothing
else; what belongs to an image moves with it.
"""

import pickle
import random

import numpy as np
import pytest
import torch

from engine.catalog.registry import catalog
from engine.catalog.spec import Entry, EntryGroup, Need
from engine.data.load.part import prepared
from engine.data.transform.chain import Chain, changed_kinds
from engine.data.transform.plan import plan_transforms
from engine.data.transform.step import build_step
from engine.diagnostics import DiagnosticError
from engine.spec.choice import initial_choice
from engine.spec.data import IGNORED
from engine.spec.transform import TransformSpec
from tests.engine.data.transform.photos import Photos

TRANSFORMS = [
    each
    for each in catalog().group(EntryGroup.TRANSFORM)
    if not {Need.SOUND, Need.STEPS, Need.VIDEO} & {*each.needs}
    and each.key != "RandomIoUCrop"  # that looks at boxes
]
PARTS = {
    "train": torch.arange(12),
    "validation": torch.arange(12, 18),
    "test": torch.arange(18, 24),
}
KINDS = {"photo": "image"}


def chain(*transforms: TransformSpec, kinds=None) -> Chain:
    steps = tuple(build_step(number, each) for number, each in enumerate(transforms))
    return Chain(steps=steps, kinds=kinds or KINDS)


def started(key: str) -> TransformSpec:
    """Return a transform with what it starts with when it is chosen."""
    choice = initial_choice(EntryGroup.TRANSFORM, key)
    return TransformSpec(type=key, params=choice.params)


def photo_for(entry: Entry) -> dict[str, torch.Tensor]:
    photo = torch.randint(30, 200, (3, 230, 240), dtype=torch.uint8)
    if Need.FLOAT_IMAGE in entry.needs:
        photo = photo.float() / 255
    return {"photo": photo, "label": torch.tensor(1)}


@pytest.mark.parametrize("entry", TRANSFORMS, ids=lambda entry: entry.key)
def test_that_a_transform_works_as_it_is_chosen_and_touches_no_random_state(entry):
    sample = photo_for(entry)
    before = sample["photo"].clone()
    torch.manual_seed(5)
    random.seed(5)
    np.random.seed(5)
    states = torch.get_rng_state(), random.getstate(), np.random.get_state()[1].copy()
    steps = chain(started(entry.key))
    for epoch in range(3):
        changed = steps.apply(sample, 0, epoch, 3)
        assert changed["photo"].ndim == 3
        assert type(changed["photo"]) is torch.Tensor
        assert changed["label"] is sample["label"]
    assert torch.equal(sample["photo"], before)
    assert torch.equal(torch.get_rng_state(), states[0])
    assert random.getstate() == states[1]
    assert np.array_equal(np.random.get_state()[1], states[2])


@pytest.mark.parametrize("entry", TRANSFORMS, ids=lambda entry: entry.key)
def test_that_the_numbers_of_a_transform_follow_from_seed_epoch_and_sample(entry):
    sample, steps = photo_for(entry), chain(started(entry.key))
    again = pickle.loads(pickle.dumps(steps))
    draws = []
    for number, (seed, epoch, index) in enumerate([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]):
        random.seed(number)
        np.random.seed(number)
        torch.manual_seed(number)
        first = steps.apply(sample, seed, epoch, index)["photo"]
        torch.manual_seed(number + 9)
        random.seed(number + 9)
        np.random.seed(number + 9)
        assert torch.equal(first, again.apply(sample, seed, epoch, index)["photo"])
        draws.append(first)
    for epoch in range(2, 60):  # most change an image with a probability
        if any(not torch.equal(draw, draws[0]) for draw in draws[1:]):
            break
        draws.append(steps.apply(sample, 0, epoch, 0)["photo"])
    differ = any(not torch.equal(draw, draws[0]) for draw in draws[1:])
    assert differ == (Need.RANDOM_NUMBERS in entry.needs)


def test_that_each_of_seed_epoch_and_sample_changes_the_numbers():
    steps = chain(TransformSpec(type="GaussianNoise"))
    sample = {"photo": torch.full((3, 8, 8), 0.5)}
    keys = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    noisy = [steps.apply(sample, *key)["photo"] for key in keys]
    for at, one in enumerate(noisy):
        assert not any(torch.equal(one, other) for other in noisy[at + 1 :])


def test_that_masks_and_boxes_move_with_their_image():
    source = Photos(target=True, varies=False)
    sample = {name: values[0] for name, values in source.read([4]).items()}
    flip = TransformSpec(type="RandomHorizontalFlip", params={"p": 1.0})
    changed = chain(flip, kinds=changed_kinds(source.infos)).apply(sample, 0, 0, 4)
    assert torch.equal(changed["photo"], sample["photo"].flip(-1))
    assert torch.equal(changed["mask"], sample["mask"].flip(-1))
    assert changed["boxes"].tolist() == [[24 - 10.0, 3.0, 24 - 2.0, 12.0]]
    assert changed["label"] is sample["label"]


def test_that_a_mask_is_cropped_where_its_image_is_and_keeps_its_colors():
    source = Photos(target=True, varies=False)
    sample = {name: values[0] for name, values in source.read([4]).items()}
    sample["mask"] = sample["photo"][0].long()
    steps = chain(
        TransformSpec(type="RandomCrop", params={"size": 9}),
        TransformSpec(type="RandomInvert", params={"p": 1.0}),
        kinds=changed_kinds(source.infos),
    )
    changed = steps.apply(sample, 0, 2, 4)
    assert torch.equal(changed["mask"], 255 - changed["photo"][0].long())
    assert changed["mask"].shape == (9, 9)


@pytest.mark.parametrize(
    ("key", "params"),
    [("RandomRotation", {"degrees": (45, 45)}), ("Pad", {"padding": 4})],
)
def test_that_pixels_that_come_in_from_outside_have_no_class(key, params):
    photo = torch.full((3, 20, 24), 200, dtype=torch.uint8)
    sample = {"photo": photo, "mask": torch.full((20, 24), 3)}
    kinds = {"photo": "image", "mask": "mask"}
    changed = chain(TransformSpec(type=key, params=params), kinds=kinds).apply(sample, 0, 0, 4)
    mask, photo = changed["mask"], changed["photo"][0]
    assert mask.unique().tolist() == [IGNORED, 3]
    assert torch.equal(mask == IGNORED, photo == 0)


def test_that_a_field_can_be_transformed_alone():
    sample = {"photo": torch.rand(3, 8, 8), "other": torch.rand(3, 8, 8)}
    flip = TransformSpec(type="RandomVerticalFlip", params={"p": 1.0}, field="other")
    changed = chain(flip, kinds={"photo": "image", "other": "image"}).apply(sample, 0, 0, 0)
    assert torch.equal(changed["photo"], sample["photo"])
    assert torch.equal(changed["other"], sample["other"].flip(-2))


def test_that_a_failing_step_is_named_with_its_sample():
    steps = chain(
        TransformSpec(type="RandomHorizontalFlip"),
        TransformSpec(type="RandomCrop", params={"size": 99}),
    )
    with pytest.raises(DiagnosticError) as error:
        steps.apply({"photo": torch.zeros(3, 8, 8)}, 0, 0, 7)
    assert "Transform 2 (RandomCrop) failed on sample 7" in str(error.value)
    assert error.value.problems[0].field == "data.transforms.1"


def test_that_a_step_says_which_numbers_it_needs():
    with pytest.raises(DiagnosticError) as error:
        chain(started("Normalize")).apply(
            {"photo": torch.zeros(3, 8, 8, dtype=torch.uint8)}, 0, 0, 0
        )
    assert error.value.problems[0].code == "D102"


@pytest.mark.parametrize(
    ("key", "params", "code"),
    [("GaussianBlur", {"kernel_size": 4}, "D114"), ("Sparkle", {}, "D115")],
)
def test_that_settings_that_torchvision_refuses_are_named(key, params, code):
    with pytest.raises(DiagnosticError) as error:
        build_step(2, TransformSpec(type=key, params=params))
    assert error.value.problems[0].code == code
    assert error.value.problems[0].field == "data.transforms.2"


def test_that_the_number_of_threads_changes_no_bit():
    source = Photos(count=3, channels=3)
    wide = (
        TransformSpec(type="ToDtype", params={"dtype": "float32", "scale": True}),
        TransformSpec(type="Resize", params={"size": (320, 330)}),
        TransformSpec(type="ColorJitter", params={"contrast": 0.9, "saturation": 0.5}),
    )
    steps = plan_transforms(wide, source, PARTS).training.chain
    threads = torch.get_num_threads()
    results = []
    try:
        for count in (1, 2, 4):
            torch.set_num_threads(count)
            results += [prepared(source, [0, 1, 2], steps, 0, epoch) for epoch in range(8)]
            assert torch.get_num_threads() == count
    finally:
        torch.set_num_threads(threads)
    for epoch in range(8):
        first, *others = results[epoch::8]
        assert all(torch.equal(first["photo"], other["photo"]) for other in others)
