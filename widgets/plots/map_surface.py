"""Plane of a map: a lasso is drawn on it, and keys go from point to point."""

from typing import Any, Literal

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainterPath
from PySide6.QtWidgets import QGraphicsPathItem, QGraphicsSceneWheelEvent, QWidget
from typing_extensions import override

from widgets.common.theme import current_theme
from widgets.plots.surface import Surface, ZoomBox

_PANNED = 0.15  # of what is seen, at a press of a key
_STEPS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
}
_KEYS = {
    Qt.Key.Key_Space: "toggle",
    Qt.Key.Key_Return: "open",
    Qt.Key.Key_Enter: "open",
    Qt.Key.Key_N: "nearest",
    Qt.Key.Key_Escape: "clear",
}


class LassoBox(ZoomBox):
    """A drag with the left button draws a line, one with another moves the plane; the wheel zooms
    both axes alike. ``drawn`` carries the corner that was added, in the plane's coordinates,
    ``finished`` the keys that were held.
    """

    drawn = Signal(float, float)
    finished = Signal(object)
    clicked = Signal(float, float, object)

    def __init__(self) -> None:
        super().__init__()
        self.setMouseMode(pg.ViewBox.PanMode)
        self.setAspectLocked()

    @override
    def mouseDragEvent(self, ev: Any, axis: int | None = None) -> None:
        if ev.button() != Qt.MouseButton.LeftButton:
            super().mouseDragEvent(ev, axis)
            return
        ev.accept()
        if ev.isStart():
            self._draw(ev.buttonDownPos())
        self._draw(ev.pos())
        if ev.isFinish():
            self.finished.emit(ev.modifiers())

    @override
    def mouseClickEvent(self, ev: Any) -> None:
        if ev.button() == Qt.MouseButton.LeftButton and not ev.double():
            ev.accept()
            point = self.mapToView(ev.pos())
            self.clicked.emit(point.x(), point.y(), ev.modifiers())

    @override
    def wheelEvent(self, ev: QGraphicsSceneWheelEvent, axis: int | None = None) -> None:
        pg.ViewBox.wheelEvent(self, ev, axis)

    def _draw(self, position: QPointF) -> None:
        point = self.mapToView(position)
        self.drawn.emit(point.x(), point.y())


class MapSurface(Surface):
    """``lassoed`` carries the corners (corners, 2) of a line that was drawn by hand and how it
    changes a selection; ``walked`` a step across and up by the arrow keys.
    """

    lassoed = Signal(object, str)
    clicked = Signal(float, float, str)
    walked = Signal(int, int)
    key_used = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        self._corners: list[tuple[float, float]] = []
        self._line = QGraphicsPathItem()
        self._line.setZValue(20)
        self._lasso = LassoBox()
        super().__init__(parent, self._lasso)
        self.add(self._line)
        self._lasso.drawn.connect(self._on_drawn)
        self._lasso.finished.connect(self._on_finished)
        self._lasso.clicked.connect(lambda x, y, keys: self.clicked.emit(x, y, combination(keys)))

    @property
    def is_drawing(self) -> bool:
        """Whether a line is being drawn."""
        return bool(self._corners)

    def set_apart(self, *, is_apart: bool) -> None:
        """Give each axis its own unit, or one unit the same length in both directions."""
        self._lasso.setAspectLocked(not is_apart)

    @override
    def restyle(self) -> None:
        super().restyle()
        theme = current_theme()
        fill = QColor(theme.accent)
        fill.setAlpha(40)
        self._line.setPen(pg.mkPen(theme.accent, width=1.5))
        self._line.setBrush(pg.mkBrush(fill))

    def _on_drawn(self, x: float, y: float) -> None:
        self._corners.append((x, y))
        path = QPainterPath(QPointF(*self._corners[0]))
        for corner in self._corners[1:]:
            path.lineTo(QPointF(*corner))
        self._line.setPath(path)

    def _on_finished(self, keys: Qt.KeyboardModifier) -> None:
        corners, self._corners = np.asarray(self._corners), []
        self._line.setPath(QPainterPath())
        self.lassoed.emit(corners, combination(keys))

    @override
    def keyPressEvent(self, ev: QKeyEvent) -> None:
        key = Qt.Key(ev.key())
        if key in _STEPS:
            across, up = _STEPS[key]
            if ev.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self._pan(across, up)
            else:
                self.walked.emit(across, up)
        elif key == Qt.Key.Key_A and ev.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.key_used.emit("all")
        elif key in _KEYS and not ev.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.key_used.emit(_KEYS[key])
        else:
            super().keyPressEvent(ev)

    def _pan(self, across: int, up: int) -> None:
        (left, right), (low, high) = self.box.viewRange()
        self.box.translateBy(x=across * (right - left) * _PANNED, y=up * (high - low) * _PANNED)

    @override
    def _zoom(self, factor: float) -> None:
        self.box.scaleBy((factor, factor))
        self.range_changed_by_user.emit()


def combination(keys: Qt.KeyboardModifier) -> Literal["replace", "add", "remove"]:
    """Return how what was picked changes a selection, by the keys that were held."""
    if keys & (Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ControlModifier):
        return "remove"
    return "add" if keys & Qt.KeyboardModifier.ShiftModifier else "replace"
