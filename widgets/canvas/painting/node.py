"""Nodes near enough to be read: card, glyph, texts and ports."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from widgets.canvas.items.node_item import (
    COLLAPSED,
    HEADER,
    LINE,
    MARGIN,
    ROW,
    WIDTH,
    NodeItem,
    PortSpot,
)
from widgets.canvas.look import Look
from widgets.canvas.painting.bar import paint_bar
from widgets.canvas.painting.card import Card, CardPictures
from widgets.canvas.painting.stop import paint_stop
from widgets.canvas.painting.style import SMALL_PIXELS, TITLE_PIXELS, Style
from widgets.canvas.view_model import WireEnd
from widgets.canvas.viewport import Viewport

_TEXT_LEFT = 48.0
_COLLAPSED_LEFT = 36.0
_TEXT_WIDTH = WIDTH - _TEXT_LEFT - 12.0
_BELOW = 33.0  # the middle of the line below the name
_NAME_SCALE = 0.26  # below, no name is written
_FADED = 0.5  # of a node that is skipped or muted
_ZERO = 6.5  # half the height of the zero at an output of a muted node, in scene units
_LEAST_NAME, _MOST_NAME = 8, 11  # pixels of the name when it stands alone


class NodePainter:
    """Paints nodes in pixels, not in scene units, so that texts and edges stay sharp."""

    def __init__(
        self, painter: QPainter, viewport: Viewport, style: Style, pictures: CardPictures
    ) -> None:
        self._painter = painter
        self._viewport = viewport
        self._scale = viewport.scale
        self._style = style
        self._pictures = pictures
        self._title = style.pixels(TITLE_PIXELS, self._scale)
        self._small = style.pixels(SMALL_PIXELS, self._scale)
        self._port_half = 16.0 * self._scale

    def paint(self, items: list[NodeItem], look: Look) -> None:
        """Paint nodes, lowest first."""
        for item in items:
            self._paint_card(item, look)
            self._paint_texts(item)
            for spot in item.spots:
                self._paint_port(item, spot, look)
            self._painter.setOpacity(1.0)
            paint_bar(self._painter, self._viewport, self._style, item, look)
            paint_stop(self._painter, self._viewport, self._style, item, look)
            if item.view.is_bypassed:
                self._paint_detour(item)
            if item.view.is_muted:
                self._paint_zeros(item)

    def _paint_card(self, item: NodeItem, look: Look) -> None:
        view = item.view
        if look.lands is not None and not self._is_reachable(item, look):
            self._painter.setOpacity(0.45)
        elif look.matches is not None:
            self._mark_found(item, is_found=view.id in look.matches)
        if view.is_bypassed or view.is_muted:
            self._painter.setOpacity(self._painter.opacity() * _FADED)
        card = Card(
            item.height,
            view.category,
            view.severity,
            is_selected=view.id in look.nodes,
            is_hovered=view.id == look.hovered_node,
            is_pinned=view.is_pinned,
            is_frozen=view.is_frozen,
            is_recomputed=view.is_recomputed,
            is_block=view.is_block,
            color=view.color,
            is_collapsed=view.is_collapsed,
        )
        corner = self._pixel(item.x - MARGIN, item.y - MARGIN)
        self._pictures.draw_card(self._painter, corner, card, self._scale)

    def _mark_found(self, item: NodeItem, *, is_found: bool) -> None:
        """Dim what does not fit; light what does by a frame, so that not only colour tells it."""
        if not is_found:
            self._painter.setOpacity(0.35)
            return
        frame = item.rect().adjusted(-6, -6, 6, 6)
        corner = self._viewport.to_pixel(frame.topLeft())
        color = self._style["warning"]
        self._painter.setPen(QPen(color, 2.0))
        glow = QColor(color)
        glow.setAlpha(46)
        self._painter.setBrush(glow)
        self._painter.drawRoundedRect(QRectF(corner, frame.size() * self._scale), 9, 9)

    def _paint_detour(self, item: NodeItem) -> None:
        """Lead a dashed line over a node that is skipped, from its first input to its output."""
        ends = [next((s for s in item.spots if s.is_output is out), None) for out in (False, True)]
        if ends[0] is None or ends[1] is None:
            return
        start, end = (self._pixel(item.x + spot.dx, item.y + spot.dy) for spot in ends if spot)
        pen = QPen(self._style["accent"], max(2.0 * self._scale, 1.2), Qt.PenStyle.DashLine)
        self._painter.setPen(pen)
        self._painter.drawLine(start, end)

    def _paint_zeros(self, item: NodeItem) -> None:
        """Write a crossed zero over each output of a node that is muted."""
        pen = QPen(self._style["accent"], max(2.0 * self._scale, 1.2))
        radius = max(_ZERO * self._scale, 4.0)
        for spot in (spot for spot in item.spots if spot.is_output):
            middle = self._pixel(item.x + spot.dx, item.y + spot.dy)
            self._painter.setPen(pen)
            self._painter.setBrush(self._style["node"])
            self._painter.drawEllipse(middle, radius * 0.75, radius)
            slant = QPointF(radius * 0.75, -radius)
            self._painter.drawLine(middle - slant, middle + slant)

    def _pixel(self, x: float, y: float) -> QPointF:
        viewport, scale = self._viewport, self._scale
        return QPointF(round(x * scale + viewport.x), round(y * scale + viewport.y))

    def _paint_texts(self, item: NodeItem) -> None:
        view = item.view
        if not self._small:
            self._paint_name_only(item)
            return
        if view.is_collapsed:
            self._paint_title(item, COLLAPSED / 2, _title_room(item))
            return
        middle = 17.0 if view.subtitle else HEADER / 2
        above = below = _TEXT_WIDTH
        if view.badge:
            width = self._width(view.badge)
            rest = _TEXT_WIDTH - width - 8.0
            name = self._style.width(view.title, self._title, bold=True) / self._scale
            kind = self._width(view.subtitle)  # whole, where there is no room for either
            is_below = bool(kind) and name > rest and min(name, kind) <= _TEXT_WIDTH
            above, below = (above, rest) if is_below else (rest, below)
            line = _BELOW if is_below else middle
            color = "muted" if view.color else "faint"
            left = WIDTH - 12.0 - width
            self._text(item, left, line, view.badge, color=color, pixels=self._small)
        self._paint_title(item, middle, above)
        text = view.subtitle
        self._text(item, _TEXT_LEFT, _BELOW, text, color="muted", pixels=self._small, room=below)
        self._paint_rows(item)

    def _width(self, text: str) -> float:
        """Return how wide a small text is, in scene units."""
        return self._style.width(text, self._small) / self._scale

    def _paint_title(self, item: NodeItem, middle: float, room: float) -> None:
        self._text(
            item,
            _title_left(item),
            middle,
            item.view.title,
            color="text",
            pixels=self._title,
            bold=True,
            is_name=True,
            room=room,
        )

    def _paint_name_only(self, item: NodeItem) -> None:
        """Write the name larger than the zoom would have it, as long as there is room."""
        if self._scale < _NAME_SCALE:
            return
        pixels = max(_LEAST_NAME, min(_MOST_NAME, round(20 * self._scale)))
        left = _title_left(item) - 2.0
        room = (WIDTH - left - 6.0) * self._scale
        text = self._style.elided(item.view.title, pixels, room, bold=True, is_name=True)
        corner = self._pixel(item.x + left, item.y + min(HEADER, item.height) / 2)
        self._painter.setFont(self._style.font(pixels, bold=True))
        self._painter.setPen(self._style["text"])
        self._painter.drawText(corner + QPointF(0, round(pixels * 0.36)), text)

    def _paint_rows(self, item: NodeItem) -> None:
        top = HEADER
        rows = 0
        for spot in item.spots:
            if not spot.has_row:
                continue
            rows = max(rows, round((spot.dy - HEADER) / ROW + 0.5))
            label = spot.view.label or spot.view.name
            if spot.is_output:
                width = min(self._width(label), WIDTH / 2 - 16)
                self._text(
                    item, WIDTH - 12.0 - width, spot.dy, label, color="muted", pixels=self._small
                )
            else:
                room = WIDTH / 2 - 16
                self._text(item, 12.0, spot.dy, label, color="muted", pixels=self._small, room=room)
        top += rows * ROW
        for index, line in enumerate(item.view.lines):
            y = top + LINE * (index + 0.5)
            self._text(item, 13.0, y, line, color="muted", pixels=self._small, room=WIDTH - 24.0)

    def _text(
        self,
        item: NodeItem,
        dx: float,
        middle: float,
        text: str,
        *,
        color: str,
        pixels: int,
        bold: bool = False,
        is_name: bool = False,
        room: float = _TEXT_WIDTH,
    ) -> None:
        painter, style = self._painter, self._style
        room *= self._scale
        short = style.elided(text, pixels, room + 1.0, bold=bold, is_name=is_name)
        corner = self._pixel(item.x + dx, item.y + middle)
        painter.setFont(style.font(pixels, bold=bold))
        painter.setPen(style[color])
        painter.drawText(QPointF(corner.x(), corner.y() + round(pixels * 0.36)), short)

    def _paint_port(self, item: NodeItem, spot: PortSpot, look: Look) -> None:
        view = spot.view
        name, color = "hollow", self._style["strong_border"]
        if view.is_connected:
            name, color = "full", self._style["wire"]
        elif not spot.is_output:
            name = "missing" if view.is_required else "optional"
            color = self._style["warning" if view.is_required else "strong_border"]
        elif item.view.outputs:
            color = self._style["muted"]
        if look.lands is not None or look.hovered_port is not None:
            name, color = self._marked(item, spot, look, name) or (name, color)
        x = (item.x + spot.dx) * self._scale + self._viewport.x - self._port_half
        y = (item.y + spot.dy) * self._scale + self._viewport.y - self._port_half
        corner = QPointF(round(x), round(y))
        self._pictures.draw_port(self._painter, corner, name, color, self._scale)

    def _marked(
        self, item: NodeItem, spot: PortSpot, look: Look, name: str
    ) -> tuple[str, QColor] | None:
        end = WireEnd(node=item.view.id, port=spot.view.name, is_output=spot.is_output)
        accent = self._style["accent"]
        if end == look.anchor or (look.lands is None and end == look.hovered_port):
            return "glow", accent
        if look.lands is None:
            return None
        if look.target == end:
            return "target", accent
        if look.lands(end):
            return "glow", accent
        return ("dim" if name != "full" else "full"), self._style["faint"]

    def _is_reachable(self, item: NodeItem, look: Look) -> bool:
        view = item.view
        if look.anchor is not None and look.anchor.node == view.id:
            return True
        ends = [
            WireEnd(node=view.id, port=spot.view.name, is_output=spot.is_output)
            for spot in item.spots
        ]
        return any(look.lands is not None and look.lands(end) for end in ends)


def title_rect(item: NodeItem) -> QRectF:
    """Return where the title stands, in scene units: there it is edited."""
    top = 2.0 if item.view.is_collapsed else 5.0
    return QRectF(item.x + _title_left(item) - 6.0, item.y + top, _title_room(item) + 12.0, 24.0)


def _title_left(item: NodeItem) -> float:
    return _COLLAPSED_LEFT if item.view.is_collapsed else _TEXT_LEFT


def _title_room(item: NodeItem) -> float:
    return WIDTH - _title_left(item) - 12.0
