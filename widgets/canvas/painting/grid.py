"""Dots behind the nodes: one row is drawn, the others are copies."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap

from widgets.canvas.items.node_item import GRID
from widgets.canvas.painting.style import Style
from widgets.canvas.viewport import Viewport

_CLOSEST = 14.0  # pixels between dots


def paint_grid(painter: QPainter, area: QRectF, viewport: Viewport, style: Style) -> None:
    """Draw dots on an area in pixels; coarser and fainter with the zoom."""
    step = GRID
    while step * viewport.scale < _CLOSEST:
        step *= 4
    pitch = step * viewport.scale
    color = QColor(style["strong_border"])
    color.setAlphaF(min(0.85, 0.45 + 0.4 * (pitch - _CLOSEST) / _CLOSEST))
    first_column = int((area.left() - viewport.x) // pitch)
    last_column = int((area.right() - viewport.x) // pitch) + 1
    first_row = int((area.top() - viewport.y) // pitch)
    last_row = int((area.bottom() - viewport.y) // pitch) + 1
    left = round(viewport.x + first_column * pitch)
    ratio = painter.device().devicePixelRatioF()
    strip = QPixmap(round(((last_column - first_column + 1) * pitch + 4) * ratio), round(3 * ratio))
    strip.setDevicePixelRatio(ratio)
    strip.fill(Qt.GlobalColor.transparent)
    pencil = QPainter(strip)
    pencil.setRenderHint(QPainter.RenderHint.Antialiasing)
    pencil.setPen(QPen(color, 1.7, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    columns = range(first_column, last_column + 1)
    dots = [round(viewport.x + column * pitch) - left + 1.5 for column in columns]
    pencil.drawPoints([QPointF(x, 1.5) for x in dots])
    pencil.end()
    for row in range(first_row, last_row + 1):
        painter.drawPixmap(QPointF(left - 1, round(viewport.y + row * pitch) - 1), strip)
