"""Going on with a run: with which learning rate, for how long, and how it looks meanwhile."""

import dataclasses

import msgspec

from engine.graph.model import Graph
from engine.runs.difference import project_difference
from engine.runs.record.state import RunState, RunStatus
from engine.spec.difference import listed
from engine.spec.length import LENGTHS, RunLength, length_of, total_of
from engine.spec.run import RunSpec
from studio.i18n import translate
from studio.session.run_follower import RunUpdate

_UNKNOWN = -1


class AwaitedWorker:
    """Shows a run that is being resumed as starting until its new worker has told something."""

    def __init__(self) -> None:
        self._starts: int | None = None  # those before the resume
        self.is_begun = False  # with the update that was shown last

    @property
    def is_awaited(self) -> bool:
        """Whether a worker was asked for and has not told anything."""
        return self._starts is not None

    def begin(self) -> None:
        """Note that a worker was asked for."""
        self._starts = _UNKNOWN

    def forget(self) -> None:
        """Note that no worker will come: it is gone, or it was never started."""
        self._starts = None

    def shown(self, update: RunUpdate) -> RunUpdate:
        """Return an update as it is to be shown; note whether the new worker begins with it."""
        self.is_begun = False
        if self._starts is None:
            return update
        if self._starts == _UNKNOWN:
            self._starts = update.starts
            is_new = not update.state.status.is_over()
        else:
            is_new = update.starts > self._starts or bool(update.events)
        if is_new:
            self._starts = None
            self.is_begun = True
            return update
        state = msgspec.structs.replace(update.state, status=RunStatus.STARTING)
        return dataclasses.replace(update, state=state)


def can_go_on(state: RunState) -> bool:
    """Return whether a run ended before its time and has a checkpoint."""
    is_cut = state.status.is_over() and state.status is not RunStatus.FINISHED
    return is_cut and bool(state.checkpoints)


def length_to_come(state: RunState, spec: RunSpec) -> RunLength:
    """Return how long a finished run can become, in the unit that it ends by: as the recipe has it,
    or longer by as much. Empty when it cannot go on.
    """
    if state.status is not RunStatus.FINISHED or not state.checkpoints:
        return RunLength()
    length = state.length
    wanted = total_of(spec, length.unit)
    total = wanted if wanted > length.total else length.total + wanted
    return length_of(length.unit, total, state.steps_per_epoch)


def rate_after_failure(update: RunUpdate | None, run: str, spec: RunSpec) -> float:
    """Return the learning rate of the recipe where the run failed with another one: such a run
    would fail again as it did. 0 for the run's own.
    """
    if update is None or update.folder.id != run:
        return 0.0
    now, before = spec.optimizer, update.folder.document.spec.optimizer
    rate = now.params.get("lr")
    is_other = now.type == before.type and rate != before.params.get("lr")
    is_failed = update.state.status is RunStatus.FAILED
    return float(rate) if is_failed and is_other and isinstance(rate, int | float) else 0.0


def what_is_kept(
    update: RunUpdate | None, run: str, graph: Graph, spec: RunSpec, rate: float
) -> str:
    """Return in words how a run goes on where the project has other settings or another model by
    now: with the learning rate of the recipe (``rate``, 0: its own), and else as it began. Empty
    where there is nothing to say.
    """
    if update is None or update.folder.id != run:
        return ""
    taken = (*LENGTHS, *(("optimizer.lr",) if rate else ()))
    words = translate("Run", "another model")
    others = project_difference(update.folder.document, graph, spec, words, taken=taken)
    lines = []
    if rate:
        text = translate("Run", "The run continues with the learning rate of the recipe: {rate}.")
        lines.append(text.format(rate=f"{rate:g}"))
    if others:
        text = translate(
            "Run",
            "The run continues with the model and settings it began with. The project has others "
            "now: {differences}. Start a new run to train with them.",
        )
        lines.append(text.format(differences=listed(others)))
    return "\n".join(lines)


def waits_for_machines(update: RunUpdate) -> bool:
    """Return whether a run was made for several machines, of which none has begun yet."""
    state = update.state
    is_made = state.status is RunStatus.STARTING and not state.parameters
    return is_made and update.folder.document.spec.processes.nnodes > 1 and not state.pid
