"""Picture of the scene: grid, wires, nodes, labels; near or far."""

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter

from widgets.canvas.look import Look
from widgets.canvas.painting.box import BoxPainter
from widgets.canvas.painting.card import CardPictures
from widgets.canvas.painting.far import FarPainter
from widgets.canvas.painting.grid import paint_grid
from widgets.canvas.painting.node import NodePainter
from widgets.canvas.painting.style import Style
from widgets.canvas.painting.tie import paint_ties
from widgets.canvas.painting.wire import LABEL_ROOM, WirePainter
from widgets.canvas.scene import Scene
from widgets.canvas.viewport import Viewport


class ScenePainter:
    """Paints a scene in a style; holds what is kept from one painting to the next."""

    def __init__(self, style: Style, pixel_ratio: float) -> None:
        self.style = style
        self.pixel_ratio = pixel_ratio
        self._pictures = CardPictures(style, pixel_ratio)
        self._far = FarPainter()

    def paint(
        self, painter: QPainter, area: QRect, scene: Scene, viewport: Viewport, look: Look
    ) -> None:
        """Paint what lies in an area of pixels."""
        painter.fillRect(area, self.style["canvas"])
        paint_grid(painter, QRectF(area), viewport, self.style)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        boxes = BoxPainter(painter, viewport, self.style)
        boxes.paint(scene.boxes_in(viewport.scene_rect(area)), look)
        if viewport.is_far(len(scene.nodes)):
            self._far.paint(painter, scene, viewport, self.style, look)
            return
        part = viewport.scene_rect(area)
        wires = scene.wires_in(part)
        wire_painter = WirePainter(painter, viewport, self.style)
        wire_painter.paint(wires, look)
        paint_ties(painter, scene, viewport, self.style, look)
        nodes = NodePainter(painter, viewport, self.style, self._pictures)
        nodes.paint(scene.nodes_in(part), look)
        around = part.adjusted(-LABEL_ROOM, -LABEL_ROOM, LABEL_ROOM, LABEL_ROOM)
        wire_painter.paint_labels(scene.wires_in(around), scene, look, part)

    def paint_empty(self, painter: QPainter, area: QRect, first: str, *others: str) -> None:
        """Say on an empty canvas what can be done."""
        middle = QPointF(area.center())
        rows = [(first, "muted", 15, -26.0, True)]
        rows += [(text, "faint", 12, -2.0 + 20.0 * row, False) for row, text in enumerate(others)]
        for text, color, pixels, y, bold in rows:
            size = round(pixels * self.style.text_scale)
            painter.setFont(self.style.font(size, bold=bold))
            painter.setPen(self.style[color])
            row = QRectF(area.left(), middle.y() + y - 12, area.width(), 24)
            painter.drawText(row, Qt.AlignmentFlag.AlignCenter, text)
