"""Page of figures of the layers: buttons, a sentence, a table."""

from collections.abc import Collection

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from studio.i18n import translate
from studio.inspect.bar import bar_row
from studio.window.page import PageWidget
from widgets.common import parts
from widgets.tables.table_view import TableView
from widgets.tables.view_model import TableData


class ReportPage(PageWidget):
    """``asked`` names the button that was pressed; ``on_canvas_changed`` says whether the figures
    are to be shown at the nodes; ``row_chosen`` gives the id of the row that was activated.
    """

    asked = Signal(str)
    on_canvas_changed = Signal(bool)
    row_chosen = Signal(str)

    def __init__(self, name: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(f"inspect.{name}", title, parent)
        self._name = name
        self.buttons: dict[str, QPushButton] = {}
        self.column = column = self.add_column()
        on_canvas = translate("Report", "On the canvas")
        tip = translate("Report", "Show a bar and the value below each node")
        self.on_canvas = parts.check_box(self, f"{name}.on_canvas", on_canvas, tip)
        self.on_canvas.toggled.connect(self.on_canvas_changed)
        self.bar = bar_row(self.on_canvas, None)
        column.addLayout(self.bar)
        summary = translate("Report", "Summary")
        self.summary = parts.label(self, f"{name}.summary", summary, wraps=True)
        self.summary.setContentsMargins(12, 0, 12, 4)
        column.addWidget(self.summary)
        self.table = TableView(f"{name}.table", self)
        self.table.setAccessibleName(title)
        self.table.row_activated.connect(self.row_chosen)
        column.addWidget(self.table, 1)

    def add_button(self, verb: str, text: str, tip: str, icon: str) -> None:
        """Add a button before what stands at the right of the bar."""
        button = parts.button(self, f"{self._name}.{verb}", text, icon=icon, tip=tip)
        button.clicked.connect(lambda: self.asked.emit(verb))
        self.bar.insertWidget(len(self.buttons), button)
        self.buttons[verb] = button

    def show_report(self, data: TableData, summary: str, possible: Collection[str]) -> None:
        """Show the figures; the buttons whose names are ``possible`` can be pressed."""
        self.summary.setText(summary)
        self.summary.setVisible(bool(summary))
        self.table.set_data(data)
        for verb, button in self.buttons.items():
            button.setEnabled(verb in possible)
