"""Hint beside the mouse during a gesture."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from widgets.canvas.painting.style import SMALL_PIXELS, Style

_PAD = 8.0
_WIDEST = 340.0
_FLAGS = Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap


def note_rect(pixel: QPointF, text: str, style: Style, room: QRectF) -> QRectF:
    """Return where the sentence goes: below the mouse, inside the room."""
    size = style.pixels(SMALL_PIXELS + 1, 1.0)
    widest = QRectF(0, 0, _WIDEST, 400)
    area = style.metrics(size).boundingRect(widest, int(_FLAGS), text)
    width, height = area.width() + 2 * _PAD + 2, area.height() + 2 * _PAD
    x = min(pixel.x() + 16, room.right() - width - 4)
    y = pixel.y() + 20
    if y + height > room.bottom() - 4:
        y = pixel.y() - height - 12
    return QRectF(max(x, 4.0), y, width, height)


def paint_note(painter: QPainter, rect: QRectF, text: str, style: Style) -> None:
    """Write the sentence."""
    painter.setPen(QPen(style["strong_border"], 1.0))
    painter.setBrush(style["raised"])
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
    painter.setFont(style.font(style.pixels(SMALL_PIXELS + 1, 1.0)))
    painter.setPen(style["text"])
    painter.drawText(rect.adjusted(_PAD, _PAD, -_PAD, -_PAD), int(_FLAGS), text)
