"""Parallel coordinates: an axis for each setting, a line for each trial, its colour what came out.

After Inselberg (1985): lines that lie together at the last axis show which settings lead there.
"""

from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QToolTip, QWidget
from typing_extensions import override

from widgets.common.live_widget import LiveWidget
from widgets.common.stylesheet import mixed
from widgets.common.text import tooltip
from widgets.common.theme import current_theme, scaled_font
from widgets.plots.view_model import ParallelLine, ParallelView

_SIDE, _TOP = 56, 14
_REACH = 7.0  # pixels between the pointer and a line that it means


class ParallelChart(LiveWidget):
    """Shows a :class:`ParallelView`; ``line_chosen`` tells the id of a line that was clicked."""

    line_chosen = Signal(str)

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self.setMouseTracking(True)
        self._view = ParallelView()
        self._chosen: frozenset[str] = frozenset()
        self.retranslate()

    @property
    def view(self) -> ParallelView:
        """What is shown."""
        return self._view

    def set_view(self, view: ParallelView) -> None:
        """Show axes and lines."""
        self._view = view
        self.retranslate()
        self.update()

    def choose(self, ids: frozenset[str]) -> None:
        """Draw these lines on top, thick."""
        self._chosen = ids
        self.update()

    def line_points(self, line: ParallelLine) -> list[QPointF]:
        """Return where a line meets the axes that it has a value at, in the widget's pixels."""
        area = self._area()
        return [
            QPointF(self._x(index), area.bottom() - area.height() * height)
            for index, height in enumerate(line.places)
            if height is not None
        ]

    @override
    def sizeHint(self) -> QSize:
        return QSize(420, 220)

    @override
    def retranslate(self) -> None:
        self.setAccessibleName(self._view.title or self.tr("Parallel coordinates"))
        self.setAccessibleDescription("; ".join(line.text for line in self._view.lines[:50]))

    @override
    def restyle(self) -> None:
        self.update()

    def _area(self) -> QRectF:
        metrics = self.fontMetrics()
        top = _TOP + metrics.height() * (2 if self._view.title else 1)
        bottom = self.height() - metrics.height() - 8
        return QRectF(_SIDE, top, max(10, self.width() - 2 * _SIDE), max(10, bottom - top))

    def _x(self, index: int) -> float:
        area = self._area()
        return area.left() + area.width() * index / max(1, len(self._view.axes) - 1)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.surface))
        painter.setFont(scaled_font(0.9))
        if not self._view.lines:
            painter.setPen(QColor(theme.muted))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(self.rect().adjusted(12, 12, -12, -12), flags, self._view.empty_text)
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_axes(painter)
        ordered = sorted(self._view.lines, key=lambda line: (line.id in self._chosen, line.share))
        for line in ordered:
            self._paint_line(painter, line)
        self._paint_labels(painter)

    def _paint_axes(self, painter: QPainter) -> None:
        area = self._area()
        painter.setPen(QPen(QColor(current_theme().strong_border), 1))
        for index in range(len(self._view.axes)):
            x = self._x(index)
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))

    def _paint_line(self, painter: QPainter, line: ParallelLine) -> None:
        theme = current_theme()
        is_chosen = line.id in self._chosen
        color = QColor(mixed(theme.border, theme.accent, 0.15 + 0.85 * line.share))
        pen = QPen(QColor(theme.series_color(1)) if is_chosen else color, 3 if is_chosen else 1.5)
        if line.is_partial and not is_chosen:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.drawPolyline(QPolygonF(self.line_points(line)))

    def _paint_labels(self, painter: QPainter) -> None:
        theme, area, metrics = current_theme(), self._area(), painter.fontMetrics()
        if self._view.title:
            painter.setPen(QColor(theme.text))
            painter.drawText(10, _TOP - 4 + metrics.ascent(), self._view.title)
        count = max(1, len(self._view.axes) - 1)
        room = max(40.0, min(2 * _SIDE, area.width() / count) - 8)
        centre = Qt.AlignmentFlag.AlignHCenter
        for index, axis in enumerate(self._view.axes):
            left = min(max(2.0, self._x(index) - room / 2), self.width() - room - 2)
            painter.setPen(QColor(theme.text))
            name = metrics.elidedText(axis.label, Qt.TextElideMode.ElideMiddle, int(room))
            below = QRectF(left, area.bottom() + 4, room, metrics.height())
            painter.drawText(below, centre, name)
            painter.setPen(QColor(theme.muted))
            for height, text in axis.ticks:
                y = area.bottom() - area.height() * height - metrics.height() / 2
                shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, int(room) - 6)
                wide = metrics.horizontalAdvance(shown) + 6
                beside = QRectF(self._x(index) + 3, y, wide, metrics.height())
                if beside.right() > self.width():
                    beside.moveRight(self._x(index) - 3)
                ground = QColor(theme.surface)
                ground.setAlpha(200)
                painter.fillRect(beside, ground)
                painter.drawText(beside, centre, shown)

    def _line_at(self, position: QPointF) -> ParallelLine | None:
        distances = [
            (_distance(position, a, b), line)
            for line in self._view.lines
            for a, b in pairwise(self.line_points(line))
        ]
        near = min(distances, key=lambda pair: pair[0], default=None)
        return near[1] if near is not None and near[0] <= _REACH else None

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        line = self._line_at(event.position())
        if line is None:
            QToolTip.hideText()
        else:
            QToolTip.showText(event.globalPosition().toPoint(), tooltip("", line.text), self)

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        line = self._line_at(event.position())
        if line is not None:
            self.line_chosen.emit(line.id)


def _distance(position: QPointF, start: QPointF, end: QPointF) -> float:
    """Return how far a place is from a stretch."""
    way = end - start
    length = QPointF.dotProduct(way, way)
    share = QPointF.dotProduct(position - start, way) / length if length else 0.0
    gap = position - (start + way * min(max(share, 0.0), 1.0))
    return QPointF.dotProduct(gap, gap) ** 0.5
