"""Loaded data with transforms: the same batches with any number of workers, from any batch on, and
evaluation without what is random.
"""

from functools import partial

import pytest
import torch

from engine.data.load import load as load_module
from engine.data.load.load import LoadedData, load_data
from engine.data.load.loader import BatchPlan, PartLoader
from engine.data.load.order import epoch_order
from engine.data.load.part import StreamedPart, TensorPart
from engine.data.preview import describe, preview, preview_at
from engine.diagnostics import DiagnosticError
from engine.spec.run import DataSpec, LoaderSpec
from engine.spec.transform import BatchTransformSpec, TransformSpec
from tests.engine.data.transform.photos import Photos

RESIZE = TransformSpec(type="Resize", params={"size": (20, 22)})
FLOAT = TransformSpec(type="ToDtype", params={"dtype": "float32", "scale": True})
NORMALIZE = TransformSpec(type="Normalize", params={"mean": (0.5,), "std": (0.25,)})
STRONG = (
    RESIZE,
    TransformSpec(type="RandomCrop", params={"size": 16, "padding": 2}),
    TransformSpec(type="RandomHorizontalFlip"),
    TransformSpec(
        type="ColorJitter",
        params={"brightness": 0.4, "contrast": 0.4, "saturation": 0.4, "hue": 0.1},
    ),
    TransformSpec(type="RandAugment"),
    TransformSpec(type="CenterCrop", params={"size": 16}),
    FLOAT,
    NORMALIZE,
    TransformSpec(type="RandomErasing"),
)
MIX = (BatchTransformSpec(type="MixUp"),)


@pytest.fixture
def photos(monkeypatch):
    """Return a function that loads photographs with transforms."""
    monkeypatch.setattr(load_module, "load_source", lambda *_: Photos())

    def loaded(*transforms: TransformSpec, **changes) -> LoadedData:
        return load_data(DataSpec(transforms=transforms, **changes))

    return loaded


def batches(data: LoadedData, workers: int, epoch: int = 1, start: int = 0):
    part = data.training
    plan = BatchPlan(
        order=epoch_order(len(part), 5, epoch, shuffle=True),
        size=4,
        seed=5,
        epoch=epoch,
        start=start,
    )
    return list(PartLoader(part, LoaderSpec(num_workers=workers)).batches(plan))


def is_same(first, second) -> bool:
    pairs = zip(first, second, strict=True)
    return all(torch.equal(a[name], b[name]) for a, b in pairs for name in a)


@pytest.mark.real
def test_that_any_number_of_workers_and_any_start_give_the_same_bits(photos):
    data = photos(*STRONG, batch_transforms=MIX)
    alone = batches(data, 0)
    assert is_same(alone, batches(data, 1))
    assert is_same(alone, batches(data, 2))
    assert is_same(alone[2:], batches(data, 2, start=2))
    assert is_same(alone[2:], batches(data, 0, start=2))
    assert not is_same(alone, batches(data, 0, epoch=2))


@pytest.mark.real
def test_that_an_epoch_leaves_the_random_states_as_they_were(photos):
    data = photos(*STRONG, batch_transforms=MIX)
    torch.manual_seed(1)
    state = torch.get_rng_state()
    batches(data, 0)
    batches(data, 1)
    assert torch.equal(torch.get_rng_state(), state)


def test_that_evaluation_is_the_same_each_time_and_has_nothing_random(photos):
    data = photos(*STRONG, batch_transforms=MIX)
    plain = photos(*(each for each in STRONG if each in (RESIZE, FLOAT, NORMALIZE, STRONG[5])))
    for part in data.parts:
        for name, values in data.tensors(part).items():
            assert torch.equal(values, plain.tensors(part)[name])
            assert torch.equal(values, data.tensors(part)[name])
    assert data.tensors("train")["label"].dtype == torch.int64


@pytest.mark.row("S143")
def test_that_training_differs_from_epoch_to_epoch_and_evaluation_does_not(photos):
    data = photos(RESIZE, TransformSpec(type="RandomHorizontalFlip"))
    read = partial(batches, data, 0)
    assert not torch.equal(
        torch.cat([b["photo"] for b in read(epoch=1)]).sum(0),
        torch.cat([b["photo"] for b in read(epoch=2)]).sum(0),
    )
    assert data.training is not data.parts["train"]


