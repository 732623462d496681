"""Numbers on a logarithmic axis have room, in any range."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.plot_parts import surface_of
from widgets.plots.height_axis import day_texts, log_ticks, number_text
from widgets.plots.scatter_view import ScatterView
from widgets.plots.view_model import PointsView

PIXELS = 260.0


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (-3.2, 0.3, ["0.001", "0.01", "0.1", "1"]),
        (-0.1, 1.1, ["1", "2", "5", "10"]),
        (-9, -1, ["10⁻⁹", "10⁻⁸", "10⁻⁷", "10⁻⁶", "10⁻⁵", "0.0001", "0.001", "0.01", "0.1"]),
    ],
)
def test_that_the_numbers_are_round(low, high, texts):
    found = [number_text(10**place) for place in log_ticks(low, high, PIXELS)]
    assert set(texts) <= set(found)


@settings(max_examples=150, deadline=None)
@given(low=st.floats(-30, 20), width=st.floats(0.01, 40), pixels=st.floats(60, 2000))
def test_that_no_number_lies_on_another_and_some_are_there(low, width, pixels):
    high = low + width
    places = log_ticks(low, high, pixels)
    assert all(low - 1 <= place <= high + 1 for place in places)
    scale = pixels / width
    assert all((after - before) * scale > 20 for before, after in pairwise(places))
    if pixels > 150 and width < 10:
        assert places


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 400.0])
def test_that_an_impossible_range_has_no_numbers(bad):
    assert log_ticks(0.0, bad, PIXELS) == []
    assert log_ticks(1.0, 1.0, PIXELS) == []


def test_that_numbers_are_short():
    texts = ["0.05", "300", "2000", "10⁴", "1.2·10⁵", "2·10⁻⁶", "10⁹"]
    assert [number_text(v) for v in (0.05, 300, 2e3, 1e4, 1.2e5, 2e-6, 1e9)] == texts


def test_that_days_are_dates_and_other_places_carry_nothing():
    assert day_texts([0, 19782, -1]) == ["1970-01-01", "2024-02-29", "1969-12-31"]
    assert day_texts([19782.5, 1e9]) == ["", ""]


@pytest.mark.parametrize("dates", [(True, False), (False, True), (False, False)])
def test_that_axes_of_points_write_dates_where_they_are_days(qtbot, dates):
    view = PointsView(
        xy=np.array([[19782.0, 19782.0]]), classes=np.zeros(1, np.int64), x_label="x", y_label="y",
        dates=dates,
    )  # fmt: skip
    shown = ScatterView("points")
    qtbot.addWidget(shown)
    shown.set_view(view)
    surface = surface_of(shown)
    for axis, is_date in zip((surface.x_axis, surface.y_axis), dates, strict=True):
        (text,) = axis.tickStrings([19782.0], 1.0, 1.0)
        assert (text == "2024-02-29") is is_date
