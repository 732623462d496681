"""Watcher that captures the autograd graph of a step on request."""

import math
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from engine.events import GraphCaptured
from engine.inspect.graph_observer import GraphObserver
from engine.inspect.node_path import NodePaths
from engine.inspect.probe import Probe
from engine.runs.record.graph_files import write_graph
from engine.train.report import Reporter

_LIVE_S = 60.0  # a live view asks again within that time


class GraphWatcher:
    """Captures the graph of the next step and records it. Live requests, repeated while a view is
    open, take no more than the share ``limit`` of the time: those that would are skipped.
    """

    def __init__(
        self,
        probe: Probe,
        node_paths: NodePaths,
        reporter: Reporter,
        artefacts: Path,
        *,
        limit: float,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self.limit = limit
        self.cost = 0.0  # of the last capture, in seconds, once it is known
        self.is_throttled = False  # whether the last live request was skipped
        self._probe = probe
        self._node_paths = node_paths
        self._reporter = reporter
        self._artefacts = artefacts
        self._clock = clock
        self._observer: GraphObserver | None = None
        self._requested_at = -math.inf
        self._captured_at = 0.0

    @property
    def rest_s(self) -> float:
        """Seconds between two live captures, to keep the limit."""
        return self.cost / self.limit

    @property
    def is_live(self) -> bool:
        """Whether a live view is open."""
        return self._clock() - self._requested_at < _LIVE_S

    def handle(self, *, live: bool) -> None:
        """Capture the next step; a ``live`` request that comes too early is skipped."""
        if live:
            self._requested_at = self._clock()
            self.is_throttled = self._requested_at < self._captured_at + self.rest_s
        if self._observer is None and not (live and self.is_throttled):
            self._observer = GraphObserver(self._node_paths)
            self._probe.add(self._observer)

    def step_done(self, step: int) -> bool:
        """Record the graph of a step; return whether there was one.

        Raises :class:`engine.files.FileWriteError` for a full disk.
        """
        observer, self._observer = self._observer, None
        if observer is None or observer.graph is None:
            return False
        path = write_graph(self._artefacts, step, observer.graph)
        captured = GraphCaptured(
            step=step,
            file=path.relative_to(self._artefacts).as_posix(),
            functions=len(observer.graph.nodes),
            edges=len(observer.graph.edges),
        )
        self._reporter.append(captured)
        self._captured_at = self._clock()
        return True
