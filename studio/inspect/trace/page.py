"""Page of the trace of a forward pass."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.i18n import translate
from studio.inspect.bar import bar_row
from studio.inspect.trace.presenter import TraceView
from studio.window.page import PageWidget
from widgets.common import parts
from widgets.common.elided_label import ElidedLabel
from widgets.tables.table_view import TableView


class TracePage(PageWidget):
    """``row_chosen`` gives the row that was activated; ``narrowed`` whether only the lines of the
    selected node are wanted.
    """

    asked = Signal()
    narrowed = Signal(bool)
    row_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        title = translate("Trace", "Trace of the forward pass")
        super().__init__("inspect.trace", title, parent)
        self.again = parts.button(
            self,
            "trace.again",
            translate("Trace", "Trace again"),
            icon="refresh",
            tip=translate("Trace", "Run the model again on two random samples"),
            clicked=self.asked,
        )
        self.only = parts.check_box(
            self,
            "trace.only",
            translate("Trace", "Only the selected node"),
            translate("Trace", "Show only the lines of the node selected on the canvas"),
        )
        self.only.toggled.connect(self.narrowed)
        self.summary = parts.named(
            ElidedLabel(self), "trace.summary", translate("Trace", "Summary")
        )
        self.summary.setProperty("role", "muted")
        self.table = TableView("trace.table", self)
        self.table.setAccessibleName(translate("Trace", "Lines of the forward pass"))
        self.table.row_activated.connect(self.row_chosen)
        column = self.add_column()
        column.addLayout(bar_row(self.again, self.only, (self.summary, 1)))
        column.addWidget(self.table, 1)

    def set_view(self, view: TraceView) -> None:
        """Show what the lines made."""
        self.table.set_data(view.table)
        self.summary.setText(view.summary)
