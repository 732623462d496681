"""Bars side by side: how many samples each class has."""

import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget
from typing_extensions import override

from widgets.common.live_widget import LiveWidget
from widgets.common.text import tooltip
from widgets.common.theme import current_theme, scaled_font
from widgets.plots.view_model import BarsView

_LEFT, _TOP, _RIGHT = 46, 12, 10
_FILLED = 0.7  # of the width of a label by its bars
_THINNEST = 2.5  # pixels of a bar, with the gap beside it
_MEASURED = 200  # labels
_LABEL_GAP = 8  # pixels at least between two labels
_APART = 12  # between title and key
_MARK = 26  # pixels that the mark of a group takes, and what is around it


class BarChart(LiveWidget):
    """Shows a :class:`BarsView`; the tooltip tells the numbers, a screen reader reads them all."""

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self.setMouseTracking(True)
        self._view = BarsView(labels=(), values=())
        self.retranslate()

    def set_view(self, view: BarsView) -> None:
        """Show counts."""
        self._view = view
        self.retranslate()
        self.update()

    @override
    def retranslate(self) -> None:
        self.setAccessibleName(self._view.title or self.tr("Bar chart"))
        self.setAccessibleDescription(
            "; ".join(self._sentence(index) for index in range(len(self._view.labels)))
        )

    @override
    def restyle(self) -> None:
        self.update()

    def _sentence(self, index: int) -> str:
        view = self._view
        counts = [
            f"{group} {number_text(row[index])}".strip()
            for group, row in zip(view.groups, view.values, strict=False)
        ]
        return f"{view.labels[index]}: {', '.join(counts)}"

    @override
    def sizeHint(self) -> QSize:
        return QSize(320, 180)

    def _area(self) -> QRectF:
        metrics = self.fontMetrics()
        top = _TOP + (metrics.height() + 4) * self._lines()
        bottom = metrics.height() + 10
        left = max(_LEFT, self._scale_width() + 12)
        size = max(1, self.width() - left - _RIGHT), max(10, self.height() - top - bottom)
        return QRectF(left, top, *size)

    def _scale_width(self) -> int:
        """Return the room that the widest number of the scale takes."""
        metrics = QFontMetrics(scaled_font(0.9))
        return max(map(metrics.horizontalAdvance, self._scale_texts()))

    def _scale_texts(self) -> tuple[str, ...]:
        """Return the numbers of the scale, the lowest first."""
        top = self._top()
        is_whole = all(value == int(value) for row in self._view.values for value in row)
        parts = scale_parts(top, is_whole=is_whole)
        return tuple(number_text(top * part / parts) for part in range(parts + 1))

    def _top(self) -> float:
        """Return the number at the top of the scale."""
        return nice_ceiling(max((max(row, default=0) for row in self._view.values), default=0) or 1)

    def _lines(self) -> int:
        """Return how many lines title and key take: they share one that has room for both."""
        title = self._view.title
        key = self._key_width()
        metrics = QFontMetrics(scaled_font(0.9))
        is_narrow = metrics.horizontalAdvance(title) + key + _APART > self.width() - 2 * _RIGHT
        return bool(title) + bool(key) if is_narrow else int(bool(title) or bool(key))

    def _key_width(self) -> int:
        groups, metrics = self._view.groups, QFontMetrics(scaled_font(0.9))
        if len(groups) < 2:
            return 0
        return sum(metrics.horizontalAdvance(name) + _MARK for name in groups)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.surface))
        painter.setFont(scaled_font(0.9))
        if not self._view.labels:
            painter.setPen(QColor(theme.muted))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(self.rect().adjusted(12, 12, -12, -12), flags, self._view.empty_text)
            return
        top = self._top()
        self._paint_scale(painter)
        self._paint_bars(painter, top)
        self._paint_key(painter)

    def _paint_scale(self, painter: QPainter) -> None:
        theme, area = current_theme(), self._area()
        height = painter.fontMetrics().height()
        texts = self._scale_texts()
        for part, text in enumerate(texts):
            y = area.bottom() - area.height() * part / (len(texts) - 1)
            painter.setPen(QColor(theme.border))
            painter.drawLine(int(area.left()), int(y), int(area.right()), int(y))
            painter.setPen(QColor(theme.muted))
            box = QRectF(0, y - height / 2, area.left() - 6, height)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight, text)

    def _paint_bars(self, painter: QPainter, top: float) -> None:
        view, area = self._view, self._area()
        slot = area.width() / len(view.labels)
        if slot * _FILLED / max(1, len(view.values)) < _THINNEST:
            self._paint_profile(painter, top)
        else:
            self._paint_groups(painter, top)
        metrics = painter.fontMetrics()
        some = view.labels[:: math.ceil(len(view.labels) / _MEASURED)]
        widest = max(metrics.horizontalAdvance(label) for label in some)
        every = max(1, math.ceil((min(widest, 80) + _LABEL_GAP) / slot))
        painter.setPen(QColor(current_theme().muted))
        end = 0.0  # of the label before: the last one is moved in from the edge
        for index in range(0, len(view.labels), every):
            room = int(slot * every) - _LABEL_GAP
            text = metrics.elidedText(view.labels[index], Qt.TextElideMode.ElideRight, room)
            wide = metrics.horizontalAdvance(text)
            x = min(area.left() + slot * (index + 0.5) - wide / 2, self.width() - wide - 2)
            if x >= end:
                painter.drawText(QPointF(x, area.bottom() + 4 + metrics.ascent()), text)
                end = x + wide + _LABEL_GAP

    def _paint_groups(self, painter: QPainter, top: float) -> None:
        """Paint the bars of each label side by side."""
        view, area, theme = self._view, self._area(), current_theme()
        slot = area.width() / len(view.labels)
        width = min(26.0, slot * _FILLED / max(1, len(view.values)))
        for index in range(len(view.labels)):
            left = area.left() + slot * (index + 0.5) - width * len(view.values) / 2
            for group, row in enumerate(view.values):
                tall = area.height() * max(0.0, row[index]) / top
                bar = QRectF(left + group * width, area.bottom() - tall, width - 1, tall)
                painter.fillRect(bar, QColor(theme.series_color(group)))

    def _paint_profile(self, painter: QPainter, top: float) -> None:
        """Paint the bars of each label in front of each other, the lowest foremost: there is no
        room beside each other. Of labels that share a pixel the highest is seen.
        """
        view, area, theme = self._view, self._area(), current_theme()
        count = len(view.labels)
        columns = min(count, max(1, int(area.width())))
        width = area.width() / columns
        for column in range(columns):
            first, last = column * count // columns, (column + 1) * count // columns
            highest = [max(0.0, *row[first:last]) for row in view.values]
            for group in sorted(range(len(highest)), key=lambda at: -highest[at]):
                tall = area.height() * highest[group] / top
                left = area.left() + column * width
                bar = QRectF(left, area.bottom() - tall, width, tall)
                painter.fillRect(bar, QColor(theme.series_color(group)))

    def _paint_key(self, painter: QPainter) -> None:
        theme, metrics = current_theme(), painter.fontMetrics()
        painter.setPen(QColor(theme.text))
        y, x = _TOP - 4, 10
        painter.drawText(x, y + metrics.ascent(), self._view.title)
        if self._lines() > 1:
            y += metrics.height() + 4
        x = self.width() - _RIGHT
        if len(self._view.groups) < 2:
            return
        for group in reversed(range(len(self._view.groups))):
            name = self._view.groups[group]
            x -= metrics.horizontalAdvance(name)
            painter.drawText(x, y + metrics.ascent(), name)
            x -= 14
            mark = QRectF(x, y + metrics.ascent() - 8, 8, 8)
            painter.fillRect(mark, QColor(theme.series_color(group)))
            x -= 12

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        area, count = self._area(), len(self._view.labels)
        index = math.floor((event.position().x() - area.left()) / area.width() * max(1, count))
        if 0 <= index < count:
            where = event.globalPosition().toPoint()
            QToolTip.showText(where, tooltip("", self._sentence(index)), self)


def number_text(value: float) -> str:
    """Return a number of the scale: ``400,000``, ``0.25``."""
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"


def nice_ceiling(value: float) -> float:
    """Return the next round number (1, 2, 4, 5, 8 or 10 times a power of ten) at or above one."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 4, 5, 8, 10) if step * power >= value * (1 - 1e-12))


def scale_parts(top: float, *, is_whole: bool) -> int:
    """Return into how many parts a scale up to a round number is divided; no part of a sample is
    counted.
    """
    if not is_whole or top % 4 == 0:
        return 4
    return 5 if top % 5 == 0 else int(top)
