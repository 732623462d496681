"""Statistics of what is read sample by sample, and the normalisation by them."""

from collections import OrderedDict

import numpy as np
import pytest
import torch
from msgspec.structs import replace
from PIL import Image

from engine.data.load import load as load_module
from engine.data.load import statistics as statistics_module
from engine.data.load.fit import DataFit
from engine.data.load.load import load_data
from engine.data.load.statistics import measure_fields
from engine.data.preview import describe
from engine.data.source.field import vector_field
from engine.data.source.registry import forget_sources
from engine.data.source.tensors import TensorSource
from engine.spec.run import Choice, DataSpec
from engine.spec.statistics import FieldStatistics
from engine.spec.transform import TransformSpec
from engine.spec.transform_list import new_transform
from tests.engine.data.transform.photos import Photos

SOURCE = Photos(varies=False)
RANDOM = np.random.default_rng(3)
RESIZE = new_transform("Resize", (12, 14))


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """Keep the cache of this user out of it, and measure anew in each test."""
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setattr(statistics_module, "cache_folder", lambda name: folder)
    monkeypatch.setattr(statistics_module, "_kept", OrderedDict())
    return folder


@pytest.fixture
def counted(monkeypatch):
    """Return how often samples were measured."""
    calls = []

    def measure(*given, **options):
        calls.append(given)
        return measure_fields(*given, **options)

    monkeypatch.setattr(statistics_module, "measure_fields", measure)
    return calls


