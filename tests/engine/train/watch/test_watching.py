"""A run records statistics by itself, and computes the same with and without them."""

from types import SimpleNamespace

import pytest

from engine.events import SetWatching, WatchingChanged
from engine.inspect.probe import Probe
from engine.runs.record.statistic import Kind, StatisticHistory
from engine.runs.record.store import RunStore
from engine.spec.run import WatchSpec
from engine.train.watch.statistics_watcher import StatisticsWatcher
from tests.tiny_run import curves, make_run, train


def history(run) -> StatisticHistory:
    found = StatisticHistory()
    with RunStore.open(run.path) as store:
        found.update(store)
    return found


@pytest.mark.row("P17")
def test_that_watching_changes_no_number_of_a_run(tmp_path) -> None:
    watched = make_run(tmp_path / "a", watch=WatchSpec(every_steps=1, limit=1.0))
    bare = make_run(tmp_path / "b", watch=WatchSpec(statistics=False))
    states = train(watched), train(bare)
    assert states[0].metrics == states[1].metrics
    assert curves(watched) == curves(bare)
    assert history(watched).steps[0] == 1
    assert not len(history(bare).steps)


def test_that_every_layer_leaves_statistics(tmp_path) -> None:
    run = make_run(tmp_path, epochs=1)
    train(run)
    found = history(run).columns
    assert (Kind.ACTIVATION, "act") in found
    assert all((kind, "hidden.weight") in found for kind in ("weight", "gradient", "update"))


def test_that_statistics_can_be_switched_off_while_the_run_goes_on(tmp_path) -> None:
    run = make_run(tmp_path, epochs=30, watch=WatchSpec(every_steps=1, limit=1.0))
    run.send(SetWatching(statistics=False, every_steps=10, limit=0.02))
    state = train(run)
    assert history(run).steps.tolist() == [1]  # it is looked at before the first command is read
    assert state.watch is not None
    assert (state.watch.statistics, state.watch.limit) == (False, 0.02)


@pytest.mark.parametrize("statistics", [False, True])
def test_that_a_run_tells_of_no_cost_from_before_watching_was_changed(statistics: bool) -> None:
    told = SimpleNamespace(watching=0.02, is_throttled=True)
    watcher = StatisticsWatcher(Probe(), told, WatchSpec())
    watcher.change(WatchingChanged(step=1, statistics=statistics, every_steps=10, limit=0.01))
    watcher.step_done(sampled=False, watched=False)
    assert (told.watching, told.is_throttled) == (0.0, False)
