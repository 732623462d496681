"""Page of the runs that wait for their turn."""

from collections.abc import Iterator

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QSpinBox, QWidget

from studio.i18n import translate
from studio.runs.queue.presenter import QueueView
from studio.window.verb_bar import Verb, VerbTablePage
from widgets.common import parts
from widgets.common.plain_label import PlainLabel
from widgets.tables.view_model import TableData

_MOST_PARALLEL = 64


class QueuePage(VerbTablePage):
    """Shows the queue; ``parallel_changed`` tells how many runs may train at the same time."""

    parallel_changed = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("runs.queue", translate("Queue", "Queue"), parent)
        self._table: TableData | None = None

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        row = self.add_verbs(column, "queue", _verbs())
        label = PlainLabel(translate("Queue", "Parallel runs"), self)
        self._parallel = parts.named(
            QSpinBox(self),
            "queue.parallel",
            label.text(),
            translate(
                "Queue",
                "The number of runs that train at the same time. Automatic uses one per "
                "GPU, or one without a GPU.",
            ),
        )
        self._parallel.setRange(0, _MOST_PARALLEL)
        self._parallel.setSpecialValueText(translate("Queue", "automatic"))
        self._parallel.valueChanged.connect(self.parallel_changed)
        label.setBuddy(self._parallel)
        row.addWidget(label)
        row.addWidget(self._parallel)
        self._note = PlainLabel(self)
        self._note.setObjectName("queue.note")
        self._note.setAccessibleName(translate("Queue", "What needs attention"))
        self._note.setWordWrap(True)
        self._note.setContentsMargins(12, 0, 12, 4)
        self._note.hide()
        column.addWidget(self._note)
        yield
        self.add_table(column, "queue.table", translate("Queue", "Queued runs"))
        self.table.delete_requested.connect(lambda _: self.verb_requested.emit("remove"))

    def set_view(self, view: QueueView) -> None:
        """Show what waits, and how it is worked off."""
        self.verbs.set_possible(view.possible)
        self.verbs.show_pause("pause", is_paused=view.is_paused)
        with QSignalBlocker(self._parallel):
            self._parallel.setValue(view.parallel)
        self._note.setText(view.note)
        self._note.setVisible(bool(view.note))
        if view.table != self._table:  # last: it may tell of another selection, which is shown then
            self._table = view.table
            self.table.set_data(view.table)


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
            translate(
                "Queue", "Remove from the queue; a run in progress is stopped and can be resumed"
            ),
        ),
        (
            "retry",
            "resume",
            translate("Queue", "Try again"),
            translate(
                "Queue",
                "Start what ended early or could not start again, from its last checkpoint where "
                "there is one",
            ),
        ),
    )
