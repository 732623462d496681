"""Paints a number of a table with the small line of how it came to be."""

import math

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem
from typing_extensions import override

from widgets.common.theme import current_theme
from widgets.tables.table_model import CELL
from widgets.tables.view_model import Trend

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
        cell.setWidth(cell.width() * (1 - _NUMBER))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(current_theme().accent), 1))
        for line in _lines(trend.points, cell):
            painter.drawPolyline(line)
        painter.restore()


def _lines(points: tuple[float, ...], cell: QRectF) -> list[list[QPointF]]:
    """Return the stretches between gaps, as high as the cell."""
    known = [value for value in points if math.isfinite(value)]
    if len(known) < 2:
        return []
    low, height = min(known), (max(known) - min(known)) or 1.0
    step, scale = cell.width() / (len(points) - 1), cell.height() / height
    left, ground = cell.left(), cell.bottom() + low * scale
    lines: list[list[QPointF]] = [[]]
    for place, value in enumerate(points):
        if math.isfinite(value):
            lines[-1].append(QPointF(left + step * place, ground - value * scale))
        else:
            lines.append([])
    return [line for line in lines if len(line) > 1]
