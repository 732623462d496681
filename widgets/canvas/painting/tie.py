"""Thin dashed lines between nodes with tied weights, while one of them is selected."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from widgets.canvas.look import Look
from widgets.canvas.painting.style import Style
from widgets.canvas.scene import Scene
from widgets.canvas.viewport import Viewport

_SAG = 40.0  # scene units by which a line leaves the straight way, so that it hides no wire


def paint_ties(
    painter: QPainter, scene: Scene, viewport: Viewport, style: Style, look: Look
) -> None:
    """Lead a line from the upper edge of one card to that of the other, above both."""
    shown = [tie for tie in scene.ties if look.nodes.keys() & set(tie)]
    ends = [tie for tie in shown if all(key in scene.nodes for key in tie)]
    if not ends:
        return
    color = QColor(style["accent"])
    color.setAlpha(190)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(color, 1.3, Qt.PenStyle.DashLine))
    for first, second in ends:
        start, end = (_top(scene, key) for key in (first, second))
        height = min(start.y(), end.y()) - _SAG
        path = QPainterPath(viewport.to_pixel(start))
        path.cubicTo(
            viewport.to_pixel(QPointF(start.x(), height)),
            viewport.to_pixel(QPointF(end.x(), height)),
            viewport.to_pixel(end),
        )
        painter.drawPath(path)


def _top(scene: Scene, key: str) -> QPointF:
    rect = scene.nodes[key].rect()
    return QPointF(rect.center().x(), rect.top())
