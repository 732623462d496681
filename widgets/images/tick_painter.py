"""Words beside the rows and above the columns of a picture."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter

from widgets.common.theme import current_theme, scaled_font
from widgets.images.view_model import ImageView

_SMALLEST = 128  # pixels a side of a picture that has room for words
_WIDEST = 90
_GAP = 4


def tick_room(images: Sequence[ImageView], side: int) -> int:
    """Return how many pixels words take at the left of pictures, and as many above them."""
    words = {word for image in images for word in (*image.rows, *image.columns)}
    if not words or side < _SMALLEST:
        return 0
    metrics = QFontMetrics(scaled_font(0.85))
    return min(_WIDEST, max(map(metrics.horizontalAdvance, words))) + _GAP


def paint_ticks(painter: QPainter, image: ImageView, area: QRect, room: int) -> None:
    """Write the words around a picture that lies in ``area``; where a row or column is lower than a
    line, some are left out.
    """
    painter.save()
    painter.setFont(scaled_font(0.85))
    painter.setPen(QColor(current_theme().muted))
    _write(painter, image.rows, QRectF(area.left() - room, area.top(), room, area.height()))
    painter.translate(area.left(), area.top())
    painter.rotate(-90)  # what goes across lies like what goes down, seen from the right
    _write(painter, image.columns, QRectF(0, 0, room, area.width()), is_above=True)
    painter.restore()


def _write(
    painter: QPainter, words: Sequence[str], area: QRectF, *, is_above: bool = False
) -> None:
    """Write words one below the other, up to the edge of the picture."""
    if not words:
        return
    metrics = painter.fontMetrics()
    step, line = area.height() / len(words), metrics.ascent()
    every = max(1, -(-line // max(1, int(step))))
    side = Qt.AlignmentFlag.AlignLeft if is_above else Qt.AlignmentFlag.AlignRight
    width = area.width() - _GAP
    left = area.left() + (_GAP if is_above else 0)
    for at in range(0, len(words), every):
        text = metrics.elidedText(words[at], Qt.TextElideMode.ElideRight, int(width))
        height = max(step, metrics.height())
        top = area.top() + (at + 0.5) * step - height / 2
        painter.drawText(
            QRectF(left, top, width, height), side | Qt.AlignmentFlag.AlignVCenter, text
        )
