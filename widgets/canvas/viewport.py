"""Viewport: the visible part of the scene and its scale."""

from math import isfinite
from typing import TypeGuard

from PySide6.QtCore import QPointF, QRect, QRectF, QSizeF
from PySide6.QtGui import QTransform

SMALLEST = 0.05
LARGEST = 3.0
_FARTHEST = 1e7  # pixels from the origin
_FAR = 0.4  # below, many nodes are drawn at once, without names
_FAR_FOR_FEW = 0.14
_FEW = 400  # nodes that can be drawn one by one in a frame


class Viewport:
    """A scale and an offset in whole pixels: pixel = scene * scale + offset."""

    def __init__(self) -> None:
        self.scale = 1.0
        self.x = 40.0
        self.y = 40.0

    def is_far(self, node_count: int) -> bool:
        """Return whether that many nodes are too small to be drawn one by one."""
        return self.scale < (_FAR_FOR_FEW if node_count <= _FEW else _FAR)

    def to_scene(self, point: QPointF) -> QPointF:
        """Return the place in the scene under a pixel."""
        return QPointF((point.x() - self.x) / self.scale, (point.y() - self.y) / self.scale)

    def to_pixel(self, point: QPointF) -> QPointF:
        """Return the pixel of a place in the scene."""
        return QPointF(point.x() * self.scale + self.x, point.y() * self.scale + self.y)

    def scene_rect(self, rect: QRect | QRectF) -> QRectF:
        """Return the part of the scene under a rectangle of pixels."""
        area = QRectF(rect)
        return QRectF(self.to_scene(area.topLeft()), area.size() / self.scale)

    def pixel_rect(self, rect: QRectF) -> QRect:
        """Return the whole pixels that a rectangle of the scene touches."""
        corner = self.to_pixel(rect.topLeft())
        area = QRectF(corner, rect.size() * self.scale)
        return area.toAlignedRect().adjusted(-2, -2, 2, 2)

    def transform(self) -> QTransform:
        """Return the transformation from scene to pixels."""
        return QTransform(self.scale, 0, 0, self.scale, self.x, self.y)

    def pan(self, dx: float, dy: float) -> None:
        """Move what is seen by pixels."""
        self.x = round(self.x + dx)
        self.y = round(self.y + dy)

    def zoom(self, scale: float, fixed: QPointF) -> None:
        """Change the scale; the place under a pixel stays there."""
        position = self.to_scene(fixed)
        self.scale = min(max(scale, SMALLEST), LARGEST)
        self.x = round(fixed.x() - position.x() * self.scale)
        self.y = round(fixed.y() - position.y() * self.scale)

    def restore(self, scale: object, x: object, y: object) -> None:
        """Take up an earlier scale and offset; anything that is none is ignored."""
        if _is_sane(scale) and _is_sane(x) and _is_sane(y):
            self.scale = min(max(scale, SMALLEST), LARGEST)
            self.x, self.y = round(x), round(y)

    def center(self, position: QPointF, size: QSizeF) -> None:
        """Bring a place of the scene to the middle."""
        self.x = round(size.width() / 2 - position.x() * self.scale)
        self.y = round(size.height() / 2 - position.y() * self.scale)

    def fit(self, rect: QRectF, area: QRectF, largest: float = 1.0) -> None:
        """Show a whole rectangle of the scene in an area of pixels, no larger than ``largest``."""
        width = max(area.width(), 1.0) / max(rect.width(), 1.0)
        height = max(area.height(), 1.0) / max(rect.height(), 1.0)
        self.scale = min(max(min(width, height), SMALLEST), largest)
        position = area.center() - rect.center() * self.scale
        self.x, self.y = round(position.x()), round(position.y())


def _is_sane(value: object) -> TypeGuard[float]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isfinite(value) and abs(value) < _FARTHEST
