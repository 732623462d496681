"""Page of the runs that wait for their turn."""

from collections.abc import Iterator

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QHBoxLayout, QSpinBox, QWidget

from studio.i18n import translate
from studio.window.page import PageWidget
from studio.window.verb_bar import Verb, VerbBar
from widgets.common.plain_label import PlainLabel
from widgets.tables.table_view import TableView
from widgets.tables.view_model import TableData

_MOST_PARALLEL = 64


class QueuePage(PageWidget):
    """Shows the queue; ``parallel_changed`` tells how many runs may train at the same time."""

    parallel_changed = Signal(int)
    verb_requested = Signal(str)
    selected = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("runs.queue", translate("Queue", "Queue"), parent)

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        row = QHBoxLayout()
        row.setContentsMargins(12, 10, 12, 4)
        row.setSpacing(8)
        self.verbs = VerbBar("queue", _verbs(), self)
        self.verbs.requested.connect(self.verb_requested)
        row.addWidget(self.verbs)
        row.addStretch(1)
        label = PlainLabel(translate("Queue", "Parallel runs"), self)
        self._parallel = QSpinBox(self)
        self._parallel.setObjectName("queue.parallel")
        self._parallel.setAccessibleName(label.text())
        self._parallel.setRange(0, _MOST_PARALLEL)
        self._parallel.setSpecialValueText(translate("Queue", "automatic"))
        self._parallel.setToolTip(
            translate(
                "Queue",
                "The number of runs that train at the same time. Automatic uses one per "
                "GPU, or one without a GPU.",
            )
        )
        self._parallel.valueChanged.connect(self.parallel_changed)
        label.setBuddy(self._parallel)
        row.addWidget(label)
        row.addWidget(self._parallel)
        column.addLayout(row)
        yield
        self.table = TableView("queue.table", self)
        self.table.setAccessibleName(translate("Queue", "Queued runs"))
        self.table.selection_changed.connect(lambda _: self.selected.emit())
        self.table.delete_requested.connect(lambda _: self.verb_requested.emit("remove"))
        column.addWidget(self.table, 1)

    @property
    def chosen(self) -> list[str]:
        """The ids of the selected rows."""
        return self.table.selected_ids()

    def set_possible(self, verbs: frozenset[str]) -> None:
        """Enable the buttons that can be used."""
        self.verbs.set_possible(verbs)

    def show_queue(self, table: TableData, parallel: int, *, is_paused: bool) -> None:
        """Show what waits, and how it is worked off."""
        self.table.set_data(table)
        with QSignalBlocker(self._parallel):
            self._parallel.setValue(parallel)
        text = translate("Queue", "Continue") if is_paused else translate("Queue", "Pause")
        self.verbs.change("pause", "resume" if is_paused else "pause", text)


def _verbs() -> tuple[Verb, ...]:
    return (
        (
            "add",
            "add",
            translate("Queue", "Add this model"),
            translate(
                "Queue", "Add the model on the canvas with its recipe to the end of the queue"
            ),
        ),
        (
            "pause",
            "pause",
            translate("Queue", "Pause"),
            translate("Queue", "Pause or continue the queue; runs in progress are not affected"),
        ),
        (
            "up",
            "chevron-up",
            translate("Queue", "Up"),
            translate("Queue", "Move up"),
        ),
        (
            "down",
            "chevron-down",
            translate("Queue", "Down"),
            translate("Queue", "Move down"),
        ),
        (
            "remove",
            "remove",
            translate("Queue", "Remove"),
            translate("Queue", "Remove from the queue; a run in progress continues"),
        ),
    )