@pytest.mark.row("S142")
def test_that_a_normalization_at_the_end_is_a_scaling_of_what_is_shown(photos):
    data, shown = photos(RESIZE, FLOAT, NORMALIZE), photos(RESIZE, FLOAT)
    raw, expected = data.examples("test", 3)["photo"], shown.examples("test", 3)["photo"]
    assert torch.equal(raw, expected)
    scaled = data.scalings["photo"].apply(raw)
    assert torch.equal(scaled, data.tensors("test")["photo"][:3])
    from torchvision.transforms.v2.functional import normalize

    assert torch.equal(scaled, normalize(expected, [0.5] * 3, [0.25] * 3))


def test_that_images_in_bytes_become_numbers_from_0_to_1(photos):
    data = photos(RESIZE)
    values = data.tensors("test")["photo"]
    assert values.dtype == torch.float32
    assert 0 <= values.min() < values.max() <= 1
    field = data.info.field("photo")
    assert (field.shape, field.dtype) == ((3, 20, 22), "float32")
    form = data.parts["test"].form("photo")
    assert (form.shape, form.dtype) == ((0, 3, 20, 22), torch.float32)


def test_that_images_of_many_sizes_are_refused_with_what_helps(photos):
    with pytest.raises(DiagnosticError) as error:
        photos()
    assert error.value.problems[0].code == "D105"


@pytest.mark.row("S142")
def test_that_images_in_memory_are_transformed_too():
    steps = (
        TransformSpec(type="RandomRotation", params={"degrees": 20.0}),
        TransformSpec(type="Pad", params={"padding": 2}),
    )
    data = load_data(DataSpec(transforms=steps, normalization="standard"))
    assert data.info.field("image").shape == (1, 12, 12)
    assert not data.info.problems
    plain = load_data(DataSpec(normalization="standard"))
    inner = data.tensors("test")["image"][..., 2:-2, 2:-2]
    torch.testing.assert_close(inner, plain.tensors("test")["image"])
    assert is_same(batches(data, 0)[:3], batches(data, 0)[:3])


def test_that_data_in_memory_stays_in_tensors_where_nothing_is_done_to_a_part():
    data = load_data(DataSpec(transforms=(TransformSpec(type="RandomHorizontalFlip"),)))
    assert all(isinstance(part, TensorPart) for part in data.parts.values())
    assert isinstance(data.training, StreamedPart)
    plain = load_data(DataSpec())
    assert plain.training is plain.parts["train"]
    assert torch.equal(data.tensors("train")["image"], plain.tensors("train")["image"])


def test_that_what_is_described_and_shown_has_the_same_shape():
    steps = (TransformSpec(type="Resize", params={"size": (5, 6)}),)
    spec = DataSpec(transforms=steps)
    data = load_data(spec)
    assert describe(spec) == data.info
    assert data.info.field("image").shape == (1, 5, 6)
    shown = preview(data, "test", 0, 2).samples
    assert all(len(sample.values["image"]) == 30 for sample in shown)
    assert preview_at(spec, [shown[0].index]).samples == shown[:1]


def test_that_a_broken_transform_is_described_as_a_problem_and_stops_a_run():
    spec = DataSpec(transforms=(TransformSpec(type="RandomCrop", params={"size": 99}),))
    info = describe(spec)
    assert [problem.code for problem in info.problems] == ["D100"]
    assert info.field("image").shape == (1, 8, 8)
    with pytest.raises(DiagnosticError, match="RandomCrop"):
        load_data(spec)


def test_that_images_that_are_not_float32_are_told_to_stay_as_they_are(photos):
    double = TransformSpec(type="ToDtype", params={"dtype": "float64", "scale": True})
    data = photos(RESIZE, double, normalization="standard")
    assert [problem.code for problem in data.info.problems] == ["D108"]
    assert "photo" not in data.scalings
