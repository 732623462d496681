"""How numbers to predict are spread, part by part."""

import csv
import math

import pytest

from engine.data.preview import describe
from engine.spec.run import Choice, DataSpec


def described(tmp_path, rows):
    path = tmp_path / "prices.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([("size", "price"), *rows])
    source = Choice(type="table", params={"path": str(path), "target": "price"})
    return describe(DataSpec(source=source))


def test_that_each_sample_is_counted_once_in_its_part(tmp_path):
    info = described(tmp_path, [(at, 1000.5 + 3.25 * at * at) for at in range(90)])
    edges = info.value_edges
    assert edges == tuple(sorted(edges))
    assert (edges[0], edges[-1]) == pytest.approx((1000.5, 1000.5 + 3.25 * 89 * 89))
    for part in info.splits:
        assert len(part.value_counts) == len(edges) - 1
        assert sum(part.value_counts) == part.samples > 0


@pytest.mark.parametrize(
    "prices",
    [[7.5] * 20, ["a", "b"] * 10],
    ids=["all the same", "classes"],
)
def test_that_what_has_no_range_is_not_counted(tmp_path, prices):
    info = described(tmp_path, list(enumerate(prices)))
    assert info.value_edges == ()
    assert all(part.value_counts == () for part in info.splits)


def test_that_values_that_are_missing_are_left_out(tmp_path):
    prices = ["" if at % 5 == 0 else 1.5 * at for at in range(50)]
    info = described(tmp_path, list(enumerate(prices)))
    assert all(math.isfinite(edge) for edge in info.value_edges)


def test_that_a_few_whole_numbers_have_an_interval_each(tmp_path):
    info = described(tmp_path, [(at, at % 5 + 1 + (at % 5 > 2)) for at in range(60)])
    assert info.value_edges == (0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5)
    counts = [sum(part.value_counts[at] for part in info.splits) for at in range(6)]
    assert counts == [12, 12, 12, 0, 12, 12]
