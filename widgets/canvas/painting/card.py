"""Cached pictures of cards and ports. Nodes of the same look share one, so that a node costs one
copy of pixels: a card drawn by strokes takes fifteen times as long.
"""

from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPixmap
from typing_extensions import override

from widgets.canvas.items.node_item import MARGIN, WIDTH
from widgets.canvas.painting.glyph import glyph_path
from widgets.canvas.painting.style import Style, mixed
from widgets.common.palette import HEATS

RADIUS = 8.0
_MOST_PICTURES = 800
_SIGN = 20  # scene units from one sign at the corner to the next
_HEAT_SHARE = 0.45  # of a measured value's colour in the ground: text stays readable


class Card(NamedTuple):
    """How a card looks. Behind that of a block there are more; ``height`` is in scene units."""

    height: float
    category: str
    severity: str | None
    is_selected: bool
    is_hovered: bool
    is_pinned: bool
    is_block: bool
    color: str = ""
    is_collapsed: bool = False
    is_frozen: bool = False
    is_recomputed: bool = False


class CardPictures:
    """Pictures by look and zoom. Thrown away when the theme or the screen changes."""

    def __init__(self, style: Style, pixel_ratio: float) -> None:
        self._style = style
        self._ratio = pixel_ratio
        self._pictures: dict[tuple[object, ...], QPixmap] = {}

    def draw_card(self, painter: QPainter, corner: QPointF, card: "Card", scale: float) -> None:
        """Draw a card with ``MARGIN`` around it."""
        key = (card, scale)
        picture = self._pictures.get(key)
        if picture is None:
            picture = self._blank(WIDTH + 2 * MARGIN, card.height + 2 * MARGIN, scale)
            inner = self._painter(picture, scale)
            self.paint_card(inner, card)
            inner.end()
            self._keep(key, picture)
        painter.drawPixmap(corner, picture)

    def draw_port(
        self, painter: QPainter, corner: QPointF, look: str, color: QColor, scale: float
    ) -> None:
        """Draw a port, 32 units square: ``full``, ``hollow``, ``missing``, ``optional``, ``glow``,
        ``target`` or ``dim``.
        """
        painter.drawPixmap(corner, self._port(look, color, scale))

    def paint_card(self, painter: QPainter, card: "Card") -> None:
        """Draw a card by strokes, in scene units, with ``MARGIN`` around it."""
        painter.translate(MARGIN, MARGIN)
        body = QRectF(0, 0, WIDTH, card.height)
        if card.is_block:
            self._paint_behind(painter, body)
        self._paint_shadow(painter, body)
        if card.is_selected:
            self._paint_ring(painter, body)
        self._paint_body(painter, body, card)
        self._paint_glyph(painter, card)
        if card.severity is not None:
            paint_badge(painter, QPointF(WIDTH - 3, 3), card.severity, self._style)
        signs = (
            (card.is_pinned, paint_pin),
            (card.is_frozen, paint_padlock),
            (card.is_recomputed, paint_arrow),
        )
        for column, paint in enumerate(paint for is_shown, paint in signs if is_shown):
            paint(painter, QPointF(3 + _SIGN * column, 3), self._style)

    def _paint_behind(self, painter: QPainter, body: QRectF) -> None:
        """Draw the edges of more cards below: something is inside."""
        painter.setPen(QPen(self._style["strong_border"], 1.0))
        painter.setBrush(self._style["node"])
        for step in (6.0, 3.0):
            below = body.adjusted(step + 0.5, step + 0.5, step - 0.5, step - 0.5)
            painter.drawRoundedRect(below, RADIUS, RADIUS)

    def _port(self, look: str, color: QColor, scale: float) -> QPixmap:
        key = (look, color.rgba(), scale)
        picture = self._pictures.get(key)
        if picture is None:
            picture = self._blank(32, 32, scale)
            painter = self._painter(picture, scale)
            _paint_port(painter, look, color, self._style)
            painter.end()
            self._keep(key, picture)
        return picture

    def _keep(self, key: tuple[object, ...], picture: QPixmap) -> None:
        if len(self._pictures) > _MOST_PICTURES:
            self._pictures.clear()
        self._pictures[key] = picture

    def _blank(self, width: float, height: float, scale: float) -> QPixmap:
        factor = scale * self._ratio
        picture = QPixmap(max(round(width * factor), 1), max(round(height * factor), 1))
        picture.setDevicePixelRatio(self._ratio)
        picture.fill(Qt.GlobalColor.transparent)
        return picture

    def _painter(self, picture: QPixmap, scale: float) -> QPainter:
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(scale, scale)
        return painter

    def _paint_shadow(self, painter: QPainter, body: QRectF) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        strength = 22 if self._style.theme.is_dark else 7
        for spread in (1.0, 2.0, 3.5):
            painter.setBrush(QColor(0, 0, 0, strength))
            around = body.adjusted(-spread + 0.5, -spread + 1.5, spread - 0.5, spread + 1.5)
            painter.drawRoundedRect(around, RADIUS + spread, RADIUS + spread)

    def _paint_ring(self, painter: QPainter, body: QRectF) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self._style["accent"], 2.0))
        painter.drawRoundedRect(body.adjusted(-3, -3, 3, 3), RADIUS + 3, RADIUS + 3)

    def _paint_body(
        self,
        painter: QPainter,
        body: QRectF,
        card: Card,
    ) -> None:
        style, severity = self._style, card.severity
        mark = style.mark(card.color)
        share = 0.3 if style.theme.is_dark else 0.2
        if card.color in HEATS:
            share = _HEAT_SHARE
        ground = mixed(mark, style["node"], share) if mark else style["node"]
        outline = QPainterPath()
        outline.addRoundedRect(body.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        painter.fillPath(outline, ground)
        edge = QPainterPath()  # cut here: an SVG knows no clipping
        edge.addRect(QRectF(0, 0, 4, body.height()))
        painter.fillPath(outline.intersected(edge), style.category(card.category))
        line = style["strong_border"] if card.is_hovered else mark or style["border"]
        if severity == "error":
            line = style["error"]
        elif severity == "warning":
            line = style["warning"]
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(line, 1.0))
        painter.drawPath(outline)

    def _paint_glyph(self, painter: QPainter, card: Card) -> None:
        color = self._style.category(card.category)
        if card.is_collapsed:
            paint_glyph(painter, QPointF(12, 6), card.category, color)
            return
        soft = QColor(color)
        soft.setAlpha(44 if self._style.theme.is_dark else 28)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(soft)
        painter.drawRoundedRect(QRectF(13, 11, 26, 26), 6, 6)
        paint_glyph(painter, QPointF(18, 16), card.category, color)


