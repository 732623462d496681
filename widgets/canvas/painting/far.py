"""Painting of the whole graph from far away: all nodes and wires in a few calls, without names.

The rectangles are kept as long as the scene does not change; ten thousand nodes are then a matter
of milliseconds.
"""

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from widgets.canvas.look import Look
from widgets.canvas.painting.style import Style, mixed
from widgets.canvas.scene import Scene
from widgets.canvas.viewport import Viewport


class FarPainter:
    """Paints everything at once."""

    def __init__(self) -> None:
        self._version = -1
        self._wires = QPainterPath()  # half the time of a list of lines
        self._by_category: dict[tuple[str, str], list[QRectF]] = {}
        self._problems: dict[str, list[QRectF]] = {}

    def paint(
        self, painter: QPainter, scene: Scene, viewport: Viewport, style: Style, look: Look
    ) -> None:
        """Paint the scene on a painter that draws pixels."""
        if self._version != scene.version:
            self._collect(scene)
        painter.save()
        painter.setTransform(viewport.transform(), combine=True)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.strokePath(self._wires, QPen(style["wire"], 0))
        outline = QColor(style["canvas"])
        pen = QPen(outline, 0) if viewport.scale > 0.12 else QPen(Qt.PenStyle.NoPen)
        painter.setPen(pen)
        for (mark, category), rects in self._by_category.items():
            color = style.mark(mark) or style.category(category)
            painter.setBrush(mixed(color, style["node"], 0.62))
            painter.drawRects(rects)
        for severity, rects in self._problems.items():
            painter.setBrush(style.severity(severity))
            painter.drawRects(rects)
        self._paint_selected(painter, scene, style, look)
        painter.restore()

    def _paint_selected(self, painter: QPainter, scene: Scene, style: Style, look: Look) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        pen = QPen(style["warning"], 3)
        pen.setCosmetic(True)
        painter.setPen(pen)
        matches = [scene.nodes[key] for key in look.matches or () if key in scene.nodes]
        painter.drawRects([item.rect() for item in matches])
        pen = QPen(style["accent"], 2)
        pen.setCosmetic(True)
        painter.setPen(pen)
        items = [scene.nodes[node_id] for node_id in look.nodes if node_id in scene.nodes]
        painter.drawRects([item.rect() for item in items])
        painter.drawLines(
            [QLineF(wire.start, wire.end) for key in look.wires if (wire := scene.wires.get(key))]
        )

    def _collect(self, scene: Scene) -> None:
        self._version = scene.version
        self._wires = QPainterPath()
        for wire in scene.wires.values():
            self._wires.moveTo(wire.start)
            self._wires.lineTo(wire.end)
        self._by_category = {}
        self._problems = {}
        for item in scene.nodes.values():
            view = item.view
            if view.severity:
                self._problems.setdefault(view.severity, []).append(item.rect())
            else:
                key = (view.color, view.category)
                self._by_category.setdefault(key, []).append(item.rect())
