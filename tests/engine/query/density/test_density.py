"""Densities of samples beside NumPy's histograms."""

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image

from engine.data.load.load import load_data
from engine.query.ask import ask
from engine.query.density import answer
from engine.query.density.request import CountSamples, DensitySpec
from engine.spec.density import COLUMNS, ROWS
from engine.spec.run import Choice, DataSpec, SplitSpec


@pytest.fixture
def table(tmp_path):
    """Return numbers in a plane, classes, and the data of a table that has them."""
    generator = np.random.default_rng(0)
    numbers = generator.normal(size=(700, 2)).round(3)
    classes = generator.integers(0, 3, 700)
    rows = (
        f"{'' if at % 100 == 7 else x},{y},{'abc'[kind]}"
        for at, ((x, y), kind) in enumerate(zip(numbers.tolist(), classes, strict=True))
    )
    path = tmp_path / "many.csv"
    path.write_text("\n".join(["x,y,kind", *rows]))
    params = {"path": str(path), "target": "kind", "missing": "drop"}
    data = DataSpec(source=Choice(type="table", params=params))
    kept = np.arange(700) % 100 != 7
    return numbers[kept], classes[kept], data


def count(request):
    """Return the density that comes of a request, and the steps before it."""
    steps = [ask(replace(request, is_new=True))]
    while not steps[-1].is_done:
        steps.append(ask(request))
    return steps[-1].density, steps


def counts_of(density):
    return np.frombuffer(density.counts, np.uint32).reshape(-1, ROWS, COLUMNS)


def histogram(numbers, window):
    x, y = window[:2], window[2:]
    return np.histogram2d(*numbers.T[::-1], bins=(ROWS, COLUMNS), range=(y, x))[0]


@pytest.mark.parametrize("window", [None, (-0.51, 0.73, 0.02, 1.91)])
def test_that_all_samples_are_counted_as_a_histogram_counts_them(table, window, monkeypatch):
    monkeypatch.setattr(answer, "_BLOCK", 64)  # several
    numbers, _, data = table
    spec = DensitySpec(x="x", y="y", window=window)
    density, steps = count(CountSamples(data=data, spec=spec, seconds=0))
    (left, low), (right, high) = numbers.min(axis=0), numbers.max(axis=0)
    assert (*density.reach_x, *density.reach_y) == pytest.approx((left, right, low, high))
    counted = counts_of(density)[0]
    ends = (*density.x, *density.y)
    inside = numbers.astype(np.float32).astype(np.float64)
    assert (counted == histogram(inside, ends)).all()
    assert window is None or ends == window
    assert (density.total, density.missing) == (len(numbers), 0)
    done = [step.done for step in steps]
    assert done == sorted(done)
    assert len(set(done)) > 5


def test_that_classes_and_splits_are_counted_apart_in_the_chosen_splits(table):
    numbers, classes, data = table
    whole = DensitySpec(x="x", y="y", groups="class")
    density, _ = count(CountSamples(data=data, spec=whole))
    names = load_data(data).source.infos[-1].classes
    assert density.names == names
    wanted = [int((classes == "abc".index(name)).sum()) for name in names]
    assert counts_of(density).sum(axis=(1, 2)).tolist() == wanted
    by_part = replace(whole, groups="part", parts=("validation", "test"))
    density, _ = count(CountSamples(data=data, spec=by_part))
    loaded = load_data(data)
    sizes = [loaded.samples(part) for part in ("validation", "test")]
    assert counts_of(density).sum(axis=(1, 2)).tolist() == [0, *sizes]
    assert density.total == sum(sizes) < len(numbers)


def test_that_the_sides_of_all_pictures_are_read_step_by_step(tmp_path, monkeypatch):
    monkeypatch.setattr(answer, "_CELLS_READ", 4)
    for number in range(14):
        folder = tmp_path / "ab"[number % 2]
        folder.mkdir(exist_ok=True)
        size = (20 + number, 30 if number else 50)
        Image.new("RGB", size).save(folder / f"{number}.png")
    (tmp_path / "a" / "damaged.png").write_bytes(b"\x89PNG\r\n\x1a\n nothing more")
    params = {"path": str(tmp_path)}
    data = DataSpec(source=Choice(type="image_folder", params=params), split=SplitSpec())
    spec = DensitySpec(x="width", y="height")
    density, steps = count(CountSamples(data=data, spec=spec, seconds=0))
    assert (density.reach_x, density.reach_y) == ((20, 33), (30, 50))
    assert (int(counts_of(density).sum()), density.missing) == (14, 1)
    assert sum(step.total == density.total for step in steps[:-1]) > 3


def test_that_a_column_that_would_take_reading_samples_is_not_counted(table):
    _, _, data = table
    density, steps = count(CountSamples(data=data, spec=DensitySpec(x="x", y="nowhere")))
    assert density is None
    assert steps[-1].is_done


def test_that_samples_at_one_place_have_a_cell(tmp_path):
    path = tmp_path / "same.csv"
    rows = (f"2,2,{at},{'ab'[at % 2]}" for at in range(40))
    path.write_text("\n".join(["x,y,other,kind", *rows]))
    data = DataSpec(source=Choice(type="table", params={"path": str(path), "target": "kind"}))
    density, _ = count(CountSamples(data=data, spec=DensitySpec(x="x", y="y")))
    assert density.x[0] < 2 < density.x[1]
    assert sorted(set(counts_of(density).ravel().tolist())) == [0, 40]
