"""Page of the runs of all projects that were used lately."""

from collections.abc import Iterator

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio.i18n import translate
from studio.window.page import PageWidget
from studio.window.verb_bar import Verb, VerbBar
from widgets.tables.table_view import TableView
from widgets.tables.view_model import TableData


class ProjectsPage(PageWidget):
    """Shows runs wherever they are."""

    verb_requested = Signal(str)
    selected = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("runs.projects", translate("Projects", "All projects"), parent)

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        row = QHBoxLayout()
        row.setContentsMargins(12, 10, 12, 4)
        self.verbs = VerbBar("projects", _verbs(), self)
        self.verbs.requested.connect(self.verb_requested)
        row.addWidget(self.verbs)
        row.addStretch(1)
        column.addLayout(row)
        yield
        self.table = TableView("projects.table", self)
        self.table.setAccessibleName(translate("Projects", "Runs of all projects"))
        self.table.selection_changed.connect(lambda _: self.selected.emit())
        self.table.row_activated.connect(lambda _: self.verb_requested.emit("open"))
        column.addWidget(self.table, 1)

    @property
    def chosen(self) -> list[str]:
        """The ids of the selected rows."""
        return self.table.selected_ids()

    def set_possible(self, verbs: frozenset[str]) -> None:
        """Enable the buttons that can be used."""
        self.verbs.set_possible(verbs)

    def show_runs(self, table: TableData) -> None:
        """Show runs."""
        self.table.set_data(table)


def _verbs() -> tuple[Verb, ...]:
    return (
        (
            "open",
            "open",
            translate("Projects", "Open"),
            translate("Projects", "Open the project of this run and follow the run"),
        ),
        (
            "stop",
            "stop",
            translate("Projects", "Stop"),
            translate("Projects", "Stop the selected runs and keep everything"),
        ),
        (
            "refresh",
            "refresh",
            translate("Projects", "Refresh"),
            translate("Projects", "Reload the runs of the recent projects"),
        ),
    )
