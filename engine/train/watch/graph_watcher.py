"""Captures the autograd graph of a step of a run when it is asked to."""

import math
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from engine.events import GraphCaptured
from engine.inspect.graph_observer import GraphObserver
from engine.inspect.places import Places
from engine.inspect.probe import Probe
from engine.runs.record.graph_files import write_graph
from engine.train.report import Reporter

_LIVE_S = 60.0  # who looks on asks again within that time


class GraphWatcher:
    """Captures the next step and tells it. What is asked for again and again, as long as somebody
    looks on, takes no more than the share ``limit`` of the time: what would is left out.
    """

    def __init__(
        self,
        probe: Probe,
        places: Places,
        reporter: Reporter,
        artefacts: Path,
        *,
        limit: float,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self.limit = limit
        self.cost = 0.0  # of the last capture, in seconds, as far as is known
        self.is_throttled = False  # whether the last live wish was left out
        self._probe = probe
        self._places = places
        self._reporter = reporter
        self._artefacts = artefacts
        self._clock = clock
        self._observer: GraphObserver | None = None
        self._asked = -math.inf
        self._captured = 0.0

    @property
    def rest_s(self) -> float:
        """How many seconds lie between two live captures, to keep the limit."""
        return self.cost / self.limit

    @property
    def is_live(self) -> bool:
        """Whether somebody looks on."""
        return self._clock() - self._asked < _LIVE_S

    def obey(self, *, live: bool) -> None:
        """Look at the next step; a ``live`` wish that comes too early is left out."""
        if live:
            self._asked = self._clock()
            self.is_throttled = self._asked < self._captured + self.rest_s
        if self._observer is None and not (live and self.is_throttled):
            self._observer = GraphObserver(self._places)
            self._probe.add(self._observer)

    def step_done(self, step: int) -> bool:
        """Tell the graph of a step; return whether there was one.

        Raises :class:`engine.files.FileWriteError` for a full disk.
        """
        observer, self._observer = self._observer, None
        if observer is None or observer.graph is None:
            return False
        path = write_graph(self._artefacts, step, observer.graph)
        told = GraphCaptured(
            step=step,
            file=path.relative_to(self._artefacts).as_posix(),
            functions=len(observer.graph.nodes),
            edges=len(observer.graph.edges),
        )
        self._reporter.append(told)
        self._captured = self._clock()
        return True
