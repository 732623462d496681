"""Wires, and the shapes written on them where they hide no node."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from widgets.canvas.items.wire_item import WireItem
from widgets.canvas.look import Look
from widgets.canvas.painting.style import SMALL_PIXELS, Style
from widgets.canvas.scene import Scene
from widgets.canvas.viewport import Viewport

_PLACES = (0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78)
_LIFTS = (0.0, -13.0, 13.0, -36.0, 36.0)
LABEL_ROOM = 120.0
"""How far around a part that is painted labels may lie that hide some in it."""

_LABEL_HEIGHT = 16.0
_LABEL_SCALE = 0.7  # labels are drawn from this zoom on
_LONG = 2_000.0  # wires from here on are one pixel wide: a broader line takes by its length
_FAR_APART = 6_000.0  # wires from here on have no label: its place is looked for past all cards


class WirePainter:
    """Paints wires in scene units and their labels in pixels."""

    def __init__(self, painter: QPainter, viewport: Viewport, style: Style) -> None:
        self._painter = painter
        self._viewport = viewport
        self._style = style
        wide = 1.6 if viewport.scale >= 0.6 else 1.0 / viewport.scale
        self._plain = QPen(style["wire"], wide)
        self._thin = QPen(style["wire"], 1.0 / viewport.scale)
        self._wide = wide

    def paint(self, items: list[WireItem], look: Look) -> None:
        """Paint wires; those that stand out last."""
        painter = self._painter
        painter.save()
        painter.setTransform(self._viewport.transform(), combine=True)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(self._plain)
        marked: list[WireItem] = []
        long: list[WireItem] = []
        for item in items:
            key = item.view.key
            if key == look.lifted:
                continue
            is_marked = key in look.wires or key in (look.hovered_wire, look.opened)
            if item.view.severity or is_marked:
                marked.append(item)
            elif item.box.width() > _LONG:
                long.append(item)
            else:
                painter.drawPath(item.path)
        painter.setPen(self._thin)
        for item in long:
            painter.drawPath(item.path)
        for item in marked:
            painter.setPen(self._marked_pen(item, look))
            painter.drawPath(item.path)
        painter.restore()

    def paint_labels(self, items: list[WireItem], scene: Scene, look: Look, part: QRectF) -> None:
        """Write the shapes on wires, as far as they stand in a part of the scene."""
        pixels = self._style.pixels(SMALL_PIXELS, self._viewport.scale)
        if self._viewport.scale < _LABEL_SCALE or not pixels:
            return
        painter = self._painter
        painter.setFont(self._style.font(pixels))
        taken: set[tuple[int, int]] = set()
        # Always in one order, that of importance first: who comes first hides who lies below.
        for item in sorted(items, key=lambda item: (not item.view.severity, item.key)):
            if not item.view.label or item.box.width() > _FAR_APART:
                continue
            if item.view.key == look.lifted:
                continue
            width = self._style.width(item.view.label, SMALL_PIXELS) + 6.0
            center = place_label(item, width, scene)
            if center is None:
                continue
            rect = QRectF(center.x() - width / 2, center.y() - 8.0, width, _LABEL_HEIGHT)
            cells = _cells(rect)
            if not taken.isdisjoint(cells):
                continue
            taken |= cells  # also by one that lies outside: what it hides must not come up in parts
            if rect.intersects(part):
                self._paint_label(item, rect, look)

    def _paint_label(self, item: WireItem, rect: QRectF, look: Look) -> None:
        painter, viewport, style = self._painter, self._viewport, self._style
        corner = viewport.to_pixel(rect.topLeft())
        area = QRectF(corner, rect.size() * viewport.scale)
        ground = QColor(style["canvas"])
        ground.setAlpha(225)
        painter.fillRect(area, ground)
        key = item.view.key
        is_marked = key in look.wires or key == look.hovered_wire
        color = style["accent"] if is_marked else style["muted"]
        if item.view.severity:
            color = style.severity(item.view.severity)
        painter.setPen(color)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, item.view.label)

    def _marked_pen(self, item: WireItem, look: Look) -> QPen:
        key, severity = item.view.key, item.view.severity
        if key == look.opened:
            return QPen(self._style["accent"], self._wide * 2.2)
        color = self._style["accent"] if key in look.wires else self._style["muted"]
        width = self._wide * (1.5 if key in look.wires else 1.25)
        if severity and key not in look.wires:
            color = self._style.severity(severity)
        pen = QPen(color, width)
        if severity:
            pen.setDashPattern([4.0, 2.5])
        return pen


def paint_live_wire(painter: QPainter, path: QPainterPath, style: Style, *, lands: bool) -> None:
    """Draw the wire in the hand; solid once it would land."""
    pen = QPen(style["accent"], 2.2)
    if not lands:
        pen.setDashPattern([5.0, 3.0])
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(path)


def _cells(rect: QRectF) -> set[tuple[int, int]]:
    """Return the cells of a fine grid that a label covers: two labels in one would overlap."""
    columns = range(int(rect.left() // 16), int(rect.right() // 16) + 1)
    row = int(rect.center().y() // 12)
    return {(column, near) for column in columns for near in (row, row + 1)}


def place_label(item: WireItem, width: float, scene: Scene) -> QPointF | None:
    """Return where a label hides no node, near the middle of its wire; looked for once."""
    if item.is_label_placed:
        return item.label_center
    item.is_label_placed = True
    around = item.bounds().adjusted(-width / 2, 0, width / 2, 0)
    cards = [node.rect().adjusted(-1, -1, 1, 1) for node in scene.nodes_in(around)]
    is_long = (item.end - item.start).manhattanLength() > width + 36.0
    for lift in _LIFTS if is_long else _LIFTS[1:]:
        for t in _PLACES:
            center = item.point(t) + QPointF(0, lift)
            rect = QRectF(center.x() - width / 2, center.y() - 8.0, width, _LABEL_HEIGHT)
            if not any(rect.intersects(card) for card in cards):
                item.label_center = center
                return center
    return None
