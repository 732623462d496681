"""The queue of runs, and the runs of all projects, as tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.diagnostics import sentence
from engine.runs.folder import RunFolder
from engine.runs.queue import QueueEntry
from engine.runs.record.state import RunState
from studio.i18n import translate
from studio.view.run import series_label, status_text
from widgets.tables.view_model import ColumnView, RowView, TableData

_MEASURE = "validation.loss"


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """An entry of the queue, and where its run stands once it has one."""

    entry: QueueEntry
    state: RunState | None = None


@dataclass(frozen=True, kw_only=True)
class Known:
    """A run of some project; ``is_alive`` says that a process trains it now."""

    folder: RunFolder
    state: RunState
    is_alive: bool

    @property
    def key(self) -> str:
        """What tells it from all other runs."""
        return str(self.folder.path)


def present_queue(entries: Sequence[Waiting], language: str) -> TableData:
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
                    f"{state.epoch if state else 0} / {entry.spec.epochs}",
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


def present_known(runs: Sequence[Known]) -> TableData:
    """Return the runs of all projects, those that train now first, then the newest."""
    ordered = sorted(runs, key=lambda run: (not run.is_alive, -run.folder.document.created))
    return TableData(
        columns=(
            ColumnView(key="project", title=translate("Projects", "Project")),
            ColumnView(key="name", title=translate("Projects", "Run"), width=16),
            ColumnView(key="state", title=translate("Projects", "State")),
            ColumnView(key="epochs", title=translate("Projects", "Epochs")),
            ColumnView(key="loss", title=series_label(_MEASURE), kind="number"),
            ColumnView(key="duration", title=translate("Projects", "Duration"), kind="duration"),
            ColumnView(key="created", title=translate("Projects", "Started"), kind="time"),
            ColumnView(key="folder", title=translate("Projects", "Folder"), is_visible=False),
        ),
        rows=tuple(
            RowView(
                id=run.key,
                cells=(
                    run.folder.project.name,
                    run.folder.document.name,
                    status_text(run.state.status),
                    f"{run.state.epoch} / {run.state.epochs}",
                    run.state.metrics.get(_MEASURE),
                    run.state.elapsed_s,
                    run.folder.document.created,
                    run.key,
                ),
                tooltip=run.key,
                icon="play" if run.is_alive else "",
            )
            for run in ordered
        ),
        empty_text=translate("Projects", "No runs in the recent projects yet."),
    )
