"""Paints a number of a table with the small line of how it came to be."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem
from typing_extensions import override

from widgets.common.theme import current_theme
from widgets.tables.table_model import CELL
from widgets.tables.trend import Trend

_NUMBER = 0.48  # of the width of the cell
_MARGIN = 5.0


class TrendDelegate(QStyledItemDelegate):
    """Leaves the number to Qt and draws the line at its left."""

    @override
    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        super().paint(painter, option, index)
        trend = index.data(CELL)
        if not isinstance(trend, Trend):
            return
        cell = QRectF(option.rect).adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(QColor(current_theme().accent), 1)
        pen.setCosmetic(True)
        painter.setPen(pen)
        painter.translate(cell.topLeft())
        painter.scale(cell.width() * (1 - _NUMBER), cell.height())
        for line in trend.lines:
            painter.drawPolyline(line)
        painter.restore()
