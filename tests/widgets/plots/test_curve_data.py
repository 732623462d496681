"""Points of a curve: growth, smoothing, decimation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from widgets.plots.curve_data import CurveData, finite_bounds, logarithm
from widgets.plots.decimate import decimated
from widgets.plots.ema import Smoother, decayed_sum
from widgets.plots.view_model import SeriesView

VALUES = st.lists(st.one_of(st.floats(-1e3, 1e3), st.just(float("nan"))), max_size=200)


def plain_smoothing(values, weight):
    """Smooth by the definition, one value after the other."""
    total = mass = 0.0
    for value in values:
        is_finite = np.isfinite(value)
        total = weight * total + (value if is_finite else 0.0)
        mass = weight * mass + is_finite
        yield total / mass if is_finite else np.nan


@given(VALUES, st.floats(0.0, 0.999), st.integers(0, 200))
def test_that_smoothing_in_pieces_is_the_definition(values, weight, cut):
    smoother = Smoother(weight)
    array = np.array(values, dtype=np.float64)
    pieces = np.concatenate((smoother.extend(array[:cut]), smoother.extend(array[cut:])))
    expected = np.fromiter(plain_smoothing(values, weight), np.float64)
    np.testing.assert_allclose(pieces, expected, rtol=1e-7, atol=1e-7)


def test_that_a_long_decayed_sum_is_the_recursion():
    values = np.random.default_rng(0).normal(size=5_000)
    state, expected = 3.0, []
    for value in values:
        state = 0.97 * state + value
        expected.append(state)
    np.testing.assert_allclose(decayed_sum(values, 0.97, 3.0), expected, rtol=1e-9)


def test_that_no_point_is_lost_while_a_curve_grows():
    data = CurveData(SeriesView(name="loss", label="loss"))
    for start in range(0, 10_000, 37):
        steps = np.arange(start, min(start + 37, 10_000), dtype=np.float64)
        data.append(steps, steps * 2)
    assert data.size == 10_000
    np.testing.assert_array_equal(data.x("step"), np.arange(10_000))
    np.testing.assert_array_equal(data.y(is_smooth=False, is_log=False), np.arange(10_000) * 2)


def test_that_a_resume_replaces_what_lay_behind_it():
    data = CurveData(SeriesView(name="loss", label="loss"))
    data.set_smoothing(0.5)
    data.append(np.arange(1.0, 11.0), np.full(10, 1.0))
    data.append(np.arange(6.0, 9.0), np.full(3, 9.0))
    np.testing.assert_array_equal(data.x("step"), np.arange(1.0, 9.0))
    assert data.y(is_smooth=False, is_log=False).tolist() == [1.0] * 5 + [9.0] * 3
    assert data.y(is_smooth=True, is_log=False).size == 8
    assert data.y(is_smooth=True, is_log=True).size == 8


def test_that_logarithms_follow_appends_and_skip_what_is_not_positive():
    data = CurveData(SeriesView(name="loss", label="loss"))
    data.append(np.array([1.0, 2.0]), np.array([10.0, -1.0]))
    data.y(is_smooth=False, is_log=True)
    data.append(np.array([3.0]), np.array([1000.0]))
    np.testing.assert_allclose(data.y(is_smooth=False, is_log=True), [1.0, np.nan, 3.0])
    np.testing.assert_allclose(logarithm(np.array([0.0, 100.0])), [np.nan, 2.0])


@pytest.mark.parametrize(("x", "index"), [(-5.0, 0), (1.4, 0), (1.6, 1), (99.0, 2)])
def test_that_the_nearest_point_is_found(x, index):
    steps = np.array([1.0, 2.0, 3.0])
    data = CurveData(SeriesView(name="a", label="a", steps=steps, values=steps))
    assert data.nearest(x, "step") == index


def test_that_bounds_leave_out_what_is_not_finite():
    assert finite_bounds(np.array([1.0, np.nan, np.inf, -2.0])) == (-2.0, 1.0)
    assert finite_bounds(np.array([np.nan])) is None
    assert finite_bounds(np.empty(0)) is None


@given(st.integers(0, 5000), st.integers(1, 400), st.integers(0, 9999))
def test_that_decimation_keeps_the_extremes_and_little_else(size, pixels, seed):
    values = np.random.default_rng(seed).normal(size=size)
    x, y = decimated(np.arange(size, dtype=np.float64), values, -1, size + 1, pixels)
    assert x.size == y.size <= 6 * pixels + 2 * size / pixels + 4
    if size:
        assert (y.min(), y.max()) == (values.min(), values.max())
        assert np.all(np.diff(x) >= 0)


def test_that_decimation_draws_only_what_is_in_view():
    steps = np.arange(100_000, dtype=np.float64)
    x, _ = decimated(steps, steps, 500.0, 520.0, 800)
    assert x[0] <= 500
    assert x[-1] >= 520
    assert x.size <= 24


def test_that_a_gap_does_not_swallow_its_neighbours():
    values = np.ones(10_000)
    values[5_000] = np.nan
    _, y = decimated(np.arange(10_000.0), values, 0, 10_000, 100)
    assert np.isfinite(y).all()
