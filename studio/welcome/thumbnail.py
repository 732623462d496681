"""Thumbnail of a graph: its nodes in the colours of their kinds and the wires between."""

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPixmap

from engine.graph.block import entry_of
from engine.graph.model import Graph
from widgets.common.theme import current_theme

_MARGIN = 18.0
_HEIGHT = 30.0
_WIDEST, _NARROWEST = 44.0, 7.0
_BEND = 6.0  # how far a wire to the row below stands off its nodes


def thumbnail(graph: Graph, size: QSize, ratio: float = 1.0) -> QPixmap:
    """Return a picture of ``size`` logical pixels in the colours of the theme."""
    picture = QPixmap(size * ratio)
    picture.setDevicePixelRatio(ratio)
    theme = current_theme()
    picture.fill(QColor(theme.canvas))
    if not graph.nodes:
        return picture
    rects = _places(graph, size)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(theme.wire), 1.3))
    for edge in graph.edges:
        if edge.source in rects and edge.target in rects:
            painter.drawPath(_wire(rects[edge.source], rects[edge.target]))
    for key, node in graph.nodes.items():
        entry = entry_of(graph, node)
        color = QColor(theme.category(entry.category if entry else ""))
        painter.setPen(QPen(color, 1.2))
        soft = QColor(color)
        soft.setAlpha(80)
        painter.setBrush(soft)
        painter.drawRoundedRect(rects[key], 3, 3)
    painter.end()
    return picture


def _places(graph: Graph, size: QSize) -> dict[str, QRectF]:
    """Return where each node is drawn: spread over the picture, as large as there is room."""
    xs = sorted({round(node.position[0]) for node in graph.nodes.values()})
    ys = sorted({round(node.position[1]) for node in graph.nodes.values()})
    pitch = (size.width() - 2 * _MARGIN) / len(xs)
    width = max(_NARROWEST, min(_WIDEST, pitch * 0.6))
    row = (size.height() - 2 * _MARGIN) / len(ys)
    height = max(_NARROWEST, min(_HEIGHT, row * 0.7))
    places = {}
    for key, node in graph.nodes.items():
        x = _MARGIN + (xs.index(round(node.position[0])) + 0.5) * pitch
        y = _MARGIN + (ys.index(round(node.position[1])) + 0.5) * row
        places[key] = QRectF(x - width / 2, y - height / 2, width, height)
    return places


def _wire(source: QRectF, target: QRectF) -> QPainterPath:
    begin = QPointF(source.right(), source.center().y())
    end = QPointF(target.left(), target.center().y())
    if end.x() <= begin.x():
        return _wire_back(begin, end)
    reach = abs(end.x() - begin.x()) / 2
    path = QPainterPath(begin)
    path.cubicTo(begin + QPointF(reach, 0), end - QPointF(reach, 0), end)
    return path


def _wire_back(begin: QPointF, end: QPointF) -> QPainterPath:
    """Return the way to the beginning of the next row: out, between the rows, in."""
    middle = (begin.y() + end.y()) / 2
    path = QPainterPath(begin)
    for x, y in (
        (begin.x() + _BEND, begin.y()),
        (begin.x() + _BEND, middle),
        (end.x() - _BEND, middle),
        (end.x() - _BEND, end.y()),
    ):
        path.lineTo(x, y)
    path.lineTo(end)
    return path
