"""Small histogram of the numbers of a tensor."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget
from typing_extensions import override

from widgets.common.live_widget import LiveWidget
from widgets.common.text import tooltip
from widgets.common.theme import current_theme, scaled_font

_MARGIN = 8
_BARS = 52  # height of the bars in pixels at the normal text size


@dataclass(frozen=True, kw_only=True, slots=True)
class HistogramView:
    """Counts in bins of equal width. ``detail`` stands at the right of the title; ``low`` and
    ``high`` under the ends.
    """

    title: str
    detail: str = ""
    counts: tuple[int, ...] = ()
    low: str = ""
    high: str = ""
    description: str = ""


class Histogram(LiveWidget):
    """Shows a :class:`HistogramView`; a screen reader and the tooltip read its description."""

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._view = HistogramView(title="")

    @property
    def view(self) -> HistogramView:
        """What is shown."""
        return self._view

    def set_view(self, view: HistogramView) -> None:
        """Show counts."""
        self._view = view
        self.setAccessibleName(f"{view.title} {view.detail}")
        self.setAccessibleDescription(view.description)
        self.setToolTip(tooltip(view.title, view.description))
        self.update()

    @override
    def sizeHint(self) -> QSize:
        line = self.fontMetrics().height()
        return QSize(220, 2 * line + _BARS + 2 * _MARGIN)

    @override
    def retranslate(self) -> None:
        self.update()

    @override
    def restyle(self) -> None:
        self.updateGeometry()
        self.update()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        view, theme = self._view, current_theme()
        painter = QPainter(self)
        painter.setFont(scaled_font(0.9))
        line = painter.fontMetrics().height()
        head = QRectF(_MARGIN, _MARGIN / 2, self.width() - 2 * _MARGIN, line)
        foot = QRectF(_MARGIN, self.height() - line - 2, head.width(), line)
        left, right = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
        painter.setPen(QColor(theme.text))
        painter.drawText(head, left, view.title)
        painter.setPen(QColor(theme.muted))
        painter.drawText(head, right, view.detail)
        painter.drawText(foot, left, view.low)
        painter.drawText(foot, right, view.high)
        area = QRectF(head.left(), head.bottom() + 2, head.width(), foot.top() - head.bottom() - 4)
        painter.setPen(QColor(theme.border))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        self._paint_bars(painter, area)

    def _paint_bars(self, painter: QPainter, area: QRectF) -> None:
        counts = self._view.counts
        highest = max(counts, default=0)
        if not highest:
            return
        color = QColor(current_theme().accent)
        slot = area.width() / len(counts)
        if len(counts) == 1:  # one number everywhere
            slot, area = 8.0, QRectF(area.center().x() - 4, area.top(), 8.0, area.height())
        gap = 1.0 if slot >= 3 else 0.0
        for index, count in enumerate(counts):
            tall = area.height() * count / highest
            bar = QRectF(area.left() + slot * index, area.bottom() - tall, slot - gap, tall)
            painter.fillRect(bar, color)
