"""The page of the runs that wait for their turn."""

from collections.abc import Iterator

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSpinBox, QVBoxLayout, QWidget
from typing_extensions import override

from studio.i18n import translate
from studio.window.verb_bar import Verb, VerbBar
from widgets.common.plain_label import PlainLabel
from widgets.tables.table_view import TableView

_MOST_PARALLEL = 64


class QueuePage(QWidget):
    """Shows the queue; ``parallel_changed`` tells how many runs may train at the same time."""

    parallel_changed = Signal(int)
    shown = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("runs.queue")
        self.setAccessibleName(translate("Queue", "Queue"))

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        row = QHBoxLayout()
        row.setContentsMargins(12, 10, 12, 4)
        row.setSpacing(8)
        self.verbs = VerbBar("queue", _verbs(), self)
        row.addWidget(self.verbs)
        row.addStretch(1)
        label = PlainLabel(translate("Queue", "Side by side"), self)
        self._parallel = QSpinBox(self)
        self._parallel.setObjectName("queue.parallel")
        self._parallel.setAccessibleName(label.text())
        self._parallel.setRange(0, _MOST_PARALLEL)
        self._parallel.setSpecialValueText(translate("Queue", "automatic"))
        self._parallel.setToolTip(
            translate(
                "Queue",
                "How many runs train at the same time. Automatic: one on each GPU, else one",
            )
        )
        self._parallel.valueChanged.connect(self.parallel_changed)
        label.setBuddy(self._parallel)
        row.addWidget(label)
        row.addWidget(self._parallel)
        column.addLayout(row)
        yield
        self.table = TableView("queue.table", self)
        self.table.setAccessibleName(translate("Queue", "Runs that wait for their turn"))
        column.addWidget(self.table, 1)

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.shown.emit()

    def set_state(self, parallel: int, *, is_paused: bool) -> None:
        """Show how the queue is worked off."""
        with QSignalBlocker(self._parallel):
            self._parallel.setValue(parallel)
        text = translate("Queue", "Go on") if is_paused else translate("Queue", "Pause")
        self.verbs.change("pause", "resume" if is_paused else "pause", text)


def _verbs() -> tuple[Verb, ...]:
    return (
        (
            "add",
            "add",
            translate("Queue", "Add this model"),
            translate("Queue", "Put the model on the canvas, with its recipe, at the end"),
        ),
        (
            "pause",
            "pause",
            translate("Queue", "Pause"),
            translate("Queue", "Begin nothing more, or go on; what trains now is not touched"),
        ),
        (
            "up",
            "chevron-up",
            translate("Queue", "Up"),
            translate("Queue", "Train it earlier"),
        ),
        (
            "down",
            "chevron-down",
            translate("Queue", "Down"),
            translate("Queue", "Train it later"),
        ),
        (
            "remove",
            "remove",
            translate("Queue", "Remove"),
            translate("Queue", "Take it out of the queue; a run that trains goes on"),
        ),
    )
