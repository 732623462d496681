"""Plane that all charts are drawn on: pyqtgraph in the program's colours and manners."""

import math
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QGraphicsGridLayout,
    QGraphicsItem,
    QGraphicsSceneMouseEvent,
    QGraphicsSceneWheelEvent,
    QSizePolicy,
    QWidget,
)
from typing_extensions import override

from widgets.common.stylesheet import mixed
from widgets.common.theme import current_theme, scaled_font
from widgets.plots.curve_data import finite_bounds
from widgets.plots.height_axis import HeightAxis
from widgets.plots.view_model import Floats

_FEW_POWERS, _MOST_POWERS = 4, 8


class DurationAxis(pg.AxisItem):
    """An axis that writes seconds as ``1:30`` or ``2:00:00`` when it is told to. Powers of ten are
    written as numbers, few enough to stand beside each other.
    """

    is_duration = False

    @override
    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        if not self.is_duration:
            return super().tickStrings(values, scale, spacing)
        return [_clock(value * scale, spacing) for value in values]

    @override
    def logTickValues(
        self, minVal: float, maxVal: float, size: float, stdTicks: list[Any]
    ) -> list[tuple[float | None, list[float]]]:
        first, last = math.floor(minVal), math.ceil(maxVal)
        stride = max(1, -(-(last - first) // _MOST_POWERS))
        between = [] if last - first > _FEW_POWERS else [math.log10(2), math.log10(5)]
        powers = [float(power) for power in range(first, last + 1, stride)]
        more = [power + part for power in range(first, last + 1) for part in between]
        return [
            (float(stride), [place for place in powers if minVal <= place <= maxVal]),
            (None, [place for place in more if minVal <= place <= maxVal]),
        ]

    @override
    def logTickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [f"{10**value:g}" for value in values]


def _clock(seconds: float, spacing: float) -> str:
    if spacing < 1:
        return f"{seconds:.3g}"
    minutes, rest = divmod(round(abs(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    sign = "-" if seconds < 0 else ""
    return f"{sign}{hours}:{minutes:02d}:{rest:02d}" if hours else f"{sign}{minutes}:{rest:02d}"


class ZoomBox(pg.ViewBox):
    """Drag draws a zoom rectangle, the wheel zooms along x (Ctrl: y, Shift: both), the middle
    button pans, a double click shows everything.
    """

    fit_requested = Signal()
    double_clicked = Signal(QPointF)  # in the scene

    def __init__(self) -> None:
        super().__init__(enableMenu=False)
        self.setMouseMode(pg.ViewBox.RectMode)
        self.disableAutoRange()

    @override
    def wheelEvent(self, ev: QGraphicsSceneWheelEvent, axis: int | None = None) -> None:
        if axis is None:
            keys = ev.modifiers()
            if keys & Qt.KeyboardModifier.ControlModifier:
                axis = 1
            elif not keys & Qt.KeyboardModifier.ShiftModifier:
                axis = 0
        super().wheelEvent(ev, axis)

    @override
    def mouseDoubleClickEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        event.accept()
        self.double_clicked.emit(event.scenePos())
        self.fit_requested.emit()


class GridLines(pg.UIGraphicsItem):
    """Thin opaque lines at the main ticks; pyqtgraph's own see-through ones cost 10 ms a frame."""

    def __init__(self, across: pg.AxisItem, up: pg.AxisItem) -> None:
        super().__init__()
        self._across = across
        self._up = up
        self._cached: tuple[tuple[float, ...], list[QLineF]] = ((), [])
        self.setZValue(-20)

    @override
    def paint(self, *args: Any) -> None:
        painter: QPainter = args[0]
        area = self.boundingRect()
        theme = current_theme()
        painter.setPen(pg.mkPen(mixed(theme.surface, theme.border, 0.6), width=1))
        painter.drawLines(self._lines(area))

    def _lines(self, area: QRectF) -> list[QLineF]:
        width, height = self._across.width(), self._up.height()
        key = (area.x(), area.y(), area.width(), area.height(), width, height)
        if self._cached[0] != key:
            self._cached = (key, self._lines_of(area, width, height))
        return self._cached[1]

    def _lines_of(self, area: QRectF, width: float, height: float) -> list[QLineF]:
        lines = [
            QLineF(x, area.top(), x, area.bottom())
            for x in main_ticks(self._across, area.left(), area.right(), width)
        ]
        lines += [
            QLineF(area.left(), y, area.right(), y)
            for y in main_ticks(self._up, area.top(), area.bottom(), height)
        ]
        return lines


def main_ticks(axis: pg.AxisItem, low: float, high: float, pixels: float) -> list[float]:
    """Return the places of the ticks that carry numbers."""
    levels = axis.tickValues(low, high, pixels)
    return [float(value) for value in levels[0][1]] if levels else []


class Plane(pg.GraphicsWidget):
    """A box, an axis at its left and one below it: pyqtgraph's PlotItem without its other axes, its
    title and its menus, which take longer to make than all that is used of it.
    """

    def __init__(self, box: pg.ViewBox, left: pg.AxisItem, bottom: pg.AxisItem) -> None:
        super().__init__()
        expanding = QSizePolicy.Policy.Expanding
        self.setSizePolicy(QSizePolicy(expanding, expanding))
        self.setContentsMargins(4, 8, 12, 4)
        grid = QGraphicsGridLayout()
        grid.setContentsMargins(1, 1, 1, 1)
        grid.setHorizontalSpacing(0)
        grid.setVerticalSpacing(0)
        self.setLayout(grid)
        grid.addItem(box, 0, 1)
        for axis, row, column in ((left, 0, 0), (bottom, 1, 1)):
            axis.linkToView(box)
            grid.addItem(axis, row, column)
            axis.setZValue(0.5)  # over the curves
            axis.setFlag(QGraphicsItem.GraphicsItemFlag.ItemNegativeZStacksBehindParent)
        grid.setRowStretchFactor(0, 100)
        grid.setColumnStretchFactor(1, 100)


class Surface(pg.GraphicsView):
    """A themed plot without pyqtgraph's own menu and buttons; the keys + - 0 and arrows work. Its
    ``box`` decides what the mouse does.
    """

    fit_requested = Signal()
    range_changed_by_user = Signal()
    pointer_moved = Signal(float, float)  # in the plot's coordinates; NaN when it left
    pointer_stepped = Signal(int)

    def __init__(self, parent: QWidget | None = None, box: ZoomBox | None = None) -> None:
        super().__init__(parent, background=current_theme().surface)
        self.box = box or ZoomBox()
        self.x_axis = DurationAxis("bottom")
        self.y_axis = HeightAxis("left")
        self.x_scale = 1.0
        self.enableMouse(b=False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setFrameStyle(0)
        self._plane = Plane(self.box, self.y_axis, self.x_axis)
        self.setCentralItem(self._plane)
        for axis in (self.x_axis, self.y_axis):
            axis.enableAutoSIPrefix(enable=False)
        self.y_axis.setTickDensity(2)
        self._grid = GridLines(self.x_axis, self.y_axis)
        self.add(self._grid)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.box.fit_requested.connect(self.fit_requested)
        self.box.sigRangeChangedManually.connect(self.range_changed_by_user)
        scene = self.scene()
        assert isinstance(scene, pg.GraphicsScene)
        scene.sigMouseMoved.connect(self._on_mouse_moved)
        self.restyle()

    def restyle(self) -> None:
        """Take colours and text size from the theme."""
        theme = current_theme()
        self.setBackground(theme.surface)
        font = scaled_font(0.9)
        for axis in (self.x_axis, self.y_axis):
            axis.setPen(pg.mkPen(theme.strong_border))
            axis.setTextPen(pg.mkPen(theme.muted))
            axis.setStyle(tickFont=font, tickLength=-4, maxTickLevel=0)
        zoom = QColor(theme.accent)
        zoom.setAlpha(40)
        self.box.rbScaleBox.setPen(pg.mkPen(theme.accent))
        self.box.rbScaleBox.setBrush(pg.mkBrush(zoom))

    def add(self, item: QGraphicsItem) -> None:
        """Draw an item too; what is shown of the plane does not depend on it."""
        self.box.addItem(item, ignoreBounds=True)

    def remove(self, item: QGraphicsItem) -> None:
        """Do not draw an item any more."""
        self.box.removeItem(item)

    def set_x_scale(self, scale: float, *, is_duration: bool) -> None:
        """Write places times ``scale`` on the horizontal axis, as a clock where asked for."""
        self.x_scale = scale
        self.x_axis.is_duration = is_duration
        self.x_axis.setScale(scale)

    def set_log(self, *, is_log: bool, is_log_x: bool = False) -> None:
        """Read heights as powers of ten, or what lies across."""
        self.y_axis.setLogMode(y=is_log)  # type: ignore[arg-type]  # annotated wrongly
        self.x_axis.setLogMode(x=is_log_x)  # type: ignore[arg-type]

    def set_x_label(self, text: str) -> None:
        """Write under the horizontal axis."""
        self.x_axis.setLabel(text, color=current_theme().muted)

    def set_y_label(self, text: str) -> None:
        """Write beside the vertical axis."""
        self.y_axis.setLabel(text, color=current_theme().muted)
        self.y_axis.showLabel(bool(text))

    def set_axes_visible(self, *, is_visible: bool) -> None:
        """Show or hide both axes and the grid (there is nothing to measure yet)."""
        for axis in (self.x_axis, self.y_axis):
            axis.setVisible(is_visible)
        self._grid.setVisible(is_visible)

    def set_range(self, x: tuple[float, float], y: tuple[float, float]) -> None:
        """Show a part of the plane, with a little room around it."""
        x = x if x[1] > x[0] else (x[0] - 0.5, x[1] + 0.5)
        room = (y[1] - y[0]) * 0.06 or abs(y[0]) * 0.1 or 0.5
        self.box.setRange(
            xRange=x, yRange=(y[0] - room, y[1] + room), padding=0, disableAutoRange=True
        )

    def show_points(self, xy: Floats) -> None:
        """Show the part of the plane where points (N, 2) lie; nothing changes without any."""
        across, up = finite_bounds(xy[:, 0]), finite_bounds(xy[:, 1])
        if across and up:
            room = (across[1] - across[0]) * 0.04
            self.set_range((across[0] - room, across[1] + room), up)

    def lay_out(self) -> None:
        """Find out now where everything lies: pyqtgraph finds it out while it paints, and then
        paints a second time.
        """
        scene = self.scene()
        assert isinstance(scene, pg.GraphicsScene)
        scene.prepareForPaint()

    def paint_later(self) -> None:
        """Paint what changed in an event of its own, so that others are handled before it."""
        self.viewport().setUpdatesEnabled(False)
        QTimer.singleShot(1, self, self.paint_now)

    def paint_now(self) -> None:
        """Paint again whenever something changes, and what has changed."""
        self.viewport().setUpdatesEnabled(True)

    def _on_mouse_moved(self, position: QPointF) -> None:
        if self.box.sceneBoundingRect().contains(position):
            point = self.box.mapSceneToView(position)
            self.pointer_moved.emit(point.x(), point.y())
        else:
            self.pointer_moved.emit(float("nan"), float("nan"))

    @override
    def leaveEvent(self, ev: Any) -> None:
        super().leaveEvent(ev)
        self.pointer_moved.emit(float("nan"), float("nan"))

    @override
    def keyPressEvent(self, ev: QKeyEvent) -> None:
        match ev.key():
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self._zoom(0.8)
            case Qt.Key.Key_Minus:
                self._zoom(1.25)
            case Qt.Key.Key_0 | Qt.Key.Key_Home:
                self.fit_requested.emit()
            case Qt.Key.Key_Left:
                self.pointer_stepped.emit(-1)
            case Qt.Key.Key_Right:
                self.pointer_stepped.emit(1)
            case _:
                super().keyPressEvent(ev)

    def _zoom(self, factor: float) -> None:
        self.box.scaleBy(x=factor)
        self.range_changed_by_user.emit()
