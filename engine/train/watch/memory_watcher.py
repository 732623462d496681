"""Watcher that measures the memory of a step on request."""

from engine.events import MemoryMeasured
from engine.inspect.memory_observer import MemoryObserver
from engine.inspect.node_path import NodePaths
from engine.inspect.probe import Probe
from engine.train.report import Reporter


class MemoryWatcher:
    """Counts the memory that the next step keeps and records it."""

    def __init__(self, probe: Probe, node_paths: NodePaths, reporter: Reporter) -> None:
        self._probe = probe
        self._node_paths = node_paths
        self._reporter = reporter
        self._observer: MemoryObserver | None = None

    def handle(self) -> None:
        """Measure the next step."""
        if self._observer is None:
            self._observer = MemoryObserver(self._node_paths)
            self._probe.add(self._observer)

    def step_done(self, step: int) -> None:
        """Record what was measured in a step."""
        if self._observer is not None and self._observer.is_done:
            self._reporter.append(MemoryMeasured(step=step, report=self._observer.report))
            self._observer = None
