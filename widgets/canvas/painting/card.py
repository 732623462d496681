"""The pictures of cards and ports. Nodes of the same look share one, so that a node costs one copy
of pixels: a card drawn by strokes takes fifteen times as long.
"""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPixmap

from widgets.canvas.items.node_item import MARGIN, WIDTH
from widgets.canvas.painting.glyph import glyph_path
from widgets.canvas.painting.style import Style

RADIUS = 8.0
_MOST_PICTURES = 800


class CardPictures:
    """Pictures by look and zoom. Thrown away when the theme or the screen changes."""

    def __init__(self, style: Style, pixel_ratio: float) -> None:
        self._style = style
        self._ratio = pixel_ratio
        self._pictures: dict[tuple[object, ...], QPixmap] = {}

    def card(
        self,
        height: float,
        category: str,
        severity: str | None,
        *,
        is_selected: bool,
        is_hovered: bool,
        scale: float,
    ) -> QPixmap:
        """Return the picture of a card with ``MARGIN`` around it."""
        key = (height, category, severity, is_selected, is_hovered, scale)
        picture = self._pictures.get(key)
        if picture is None:
            picture = self._blank(WIDTH + 2 * MARGIN, height + 2 * MARGIN, scale)
            painter = self._painter(picture, scale)
            painter.translate(MARGIN, MARGIN)
            body = QRectF(0, 0, WIDTH, height)
            self._paint_shadow(painter, body)
            if is_selected:
                self._paint_ring(painter, body)
            self._paint_body(painter, body, category, severity, is_hovered=is_hovered)
            self._paint_glyph(painter, category)
            if severity is not None:
                paint_badge(painter, QPointF(WIDTH - 3, 3), severity, self._style)
            painter.end()
            self._keep(key, picture)
        return picture

    def port(self, look: str, color: QColor, scale: float) -> QPixmap:
        """Return the picture of a port, 32 units square: ``full``, ``hollow``, ``missing``,
        ``optional``, ``glow``, ``target`` or ``dim``.
        """
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
        category: str,
        severity: str | None,
        *,
        is_hovered: bool,
    ) -> None:
        style = self._style
        outline = QPainterPath()
        outline.addRoundedRect(body.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        painter.fillPath(outline, style["node"])
        painter.save()
        painter.setClipPath(outline)
        painter.fillRect(QRectF(0, 0, 4, body.height()), style.category(category))
        painter.restore()
        line = style["strong_border"] if is_hovered else style["border"]
        if severity == "error":
            line = style["error"]
        elif severity == "warning":
            line = style["warning"]
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(line, 1.0))
        painter.drawPath(outline)

    def _paint_glyph(self, painter: QPainter, category: str) -> None:
        color = self._style.category(category)
        soft = QColor(color)
        soft.setAlpha(44 if self._style.theme.is_dark else 28)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(soft)
        painter.drawRoundedRect(QRectF(13, 11, 26, 26), 6, 6)
        paint_glyph(painter, QPointF(18, 16), category, color)


def paint_glyph(painter: QPainter, corner: QPointF, category: str, color: QColor) -> None:
    """Draw the picture of a category, 16 units square."""
    pen = QPen(color, 1.4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.translate(corner)
    painter.drawPath(glyph_path(category))
    painter.translate(-corner)


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
