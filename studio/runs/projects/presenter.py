"""Runs of all projects as a table."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.runs.folder import RunFolder
from engine.runs.record.state import RunState
from studio.i18n import translate
from studio.view.run import length_text, series_label, status_text
from widgets.tables.view_model import ColumnView, RowView, TableData

_METRIC = "validation.loss"


@dataclass(frozen=True, kw_only=True)
class ProjectRun:
    """A run of some project; ``is_alive`` says that a process trains it now."""

    folder: RunFolder
    state: RunState
    is_alive: bool

    @property
    def key(self) -> str:
        """What tells it from all other runs."""
        return str(self.folder.path)


def present_project_runs(runs: Sequence[ProjectRun]) -> TableData:
    """Return the runs of all projects, those that train now first, then the newest."""
    ordered = sorted(runs, key=lambda run: (not run.is_alive, -run.folder.document.created))
    return TableData(
        columns=(
            ColumnView(key="project", title=translate("Projects", "Project")),
            ColumnView(key="name", title=translate("Projects", "Run"), width=16),
            ColumnView(key="state", title=translate("Projects", "State")),
            ColumnView(key="epochs", title=translate("Projects", "Epochs")),
            ColumnView(key="loss", title=series_label(_METRIC), kind="number"),
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
                    length_text(run.state, run.state.length),
                    run.state.metrics.get(_METRIC),
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
