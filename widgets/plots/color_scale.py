"""Scale of colours for numbers, from the least to the greatest."""

import math
from collections.abc import Callable

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget
from typing_extensions import override

from widgets.common.stylesheet import mixed
from widgets.common.theme import current_theme
from widgets.plots.legend import value_text

_BAR = 10  # pixels
_WIDTH = 150
_LEFT, _RIGHT = 8, 12
_APART = 12  # between the numbers
_TICK = 3  # pixels, below the bar


def scale_color(part: float) -> str:
    """Return the colour of a number by where it is, from 0 (the least) to 1 (the greatest)."""
    heats = current_theme().heats
    place = min(max(part, 0.0), 1.0) * (len(heats) - 1)
    index = min(int(place), len(heats) - 2)
    return QColor(mixed(heats[index], heats[index + 1], place - index)).name()


class ColorScale(QWidget):
    """A bar of the colours with the numbers at its ends; hidden where there are none."""

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self._span = (0.0, 1.0)
        self._title = ""
        self._color: Callable[[float], QColor] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.hide()

    def set_span(
        self,
        span: tuple[float, float] | None,
        title: str = "",
        color: Callable[[float], QColor] | None = None,
    ) -> None:
        """Show from which number to which the colours go; None for no numbers. With a ``title``
        these are counts on a logarithmic scale; ``color`` gives other colours than the usual.
        """
        self._span = span or self._span
        self._title, self._color = title, color
        ends = " – ".join(map(value_text, self._span))
        self.setAccessibleName(f"{title}: {ends}" if title else ends)
        self.updateGeometry()
        self.setVisible(span is not None)
        self.update()

    @override
    def sizeHint(self) -> QSize:
        words = sum(self.fontMetrics().horizontalAdvance(value_text(end)) for end in self._span)
        title = self.fontMetrics().horizontalAdvance(self._title)
        width = max(_WIDTH, max(words + _APART, title) + _LEFT + _RIGHT)
        lines = 2 if self._title else 1
        return QSize(width, lines * self.fontMetrics().height() + _BAR + 18)

    @override
    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(current_theme().surface))
        metrics = self.fontMetrics()
        top = 6
        painter.setPen(QColor(current_theme().muted))
        if self._title:
            painter.drawText(_LEFT, top + metrics.ascent(), self._title)
            top += metrics.height() + 2
        bar = QRectF(_LEFT, top, self.width() - _LEFT - _RIGHT, _BAR)
        gradient = QLinearGradient(bar.topLeft(), bar.topRight())
        for part in range(11):
            gradient.setColorAt(part / 10, self._color_at(part / 10))
        painter.fillRect(bar, gradient)
        for place in self._powers():
            across = round(bar.left() + place * bar.width())
            painter.drawLine(across, round(bar.bottom()), across, round(bar.bottom()) + _TICK)
        base = round(bar.bottom()) + 4 + metrics.ascent()
        low, high = map(value_text, self._span)
        painter.drawText(round(bar.left()), base, low)
        painter.drawText(round(bar.right()) - metrics.horizontalAdvance(high), base, high)

    def _color_at(self, part: float) -> QColor:
        return QColor(scale_color(part)) if self._color is None else self._color(part)

    def _powers(self) -> list[float]:
        """Return where powers of ten lie on a logarithmic scale, from 0 to 1."""
        most = self._span[1]
        if not self._title or most <= 1:
            return []
        return [power / math.log10(most) for power in range(int(math.log10(most)) + 1)]
