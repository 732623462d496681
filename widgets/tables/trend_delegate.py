"""Delegate that paints a number with its sparkline."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem
from typing_extensions import override

from widgets.common.theme import current_theme
from widgets.tables.format import cell_text
from widgets.tables.table_model import CELL
from widgets.tables.trend import Trend

_NUMBER = 0.48  # of the width of the cell, at least
_MARGIN = 5
_PADDING = 7  # of the number, as the style sheet has it with Qt's own


class TrendDelegate(QStyledItemDelegate):
    """Paints the cell itself: with a style sheet Qt takes twenty times as long, and these numbers
    move while a run goes on.
    """

    @override
    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        value, theme, cell = index.data(CELL), current_theme(), option.rect
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(cell, QColor(theme.accent_soft))
        room = cell.adjusted(_PADDING, 0, -_PADDING, 0)
        text = cell_text(value, "trend")
        text = option.fontMetrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        painter.setPen(QColor(theme.text))
        painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        if isinstance(value, Trend):
            line = cell.adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
            left = room.width() - option.fontMetrics.horizontalAdvance(text)
            line.setWidth(min(round(line.width() * (1 - _NUMBER)), left))
            if line.width() > _MARGIN:
                _draw(painter, value, line)
        painter.restore()


def _draw(painter: QPainter, trend: Trend, room: QRect) -> None:
    """Draw the line as large as there is room."""
    pen = QPen(QColor(current_theme().accent), 1)
    pen.setCosmetic(True)
    painter.setPen(pen)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(room.topLeft())
    painter.scale(room.width(), room.height())
    for line in trend.lines:
        painter.drawPolyline(line)
