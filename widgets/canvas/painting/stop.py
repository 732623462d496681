"""Signs of the debugger: a dot at a breakpoint, an arrow and a ring where a run is stopped."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from widgets.canvas.items.node_item import HEADER, NodeItem
from widgets.canvas.look import Look
from widgets.canvas.painting.style import Style
from widgets.canvas.viewport import Viewport

_DOT = 7.0
_LEAST = 4.0  # pixels of a sign when all is small


def paint_stop(
    painter: QPainter, viewport: Viewport, style: Style, item: NodeItem, look: Look
) -> None:
    """Paint the signs of a node, in pixels; at most nodes there are none."""
    is_stop, stands = item.view.id in look.stops, item.view.id in look.standing
    if not (is_stop or stands):
        return
    middle = viewport.to_pixel(QPointF(item.x, item.y + min(HEADER, item.height) / 2))
    radius = max(_DOT * viewport.scale, _LEAST)
    if stands:
        _paint_ring(painter, viewport, style, item)
    if is_stop:
        painter.setPen(QPen(style["node"], 1.5))
        painter.setBrush(style["error"])
        painter.drawEllipse(middle, radius, radius)
    if stands:
        left = middle - QPointF(radius * (3.2 if is_stop else 1.6), 0)
        _paint_arrow(painter, style, left, radius)


def _paint_ring(painter: QPainter, viewport: Viewport, style: Style, item: NodeItem) -> None:
    rect = item.rect().adjusted(-5, -5, 5, 5)
    corner = viewport.to_pixel(rect.topLeft())
    glow = QColor(style["warning"])
    glow.setAlpha(40)
    painter.setPen(QPen(style["warning"], 2.0))
    painter.setBrush(glow)
    painter.drawRoundedRect(QRectF(corner, rect.size() * viewport.scale), 9, 9)


def _paint_arrow(painter: QPainter, style: Style, tip: QPointF, size: float) -> None:
    x, y = tip.x(), tip.y()
    arrow = QPolygonF(
        [
            QPointF(x - size * 1.6, y - size * 0.45),
            QPointF(x, y - size * 0.45),
            QPointF(x, y - size),
            QPointF(x + size * 1.3, y),
            QPointF(x, y + size),
            QPointF(x, y + size * 0.45),
            QPointF(x - size * 1.6, y + size * 0.45),
        ]
    )
    painter.setPen(QPen(style["node"], 1.2, Qt.PenStyle.SolidLine))
    painter.setBrush(style["warning"])
    painter.drawPolygon(arrow)
