"""Page of the trace of a forward pass."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QWidget

from studio.i18n import translate
from studio.inspect.trace.presenter import TraceView
from studio.window.page import PageWidget
from widgets.common.elided_label import ElidedLabel
from widgets.common.icons import set_icon
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
        self.again = QPushButton(translate("Trace", "Trace again"), self)
        self.again.setObjectName("trace.again")
        self.again.setAccessibleName(self.again.text())
        self.again.setToolTip(translate("Trace", "Run the model again on two random samples"))
        set_icon(self.again, "refresh")
        self.again.clicked.connect(self.asked)
        self.only = QCheckBox(translate("Trace", "Only the selected node"), self)
        self.only.setObjectName("trace.only")
        self.only.setAccessibleName(self.only.text())
        self.only.setToolTip(
            translate("Trace", "Show only the lines of the node selected on the canvas")
        )
        self.only.toggled.connect(self.narrowed)
        self.summary = ElidedLabel(self)
        self.summary.setObjectName("trace.summary")
        self.summary.setAccessibleName(translate("Trace", "Summary"))
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
        column = self.add_column()
        column.addLayout(bar)
        column.addWidget(self.table, 1)

    def set_view(self, view: TraceView) -> None:
        """Show what the lines made."""
        self.table.set_data(view.table)
        self.summary.setText(view.summary)
