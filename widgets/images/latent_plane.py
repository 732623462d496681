"""A plane to drag a point in: the pictures that belong to its places, and points of data on it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy
from typing_extensions import override

from widgets.common.live_widget import LiveWidget
from widgets.common.theme import current_theme
from widgets.images.class_color import box_color
from widgets.images.pixels import to_image
from widgets.images.view_model import ImageView

_SIDE, _LEAST = 340, 160  # pixels
_MARGIN = 2
_DOT, _CROSS = 3.0, 7.0  # pixels of a radius
_STEPS = 40.0  # from the middle to an edge, with the arrow keys
_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
}


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class PlaneView:
    """A plane from ``-span`` to ``span`` in both directions, up and to the right: ``ground`` is one
    picture of all of it, ``xy`` (N, 2) are points with the class numbers ``classes`` (N,). The
    ``point`` can be dragged.
    """

    span: float
    point: tuple[float, float]
    ground: ImageView | None
    xy: NDArray[np.float32]
    classes: NDArray[np.int64]


class LatentPlane(LiveWidget):
    """Shows a :class:`PlaneView`; ``moved`` tells where the point is dragged to, or moved to with
    the arrow keys (ten times as far with Shift).
    """

    moved = Signal(float, float)

    def __init__(self, object_name: str) -> None:
        super().__init__()
        self.setObjectName(object_name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.view: PlaneView | None = None
        self._ground: ImageView | None = None
        self._image = QImage()

    def set_view(self, view: PlaneView | None) -> None:
        """Show a plane, or nothing."""
        ground = None if view is None else view.ground
        if ground is not self._ground:
            self._ground = ground
            self._image = QImage() if ground is None else to_image(ground)
        self.view = view
        self.update()

    @override
    def restyle(self) -> None:
        self.update()

    @override
    def sizeHint(self) -> QSize:
        return QSize(_SIDE, _SIDE)

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST, _LEAST)

    def area(self) -> QRectF:
        """Return the square of the plane, in pixels of the widget."""
        side = min(self.width(), self.height()) - 2 * _MARGIN
        return QRectF((self.width() - side) / 2, (self.height() - side) / 2, side, side)

    def position(self, x: float, y: float) -> QPointF:
        """Return where a point is, in pixels of the widget; at the edge for one outside."""
        span = 1.0 if self.view is None else self.view.span
        area = self.area()
        x, y = (min(max(value / span, -1.0), 1.0) for value in (x, y))
        return QPointF(
            area.center().x() + x * area.width() / 2, area.center().y() - y * area.height() / 2
        )

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        view, theme = self.view, current_theme()
        if view is None:
            return
        painter = QPainter(self)
        area = self.area()
        if not self._image.isNull():
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(area, self._image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.accent if self.hasFocus() else theme.border), 1))
        painter.drawRect(area)
        painter.setPen(QPen(QColor("black"), 0.7))
        for (x, y), number in zip(view.xy.tolist(), view.classes.tolist(), strict=True):
            painter.setBrush(QColor(*box_color(number)))
            painter.drawEllipse(self.position(x, y), _DOT, _DOT)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for color, width in (("black", 4.0), ("white", 2.0)):
            painter.setPen(QPen(QColor(color), width))
            painter.drawEllipse(self.position(*view.point), _CROSS, _CROSS)

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._drag(event)

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._drag(event)

    def _drag(self, event: QMouseEvent) -> None:
        if self.view is None or not event.buttons() & Qt.MouseButton.LeftButton:
            return
        area, at = self.area(), event.position()
        self._move(
            2 * (at.x() - area.center().x()) / area.width() * self.view.span,
            2 * (area.center().y() - at.y()) / area.height() * self.view.span,
        )

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        arrow = _ARROWS.get(Qt.Key(event.key()))
        if arrow is None or self.view is None:
            super().keyPressEvent(event)
            return
        is_far = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        length = self.view.span / _STEPS * (10 if is_far else 1)
        x, y = self.view.point
        self._move(x + arrow[0] * length, y + arrow[1] * length)

    def _move(self, x: float, y: float) -> None:
        """Tell where the point shall be, within the plane."""
        span = 0.0 if self.view is None else self.view.span
        self.moved.emit(min(max(x, -span), span), min(max(y, -span), span))