class CardStrokes(CardPictures):
    """Draws every card by strokes: for pictures that are made larger, and for print."""

    @override
    def draw_card(self, painter: QPainter, corner: QPointF, card: Card, scale: float) -> None:
        painter.save()
        painter.translate(corner)
        painter.scale(scale, scale)
        self.paint_card(painter, card)
        painter.restore()

    @override
    def draw_port(
        self, painter: QPainter, corner: QPointF, look: str, color: QColor, scale: float
    ) -> None:
        painter.save()
        painter.translate(corner)
        painter.scale(scale, scale)
        _paint_port(painter, look, color, self._style)
        painter.restore()


def paint_glyph(painter: QPainter, corner: QPointF, category: str, color: QColor) -> None:
    """Draw the picture of a category, 16 units square."""
    pen = QPen(color, 1.4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.translate(corner)
    painter.drawPath(glyph_path(category))
    painter.translate(-corner)


def paint_pin(painter: QPainter, center: QPointF, style: Style) -> None:
    """Draw the sign of a node that keeps its place: a drawing pin on a disc."""
    painter.setPen(QPen(style["strong_border"], 1.0))
    painter.setBrush(style["node"])
    painter.drawEllipse(center, 8.5, 8.5)
    x, y = center.x(), center.y()
    head = QPainterPath(QPointF(x - 2.6, y - 4.6))
    head.lineTo(x + 2.6, y - 4.6)
    head.lineTo(x + 1.8, y - 0.6)
    head.lineTo(x + 3.9, y + 1.4)
    head.lineTo(x - 3.9, y + 1.4)
    head.lineTo(x - 1.8, y - 0.6)
    head.closeSubpath()
    painter.fillPath(head, style["text"])
    painter.setPen(QPen(style["text"], 1.3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawLine(QPointF(x, y + 1.4), QPointF(x, y + 5.2))


def paint_padlock(painter: QPainter, center: QPointF, style: Style) -> None:
    """Draw the sign of a node whose weights are not trained: a padlock on a disc."""
    painter.setPen(QPen(style["strong_border"], 1.0))
    painter.setBrush(style["node"])
    painter.drawEllipse(center, 8.5, 8.5)
    x, y = center.x(), center.y()
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(style["text"], 1.4))
    painter.drawArc(QRectF(x - 2.4, y - 5.0, 4.8, 6.0), 0, 180 * 16)
    body = QPainterPath()
    body.addRoundedRect(QRectF(x - 3.8, y - 1.4, 7.6, 5.6), 1.2, 1.2)
    painter.fillPath(body, style["text"])


def paint_arrow(painter: QPainter, center: QPointF, style: Style) -> None:
    """Draw the sign of a node whose activations are recomputed: an arrow in a circle on a disc."""
    painter.setPen(QPen(style["strong_border"], 1.0))
    painter.setBrush(style["node"])
    painter.drawEllipse(center, 8.5, 8.5)
    x, y = center.x(), center.y()
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(style["text"], 1.4))
    painter.drawArc(QRectF(x - 4.2, y - 4.2, 8.4, 8.4), 60 * 16, 285 * 16)
    head = QPainterPath(QPointF(x + 0.6, y - 6.6))
    head.lineTo(x + 5.0, y - 3.4)
    head.lineTo(x + 0.4, y - 1.2)
    head.closeSubpath()
    painter.fillPath(head, style["text"])


def paint_badge(painter: QPainter, center: QPointF, severity: str, style: Style) -> None:
    """Draw the sign of a problem: a disc for an error, a triangle for a warning, a square for a
    hint, so that the colour is not the only sign.
    """
    painter.setPen(QPen(style["node"], 1.5))
    painter.setBrush(style.severity(severity))
    x, y = center.x(), center.y()
    if severity == "error":
        painter.drawEllipse(center, 8, 8)
    elif severity == "warning":
        path = QPainterPath(QPointF(x, y - 9))
        path.lineTo(x + 9.5, y + 7)
        path.lineTo(x - 9.5, y + 7)
        path.closeSubpath()
        painter.drawPath(path)
    else:
        painter.drawRoundedRect(QRectF(x - 7, y - 7, 14, 14), 4, 4)
    painter.setPen(QPen(style["node"], 1.8, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    if severity == "hint":
        painter.drawLine(QPointF(x, y - 0.5), QPointF(x, y + 3.5))
        painter.drawPoint(QPointF(x, y - 3.5))
    else:
        low = 1.0 if severity == "warning" else 0.0
        painter.drawLine(QPointF(x, y - 3.8 + low), QPointF(x, y + 0.8 + low))
        painter.drawPoint(QPointF(x, y + 4.0 + low))


def _paint_port(painter: QPainter, look: str, color: QColor, style: Style) -> None:
    center = QPointF(16, 16)
    if look in ("glow", "target"):
        halo = QColor(color)
        halo.setAlpha(110 if look == "target" else 60)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(halo)
        painter.drawEllipse(center, *((12.0,) * 2 if look == "target" else (9.0,) * 2))
    ground = style["node"]
    is_full = look in ("full", "glow", "target")
    if look == "dim":
        painter.setOpacity(0.35)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawEllipse(center, 6.6, 6.6)
    radius = 4.0 if look == "optional" else 5.0
    painter.setBrush(color if is_full else ground)
    if not is_full:
        pen = QPen(color, 2.0 if look == "missing" else 1.6)
        if look == "missing":
            pen.setDashPattern([1.5, 1.1])
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
    painter.drawEllipse(center, radius, radius)
