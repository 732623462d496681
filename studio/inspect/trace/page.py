"""The page of what each line of a forward pass makes."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget
from typing_extensions import override

from studio.i18n import translate
from widgets.common.elided_label import ElidedLabel
from widgets.common.icons import set_icon
from widgets.tables.table_view import TableView
from widgets.tables.view_model import TableData


class TracePage(QWidget):
    """``row_chosen`` gives the row that was activated; ``narrowed`` that what is shown is to be
    chosen anew.
    """

    asked = Signal()
    shown = Signal()
    narrowed = Signal()
    row_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspect.trace")
        self.setAccessibleName(translate("Trace", "Trace of the forward pass"))
        self.again = QPushButton(translate("Trace", "Trace again"), self)
        self.again.setObjectName("trace.again")
        self.again.setAccessibleName(self.again.text())
        self.again.setToolTip(
            translate("Trace", "Let two samples of random numbers go through the model once more")
        )
        set_icon(self.again, "refresh")
        self.again.clicked.connect(self.asked)
        self.only = QCheckBox(translate("Trace", "Only the selected node"), self)
        self.only.setObjectName("trace.only")
        self.only.setAccessibleName(self.only.text())
        self.only.setToolTip(
            translate("Trace", "Show the lines that stand for the node selected on the canvas")
        )
        self.only.toggled.connect(self.narrowed)
        self.summary = ElidedLabel(self)
        self.summary.setObjectName("trace.summary")
        self.summary.setAccessibleName(translate("Trace", "In a sentence"))
        self.summary.setProperty("role", "muted")
        self.table = TableView("trace.table", self)
        self.table.setAccessibleName(translate("Trace", "Lines of the forward pass"))
        self.table.row_activated.connect(self.row_chosen)
        self._lay_out()

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        bar.setContentsMargins(12, 10, 12, 4)
        bar.setSpacing(8)
        bar.addWidget(self.again)
        bar.addWidget(self.only)
        bar.addWidget(self.summary, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(bar)
        column.addWidget(self.table, 1)

    def show_trace(self, data: TableData, summary: str) -> None:
        """Show what the lines made."""
        self.table.set_data(data)
        self.summary.setText(summary)

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.shown.emit()
