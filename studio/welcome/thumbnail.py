"""A small picture of a graph: its nodes in the colours of their kinds and the wires between."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPixmap

from engine.graph.model import Graph
from engine.graph.query import entry_of
from widgets.common.theme import current_theme

_NODE = (168.0, 56.0)
_MARGIN = 14.0


def thumbnail(graph: Graph, size: QSize, ratio: float = 1.0) -> QPixmap:
    """Return a picture of ``size`` logical pixels in the colours of the theme."""
    picture = QPixmap(size * ratio)
    picture.setDevicePixelRatio(ratio)
    theme = current_theme()
    picture.fill(QColor(theme.canvas))
    if not graph.nodes:
        return picture
    places = {key: QPointF(*node.position) for key, node in graph.nodes.items()}
    area = QRectF(
        min(place.x() for place in places.values()),
        min(place.y() for place in places.values()),
        1.0,
        1.0,
    )
    for place in places.values():
        area = area.united(QRectF(place.x(), place.y(), *_NODE))
    scale = min(
        (size.width() - 2 * _MARGIN) / area.width(), (size.height() - 2 * _MARGIN) / area.height()
    )
    scale = min(scale, 0.5)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(size.width() / 2, size.height() / 2)
    painter.scale(scale, scale)
    painter.translate(-area.center())
    painter.setPen(QPen(QColor(theme.wire), 1.4 / scale))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for edge in graph.edges:
        if edge.source in places and edge.target in places:
            painter.drawPath(_wire(places[edge.source], places[edge.target]))
    for key, node in graph.nodes.items():
        entry = entry_of(node)
        color = QColor(theme.category(entry.category if entry else ""))
        rect = QRectF(places[key].x(), places[key].y(), *_NODE)
        painter.setPen(QPen(color, 1.2 / scale))
        soft = QColor(color)
        soft.setAlpha(70)
        painter.setBrush(soft)
        painter.drawRoundedRect(rect, 4 / scale, 4 / scale)
    painter.end()
    return picture


def _wire(source: QPointF, target: QPointF) -> QPainterPath:
    begin = source + QPointF(_NODE[0], _NODE[1] / 2)
    end = target + QPointF(0, _NODE[1] / 2)
    reach = max(abs(end.x() - begin.x()) / 2, 30)
    path = QPainterPath(begin)
    path.cubicTo(begin + QPointF(reach, 0), end - QPointF(reach, 0), end)
    return path
