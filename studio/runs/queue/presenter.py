"""State of the queue of runs, and what its page shows of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.diagnostics import sentence
from engine.runs.queue import QueueEntry, QueueSettings
from engine.runs.record.state import RunState
from engine.spec.length import run_length
from studio.i18n import translate
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
        verbs |= dict.fromkeys(("up", "down"), can_move)
        return frozenset(verb for verb, is_possible in verbs.items() if is_possible)


@dataclass(frozen=True, kw_only=True)
class QueueView:
    """The table, the buttons that can be used, and how the queue is worked off."""

    table: TableData
    possible: frozenset[str]
    parallel: int
    is_paused: bool


def present_queue(state: QueueState, language: str) -> QueueView:
    """Return what the page shows."""
    return QueueView(
        table=_table(state.waiting, language),
        possible=state.possible,
        parallel=state.settings.parallel,
        is_paused=state.settings.is_paused,
    )


def _table(entries: Sequence[Waiting], language: str) -> TableData:
    """Return the queue, what is trained next first."""
    rows = []
    for number, waiting in enumerate(entries, 1):
        entry, state = waiting.entry, waiting.state
        text = translate("Queue", "waiting")
        if entry.problem is not None:
            text = translate("Queue", "cannot start: {reason}").format(
                reason=sentence(entry.problem, language)
            )
        elif state is not None:
            text = status_text(state.status)
        rows.append(
            RowView(
                id=entry.id,
                cells=(
                    number,
                    Path(entry.project).name,
                    entry.name or entry.run or translate("Queue", "new run"),
                    text,
                    length_text(state or RunState(), run_length(entry.spec, 1)),
                    entry.spec.device,
                ),
                tooltip=entry.project,
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
