"""A page that shows what was measured of each layer: buttons, a sentence, a table."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget
from typing_extensions import override

from studio.i18n import translate
from widgets.common.icons import set_icon
from widgets.common.plain_label import PlainLabel
from widgets.tables.table_view import TableView
from widgets.tables.view_model import TableData


class ReportPage(QWidget):
    """``asked`` names the button that was pressed; ``on_canvas`` shows the figures at the nodes;
    ``row_chosen`` gives the place of the row that was activated.
    """

    asked = Signal(str)
    shown = Signal()
    on_canvas_changed = Signal(bool)
    row_chosen = Signal(str)

    def __init__(self, name: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"inspect.{name}")
        self.setAccessibleName(title)
        self._name = name
        self.buttons: dict[str, QPushButton] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        self.bar = QHBoxLayout()
        self.bar.setContentsMargins(12, 10, 12, 4)
        self.bar.setSpacing(8)
        column.addLayout(self.bar)
        self.on_canvas = QCheckBox(translate("Report", "On the canvas"), self)
        self.on_canvas.setObjectName(f"{name}.on_canvas")
        self.on_canvas.setAccessibleName(translate("Report", "On the canvas"))
        self.on_canvas.setToolTip(translate("Report", "Show a bar and the figure below each node"))
        self.on_canvas.toggled.connect(self.on_canvas_changed)
        self.bar.addWidget(self.on_canvas)
        self.bar.addStretch(1)
        self.summary = PlainLabel(self)
        self.summary.setObjectName(f"{name}.summary")
        self.summary.setAccessibleName(translate("Report", "In a sentence"))
        self.summary.setWordWrap(True)
        self.summary.setContentsMargins(12, 0, 12, 4)
        column.addWidget(self.summary)
        self.table = TableView(f"{name}.table", self)
        self.table.setAccessibleName(title)
        self.table.row_activated.connect(self.row_chosen)
        column.addWidget(self.table, 1)

    def add_button(self, verb: str, text: str, tip: str, icon: str) -> None:
        """Add a button before what stands at the right of the bar."""
        button = QPushButton(text, self)
        button.setObjectName(f"{self._name}.{verb}")
        button.setAccessibleName(text)
        button.setToolTip(tip)
        set_icon(button, icon)
        button.clicked.connect(lambda: self.asked.emit(verb))
        self.bar.insertWidget(len(self.buttons), button)
        self.buttons[verb] = button

    def show_report(self, data: TableData, summary: str) -> None:
        """Show the figures."""
        self.summary.setText(summary)
        self.summary.setVisible(bool(summary))
        self.table.set_data(data)

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.shown.emit()