@pytest.fixture
def folder(tmp_path):
    for name in ("cat", "dog"):
        (tmp_path / "photos" / name).mkdir(parents=True)
        for number in range(10):
            pixels = RANDOM.integers(0, 255, (16 + number, 18, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(tmp_path / "photos" / name / f"{number}.png")
    return DataSpec(
        source=Choice(type="image_folder", params={"path": str(tmp_path / "photos"), "size": None}),
        transforms=(RESIZE,),
        normalization="standard",
    )


def all_values(spec: DataSpec) -> torch.Tensor:
    """Return the training images before normalisation, of shape (channels, values)."""
    plain = load_data(replace(spec, normalization="none"))
    return plain.tensors("train")["image"].double().transpose(0, 1).flatten(1)


@pytest.mark.row("S145")
def test_that_mean_and_deviation_are_those_of_all_pixels_of_each_channel():
    training = torch.arange(0, 20, 2)
    info = replace(SOURCE.infos[0], dtype="float32")
    found = measure_fields(SOURCE, training, None, (info,))["photo"]
    values = torch.stack(SOURCE.read(training.tolist())["photo"]).double() / 255
    values = values.transpose(0, 1).flatten(1)
    for name, expected in (
        ("mean", values.mean(1)), ("std", values.std(1, correction=0)),
        ("low", values.amin(1)), ("high", values.amax(1)),
    ):  # fmt: skip
        torch.testing.assert_close(
            torch.tensor(getattr(found, name)).double(), expected, atol=1e-6, rtol=1e-6
        )
    assert (found.samples, found.total) == (10, 10)
    assert not found.is_sampled


def test_that_what_is_filled_in_does_not_count():
    values = torch.from_numpy(RANDOM.normal(5, 2, (40, 3))).float()
    gap = torch.from_numpy(RANDOM.random((40, 3)) < 0.3)
    gap[:, 2] = True
    source = TensorSource(
        task="regression", fields=(vector_field("features", values, ("a", "b", "c")),)
    )
    training = torch.arange(0, 40, 2)
    found = measure_fields(source, training, None, source.infos, gaps={"features": gap})["features"]
    for at in range(2):
        known = values[training, at][~gap[training, at]].double()
        assert found.missing[at] == 20 - len(known) > 0
        assert found.mean[at] == pytest.approx(known.mean().item())
        assert found.std[at] == pytest.approx(known.std(correction=0).item())
        assert (found.low[at], found.high[at]) == (known.min().item(), known.max().item())
    assert found.is_empty(2)
    assert (found.mean[2], found.high[2], found.missing[2]) == (0.0, 0.0, 20)
    assert measure_fields(source, training, None, source.infos)["features"].missing == ()


def test_that_of_many_large_samples_some_are_read_and_that_is_told(monkeypatch):
    monkeypatch.setattr(statistics_module, "_LEAST_SAMPLES", 5)
    monkeypatch.setattr(statistics_module, "_NUMBERS", 0)
    info = replace(SOURCE.infos[0], dtype="float32")
    told = []
    found = measure_fields(
        SOURCE, torch.arange(20), None, (info,), lambda done, count: told.append((done, count))
    )["photo"]
    assert (found.samples, found.total, found.is_sampled) == (5, 20, True)
    assert told[0] == (0, 5)
    assert told[-1] == (5, 5)
    assert found == measure_fields(SOURCE, torch.arange(20), None, (info,))["photo"]


@pytest.mark.parametrize("kind", ["standard", "minmax"])
def test_that_pictures_of_a_folder_are_normalized(folder, kind):
    data = load_data(replace(folder, normalization=kind))
    values = data.tensors("train")["image"].double().transpose(0, 1).flatten(1)
    raw = all_values(folder)
    shift, scale = raw.mean(1), raw.std(1, correction=0)
    if kind == "minmax":
        shift, scale = raw.amin(1), raw.amax(1) - raw.amin(1)
    expected = (raw - shift[:, None]) / scale[:, None]
    torch.testing.assert_close(values, expected, atol=1e-4, rtol=1e-4)
    assert describe(replace(folder, normalization=kind)).problems == data.info.problems
    assert all(problem.code != "D108" for problem in data.info.problems)


def test_that_the_statistics_are_those_of_the_training_part_alone(folder):
    data = load_data(folder)
    test = data.tensors("test")["image"].double()
    raw = load_data(replace(folder, normalization="none")).tensors("test")["image"].double()
    mean = torch.tensor(data.statistics["image"].mean)[:, None, None]
    std = torch.tensor(data.statistics["image"].std)[:, None, None]
    torch.testing.assert_close(test, ((raw - mean) / std).double(), atol=1e-4, rtol=1e-4)


def test_that_images_that_lose_their_color_are_normalized_by_their_gray():
    random = Choice(type="random", params={"shape": (3, 8, 8), "samples": 60, "classes": 2})
    gray = (new_transform("Grayscale"),)
    data = load_data(DataSpec(source=random, transforms=gray, normalization="standard"))
    values = data.tensors("train")["image"]
    assert values.shape[1] == 1
    assert abs(float(values.mean())) < 1e-4
    assert abs(float(values.std()) - 1) < 1e-2


def test_that_what_was_measured_once_comes_from_the_cache(folder, counted, monkeypatch):
    first = load_data(folder).statistics
    assert load_data(folder).statistics == first
    monkeypatch.setattr(statistics_module, "_kept", OrderedDict())
    forget_sources()
    assert load_data(folder).statistics == first
    assert len(counted) == 1
    load_data(replace(folder, transforms=(new_transform("Resize", (9, 9)),)))
    assert len(counted) == 2


def test_that_more_pictures_are_measured_anew(folder, counted):
    before = load_data(folder).statistics
    path = str(folder.source.params["path"])
    for number in range(20):
        Image.new("RGB", (30, 31), "white").save(f"{path}/cat/white{number}.png")
    forget_sources()
    assert load_data(folder).statistics != before
    assert len(counted) == 2


def test_that_a_damaged_cache_is_measured_anew(folder, counted, cache, monkeypatch):
    first = load_data(folder).statistics
    for file in cache.iterdir():
        file.write_bytes(b'{"image": 3')
    monkeypatch.setattr(statistics_module, "_kept", OrderedDict())
    assert load_data(folder).statistics == first
    assert len(counted) == 2


def test_that_known_statistics_of_a_run_are_used_as_they_are(folder, counted):
    known = FieldStatistics(
        name="image", mean=(0.5,) * 3, std=(0.25,) * 3, low=(0.0,) * 3, high=(1.0,) * 3,
        samples=3, total=9,
    )  # fmt: skip
    data = load_data(folder, known=DataFit(statistics={"image": known}))
    assert data.statistics == {"image": known}
    assert data.scalings["image"].shift.flatten().tolist() == [0.5] * 3
    assert not counted
    unfit = replace(known, mean=(0.5,))
    assert (
        load_data(folder, known=DataFit(statistics={"image": unfit})).statistics["image"] != unfit
    )


def test_that_nothing_is_measured_where_nothing_is_normalized(folder, counted, monkeypatch):
    load_data(replace(folder, normalization="none"))
    assert load_data(folder, is_normalized=False).scalings == {}
    normalize = TransformSpec(type="Normalize", params={"mean": (0.5,), "std": (0.2,)})
    load_data(replace(folder, transforms=(RESIZE, normalize)))
    load_data(DataSpec(normalization="standard"))  # in memory: as ever
    monkeypatch.setattr(load_module, "load_source", lambda *_: Photos())
    assert not counted
