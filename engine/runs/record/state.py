"""Run state: a frozen value, folded from the events of a run and nothing else."""

from enum import StrEnum
from typing import Literal, assert_never

import msgspec

from engine.diagnostics import Diagnostic
from engine.events import (
    CheckpointRemoved,
    CheckpointSaved,
    DebugStopped,
    EpochDone,
    Evaluated,
    GraphCaptured,
    KnobChanged,
    MemoryMeasured,
    ProfileTaken,
    RanksCompared,
    RunEnded,
    RunEvent,
    RunStarted,
    StateChanged,
    StepDone,
    TensorCaptured,
    TensorChanged,
    TensorRead,
    TensorsListed,
    Warned,
    WatchingChanged,
)
from engine.spec.data_version import DataVersion
from engine.spec.length import LENGTHS, RunLength, length_of
from engine.spec.live import LiveValue, as_number
from engine.spec.trained_group import TrainedGroup

SKIPPED = "R476"
"""The code of the warning that a step was left out, the first of its epoch."""
ROLLED_BACK = ("R479", "R482")
"""The codes of the warnings that a run went back."""


class RunStatus(StrEnum):
    """Where a run stands. ``died`` and ``stalled`` are found from outside (``runs.follow``)."""

    STARTING = "starting"
    RUNNING = "running"
    PAUSED = "paused"
    STALLED = "stalled"
    FINISHED = "finished"
    STOPPED = "stopped"
    FAILED = "failed"
    DIED = "died"

    def is_over(self) -> bool:
        """Return whether no worker is at it any more."""
        return self in (
            RunStatus.FINISHED,
            RunStatus.STOPPED,
            RunStatus.FAILED,
            RunStatus.DIED,
        )


class CheckpointInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A checkpoint that is on disk."""

    file: str
    sha256: str
    step: int
    epoch: int
    tags: tuple[str, ...] = ()
    metrics: dict[str, float] = {}


class KnobMark(msgspec.Struct, frozen=True, kw_only=True):
    """A value that was set at a step, once ``epoch`` epochs were finished, in the place of
    ``before``; by the user, a replay or a technique.
    """

    step: int
    name: str
    value: LiveValue
    before: LiveValue = None
    epoch: int = -1
    origin: Literal["user", "replay", "technique"] = "user"


class RunState(msgspec.Struct, frozen=True, kw_only=True):
    """A run at one moment. ``epoch`` counts finished epochs; ``epochs``, ``steps`` and ``minutes``
    are its length, 0 what does not end it; ``metrics`` are the latest values by series name;
    ``eta_s`` is None while nothing is known; times are seconds of training; ``watch`` is how the
    run watches since it was told to (None: as its recipe says); ``graph`` is the autograd graph
    captured last; ``stop`` is where the debugger stands, ``read`` what it was asked to show there
    last, ``changes`` what was changed by hand; ``evaluations`` are those that the user asked for.
    """

    status: RunStatus = RunStatus.STARTING
    step: int = 0
    epoch: int = 0
    epochs: int = 0
    steps: int = 0
    minutes: float = 0.0
    steps_per_epoch: int = 0
    parameters: int = 0
    device: str = ""
    threads: int = 0
    pid: int = 0
    versions: dict[str, str] = {}
    data: DataVersion | None = None
    groups: tuple[TrainedGroup, ...] = ()
    resumed_from: str = ""
    metrics: dict[str, float] = {}
    checkpoints: tuple[CheckpointInfo, ...] = ()
    best: CheckpointInfo | None = None
    steps_per_s: float = 0.0
    samples_per_s: float = 0.0
    watching: float = 0.0
    is_throttled: bool = False
    graph_rest_s: float = 0.0
    watch: WatchingChanged | None = None
    elapsed_s: float = 0.0
    eta_s: float | None = None
    problem: Diagnostic | None = None
    warnings: tuple[Diagnostic, ...] = ()
    knobs: tuple[KnobMark, ...] = ()
    graph: GraphCaptured | None = None
    tensors: TensorsListed | None = None
    tensor: TensorCaptured | None = None
    stop: DebugStopped | None = None
    read: TensorRead | None = None
    changes: tuple[TensorChanged, ...] = ()
    memory: MemoryMeasured | None = None
    profile: ProfileTaken | None = None
    ranks: RanksCompared | None = None
    evaluations: tuple[Evaluated, ...] = ()

    @property
    def step_s(self) -> float:
        """Seconds that a step takes, as far as is known: 0 before the first one is over."""
        newest = 1 / self.steps_per_s if self.steps_per_s > 0 else 0.0
        return max(newest, self.elapsed_s / self.step if self.step > 0 else 0.0)

    @property
    def total_steps(self) -> int:
        """Steps of the whole run (0 while unknown, and where it ends by time)."""
        return self.length.count_steps(self.steps_per_epoch)

    @property
    def length(self) -> RunLength:
        """When the run ends."""
        return RunLength(self.epochs, self.steps, self.minutes)

    @property
    def share(self) -> float:
        """How much of the run is done, from 0 to 1."""
        if self.status is RunStatus.FINISHED:
            return 1.0
        if self.minutes and not self.total_steps:
            return min(self.elapsed_s / (60 * self.minutes), 1.0)
        return min(self.step / self.total_steps, 1.0) if self.total_steps else 0.0

    @property
    def last(self) -> CheckpointInfo | None:
        """The newest checkpoint, if there is one."""
        return self.checkpoints[-1] if self.checkpoints else None


def fold(state: RunState, event: RunEvent) -> RunState:
    """Return the state after an event. Pure: the same events give the same state, anywhere."""
    elapsed = max(event.elapsed_s, 0.0) or state.elapsed_s
    state = msgspec.structs.replace(_after(state, event), elapsed_s=elapsed)
    return msgspec.structs.replace(state, eta_s=_eta_s(state))


def _after(state: RunState, event: RunEvent) -> RunState:  # noqa: PLR0911 - one case an event
    change = msgspec.structs.replace
    match event:
        case RunStarted():
            return _started(state, event)
        case StepDone():
            return change(
                state,
                step=event.step,
                epoch=event.epoch,
                steps_per_s=event.steps_per_s,
                samples_per_s=event.samples_per_s,
                watching=event.watching,
                is_throttled=event.is_throttled,
                graph_rest_s=event.graph_rest_s,
            )
        case EpochDone() | Evaluated():
            return _measured(state, event)
        case CheckpointSaved():
            return _saved(state, event)
        case CheckpointRemoved():
            kept = tuple(info for info in state.checkpoints if info.file != event.file)
            best = None if state.best and state.best.file == event.file else state.best
            return change(state, checkpoints=kept, best=best)
        case StateChanged():
            status = RunStatus(event.state)
            return change(state, status=status, step=event.step, stop=None, read=None)
        case KnobChanged() | WatchingChanged():
            return _set(state, event)
        case GraphCaptured() | TensorsListed() | TensorCaptured() | MemoryMeasured():
            return _inspected(state, event)
        case DebugStopped() | TensorRead() | TensorChanged() | ProfileTaken() | RanksCompared():
            return _inspected(state, event)
        case Warned():
            return change(state, warnings=(*state.warnings, event.problem))
        case RunEnded():
            return change(
                state,
                status=RunStatus(event.reason),
                step=event.step or state.step,  # 0: it ended before it went on from there
                epoch=event.epoch if event.step else state.epoch,
                metrics=state.metrics | event.metrics,
                problem=event.problem,
                stop=None,
            )
    assert_never(event)


def _measured(state: RunState, event: EpochDone | Evaluated) -> RunState:
    """Take note of metrics."""
    metrics = state.metrics | event.metrics
    if isinstance(event, Evaluated):
        found = (*state.evaluations, event) if event.is_asked else state.evaluations
        return msgspec.structs.replace(state, metrics=metrics, evaluations=found)
    return msgspec.structs.replace(state, step=event.step, epoch=event.epoch, metrics=metrics)


def _set(state: RunState, event: KnobChanged | WatchingChanged) -> RunState:
    """Take note of what the user set."""
    if isinstance(event, WatchingChanged):
        return msgspec.structs.replace(state, watch=event)
    mark = KnobMark(
        step=event.step,
        name=event.name,
        value=event.value,
        before=event.before,
        epoch=event.epoch,
        origin=event.origin,
    )
    state = msgspec.structs.replace(state, knobs=(*state.knobs, mark))
    total = as_number(event.value) if event.name in LENGTHS else None
    if total is None:
        return state
    length = length_of(event.name, total, state.steps_per_epoch)
    if event.name == "epochs" and state.length.unit != "epochs":  # early stopping
        length = state.length._replace(epochs=length.epochs)
    return msgspec.structs.replace(state, **length._asdict())


def _inspected(  # noqa: PLR0911 - one case an event
    state: RunState,
    event: GraphCaptured
    | TensorsListed
    | TensorCaptured
    | DebugStopped
    | TensorRead
    | TensorChanged
    | MemoryMeasured
    | ProfileTaken
    | RanksCompared,
) -> RunState:
    """Take note of what was looked at, or done, inside a step."""
    change = msgspec.structs.replace
    match event:
        case GraphCaptured():
            return change(state, graph=event)
        case TensorsListed():
            return change(state, tensors=event)
        case TensorCaptured():
            return change(state, tensor=event)
        case DebugStopped():
            return change(state, stop=event, read=None)
        case TensorRead():
            return change(state, read=event)
        case TensorChanged():
            return change(state, changes=(*state.changes, event))
        case MemoryMeasured():
            return change(state, memory=event)
        case ProfileTaken():
            return change(state, profile=event)
        case RanksCompared():
            return change(state, ranks=event)


def _started(state: RunState, event: RunStarted) -> RunState:
    """Start or resume: what came after the checkpoint is undone."""
    kept = tuple(info for info in state.checkpoints if info.step <= event.step)
    best = state.best if state.best and state.best.step <= event.step else None
    return msgspec.structs.replace(
        state,
        status=RunStatus.RUNNING,
        step=event.step,
        epoch=event.step // event.steps_per_epoch if event.steps_per_epoch else 0,
        epochs=event.epochs,
        steps=event.steps,
        minutes=event.minutes,
        steps_per_epoch=event.steps_per_epoch,
        parameters=event.parameters,
        device=event.device,
        threads=event.threads,
        pid=event.pid,
        versions=event.versions,
        data=event.data or state.data,
        groups=event.groups,
        resumed_from=event.resumed_from,
        checkpoints=kept,
        best=best,
        problem=None,
        knobs=tuple(mark for mark in state.knobs if mark.step <= event.step),
        changes=tuple(change for change in state.changes if change.step <= event.step),
        evaluations=tuple(each for each in state.evaluations if each.step <= event.step),
        watch=None,
        stop=None,
        ranks=None,
    )


def _saved(state: RunState, event: CheckpointSaved) -> RunState:
    info = CheckpointInfo(
        file=event.file,
        sha256=event.sha256,
        step=event.step,
        epoch=event.epoch,
        tags=event.tags,
        metrics=event.metrics,
    )
    others = tuple(known for known in state.checkpoints if known.file != event.file)
    best = info if "best" in event.tags else state.best
    return msgspec.structs.replace(state, checkpoints=(*others, info), best=best)


def _eta_s(state: RunState) -> float | None:
    if state.status.is_over():
        return None
    if state.minutes and not state.total_steps:
        return max(0.0, 60 * state.minutes - state.elapsed_s) if state.step else None
    if not state.total_steps or state.steps_per_s <= 0:
        return None
    return max(0.0, (state.total_steps - state.step) / state.steps_per_s)
