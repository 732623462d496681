"""The page of the runs of all projects that were used lately."""

from collections.abc import Iterator

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from studio.i18n import translate
from studio.window.verb_bar import Verb, VerbBar
from widgets.tables.table_view import TableView


class ProjectsPage(QWidget):
    """Shows runs wherever they are."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("runs.projects")
        self.setAccessibleName(translate("Projects", "All projects"))

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        row = QHBoxLayout()
        row.setContentsMargins(12, 10, 12, 4)
        self.verbs = VerbBar("projects", _verbs(), self)
        row.addWidget(self.verbs)
        row.addStretch(1)
        column.addLayout(row)
        yield
        self.table = TableView("projects.table", self)
        self.table.setAccessibleName(translate("Projects", "Runs of all projects"))
        column.addWidget(self.table, 1)


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
            translate("Projects", "End the selected runs, keeping everything"),
        ),
        (
            "refresh",
            "refresh",
            translate("Projects", "Look again"),
            translate("Projects", "Read the runs of the recent projects again"),
        ),
    )
