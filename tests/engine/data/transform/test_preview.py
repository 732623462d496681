"""One sample through every transform, and the one that fails."""

import torch

from engine.data.load.load import load_split
from engine.data.transform.preview import preview_sample
from engine.query.ask import ask
from engine.query.data.request import PreviewTransforms
from engine.spec.run import DataSpec, SplitSpec
from engine.spec.transform import TransformSpec
from tests.engine.data.transform.photos import Photos

STEPS = (
    TransformSpec(type="RandomCrop", params={"size": 12}),
    TransformSpec(type="RandomRotation", params={"degrees": 90.0}),
    TransformSpec(type="ToDtype", params={"dtype": "float32", "scale": True}),
    TransformSpec(type="Normalize", params={"mean": (0.5,), "std": (0.25,)}),
)


def shown(*transforms: TransformSpec, draw: int = 0, is_training: bool = True):
    return preview_sample(
        transforms, Photos(), 5, seed=0, draw=draw, is_training=is_training
    ).stages


def test_that_each_stage_shows_what_the_step_made():
    stages = shown(*STEPS)
    assert [stage.number for stage in stages] == [-1, 0, 1, 2, 3]
    fields = [stage.fields[0] for stage in stages]
    assert [field.shape for field in fields] == [(3, 20, 26), *([(3, 12, 12)] * 4)]
    assert [field.dtype for field in fields] == ["uint8"] * 3 + ["float32"] * 2
    assert fields[3].high <= 1 < fields[4].high
    assert fields[0].pixels == Photos().read([5])["photo"][0].permute(1, 2, 0).numpy().tobytes()
    assert all(len(field.pixels) == torch.tensor(field.size).prod() for field in fields)
    assert stages[0].fields[1].values == (2.0,)


def test_that_another_draw_shows_other_numbers_and_the_same_draw_the_same():
    assert shown(*STEPS, draw=1) == shown(*STEPS, draw=1)
    assert shown(*STEPS, draw=1)[1] != shown(*STEPS, draw=2)[1]
    assert shown(*STEPS, draw=1)[0] == shown(*STEPS, draw=2)[0]


def test_that_evaluation_shows_only_its_steps():
    assert [stage.name for stage in shown(*STEPS, is_training=False)][1:] == [
        "ToDtype",
        "Normalize",
    ]


def test_that_the_failing_step_is_the_last_with_its_reason():
    stages = shown(STEPS[0], STEPS[3], STEPS[2])
    assert [stage.name for stage in stages] == ["", "RandomCrop", "Normalize"]
    assert stages[-1].problem is not None
    assert stages[-1].problem.code == "D102"
    refused = shown(STEPS[2], TransformSpec(type="GaussianBlur", params={"kernel_size": 2}))
    assert [stage.name for stage in refused] == ["", "ToDtype", "GaussianBlur"]
    assert refused[-1].problem is not None
    assert refused[-1].problem.code == "D114"


def test_that_normalize_at_the_end_takes_whole_numbers_as_the_run_does():
    stages = shown(STEPS[0], STEPS[3])
    assert [stage.name for stage in stages] == ["", "RandomCrop", "Normalize"]
    assert stages[-1].problem is None
    assert stages[-1].fields[0].low >= -2


def test_that_the_last_stage_is_what_the_model_gets():
    last = shown(STEPS[0])[-1].fields[0]
    assert last.dtype == "float32"
    assert last.high <= 1


def test_that_the_window_can_ask_for_it():
    data = DataSpec(transforms=(TransformSpec(type="RandomHorizontalFlip", params={"p": 1.0}),))
    stages = ask(PreviewTransforms(data=data, number=10**9)).stages
    before, after = (stage.fields[0] for stage in stages)
    assert before.size == after.size == (8, 8, 1)
    pictures = [torch.tensor(list(field.pixels)).reshape(8, 8) for field in (before, after)]
    assert torch.equal(pictures[0].flip(1), pictures[1])


def test_that_samples_are_numbered_within_their_part():
    data = DataSpec()
    train, test = (
        [ask(PreviewTransforms(data=data, split=split, number=at)) for at in (0, 1)]
        for split in ("train", "test")
    )
    indices = load_split(data)[1]
    assert [each.index for each in train] == indices["train"][:2].tolist()
    assert [each.index for each in test] == indices["test"][:2].tolist()
    assert train[0].samples == len(indices["train"])
    assert train[0].label in {str(digit) for digit in range(10)}


def test_that_an_invalid_split_still_shows_samples():
    data = DataSpec(split=SplitSpec(kind="column", column="missing"))
    shown_sample = ask(PreviewTransforms(data=data, number=3))
    assert (shown_sample.index, shown_sample.number) == (3, 3)
