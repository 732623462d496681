"""Page of the autograd graph of a step, and of what one of its Functions keeps."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSplitter,
    QToolButton,
    QWidget,
)

from studio.i18n import translate
from studio.inspect.graph.colour import Colouring
from studio.inspect.graph.playback import PlaybackBar
from studio.inspect.graph.presenter import AutogradView, Zoom
from studio.window.page import PageWidget
from widgets.canvas.heat_legend import HeatLegend, HeatLegendView
from widgets.canvas.scene import Scene
from widgets.canvas.viewer import Viewer
from widgets.common import parts
from widgets.common.elided_label import ElidedLabel
from widgets.common.icons import set_icon
from widgets.common.plain_label import PlainLabel
from widgets.tables.table_view import TableView
from widgets.tables.view_model import TableData

EVERY_S = (1, 2, 5, 10, 30)
"""Seconds between two captures while it is live."""


@dataclass(frozen=True, kw_only=True)
class GraphChoice:
    """What is chosen of how the graph is shown, and how often it is captured while it is live."""

    zoom: Zoom
    colouring: Colouring
    search: str
    every_s: int


class GraphPage(PageWidget):
    """Shows the graph. ``start_requested`` comes from the empty page; ``step_chosen`` names the
    file of a graph captured before.
    """

    capture_requested = Signal()
    live_changed = Signal(bool)
    zoom_changed = Signal(str)
    step_chosen = Signal(str)
    search_changed = Signal(str)
    search_entered = Signal()
    colour_changed = Signal()
    every_changed = Signal(int)
    export_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("inspect.graph", translate("Autograd", "Autograd graph"), parent)

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        self._bar = QWidget(self)
        self._bar.setObjectName("inspect.bar")
        self._bar.setAccessibleName(translate("Autograd", "Display"))
        self._fill_bar(QHBoxLayout(self._bar))
        column.addWidget(self._bar)
        yield
        self.playback = PlaybackBar(self)
        column.addWidget(self.playback)
        yield
        self._whole = QSplitter(Qt.Orientation.Horizontal, self)
        self._whole.setObjectName("inspect.splitter")
        self._whole.setAccessibleName(translate("Autograd", "Graph and details"))
        self._whole.setChildrenCollapsible(False)
        column.addWidget(self._whole, 1)
        self.graph = Viewer("dag.view", self._whole)
        self.graph.setAccessibleName(translate("Autograd", "Autograd graph"))
        yield
        side = QSplitter(Qt.Orientation.Vertical, self._whole)
        side.setObjectName("inspect.side")
        side.setAccessibleName(translate("Autograd", "Details and ready queue"))
        side.setChildrenCollapsible(False)
        self.details = TableView("inspect.details", side)
        self.details.setAccessibleName(translate("Autograd", "Function details"))
        yield
        self.queue = TableView("backward.queue", side)
        self.queue.setAccessibleName(translate("Autograd", "Ready queue"))
        self.queue.hide()
        self._whole.setSizes([820, 380])
        yield
        title = translate("Autograd", "No graph yet")
        filled = (self._whole, self._bar, self.playback)
        self.add_empty(column, "inspect", "inspect.empty", title, instead_of=filled)

    def _fill_bar(self, row: QHBoxLayout) -> None:
        row.setContentsMargins(12, 10, 12, 4)
        row.setSpacing(8)
        self.capture = QPushButton(translate("Autograd", "Capture step"), self)
        self.capture.setObjectName("inspect.capture")
        self.capture.setAccessibleName(translate("Autograd", "Capture step"))
        tip = translate("Autograd", "Capture the autograd graph of the next training step")
        self.capture.setToolTip(tip)
        set_icon(self.capture, "camera")
        self.capture.clicked.connect(self.capture_requested)
        self.live = QCheckBox(translate("Autograd", "Live"), self)
        self.live.setObjectName("inspect.live")
        self.live.setAccessibleName(translate("Autograd", "Live"))
        self.live.setToolTip(
            translate(
                "Autograd",
                "Capture steps continuously, less often if that would exceed the monitoring limit",
            )
        )
        self.live.toggled.connect(self.live_changed)
        self.every = parts.combo(
            self, "inspect.every", translate("Autograd", "Seconds between captures")
        )
        for seconds in EVERY_S:
            self.every.addItem(translate("Autograd", "{count} s").format(count=seconds), seconds)
        self.every.setCurrentIndex(EVERY_S.index(2))
        self.every.currentIndexChanged.connect(
            lambda _: self.every_changed.emit(self.every.currentData())
        )
        self._fill_rest()
        self.steps = parts.combo(self, "inspect.step", translate("Autograd", "Captured step"))
        self.steps.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.steps.activated.connect(lambda _: self.step_chosen.emit(self.steps.currentData()))
        self._fill_zoom()
        self._fill_colours()
        self._fill_end()
        for widget in (self.capture, self.live, self.every, self.rest, self.steps, self.zoom):
            row.addWidget(widget)
        for widget in (self.colour, self.legend, self.search):
            row.addWidget(widget)
        row.addWidget(self.summary, 1)
        row.addWidget(self.export)

    def _fill_rest(self) -> None:
        self.rest = PlainLabel(self)
        self.rest.setObjectName("inspect.rest")
        self.rest.setAccessibleName(translate("Autograd", "Actual capture interval"))
        self.rest.setProperty("role", "muted")
        self.rest.setToolTip(
            translate(
                "Autograd",
                "Capturing this model takes long, so it happens less often than you chose "
                "to stay within the monitoring limit. You can change the limit on the "
                "Layers page.",
            )
        )
        self.rest.hide()

    def _fill_zoom(self) -> None:
        self.zoom = parts.combo(self, "inspect.zoom", translate("Autograd", "Level of detail"))
        for zoom, text in (
            (Zoom.BLOCKS, translate("Autograd", "Blocks")),
            (Zoom.LAYERS, translate("Autograd", "Layers")),
            (Zoom.FUNCTIONS, translate("Autograd", "Functions")),
        ):
            self.zoom.addItem(text, zoom.value)
        self.zoom.setToolTip(
            translate(
                "Autograd",
                "Group by block, by layer (module), or show the Function of each ATen operator",
            )
        )
        self.zoom.setCurrentIndex(1)
        self.zoom.currentIndexChanged.connect(
            lambda _: self.zoom_changed.emit(self.zoom.currentData())
        )

    def _fill_end(self) -> None:
        self.search = QLineEdit(self, clearButtonEnabled=True)
        self.search.setObjectName("inspect.search")
        self.search.setAccessibleName(translate("Autograd", "Find a Function or parameter"))
        self.search.setPlaceholderText(translate("Autograd", "Find…"))
        self.search.setMaximumWidth(180)
        self.search.textChanged.connect(self.search_changed)
        self.search.returnPressed.connect(self.search_entered)
        self.summary = ElidedLabel(self)
        self.summary.setObjectName("inspect.summary")
        self.summary.setAccessibleName(translate("Autograd", "Size of the graph"))
        self.summary.setProperty("role", "muted")
        self.export = QToolButton(self)
        self.export.setObjectName("inspect.export")
        self.export.setAccessibleName(translate("Autograd", "Export graph"))
        tip = translate("Autograd", "Save an image (SVG, PDF, PNG) or the graph (DOT, JSON)")
        self.export.setToolTip(tip)
        set_icon(self.export, "export")
        self.export.clicked.connect(self.export_requested)

    def _fill_colours(self) -> None:
        self.colour = parts.combo(self, "inspect.colour", translate("Autograd", "Color"))
        for colouring, text in (
            (Colouring.NONE, translate("Autograd", "Color: type")),
            (Colouring.VALUE, translate("Autograd", "Color: forward value")),
            (Colouring.NORM, translate("Autograd", "Color: gradient norm")),
            (Colouring.MEMORY, translate("Autograd", "Color: saved memory")),
            (Colouring.TIME, translate("Autograd", "Color: time")),
        ):
            self.colour.addItem(text, colouring.value)
        self.colour.currentIndexChanged.connect(self.colour_changed)
        self.legend = HeatLegend("inspect.legend", self)

    @property
    def chosen(self) -> GraphChoice:
        """What is chosen in the bar."""
        return GraphChoice(
            zoom=Zoom(self.zoom.currentData()),
            colouring=Colouring(self.colour.currentData()),
            search=self.search.text(),
            every_s=self.every.currentData(),
        )

    def set_running(self, *, is_running: bool) -> None:
        """Let a step be captured while there is a run."""
        self.capture.setEnabled(is_running)

    def set_rest(self, seconds: float) -> None:
        """Say how often a live capture comes where the limit of watching puts it off."""
        every = self.every.currentData()
        told = every * math.ceil(seconds / every)
        self.rest.setText(translate("Autograd", "currently every {count} s").format(count=told))
        self.rest.setVisible(self.live.isChecked() and told > every)

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

    def show_graph(
        self,
        view: AutogradView,
        summary: str,
        legend: HeatLegendView | None = None,
        scene: Scene | None = None,
    ) -> None:
        """Show a graph, and what its colours stand for; laid out as the scene, if there is one."""
        if scene is None:
            self.graph.set_view(view.canvas)
        else:
            self.graph.set_scene(scene)
        self.summary.setText(summary)
        self.show_colours(legend)

    def show_colours(self, legend: HeatLegendView | None, *, is_played: bool = False) -> None:
        """Tell what the colours stand for; those of a backward pass that is played are its own."""
        self.legend.set_view(None if is_played else legend)
        self.colour.setEnabled(not is_played)

    def show_queue(self, data: TableData | None) -> None:
        """Show what waits to be called in a backward pass; None while none is looked at."""
        self.queue.setVisible(data is not None)
        if data is not None:
            self.queue.set_data(data)

    def show_details(self, data: TableData) -> None:
        """Show what is known of what is selected."""
        self.details.set_data(data)
