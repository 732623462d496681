"""Control bar above a curve chart."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QComboBox, QMenu, QSlider, QToolButton, QWidget
from typing_extensions import override

from widgets.common import parts
from widgets.common.elided_label import ElidedLabel
from widgets.common.live_widget import LiveWidget
from widgets.common.text import plain_tip
from widgets.plots.view_model import AxisKind

_GAPS = 8  # pixels beside the smoothing


def smoothing_weight(position: int) -> float:
    """Return the weight of a slider position from 0 to 100: 0, then ever nearer to 0.999."""
    return 0.0 if position <= 0 else 1.0 - 10.0 ** (-3.0 * min(position, 100) / 100)


class ChartBar(LiveWidget):
    """Smoothing, axes, following and export; tells what is wanted and remembers nothing else. Where
    there is little room, as beside another chart, the smoothing gives way.
    """

    smoothing_changed = Signal(float)
    axis_changed = Signal(str)
    log_toggled = Signal(bool)
    follow_toggled = Signal(bool)
    fit_requested = Signal()
    copy_requested = Signal()
    export_requested = Signal(str)

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.title = parts.label(self, role="heading")
        self.readout = ElidedLabel(self)
        self.readout.setProperty("role", "muted")
        self._smooth_label = parts.label(self, role="muted")
        self.smoothing = QSlider(Qt.Orientation.Horizontal, self)
        self.smoothing.setObjectName(f"{name}.smoothing")
        self.smoothing.setRange(0, 100)
        self.smoothing.setFixedWidth(90)
        self.axis = parts.combo(self, f"{name}.axis")
        self.axis.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._axes: tuple[AxisKind, ...] = ()
        self.log = parts.tool_button(self, f"{name}.log", icon="log-axis")
        self.log.setCheckable(True)
        self.follow = parts.tool_button(self, f"{name}.follow", icon="follow")
        self.follow.setCheckable(True)
        self.fit = parts.tool_button(self, f"{name}.fit", icon="fit")
        self.export = parts.tool_button(self, f"{name}.export", icon="download")
        self._menu = QMenu(self.export)
        self._actions = {kind: QAction(self._menu) for kind in ("png", "svg", "csv", "copy")}
        for kind, action in self._actions.items():
            action.setObjectName(f"{name}.export.{kind}")
            self._menu.addAction(action)
        self.export.setMenu(self._menu)
        self.export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._arrange()
        self._connect()
        self.set_axes(("step",))
        self.retranslate()

    def _arrange(self) -> None:
        row = parts.row(self.title, margins=(10, 4, 6, 2), spacing=4, parent=self)
        row.addSpacing(8)
        row.addWidget(self.readout, 1)
        row.addWidget(self._smooth_label)
        row.addWidget(self.smoothing)
        row.addSpacing(6)
        for widget in (self.axis, self.log, self.follow, self.fit, self.export):
            row.addWidget(widget)

    @override
    def minimumSizeHint(self) -> QSize:
        size = super().minimumSizeHint()
        if not self.smoothing.isHidden():
            size.setWidth(size.width() - self._smoothing_width())
        return size

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        has_room = self.width() >= self.minimumSizeHint().width() + self._smoothing_width()
        if has_room == self.smoothing.isHidden():
            self.smoothing.setVisible(has_room)
            self._smooth_label.setVisible(has_room)

    def _smoothing_width(self) -> int:
        return self._smooth_label.sizeHint().width() + self.smoothing.width() + _GAPS

    def _connect(self) -> None:
        self.smoothing.valueChanged.connect(self._on_smoothing_changed)
        self.axis.activated.connect(lambda: self.axis_changed.emit(self.axis.currentData()))
        self.log.toggled.connect(self.log_toggled)
        self.follow.toggled.connect(self.follow_toggled)
        self.fit.clicked.connect(self.fit_requested)
        self._actions["copy"].triggered.connect(self.copy_requested)
        for kind in ("png", "svg", "csv"):
            self._actions[kind].triggered.connect(
                lambda _=False, wanted=kind: self.export_requested.emit(wanted)
            )

    def set_axes(self, axes: tuple[AxisKind, ...]) -> None:
        """Offer these horizontal axes; the chosen one stays where it is still offered."""
        if axes == self._axes:
            return
        self._axes = axes
        chosen = self.axis.currentData()
        self.axis.clear()
        for kind in axes:
            self.axis.addItem(self.axis_text(kind), kind)
        self.axis.setCurrentIndex(max(0, self.axis.findData(chosen)))
        self.axis.setVisible(len(axes) > 1)

    def axis_kind(self) -> AxisKind:
        """Return the chosen horizontal axis."""
        kinds: dict[str, AxisKind] = {"epoch": "epoch", "time": "time"}
        return kinds.get(self.axis.currentData(), "step")

    def axis_text(self, kind: AxisKind) -> str:
        """Return what an axis is called."""
        texts = {"step": self.tr("Step"), "epoch": self.tr("Epoch"), "time": self.tr("Time")}
        return texts[kind]

    def weight(self) -> float:
        """Return the weight of the smoothing; 0: none."""
        return smoothing_weight(self.smoothing.value())

    def _on_smoothing_changed(self) -> None:
        self._show_weight()
        self.smoothing_changed.emit(self.weight())

    def _show_weight(self) -> None:
        weight = self.weight()
        text = self.tr("Smoothing")
        self._smooth_label.setText(f"{text} {weight:.3g}" if weight else text)

    @override
    def retranslate(self) -> None:
        self._show_weight()
        for index, kind in enumerate(self._axes):
            self.axis.setItemText(index, self.axis_text(kind))
        texts = {"png": self.tr("Save as PNG…"), "svg": self.tr("Save as SVG…")}
        texts |= {"csv": self.tr("Save all points as CSV…"), "copy": self.tr("Copy image")}
        for kind, action in self._actions.items():
            action.setText(texts[kind])
        tips = (
            (
                self.smoothing,
                self.tr("Smooth the curves; the original values remain visible in a lighter color"),
            ),
            (self.axis, self.tr("Horizontal axis")),
            (self.log, self.tr("Logarithmic vertical axis")),
            (self.follow, self.tr("Keep the latest point in view while zoomed in")),
            (self.fit, self.tr("Zoom to fit (double-click, 0)")),
            (self.export, self.tr("Save or copy the chart")),
        )
        for widget, text in tips:
            widget.setToolTip(plain_tip(text))
            widget.setAccessibleName(text)
