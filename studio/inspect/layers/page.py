"""Page of the statistics of layers, and of how the numbers of one of them were spread."""

from collections.abc import Iterator

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QSlider, QWidget

from studio.i18n import translate
from studio.inspect.bar import bar
from studio.inspect.layers.presenter import LayersPageView, Reading, measure_titles
from studio.window.page import PageWidget
from widgets.common import parts
from widgets.common.plain_label import PlainLabel
from widgets.common.text import tooltip
from widgets.plots.histogram_history import HistogramHistory
from widgets.tables.table_view import TableView

_APART_MS = 60  # of the two halves of the page: painted at once they would hold up the window


class LayersPage(PageWidget):
    """Shows what was recorded. ``step_chosen`` carries the number of a recorded step, counted from
    0, or -1 for the newest; ``measure_changed`` what is to be shown on the canvas.
    """

    layer_chosen = Signal(str)
    key_chosen = Signal(str)
    step_chosen = Signal(int)
    watching_changed = Signal(bool, float)
    measure_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("inspect.layers", translate("Layers", "Layers"), parent)
        self._view: LayersPageView | None = None
        self._layers: object = None
        self._details: Reading | None = None
        self._apart = QTimer(self, interval=_APART_MS, singleShot=True)
        self._apart.timeout.connect(self._show_details)

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        self._bar = self._build_bar()
        column.addWidget(self._bar)
        yield
        title = translate("Layers", "Layers and histograms")
        self._halves = parts.splitter(self, "layers.splitter", title)
        column.addWidget(self._halves, 1)
        self.layers = TableView("layers.table", self._halves)
        self.layers.setAccessibleName(translate("Layers", "Layers"))
        self.layers.retranslate()
        self.layers.selection_changed.connect(
            lambda ids: self.layer_chosen.emit(ids[0]) if ids else None
        )
        yield
        self._fill_details(QWidget(self._halves))
        self._halves.setSizes([930, 350])
        yield
        self._timeline = self._build_timeline()
        column.addWidget(self._timeline)
        yield
        title = translate("Layers", "No statistics yet")
        filled = (self._halves, self._bar, self._timeline)
        self.add_empty(column, "bars", "layers.empty", title, instead_of=filled)

    def set_view(self, view: LayersPageView) -> None:
        """Show the layers at a step, and a little later one of them over the steps."""
        self._view = view
        self.set_empty(view.empty)
        self.cost.setText(view.cost)
        for widget in (self.watching, self.limit):
            widget.setEnabled(view.is_running)
        with QSignalBlocker(self.watching), QSignalBlocker(self.limit):
            self.watching.setChecked(view.is_watching)
            if self.limit.value() != round(view.limit, 1):  # else it would lose what is being typed
                self.limit.setValue(view.limit)
        if view.layers is None or view.layers is self._layers or not self.isVisible():
            return
        with QSignalBlocker(self.timeline):
            self.timeline.setRange(0, len(view.steps) - 1)
            self.timeline.setValue(view.index)
        self.step.setText(view.step)
        self._layers = view.layers
        self.layers.set_data(view.layers.table)
        if self.layers.selected_ids() != [view.layer]:
            self.layers.select_ids([view.layer])
        if view.details is not self._details and not self._apart.isActive():
            self._apart.start()

    def _show_details(self) -> None:
        """Show the layer that was read last, unless another one was chosen meanwhile."""
        details = self._view.details if self._view is not None else None
        if details is None or self.layers.selected_ids() != [details.layer]:
            return
        self._details = details
        parts.set_choices(self.what, details.keys, details.key)
        self.history.set_view(details.history)
        facts = (f"{title} {text}".replace(" ", "\u00a0") for title, text in details.facts)
        self.facts.setText("   ".join(facts))  # a number stays beside what it is of

    def _build_bar(self) -> QWidget:
        title = translate("Layers", "Record statistics")
        self.watching = parts.check_box(self, "layers.watching", title)
        self.watching.setToolTip(
            tooltip(
                title,
                translate(
                    "Layers",
                    "Regularly record statistics of weights, gradients, updates and "
                    "activations. This does not affect the results of the run. The default "
                    "for new runs is in the recipe (Train, Monitoring).",
                ),
            )
        )
        self.watching.toggled.connect(self._tell_watching)
        self._build_limit()
        title = translate("Layers", "Monitoring overhead")
        self.cost = parts.label(self, "layers.cost", title, role="muted")
        self.measure = parts.combo(
            self,
            "layers.on_canvas",
            translate("Layers", "On the canvas"),
            translate("Layers", "What to show live as a bar and a number below each node"),
        )
        self.measure.addItem(translate("Layers", "nothing"), "")
        for name, title in measure_titles().items():
            self.measure.addItem(title, name)
        self.measure.currentIndexChanged.connect(
            lambda _: self.measure_changed.emit(self.measure.currentData())
        )
        return bar(
            self,
            "layers.bar",
            translate("Layers", "Monitoring and its overhead"),
            self.watching,
            self.limit,
            (self.cost, 1),
            PlainLabel(translate("Layers", "On the canvas"), self),
            self.measure,
        )

    def _build_limit(self) -> None:
        self.limit = parts.named(
            QDoubleSpinBox(self),
            "layers.limit",
            translate("Layers", "Monitoring limit"),
            translate(
                "Layers",
                "The maximum share of training time for monitoring. Beyond it, statistics "
                "are recorded less often.",
            ),
        )
        self.limit.setRange(0.1, 100.0)
        self.limit.setDecimals(1)
        self.limit.setSuffix(" %")
        self.limit.setPrefix(translate("Layers", "at most") + " ")
        self.limit.setKeyboardTracking(False)
        self.limit.valueChanged.connect(self._tell_watching)

    def _tell_watching(self) -> None:
        self.watching_changed.emit(self.watching.isChecked(), self.limit.value() / 100)

    def _fill_details(self, side: QWidget) -> None:
        self.what = parts.combo(self, "layers.what", translate("Layers", "Quantity"))
        self.what.activated.connect(lambda _: self.key_chosen.emit(self.what.currentData()))
        self.look = parts.combo(self, "layers.look", translate("Layers", "Chart type"))
        looks = {"ridges": translate("Layers", "Ridgeline"), "heat": translate("Layers", "Heatmap")}
        for look, text in looks.items():
            self.look.addItem(text, look)
        self.look.currentIndexChanged.connect(
            lambda _: self.history.set_look(self.look.currentData())
        )
        self.history = HistogramHistory("layers.history", side)
        self.history.row_chosen.connect(self._on_row)
        title = translate("Layers", "Values at the step")
        self.facts = parts.label(side, "layers.facts", title, wraps=True)
        self.facts.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.facts.setContentsMargins(10, 4, 10, 4)
        head = parts.row((self.what, 1), self.look, margins=(8, 6, 8, 6))
        items = (head, (self.history, 1), self.facts)
        parts.column(*items, margins=(0, 0, 0, 0), spacing=0, parent=side)

    def _build_timeline(self) -> QWidget:
        result = QWidget(self)
        result.setObjectName("layers.timeline.bar")
        title = translate("Layers", "Recorded step")
        self.timeline = parts.named(
            QSlider(Qt.Orientation.Horizontal, self),
            "layers.timeline",
            title,
            translate("Layers", "Drag to see the layers at an earlier step"),
        )
        self.timeline.valueChanged.connect(
            lambda index: self.step_chosen.emit(-1 if index == self.timeline.maximum() else index)
        )
        self.step = parts.label(self, "layers.step", title)
        self.step.setMinimumWidth(150)
        parts.row((self.timeline, 1), self.step, margins=(12, 4, 12, 8), parent=result)
        return result

    def _on_row(self, row: int) -> None:
        """Go to the recorded step that was chosen in the picture."""
        steps = self._view.steps if self._view is not None else ()
        step = self.history.view.steps[row]
        if step in steps:
            self.timeline.setValue(steps.index(step))
