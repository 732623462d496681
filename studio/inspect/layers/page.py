"""Page of the statistics of layers, and of how the numbers of one of them were spread."""

from collections.abc import Iterator

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QSlider,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from studio.i18n import translate
from studio.inspect.layers.presenter import LayersView, measure_titles
from studio.window.page import PageWidget
from widgets.common import parts
from widgets.common.plain_label import PlainLabel
from widgets.common.text import tooltip
from widgets.plots.histogram_history import HistogramHistory, HistoryView
from widgets.tables.table_view import TableView


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
        self._steps: tuple[int, ...] = ()

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        self._bar = QWidget(self)
        self._bar.setObjectName("layers.bar")
        self._bar.setAccessibleName(translate("Layers", "Monitoring and its overhead"))
        self._fill_bar(QHBoxLayout(self._bar))
        column.addWidget(self._bar)
        yield
        self._whole = QSplitter(Qt.Orientation.Horizontal, self)
        self._whole.setObjectName("layers.splitter")
        self._whole.setAccessibleName(translate("Layers", "Layers and histograms"))
        self._whole.setChildrenCollapsible(False)
        column.addWidget(self._whole, 1)
        self.layers = TableView("layers.table", self._whole)
        self.layers.setAccessibleName(translate("Layers", "Layers"))
        self.layers.retranslate()
        self.layers.selection_changed.connect(
            lambda ids: self.layer_chosen.emit(ids[0]) if ids else None
        )
        yield
        self._fill_details(QWidget(self._whole))
        self._whole.setSizes([930, 350])
        yield
        self._fill_timeline(column)
        yield
        title = translate("Layers", "No statistics yet")
        filled = (self._whole, self._bar, self._timeline)
        self.add_empty(column, "bars", "layers.empty", title, instead_of=filled)

    def _fill_bar(self, row: QHBoxLayout) -> None:
        row.setContentsMargins(12, 10, 12, 4)
        row.setSpacing(8)
        self.watching = QCheckBox(translate("Layers", "Record statistics"), self)
        self.watching.setObjectName("layers.watching")
        self.watching.setAccessibleName(translate("Layers", "Record statistics"))
        self.watching.setToolTip(
            tooltip(
                translate("Layers", "Record statistics"),
                translate(
                    "Layers",
                    "Regularly record statistics of weights, gradients, updates and "
                    "activations. This does not affect the results of the run. The default "
                    "for new runs is in the recipe (Train, Monitoring).",
                ),
            )
        )
        self.limit = QDoubleSpinBox(self)
        self.limit.setObjectName("layers.limit")
        self.limit.setAccessibleName(translate("Layers", "Monitoring limit"))
        self.limit.setRange(0.1, 100.0)
        self.limit.setDecimals(1)
        self.limit.setSuffix(" %")
        self.limit.setPrefix(translate("Layers", "at most") + " ")
        self.limit.setKeyboardTracking(False)
        self.limit.setToolTip(
            translate(
                "Layers",
                "The maximum share of training time for monitoring. Beyond it, statistics "
                "are recorded less often.",
            )
        )
        self.watching.toggled.connect(self._on_watching)
        self.limit.valueChanged.connect(self._on_watching)
        self.cost = PlainLabel(self)
        self.cost.setObjectName("layers.cost")
        self.cost.setAccessibleName(translate("Layers", "Monitoring overhead"))
        self.cost.setProperty("role", "muted")
        row.addWidget(self.watching)
        row.addWidget(self.limit)
        row.addWidget(self.cost, 1)
        row.addWidget(PlainLabel(translate("Layers", "On the canvas"), self))
        row.addWidget(self._build_measures())

    def _build_measures(self) -> QComboBox:
        self.measure = parts.combo(self, "layers.on_canvas", translate("Layers", "On the canvas"))
        self.measure.setToolTip(
            translate("Layers", "What to show live as a bar and a number below each node")
        )
        self.measure.addItem(translate("Layers", "nothing"), "")
        for name, title in measure_titles().items():
            self.measure.addItem(title, name)
        self.measure.currentIndexChanged.connect(
            lambda _: self.measure_changed.emit(self.measure.currentData())
        )
        return self.measure

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
        self.facts = PlainLabel(side)
        self.facts.setObjectName("layers.facts")
        self.facts.setAccessibleName(translate("Layers", "Values at the step"))
        self.facts.setWordWrap(True)
        self.facts.setTextFormat(Qt.TextFormat.PlainText)
        self.facts.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.facts.setContentsMargins(10, 4, 10, 4)
        row = QHBoxLayout()
        row.setContentsMargins(8, 6, 8, 6)
        row.addWidget(self.what, 1)
        row.addWidget(self.look)
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.history, 1)
        column.addWidget(self.facts)

    def _fill_timeline(self, column: QVBoxLayout) -> None:
        self._timeline = QWidget(self)
        self._timeline.setObjectName("layers.timeline.bar")
        row = QHBoxLayout(self._timeline)
        row.setContentsMargins(12, 4, 12, 8)
        self.timeline = QSlider(Qt.Orientation.Horizontal, self)
        self.timeline.setObjectName("layers.timeline")
        self.timeline.setAccessibleName(translate("Layers", "Recorded step"))
        self.timeline.setToolTip(translate("Layers", "Drag to see the layers at an earlier step"))
        self.timeline.valueChanged.connect(
            lambda at: self.step_chosen.emit(-1 if at == self.timeline.maximum() else at)
        )
        self.step = PlainLabel(self)
        self.step.setObjectName("layers.step")
        self.step.setAccessibleName(translate("Layers", "Recorded step"))
        self.step.setMinimumWidth(150)
        row.addWidget(self.timeline, 1)
        row.addWidget(self.step)
        column.addWidget(self._timeline)

    def _on_watching(self) -> None:
        self.watching_changed.emit(self.watching.isChecked(), self.limit.value() / 100)

    def _on_row(self, row: int) -> None:
        """Go to the recorded step that was chosen in the picture."""
        wanted = self.history.view.steps[row]
        found = [index for index, step in enumerate(self._steps) if step == wanted]
        if found:
            self.timeline.setValue(found[0])

    def set_watching(self, *, is_on: bool, limit: float, is_running: bool, cost: str) -> None:
        """Show how the run watches and what that costs, without telling of it."""
        self.cost.setText(cost)
        for widget in (self.watching, self.limit):
            widget.setEnabled(is_running)
        with QSignalBlocker(self.watching), QSignalBlocker(self.limit):
            self.watching.setChecked(is_on)
            self.limit.setValue(100 * limit)

    def set_steps(self, steps: tuple[int, ...], at: int) -> None:
        """Offer the recorded steps on the timeline, without telling of it."""
        self._steps = steps
        with QSignalBlocker(self.timeline):
            self.timeline.setRange(0, max(0, len(steps) - 1))
            self.timeline.setValue(at)
        self.step.setText(translate("Layers", "Step {step}").format(step=f"{steps[at]:,}"))

    def set_keys(self, keys: tuple[tuple[str, str], ...], chosen: str) -> None:
        """Offer what is recorded of the layer (title and id)."""
        known = [self.what.itemData(index) for index in range(self.what.count())]
        if known != [each for _, each in keys]:
            self.what.clear()
            for title, each in keys:
                self.what.addItem(title, each)
        self.what.setCurrentIndex(max(0, self.what.findData(chosen)))

    def show_layers(self, view: LayersView, chosen: str = "") -> None:
        """Show all layers, one of them chosen; without a name the choice stays."""
        self.layers.set_data(view.table)
        if chosen and self.layers.selected_ids() != [chosen]:
            self.choose_layer(chosen)

    def choose_layer(self, name: str) -> None:
        """Choose a layer by the name of its module."""
        self.layers.select_ids([name])

    def show_history(self, view: HistoryView, facts: tuple[tuple[str, str], ...]) -> None:
        """Show one tensor over the steps."""
        self.history.set_view(view)
        told = (f"{title} {text}".replace(" ", "\u00a0") for title, text in facts)
        self.facts.setText("   ".join(told))  # a number stays beside what it is of
