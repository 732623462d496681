"""State of the queue of runs, and what its page shows of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.diagnostics import sentence
from engine.runs.queue import QueueEntry, QueueSettings
from engine.runs.record.state import RunState, RunStatus
from engine.spec.length import run_length
from studio.i18n import listed, translate
from studio.view.run import length_text, status_text
from widgets.tables.view_model import ColumnView, RowView, TableData


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """An entry of the queue, and where its run stands once it has one."""

    entry: QueueEntry
    state: RunState | None = None


@dataclass(frozen=True, kw_only=True)
class QueueState:
    """What waits and how it is worked off, the ids of the selected entries, and whether the model
    on the canvas can be added.
    """

    waiting: tuple[Waiting, ...] = ()
    settings: QueueSettings = field(default_factory=QueueSettings)
    selected: tuple[str, ...] = ()
    can_add: bool = False

    @property
    def chosen(self) -> list[QueueEntry]:
        """The selected entries."""
        return [each.entry for each in self.waiting if each.entry.id in self.selected]

    @property
    def possible(self) -> frozenset[str]:
        """The buttons that can be used."""
        chosen = self.chosen
        can_move = len(chosen) == 1 and not chosen[0].run
        verbs = {"pause": True, "add": self.can_add, "remove": bool(chosen)}
        verbs["retry"] = bool(chosen) and all(entry.problem for entry in chosen)
        verbs |= dict.fromkeys(("up", "down"), can_move)
        return frozenset(verb for verb, is_possible in verbs.items() if is_possible)


@dataclass(frozen=True, kw_only=True)
class QueueView:
    """The table, what to do about an entry that failed (in a sentence; empty where none did), the
    buttons that can be used, and how the queue is worked off.
    """

    table: TableData
    note: str
    possible: frozenset[str]
    parallel: int
    is_paused: bool


def present_queue(state: QueueState, language: str) -> QueueView:
    """Return what the page shows."""
    return QueueView(
        table=_table(state.waiting, language),
        note=_note(state.waiting, language),
        possible=state.possible,
        parallel=state.settings.parallel,
        is_paused=state.settings.is_paused,
    )


def stopped_text(entries: Sequence[QueueEntry]) -> str:
    """Return in a sentence what became of runs that were taken out while they trained."""
    text = translate(
        "Queue",
        "Stopping {runs}. Everything up to now is kept; you can resume on the Runs page.",
    )
    return text.format(runs=listed(map(_name, entries)))


def _name(entry: QueueEntry) -> str:
    return entry.name or entry.run or translate("Queue", "new run")


def _standing(waiting: Waiting, language: str) -> str:
    """Return where an entry stands."""
    entry, state = waiting.entry, waiting.state
    if _has_failed(waiting):
        assert entry.problem is not None
        reason = sentence(entry.problem, language)
        if entry.run:
            return translate("Queue", "ended early: {reason}").format(reason=reason)
        return translate("Queue", "cannot start: {reason}").format(reason=reason)
    if state is None or entry.is_waiting:
        return translate("Queue", "waiting")
    return status_text(state.status)


def _has_failed(waiting: Waiting) -> bool:
    """Return whether an entry needs the user: not where its run was resumed by hand since."""
    if waiting.entry.problem is None or waiting.state is None:
        return waiting.entry.problem is not None
    return waiting.state.status in (RunStatus.FAILED, RunStatus.DIED)


def _note(entries: Sequence[Waiting], language: str) -> str:
    failed = [waiting for waiting in entries if _has_failed(waiting)]
    if not failed:
        return ""
    text = translate(
        "Queue",
        "{run} – {state} Select it: “Try again” starts it again, from its last checkpoint where "
        "there is one; “Remove” takes it out of the queue.",
    )
    first = text.format(run=_name(failed[0].entry), state=_standing(failed[0], language))
    if len(failed) == 1:
        return first
    more = translate("Queue", "Entries that did not finish: {count}.")
    return f"{first} {more.format(count=len(failed))}"


def _table(entries: Sequence[Waiting], language: str) -> TableData:
    """Return the queue, what is trained next first."""
    rows = []
    for number, waiting in enumerate(entries, 1):
        entry, state = waiting.entry, waiting.state
        text = _standing(waiting, language)
        rows.append(
            RowView(
                id=entry.id,
                cells=(
                    number,
                    Path(entry.project).name,
                    _name(entry),
                    text,
                    length_text(state or RunState(), run_length(entry.spec, 1)),
                    entry.spec.device,
                ),
                tooltip="\n".join((entry.project, *((text,) if entry.problem else ()))),
                is_muted=entry.problem is not None,
            )
        )
    return TableData(
        columns=(
            ColumnView(key="number", title=translate("Queue", "Position"), kind="count"),
            ColumnView(key="project", title=translate("Queue", "Project")),
            ColumnView(key="name", title=translate("Queue", "Run"), width=16),
            ColumnView(key="state", title=translate("Queue", "State")),
            ColumnView(key="epochs", title=translate("Queue", "Epochs")),
            ColumnView(key="device", title=translate("Queue", "Device")),
        ),
        rows=tuple(rows),
        empty_text=translate(
            "Queue",
            "The queue is empty. “Add this model” adds the model and its recipe. Runs "
            "train one after another, even when this window is closed.",
        ),
    )
