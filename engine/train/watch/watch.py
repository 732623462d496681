"""Watchers of a run: they take commands, and give artefacts and events."""

from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from msgspec.structs import replace
from torch import nn

from engine.diagnostics import DiagnosticError
from engine.events import (
    CaptureGraph,
    CaptureTensor,
    ListTensors,
    MeasureMemory,
    MemoryMeasured,
    ProfileSteps,
    SetWatching,
    Warned,
    WatchCommand,
    WatchingChanged,
    WatchSurface,
)
from engine.graph.memory_report import KeptModel
from engine.inspect.memory_observer import MemoryObserver
from engine.inspect.node_path import NodePaths
from engine.spec.run import WatchSpec
from engine.train.report import Reporter
from engine.train.training import Training
from engine.train.watch.graph_watcher import GraphWatcher
from engine.train.watch.profile_watcher import ProfileWatcher
from engine.train.watch.statistics_watcher import StatisticsWatcher
from engine.train.watch.surface import SurfaceWatcher
from engine.train.watch.tensor_watcher import TensorWatcher


class Watch:
    """All watchers of a run: each adds observers to its steps and records what they observed."""

    def __init__(
        self,
        training: Training,
        node_paths: NodePaths,
        reporter: Reporter,
        artefacts: Path,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self._probe = training.probe
        self._reporter = reporter
        self._limit = training.spec.watch.limit
        self.graph = GraphWatcher(
            training.probe, node_paths, reporter, artefacts, limit=self._limit, clock=clock
        )
        self._profile = ProfileWatcher(training.probe, node_paths, reporter, artefacts)
        self._memory = MemoryWatcher(training, node_paths, reporter)
        self._surface = SurfaceWatcher(training, artefacts, self._limit)
        self._tensors = TensorWatcher(training, node_paths, reporter, artefacts)
        self.statistics = StatisticsWatcher(training.probe, reporter, _watch_spec(training), clock)

    def handle(self, command: WatchCommand) -> None:
        """Carry out a command, from the next step on."""
        match command:
            case CaptureGraph():
                self.graph.handle(live=command.live)
            case ListTensors() | CaptureTensor():
                try:
                    self._tensors.handle(command)
                except DiagnosticError as error:
                    self._warn(error, self._tensors.step)
            case SetWatching():
                self._change(command)
            case ProfileSteps():
                self._profile.handle(command.count)
            case MeasureMemory():
                self._memory.handle()
            case WatchSurface():
                self._surface.watch(command.every_s, command.plane)

    def step_started(self) -> None:
        """Measure the cost of watching from here: what came before is no part of the step."""
        self.statistics.step_started()

    def step_done(self, step: int) -> None:
        """Record what was observed in a step. A full disk is a warning, the run goes on."""
        sampled = self.statistics.finish(step)
        watched = not self._probe.is_idle
        captured, beside = False, 0.0
        try:
            beside = self._surface.step_done(step)
            self._tensors.step = step
            if watched:
                self._memory.step_done(step)
                self._profile.step_done(step)
                self._tensors.step_done()
                captured = self.graph.step_done(step)
        except DiagnosticError as error:
            self._warn(error, step)
        if watched:
            self._probe.drop_done()
        self._divide_limit()
        spent = self.statistics.step_done(sampled=sampled, watched=watched, beside=beside)
        if captured and not sampled:
            self.graph.cost = spent
        self._reporter.graph_rest_s = self.graph.rest_s if self.graph.is_live else 0.0

    def _change(self, command: SetWatching) -> None:
        """Apply the settings of the user from now on, and record them."""
        self._limit = max(command.limit, 1e-6)
        changed = WatchingChanged(
            step=self._tensors.step,
            statistics=command.statistics,
            every_steps=max(command.every_steps, 1),
            limit=self._limit,
        )
        self.statistics.change(changed)
        self._reporter.append(changed)

    def _divide_limit(self) -> None:
        """Give each continuous watcher an equal part of the limit."""
        count = self.statistics.is_on + self.graph.is_live + self._surface.is_on
        part = self._limit / max(count, 1)
        self.statistics.limit = self.graph.limit = self._surface.limit = part

    def _warn(self, error: DiagnosticError, step: int) -> None:
        self._reporter.append(Warned(problem=error.problems[0], step=step))


def _watch_spec(training: Training) -> WatchSpec:
    """Return what a run watches by itself: no statistics where no rank has whole weights."""
    watch = training.spec.watch
    return replace(watch, statistics=False) if training.world.is_sharded else watch


class MemoryWatcher:
    """Counts the memory that the next step keeps and records it."""

    def __init__(self, training: Training, node_paths: NodePaths, reporter: Reporter) -> None:
        self._training = training
        self._node_paths = node_paths
        self._reporter = reporter
        self._observer: MemoryObserver | None = None

    def handle(self) -> None:
        """Measure the next step."""
        if self._observer is None:
            kept: dict[KeptModel, nn.Module] = {}
            for technique in self._training.techniques.values():
                kept |= technique.kept_models()
            self._observer = MemoryObserver(self._node_paths, kept)
            self._training.probe.add(self._observer)

    def step_done(self, step: int) -> None:
        """Record what was measured in a step."""
        if self._observer is not None and self._observer.is_done:
            self._reporter.append(MemoryMeasured(step=step, report=self._observer.report))
            self._observer = None
