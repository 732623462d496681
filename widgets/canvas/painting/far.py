"""The whole graph from far away: all nodes and wires in a few calls, without names.

The rectangles are kept as long as the scene does not change; ten thousand nodes are then a matter
of milliseconds.
"""

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from widgets.canvas.look import Look
from widgets.canvas.painting.style import Style
from widgets.canvas.scene import Scene
from widgets.canvas.viewport import Viewport


class FarPainter:
    """Paints everything at once."""

    def __init__(self) -> None:
        self._version = -1
        self._wires: list[QLineF] = []
        self._by_category: dict[str, list[QRectF]] = {}
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
        painter.setPen(QPen(style["wire"], 0))
        painter.drawLines(self._wires)
        outline = QColor(style["canvas"])
        pen = QPen(outline, 0) if viewport.scale > 0.12 else QPen(Qt.PenStyle.NoPen)
        painter.setPen(pen)
        for category, rects in self._by_category.items():
            painter.setBrush(_softened(style.category(category), style["node"]))
            painter.drawRects(rects)
        for severity, rects in self._problems.items():
            painter.setBrush(style.severity(severity))
            painter.drawRects(rects)
        self._paint_selected(painter, scene, style, look)
        painter.restore()

    def _paint_selected(self, painter: QPainter, scene: Scene, style: Style, look: Look) -> None:
        pen = QPen(style["accent"], 2)
        pen.setCosmetic(True)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        items = [scene.nodes[node_id] for node_id in look.nodes if node_id in scene.nodes]
        painter.drawRects([item.rect() for item in items])
        painter.drawLines(
            [QLineF(wire.start, wire.end) for key in look.wires if (wire := scene.wires.get(key))]
        )

    def _collect(self, scene: Scene) -> None:
        self._version = scene.version
        self._wires = [QLineF(wire.start, wire.end) for wire in scene.wires.values()]
        self._by_category = {}
        self._problems = {}
        for item in scene.nodes.values():
            view = item.view
            groups = self._problems if view.severity else self._by_category
            groups.setdefault(view.severity or view.category, []).append(item.rect())


def _softened(color: QColor, ground: QColor) -> QColor:
    share = 0.62
    return QColor.fromRgbF(
        color.redF() * share + ground.redF() * (1 - share),
        color.greenF() * share + ground.greenF() * (1 - share),
        color.blueF() * share + ground.blueF() * (1 - share),
    )
