"""Frames and notes, painted under everything else. Their texts are drawn letter by letter:
nothing in them is read as markup.
"""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from widgets.canvas.items.box_item import TITLE, BoxItem
from widgets.canvas.look import Look
from widgets.canvas.painting.style import SMALL_PIXELS, TITLE_PIXELS, Style, mixed
from widgets.canvas.viewport import Viewport

_RADIUS = 8.0
_PAD = 10.0
_FOLD = 12.0
_LEAST_TITLE = 11  # pixels: seen from afar the title stays readable as long as there is room


class BoxPainter:
    """Paints frames and notes in pixels, lowest first."""

    def __init__(self, painter: QPainter, viewport: Viewport, style: Style) -> None:
        self._painter = painter
        self._viewport = viewport
        self._style = style
        self._scale = viewport.scale

    def paint(self, items: list[BoxItem], look: Look) -> None:
        """Paint frames, then notes."""
        for item in items:
            if item.view.is_frame:
                self._paint_frame(item, look)
        for item in items:
            if not item.view.is_frame:
                self._paint_note(item, look)

    def _paint_frame(self, item: BoxItem, look: Look) -> None:
        painter, style = self._painter, self._style
        rect = self._pixels(item.rect())
        color = style.mark(item.view.color) or style["strong_border"]
        painter.setPen(self._border(item, look, color))
        painter.setBrush(_faint(color, 34 if style.theme.is_dark else 22))
        painter.drawRoundedRect(rect, _RADIUS, _RADIUS)
        strip = QPainterPath()
        strip.addRoundedRect(rect, _RADIUS, _RADIUS)
        below = QPainterPath()
        height = min(TITLE * self._scale, rect.height())
        below.addRect(QRectF(rect.left(), rect.top(), rect.width(), height))
        painter.fillPath(strip.intersected(below), _faint(color, 58 if style.theme.is_dark else 44))
        self._paint_title(item, rect)

    def _paint_title(self, item: BoxItem, rect: QRectF) -> None:
        style = self._style
        pixels = max(style.pixels(TITLE_PIXELS, self._scale), _LEAST_TITLE)
        room = rect.width() - 2 * _PAD * self._scale
        text = style.elided(item.view.text, pixels, room, bold=True)
        if len(text) < min(3, len(item.view.text)):
            return
        self._painter.setFont(style.font(pixels, bold=True))
        self._painter.setPen(style["text"])
        middle = rect.top() + max(TITLE * self._scale, pixels * 1.3) / 2
        position = QPointF(rect.left() + _PAD * self._scale, middle + round(pixels * 0.36))
        self._painter.drawText(position, text)

    def _paint_note(self, item: BoxItem, look: Look) -> None:
        painter, style = self._painter, self._style
        rect = self._pixels(item.rect())
        fold = min(_FOLD * self._scale, rect.width() / 2, rect.height() / 2)
        color = style.mark(item.view.color or "yellow")
        paper = QPainterPath(rect.topLeft())
        paper.lineTo(rect.right() - fold, rect.top())
        paper.lineTo(rect.right(), rect.top() + fold)
        paper.lineTo(rect.bottomRight())
        paper.lineTo(rect.bottomLeft())
        paper.closeSubpath()
        ground = style["node"]
        painter.setBrush(mixed(color or ground, ground, 0.3 if style.theme.is_dark else 0.22))
        painter.setPen(self._border(item, look, color or style["strong_border"]))
        painter.drawPath(paper)
        corner = QPainterPath(QPointF(rect.right() - fold, rect.top()))
        corner.lineTo(rect.right() - fold, rect.top() + fold)
        corner.lineTo(rect.right(), rect.top() + fold)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(corner)
        self._paint_lines(item, rect)

    def _paint_lines(self, item: BoxItem, rect: QRectF) -> None:
        style = self._style
        pixels = style.pixels(SMALL_PIXELS + 1, self._scale)
        if not pixels:
            return
        pad = _PAD * self._scale
        step = style.metrics(pixels).lineSpacing()
        self._painter.setFont(style.font(pixels))
        self._painter.setPen(style["text"])
        broken = self._style.broken(item.view.text, pixels, rect.width() - 2 * pad)
        most = max(int((rect.height() - pad) / step), 1)
        for index, line in enumerate(broken[:most]):
            is_cut = index == most - 1 and len(broken) > most
            y = rect.top() + pad * 0.6 + step * index + style.metrics(pixels).ascent()
            text = f"{line.rstrip()} …" if is_cut else line
            self._painter.drawText(QPointF(rect.left() + pad, y), text)

    def _border(self, item: BoxItem, look: Look, color: QColor) -> QPen:
        if item.view.id in look.boxes:
            return QPen(self._style["accent"], 2.0)
        return QPen(color, 1.6 if item.view.id == look.hovered_box else 1.0)

    def _pixels(self, rect: QRectF) -> QRectF:
        corner = self._viewport.to_pixel(rect.topLeft())
        position = QPointF(round(corner.x()) + 0.5, round(corner.y()) + 0.5)
        return QRectF(position, rect.size() * self._scale)


def note_height(style: Style, text: str, width: float) -> float:
    """Return the height, in scene units, of a note that shows all of a text."""
    pixels = style.pixels(SMALL_PIXELS + 1, 1.0)
    count = len(style.broken(text, pixels, width - 2 * _PAD))
    return count * style.metrics(pixels).lineSpacing() + 2 * _PAD


def _faint(color: QColor, alpha: int) -> QColor:
    soft = QColor(color)
    soft.setAlpha(alpha)
    return soft
