import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.runs.record.series import decimate

numbers = st.floats(-1e9, 1e9) | st.just(float("nan"))


@settings(max_examples=100, deadline=None)
@given(st.lists(numbers, max_size=300), st.integers(1, 20))
def test_that_no_peak_is_lost(values: list[float], columns: int) -> None:
    points = np.asarray(values, np.float64)
    steps = np.arange(1, len(points) + 1)
    chosen_steps, chosen = decimate(steps, points, columns)
    assert np.array_equal(chosen, points[chosen_steps - 1], equal_nan=True)
    assert np.all(np.diff(chosen_steps) > 0)
    if not np.isnan(points).all():
        assert np.nanmax(chosen) == np.nanmax(points)
        assert np.nanmin(chosen) == np.nanmin(points)


@pytest.mark.row("S199")
def test_that_a_million_points_are_thinned_to_what_a_screen_can_show() -> None:
    values = np.random.default_rng(0).normal(size=1_000_000)
    steps = np.arange(1_000_000)
    thin_steps, _ = decimate(steps, values, 1500)
    assert len(thin_steps) <= 2 * 1500 + 3


def test_that_a_short_curve_stays_as_it_is() -> None:
    steps, values = np.arange(10), np.arange(10.0)
    assert decimate(steps, values, 5)[1].tolist() == values.tolist()
