"""Page of the runs of all projects that were used lately."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.i18n import translate
from studio.window.verb_bar import Verb, VerbTablePage


class ProjectsPage(VerbTablePage):
    """Shows runs wherever they are."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("runs.projects", translate("Projects", "All projects"), parent)

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        self.add_verbs(column, "projects", _verbs())
        yield
        self.add_table(column, "projects.table", translate("Projects", "Runs of all projects"))
        self.table.row_activated.connect(lambda _: self.verb_requested.emit("open"))


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
