"""Page of the autograd graph of a step, and of what one of its Functions keeps."""

from collections.abc import Iterator

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from studio.i18n import translate
from studio.inspect.bar import bar
from studio.inspect.graph.colour import Colouring
from studio.inspect.graph.playback import PlaybackBar
from studio.inspect.graph.presenter import Zoom
from studio.inspect.graph.state import GraphDrawing, GraphView
from studio.window.page import PageWidget
from widgets.canvas.heat_legend import HeatLegend
from widgets.canvas.view_model import CanvasView
from widgets.canvas.viewer import Viewer
from widgets.common import parts
from widgets.common.elided_label import ElidedLabel
from widgets.common.text import plain_tip
from widgets.tables.table_view import TableView

EVERY_S = (1, 2, 5, 10, 30)
"""Seconds between two captures while it is live."""


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
    colour_changed = Signal(str)
    every_changed = Signal(int)
    export_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("inspect.graph", translate("Autograd", "Autograd graph"), parent)
        self._drawing = GraphDrawing()
        self._picture: CanvasView | None = None
        self._view: GraphView | None = None

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        self._bar = self._build_bar()
        column.addWidget(self._bar)
        yield
        self.playback = PlaybackBar(self)
        column.addWidget(self.playback)
        yield
        title = translate("Autograd", "Graph and details")
        self._halves = parts.splitter(self, "inspect.splitter", title)
        column.addWidget(self._halves, 1)
        self.graph = Viewer("dag.view", self._halves)
        self.graph.setAccessibleName(translate("Autograd", "Autograd graph"))
        yield
        title = translate("Autograd", "Details and ready queue")
        side = parts.splitter(self._halves, "inspect.side", title, is_vertical=True)
        self.details = TableView("inspect.details", side)
        self.details.setAccessibleName(translate("Autograd", "Function details"))
        yield
        self.queue = TableView("backward.queue", side)
        self.queue.setAccessibleName(translate("Autograd", "Ready queue"))
        self.queue.hide()
        self._halves.setSizes([820, 380])
        yield
        title = translate("Autograd", "No graph yet")
        filled = (self._halves, self._bar, self.playback)
        self.add_empty(column, "inspect", "inspect.empty", title, instead_of=filled)

    def set_view(self, view: GraphView) -> None:
        """Show a graph, or why there is none; what is drawn already is not drawn anew."""
        self.set_empty(view.empty)
        self.capture.setEnabled(view.can_capture)
        self.rest.setText(view.rest)
        self.rest.setVisible(bool(view.rest))
        parts.set_choices(self.steps, view.steps, view.step)
        with QSignalBlocker(self.zoom):
            self.zoom.setCurrentIndex(self.zoom.findData(view.zoom.value))
        self.colour.setEnabled(view.can_colour)
        before, self._view = self._view, view
        if before is None or view.legend != before.legend:
            self.legend.set_view(view.legend)
        self.summary.setText(view.summary)
        self._draw(view)
        if view.details is not self.details.model.table:
            self.details.set_data(view.details)
        self.queue.setVisible(view.queue is not None)
        if view.queue is not None and view.queue is not self.queue.model.table:
            self.queue.set_data(view.queue)
        if before is None or view.playback is not before.playback:
            self.playback.set_view(view.playback)

    def _draw(self, view: GraphView) -> None:
        """Draw the graph, laid out as the scene if there is one, or a pass that is played on it."""
        is_new = view.drawing is not self._drawing
        if is_new and view.drawing.scene is not None:
            self.graph.set_scene(view.drawing.scene)
        elif is_new or (view.picture is None and self._picture is not None):
            self.graph.set_view(view.drawing.view.canvas)
        if view.picture is not None and view.picture is not self._picture:
            self.graph.set_view(view.picture)
        self._drawing, self._picture = view.drawing, view.picture

    def _build_bar(self) -> QWidget:
        self.capture = parts.button(
            self,
            "inspect.capture",
            translate("Autograd", "Capture step"),
            icon="camera",
            tip=translate("Autograd", "Capture the autograd graph of the next training step"),
            clicked=self.capture_requested,
        )
        self.live = parts.check_box(
            self,
            "inspect.live",
            translate("Autograd", "Live"),
            translate(
                "Autograd",
                "Capture steps continuously, less often if that would exceed the monitoring limit",
            ),
        )
        self.live.toggled.connect(self.live_changed)
        title = translate("Autograd", "Seconds between captures")
        self.every = parts.combo(self, "inspect.every", title)
        for seconds in EVERY_S:
            self.every.addItem(translate("Autograd", "{count} s").format(count=seconds), seconds)
        self.every.setCurrentIndex(EVERY_S.index(2))
        self.every.currentIndexChanged.connect(
            lambda _: self.every_changed.emit(self.every.currentData())
        )
        title = translate("Autograd", "Actual capture interval")
        self.rest = parts.label(self, "inspect.rest", title, role="muted")
        self.rest.setToolTip(
            plain_tip(
                translate(
                    "Autograd",
                    "Capturing this model takes long, so it happens less often than you chose "
                    "to stay within the monitoring limit. You can change the limit on the "
                    "Layers page.",
                )
            )
        )
        self.rest.hide()
        self.steps = parts.combo(self, "inspect.step", translate("Autograd", "Captured step"))
        self.steps.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.steps.activated.connect(lambda _: self.step_chosen.emit(self.steps.currentData()))
        self._fill_zoom()
        self._fill_colours()
        self._fill_end()
        items = (self.capture, self.live, self.every, self.rest, self.steps, self.zoom)
        more = (self.colour, self.legend, self.search, (self.summary, 1), self.export)
        return bar(self, "inspect.bar", translate("Autograd", "Display"), *items, *more)

    def _fill_zoom(self) -> None:
        self.zoom = parts.combo(
            self,
            "inspect.zoom",
            translate("Autograd", "Level of detail"),
            translate(
                "Autograd",
                "Group by block, by layer (module), or show the Function of each ATen operator",
            ),
        )
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

    def _fill_end(self) -> None:
        self.search = parts.line_edit(
            self,
            "inspect.search",
            translate("Autograd", "Find a Function or parameter"),
            placeholder=translate("Autograd", "Find…"),
            is_clearable=True,
        )
        self.search.setMaximumWidth(180)
        self.search.textChanged.connect(self.search_changed)
        self.search.returnPressed.connect(self.search_entered)
        title = translate("Autograd", "Size of the graph")
        self.summary = parts.named(ElidedLabel(self), "inspect.summary", title)
        self.summary.setProperty("role", "muted")
        self.export = parts.tool_button(
            self,
            "inspect.export",
            translate("Autograd", "Export graph"),
            icon="export",
            role="text",
            tip=translate("Autograd", "Save an image (SVG, PDF, PNG) or the graph (DOT, JSON)"),
            clicked=self.export_requested,
        )

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
        self.colour.currentIndexChanged.connect(
            lambda _: self.colour_changed.emit(self.colour.currentData())
        )
        self.legend = HeatLegend("inspect.legend", self)
