"""What a run was asked to look at: commands in, artefacts and events out."""

from pathlib import Path

from msgspec.structs import replace

from engine.diagnostics import DiagnosticError
from engine.events import (
    CaptureGraph,
    CaptureTensor,
    GraphCaptured,
    ListTensors,
    MeasureMemory,
    ProfileSteps,
    SetWatching,
    Warned,
    WatchCommand,
    WatchSurface,
)
from engine.inspect.graph_observer import GraphObserver
from engine.inspect.places import Places
from engine.runs.graph_files import write_graph
from engine.spec.run import WatchSpec
from engine.train.memory_watcher import MemoryWatcher
from engine.train.profile_watcher import ProfileWatcher
from engine.train.report import Reporter
from engine.train.statistics_watcher import StatisticsWatcher
from engine.train.surface import SurfaceWatcher
from engine.train.tensor_watcher import TensorWatcher
from engine.train.training import Training


class Watch:
    """Puts observers into the steps of a run and tells what they saw."""

    def __init__(
        self, training: Training, places: Places, reporter: Reporter, artefacts: Path
    ) -> None:
        self._probe = training.probe
        self._places = places
        self._reporter = reporter
        self._artefacts = artefacts
        self._graph: GraphObserver | None = None
        self._profile = ProfileWatcher(training.probe, places, reporter, artefacts)
        self._memory = MemoryWatcher(training.probe, places, reporter)
        self._surface = SurfaceWatcher(training, artefacts, training.spec.watch.limit)
        self._tensors = TensorWatcher(training, places, reporter, artefacts)
        self._statistics = StatisticsWatcher(training.probe, reporter, _watched(training))

    def obey(self, command: WatchCommand) -> None:
        """Look at what the user wants to see, from the next step on."""
        match command:
            case CaptureGraph():
                if self._graph is None:
                    self._graph = GraphObserver(self._places)
                    self._probe.add(self._graph)
            case ListTensors() | CaptureTensor():
                try:
                    self._tensors.obey(command)
                except DiagnosticError as error:
                    self._warn(error, self._tensors.step)
            case SetWatching():
                self._statistics.obey(command)
                self._surface.limit = max(command.limit, 1e-6)
            case ProfileSteps():
                self._profile.obey(command.count)
            case MeasureMemory():
                self._memory.obey()
            case WatchSurface():
                self._surface.watch(command.every_s)

    def step_done(self, step: int) -> None:
        """Tell what was seen in a step. A disk that is full is told and costs the run nothing."""
        sampled = self._statistics.finish(step)
        watched = not self._probe.is_idle
        beside = 0.0
        try:
            beside = self._surface.step_done(step)
            self._tensors.step = step
            if watched:
                self._memory.step_done(step)
                self._profile.step_done(step)
                self._tensors.step_done()
                self._tell_graph(step)
        except DiagnosticError as error:
            self._warn(error, step)
        if watched:
            self._probe.drop_done()
        self._statistics.step_done(sampled=sampled, watched=watched, beside=beside)

    def _warn(self, error: DiagnosticError, step: int) -> None:
        self._reporter.append(Warned(problem=error.problems[0], step=step))

    def _tell_graph(self, step: int) -> None:
        observer, self._graph = self._graph, None
        if observer is None or observer.graph is None:
            return
        path = write_graph(self._artefacts, step, observer.graph)
        told = GraphCaptured(
            step=step,
            file=path.relative_to(self._artefacts).as_posix(),
            functions=len(observer.graph.nodes),
            edges=len(observer.graph.edges),
        )
        self._reporter.append(told)


def _watched(training: Training) -> WatchSpec:
    """Return what a run looks at by itself: nothing where no process has the whole weights."""
    watch = training.spec.watch
    return replace(watch, statistics=False) if training.world.is_sharded else watch
