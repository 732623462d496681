"""What a run was asked to look at: commands in, artefacts and events out."""

from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from msgspec.structs import replace

from engine.diagnostics import DiagnosticError
from engine.events import (
    CaptureGraph,
    CaptureTensor,
    ListTensors,
    MeasureMemory,
    ProfileSteps,
    SetWatching,
    Warned,
    WatchCommand,
    WatchingChanged,
    WatchSurface,
)
from engine.inspect.places import Places
from engine.spec.run import WatchSpec
from engine.train.report import Reporter
from engine.train.training import Training
from engine.train.watch.graph_watcher import GraphWatcher
from engine.train.watch.memory_watcher import MemoryWatcher
from engine.train.watch.profile_watcher import ProfileWatcher
from engine.train.watch.statistics_watcher import StatisticsWatcher
from engine.train.watch.surface import SurfaceWatcher
from engine.train.watch.tensor_watcher import TensorWatcher


class Watch:
    """Puts observers into the steps of a run and tells what they saw."""

    def __init__(
        self,
        training: Training,
        places: Places,
        reporter: Reporter,
        artefacts: Path,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self._probe = training.probe
        self._reporter = reporter
        self._limit = training.spec.watch.limit
        self._graph = GraphWatcher(
            training.probe, places, reporter, artefacts, limit=self._limit, clock=clock
        )
        self._profile = ProfileWatcher(training.probe, places, reporter, artefacts)
        self._memory = MemoryWatcher(training.probe, places, reporter)
        self._surface = SurfaceWatcher(training, artefacts, self._limit)
        self._tensors = TensorWatcher(training, places, reporter, artefacts)
        self._statistics = StatisticsWatcher(training.probe, reporter, _watched(training), clock)

    def obey(self, command: WatchCommand) -> None:
        """Look at what the user wants to see, from the next step on."""
        match command:
            case CaptureGraph():
                self._graph.obey(live=command.live)
            case ListTensors() | CaptureTensor():
                try:
                    self._tensors.obey(command)
                except DiagnosticError as error:
                    self._warn(error, self._tensors.step)
            case SetWatching():
                self._change(command)
            case ProfileSteps():
                self._profile.obey(command.count)
            case MeasureMemory():
                self._memory.obey()
            case WatchSurface():
                self._surface.watch(command.every_s)

    def step_begins(self) -> None:
        """Measure what looking costs from here: what lay before it is no part of the step."""
        self._statistics.step_begins()

    def step_done(self, step: int) -> None:
        """Tell what was seen in a step. A disk that is full is told and costs the run nothing."""
        sampled = self._statistics.finish(step)
        watched = not self._probe.is_idle
        captured, beside = False, 0.0
        try:
            beside = self._surface.step_done(step)
            self._tensors.step = step
            if watched:
                self._memory.step_done(step)
                self._profile.step_done(step)
                self._tensors.step_done()
                captured = self._graph.step_done(step)
        except DiagnosticError as error:
            self._warn(error, step)
        if watched:
            self._probe.drop_done()
        self._share()
        spent = self._statistics.step_done(sampled=sampled, watched=watched, beside=beside)
        if captured and not sampled:
            self._graph.cost = spent
        self._reporter.graph_rest_s = self._graph.rest_s if self._graph.is_live else 0.0

    def _change(self, command: SetWatching) -> None:
        """Watch as the user wants it from now on, and tell everybody who follows the run."""
        self._limit = max(command.limit, 1e-6)
        told = WatchingChanged(
            step=self._tensors.step,
            statistics=command.statistics,
            every_steps=max(command.every_steps, 1),
            limit=self._limit,
        )
        self._statistics.change(told)
        self._reporter.append(told)

    def _share(self) -> None:
        """Give each kind of looking that goes on by itself an equal part of the limit."""
        kinds = self._statistics.is_on + self._graph.is_live + self._surface.is_on
        part = self._limit / max(kinds, 1)
        self._statistics.limit = self._graph.limit = self._surface.limit = part

    def _warn(self, error: DiagnosticError, step: int) -> None:
        self._reporter.append(Warned(problem=error.problems[0], step=step))


def _watched(training: Training) -> WatchSpec:
    """Return what a run looks at by itself: nothing where no process has the whole weights."""
    watch = training.spec.watch
    return replace(watch, statistics=False) if training.world.is_sharded else watch
