"""Bars below nodes: the share of each in the metric that is shown."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from widgets.canvas.items.node_item import WIDTH, NodeItem
from widgets.canvas.look import Look
from widgets.canvas.painting.style import SMALL_PIXELS, Style
from widgets.canvas.viewport import Viewport

_HEIGHT = 5.0
_GAP = 1.0  # so that the figure ends above what wires that run back between two rows say


def paint_bar(
    painter: QPainter, viewport: Viewport, style: Style, item: NodeItem, look: Look
) -> None:
    """Paint the bar of a node, in pixels, with its figure below; most often there is none."""
    bar = look.bars.get(item.view.id)
    if bar is None:
        return
    share, text = bar
    scale = viewport.scale
    corner = viewport.to_pixel(QPointF(item.x, item.y + item.height + _GAP))
    height = max(_HEIGHT * scale, 2.0)
    painter.setPen(Qt.PenStyle.NoPen)
    ground = QColor(style["strong_border"])
    ground.setAlpha(90)
    painter.setBrush(ground)
    painter.drawRoundedRect(QRectF(corner.x(), corner.y(), WIDTH * scale, height), 2, 2)
    painter.setBrush(style["warning"] if share > 0.5 else style["accent"])
    width = max(WIDTH * scale * min(max(share, 0.0), 1.0), 1.0)
    painter.drawRoundedRect(QRectF(corner.x(), corner.y(), width, height), 2, 2)
    pixels = style.pixels(SMALL_PIXELS, scale)
    if pixels:
        painter.setFont(style.font(pixels))
        painter.setPen(style["muted"])
        painter.drawText(corner + QPointF(0, height + 0.9 * pixels), text)
