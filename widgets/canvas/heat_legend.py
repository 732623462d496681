"""Colour scale of a metric that nodes are coloured by, from the lowest to the highest value."""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget
from typing_extensions import override

from widgets.common.text import plain_tip
from widgets.common.theme import current_theme, theme_signals

_SWATCH, _HEIGHT, _GAP = 18, 10, 6


@dataclass(frozen=True, kw_only=True, slots=True)
class HeatLegendView:
    """What is measured, and the texts of the least and the most value."""

    title: str
    low: str
    high: str


class HeatLegend(QWidget):
    """Shows a :class:`HeatLegendView`; hidden without one."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._view: HeatLegendView | None = None
        theme_signals().changed.connect(self.update)
        self.hide()

    def set_view(self, view: HeatLegendView | None) -> None:
        """Show another scale, or none."""
        self._view = view
        self.setVisible(view is not None)
        if view is not None:
            name = f"{view.title}: {view.low} – {view.high}"
            self.setAccessibleName(name)
            self.setToolTip(plain_tip(name))
        self.updateGeometry()
        self.update()

    @override
    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        view = self._view
        texts = (view.low, view.high) if view else ()
        width = sum(metrics.horizontalAdvance(text) + _GAP for text in texts)
        return QSize(width + _SWATCH * len(current_theme().heats), max(metrics.height(), _HEIGHT))

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        if self._view is None:
            return
        theme, metrics = current_theme(), self.fontMetrics()
        painter = QPainter(self)
        painter.setPen(QColor(theme.muted))
        left = metrics.horizontalAdvance(self._view.low) + _GAP
        side = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(self.rect(), side | Qt.AlignmentFlag.AlignLeft, self._view.low)
        painter.drawText(self.rect(), side | Qt.AlignmentFlag.AlignRight, self._view.high)
        painter.setPen(Qt.PenStyle.NoPen)
        for number, color in enumerate(theme.heats):
            painter.setBrush(QColor(color))
            top = (self.height() - _HEIGHT) / 2
            painter.drawRect(QRectF(left + number * _SWATCH, top, _SWATCH, _HEIGHT))
        painter.end()

    @override
    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()
        super().changeEvent(event)
