"""Captures that are asked for again and again keep the limit of watching."""

from types import SimpleNamespace

import pytest
import torch
from torch import nn

from engine.events import CaptureGraph
from engine.graph.model import Graph
from engine.inspect.node_path import NodePaths
from engine.inspect.probe import Probe
from engine.spec.run import WatchSpec
from engine.train.watch.graph_watcher import GraphWatcher
from engine.train.watch.watch import Watch
from tests.tiny_run import make_run


class Live:
    """A graph watcher whose clock is turned by hand."""

    def __init__(self, folder) -> None:
        self.now = 1000.0
        self.told: list[object] = []
        self._probe = Probe()
        reporter = SimpleNamespace(append=self.told.append)
        node_paths = NodePaths(Graph(), {})
        self.watcher = GraphWatcher(
            self._probe, node_paths, reporter, folder, limit=0.02, clock=lambda: self.now
        )

    def is_captured(self, *, live: bool) -> bool:
        """Ask for a step, take it and return whether its graph was told."""
        self.watcher.handle(live=live)
        if self._probe.is_idle:
            return False
        model = nn.Linear(2, 1)
        with self._probe.forward(model):
            loss = model(torch.randn(4, 2)).sum()
        self._probe.built(loss, model)
        with self._probe.backward():
            loss.backward()
        self._probe.gradients(model)
        self._probe.drop_done()
        return self.watcher.step_done(len(self.told) + 1)


@pytest.fixture
def live(tmp_path) -> Live:
    return Live(tmp_path)


def test_that_a_live_capture_waits_until_the_last_one_is_paid_for(live) -> None:
    assert live.is_captured(live=True)
    live.watcher.cost = 0.1  # five seconds at a fiftieth of the time
    live.now += 4
    assert not live.is_captured(live=True)
    assert live.watcher.is_throttled
    live.now += 2
    assert live.is_captured(live=True)
    assert not live.watcher.is_throttled
    assert len(live.told) == 2


def test_that_a_single_wish_is_never_put_off(live) -> None:
    assert live.is_captured(live=True)
    live.watcher.cost = 60.0
    assert live.is_captured(live=False)


def test_that_who_does_not_ask_again_looks_no_more(live) -> None:
    assert not live.watcher.is_live
    live.watcher.handle(live=True)
    assert live.watcher.is_live
    live.now += 61
    assert not live.watcher.is_live


@pytest.mark.row("N23")
def test_that_what_looks_by_itself_shares_the_limit(tmp_path) -> None:
    run = make_run(tmp_path, watch=WatchSpec(limit=0.04))
    training = SimpleNamespace(
        probe=Probe(), spec=run.document.spec, world=SimpleNamespace(is_sharded=False)
    )
    reporter = SimpleNamespace(watching=0.0, is_throttled=False, graph_rest_s=0.0)
    watch = Watch(training, NodePaths(run.document.graph, {}), reporter, tmp_path)
    watch.step_done(1)
    assert (watch.statistics.limit, watch.graph.limit) == (0.04, 0.04)
    watch.handle(CaptureGraph(live=True))
    watch.step_done(2)
    assert (watch.statistics.limit, watch.graph.limit) == (0.02, 0.02)
    watch.graph.cost = 0.1
    watch.step_done(3)
    assert reporter.graph_rest_s == 5
