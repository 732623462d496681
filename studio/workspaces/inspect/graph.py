"""The page of the autograd graph of a step, and of what one of its Functions keeps."""

from collections.abc import Iterator

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from studio.i18n import translate
from studio.presenters.autograd import AutogradView, Zoom
from widgets.canvas.viewer import Viewer
from widgets.common.empty_state import EmptyState
from widgets.common.icons import set_icon
from widgets.tables.table_view import TableView
from widgets.tables.view_model import TableData


class GraphPage(QWidget):
    """Shows the graph. ``start_requested`` comes from the empty page; ``step_chosen`` names the
    file of a graph captured before.
    """

    capture_requested = Signal()
    start_requested = Signal()
    live_changed = Signal(bool)
    zoom_changed = Signal(str)
    step_chosen = Signal(str)
    search_changed = Signal(str)
    search_entered = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspect.graph")
        self.setAccessibleName(translate("Autograd", "Autograd graph"))

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        self._bar = QWidget(self)
        self._bar.setObjectName("inspect.bar")
        self._bar.setAccessibleName(translate("Autograd", "What is shown"))
        self._fill_bar(QHBoxLayout(self._bar))
        column.addWidget(self._bar)
        yield
        self._whole = QSplitter(Qt.Orientation.Horizontal, self)
        self._whole.setObjectName("inspect.splitter")
        self._whole.setAccessibleName(translate("Autograd", "Graph and details"))
        self._whole.setChildrenCollapsible(False)
        column.addWidget(self._whole, 1)
        self.graph = Viewer("dag.view", self._whole)
        self.graph.setAccessibleName(translate("Autograd", "Autograd graph"))
        yield
        self.details = TableView("inspect.details", self._whole)
        self.details.setAccessibleName(translate("Autograd", "Details of the Function"))
        self._whole.setSizes([860, 340])
        yield
        self.empty = EmptyState("inspect", self, name="inspect.empty")
        self.empty.setAccessibleName(translate("Autograd", "No graph yet"))
        self.empty.action_requested.connect(self.start_requested)
        column.addWidget(self.empty, 1)

    def _fill_bar(self, row: QHBoxLayout) -> None:
        row.setContentsMargins(12, 10, 12, 4)
        row.setSpacing(8)
        self.capture = QPushButton(translate("Autograd", "Capture a step"), self)
        self.capture.setObjectName("inspect.capture")
        self.capture.setAccessibleName(translate("Autograd", "Capture a step"))
        tip = translate("Autograd", "Take the graph that autograd builds in the next training step")
        self.capture.setToolTip(tip)
        set_icon(self.capture, "camera")
        self.capture.clicked.connect(self.capture_requested)
        self.live = QCheckBox(translate("Autograd", "Live"), self)
        self.live.setObjectName("inspect.live")
        self.live.setAccessibleName(translate("Autograd", "Live"))
        self.live.setToolTip(translate("Autograd", "Capture a step every two seconds"))
        self.live.toggled.connect(self.live_changed)
        self.steps = self._combo("inspect.step", translate("Autograd", "Captured step"))
        self.steps.activated.connect(lambda _: self.step_chosen.emit(self.steps.currentData()))
        self.zoom = self._combo("inspect.zoom", translate("Autograd", "Detail"))
        for zoom, text in (
            (Zoom.BLOCKS, translate("Autograd", "Blocks")),
            (Zoom.LAYERS, translate("Autograd", "Layers")),
            (Zoom.FUNCTIONS, translate("Autograd", "Functions")),
        ):
            self.zoom.addItem(text, zoom.value)
        self.zoom.setCurrentIndex(1)
        self.zoom.currentIndexChanged.connect(
            lambda _: self.zoom_changed.emit(self.zoom.currentData())
        )
        self.search = QLineEdit(self, clearButtonEnabled=True)
        self.search.setObjectName("inspect.search")
        self.search.setAccessibleName(translate("Autograd", "Find a Function or parameter"))
        self.search.setPlaceholderText(translate("Autograd", "Find…"))
        self.search.setMaximumWidth(220)
        self.search.textChanged.connect(self.search_changed)
        self.search.returnPressed.connect(self.search_entered)
        self.summary = QLabel(self)
        self.summary.setObjectName("inspect.summary")
        self.summary.setAccessibleName(translate("Autograd", "Size of the graph"))
        self.summary.setProperty("role", "muted")
        for widget in (self.capture, self.live, self.steps, self.zoom, self.search):
            row.addWidget(widget)
        row.addWidget(self.summary, 1)

    def _combo(self, name: str, title: str) -> QComboBox:
        combo = QComboBox(self)
        combo.setObjectName(name)
        combo.setAccessibleName(title)
        combo.setToolTip(title)
        return combo

    def set_empty(self, title: str, text: str = "", action: str = "") -> None:
        """Say why there is no graph and what to do; with no title there is one."""
        self.empty.set_texts(title, text, action)
        self.empty.setVisible(bool(title))
        self._whole.setVisible(not title)
        self._bar.setVisible(not title)

    def set_steps(self, steps: tuple[tuple[str, str], ...], chosen: str) -> None:
        """Offer the captured steps (text and file), with one of them chosen."""
        known = [self.steps.itemData(index) for index in range(self.steps.count())]
        if known != [file for _, file in steps]:
            self.steps.clear()
            for text, file in steps:
                self.steps.addItem(text, file)
        self.steps.setCurrentIndex(self.steps.findData(chosen))

    def set_zoom(self, zoom: Zoom) -> None:
        """Choose how much is shown as one, without telling of it."""
        with QSignalBlocker(self.zoom):
            self.zoom.setCurrentIndex(self.zoom.findData(zoom.value))

    def show_graph(self, view: AutogradView, summary: str) -> None:
        """Show a graph."""
        self.graph.set_view(view.canvas)
        self.summary.setText(summary)

    def show_details(self, data: TableData) -> None:
        """Show what is known of what is selected."""
        self.details.set_data(data)
