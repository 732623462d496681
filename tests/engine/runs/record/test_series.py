from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.runs.record.journal import Mark, RunJournal
from engine.runs.record.series import Curve, decimate
from engine.runs.record.store import RunStore

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


def test_that_a_curve_tells_where_points_gave_way_to_others(tmp_path: Path) -> None:
    """Also where there are more of them than before: a run may have gone back in between."""
    journal, curve = RunJournal(tmp_path), Curve("train.loss")
    journal.extend("train.loss", [1, 2, 3], [1.0, 2.0, 3.0])
    journal.commit()
    with RunStore.open(tmp_path) as store:
        curve.update(store)
        journal.truncate(Mark(), 0)
        assert not curve.update(store)
        assert curve.cuts == 0
        journal.extend("train.loss", [1, 2, 3, 4], [5.0, 6.0, 7.0, 8.0])
        journal.commit()
        assert curve.update(store)
    journal.close()
    assert (curve.cuts, curve.values.tolist()) == (1, [5.0, 6.0, 7.0, 8.0])


def test_that_what_is_buffered_when_a_run_goes_back_does_not_come_after_it(tmp_path: Path) -> None:
    journal = RunJournal(tmp_path)
    journal.extend("train.loss", [1, 2], [1.0, 2.0])
    journal.truncate(Mark(chunk=1), 1)
    journal.commit()
    with RunStore.open(tmp_path) as store:
        assert store.scalars("train.loss").steps.tolist() == [1]
    journal.close()
