"""Histograms of a tensor from step to step, as a heat map or as ridges."""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from pyqtgraph.functions import arrayToQPolygonF
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QWidget
from typing_extensions import override

from widgets.common.live_widget import LiveWidget
from widgets.common.stylesheet import mixed
from widgets.common.theme import current_theme, scaled_font
from widgets.plots.view_model import Floats

_LEFT, _TOP, _RIGHT, _BOTTOM = 66, 10, 14, 26
_RIDGES = 28
_COLUMNS = 600  # of a heat map: no screen shows more apart
_LEVELS = 256

Look = Literal["ridges", "heat"]


def _nothing() -> Floats:
    return np.empty((0, 0))


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class HistoryView:
    """Histograms over time: ``shares`` (steps x bins, float64) of the elements that lie in bins of
    equal width from ``low`` to ``high``; ``steps`` (ascending); ``at`` the row that is marked.
    """

    title: str = ""
    steps: Floats = field(default_factory=_nothing)
    shares: Floats = field(default_factory=_nothing)
    low: float = 0.0
    high: float = 1.0
    at: int = 0
    empty_text: str = ""


class HistogramHistory(LiveWidget):
    """Shows a :class:`HistoryView`; ``row_chosen`` tells which step was clicked or walked to."""

    row_chosen = Signal(int)

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._view = HistoryView()
        self._look: Look = "ridges"
        self._image = QImage()
        self.retranslate()

    @property
    def view(self) -> HistoryView:
        """What is shown."""
        return self._view

    def set_view(self, view: HistoryView) -> None:
        """Show histograms."""
        if view.shares is not self._view.shares:
            self._image = QImage()
        self._view = view
        self.retranslate()
        self.update()

    def set_look(self, look: Look) -> None:
        """Draw ridges or a heat map."""
        self._look = look
        self.update()

    @override
    def retranslate(self) -> None:
        self.setAccessibleName(self._view.title or self.tr("Histograms over steps"))
        if len(self._view.steps):
            text = self.tr("Step {step}; values from {low} to {high}").format(
                step=int(self._view.steps[self._view.at]),
                low=f"{self._view.low:.4g}",
                high=f"{self._view.high:.4g}",
            )
            self.setAccessibleDescription(text)

    @override
    def restyle(self) -> None:
        self._image = QImage()
        self.update()

    @override
    def sizeHint(self) -> QSize:
        return QSize(420, 300)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        theme, view = current_theme(), self._view
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.surface))
        painter.setFont(scaled_font(0.9))
        if not len(view.steps):
            painter.setPen(QColor(theme.muted))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(self.rect().adjusted(20, 20, -20, -20), flags, view.empty_text)
            return
        if self._look == "heat":
            self._paint_heat(painter)
        else:
            self._paint_ridges(painter)

    def _area(self) -> QRectF:
        width, height = self.width() - _LEFT - _RIGHT, self.height() - _TOP - _BOTTOM
        return QRectF(_LEFT, _TOP, max(20, width), max(20, height))

    def _paint_heat(self, painter: QPainter) -> None:
        theme, view, area = current_theme(), self._view, self._area()
        if self._image.isNull():  # made when it is seen: it takes longer than to paint it
            self._image = _heat_image(view.shares)
        painter.drawImage(area, self._image)
        painter.setPen(QPen(QColor(theme.text), 1.5))
        x = self._heat_x(view.at)
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        self._paint_frame(painter, (view.low, view.high), (view.steps[0], view.steps[-1]))

    def _heat_x(self, row: int) -> float:
        area = self._area()
        return area.left() + area.width() * (row + 0.5) / len(self._view.steps)

    def _paint_frame(
        self, painter: QPainter, up: tuple[float, float], across: tuple[float, float]
    ) -> None:
        """Write the ends of both axes."""
        theme, area = current_theme(), self._area()
        painter.setPen(QColor(theme.strong_border))
        painter.drawLine(area.topLeft(), area.bottomLeft())
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.setPen(QColor(theme.muted))
        line = painter.fontMetrics().height()
        right, left = Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignLeft
        for y, value in ((area.top(), up[1]), (area.bottom() - line, up[0])):
            painter.drawText(QRectF(0, y, _LEFT - 6, line), right, f"{value:.3g}")
        foot = QRectF(area.left(), area.bottom() + 4, area.width(), line)
        painter.drawText(foot, left, f"{across[0]:,.6g}")
        painter.drawText(foot, right, f"{across[1]:,.6g}")

    def _rows(self) -> list[int]:
        """Return the rows that are drawn as ridges, the marked one among them."""
        count = len(self._view.steps)
        rows = {round(row) for row in np.linspace(0, count - 1, min(count, _RIDGES))}
        return sorted({*rows, self._view.at})

    def _ridge_y(self, index: int, count: int) -> float:
        area = self._area()
        back = area.top() + area.height() * (0.3 if count > 1 else 1.0)
        return back + (area.bottom() - back) * index / max(1, count - 1)

    def _paint_ridges(self, painter: QPainter) -> None:
        theme, view, area = current_theme(), self._view, self._area()
        smooth = QPainter.RenderHint.Antialiasing
        rows = self._rows()
        tall = area.height() * (0.3 if len(rows) > 1 else 0.9)
        peak = float(view.shares[rows].max()) or 1.0
        xs = np.linspace(area.left(), area.right(), view.shares.shape[1])
        for index, row in enumerate(rows):
            ground = self._ridge_y(index, len(rows))
            is_marked = row == view.at
            shade = theme.accent if is_marked else mixed(theme.surface, theme.accent, 0.28)
            edge = theme.text if is_marked else mixed(theme.surface, theme.accent, 0.75)
            line = arrayToQPolygonF(xs, ground - tall * view.shares[row] / peak)
            shape = QPolygonF(line)
            shape.append(QPointF(area.right(), ground))
            shape.append(QPointF(area.left(), ground))
            painter.setRenderHint(smooth, on=False)  # takes three times as long; the line hides it
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(shade))
            painter.drawPolygon(shape)
            painter.setRenderHint(smooth)
            painter.setPen(QPen(QColor(edge), 1))
            painter.drawPolyline(line)
        painter.setRenderHint(smooth, on=False)
        self._paint_steps(painter, rows)

    def _paint_steps(self, painter: QPainter, rows: list[int]) -> None:
        """Write the steps beside the ridges, and the range below."""
        theme, view, area = current_theme(), self._view, self._area()
        line = painter.fontMetrics().height()
        painter.setPen(QColor(theme.muted))
        last = -1e9
        for index, row in enumerate(rows):
            y = self._ridge_y(index, len(rows))
            if y - last >= line or row == view.at:
                painter.setPen(QColor(theme.text if row == view.at else theme.muted))
                box = QRectF(0, y - line / 2, _LEFT - 6, line)
                painter.fillRect(box, QColor(theme.surface))
                painter.drawText(box, Qt.AlignmentFlag.AlignRight, f"{view.steps[row]:,.6g}")
                last = y
        painter.setPen(QColor(theme.muted))
        foot = QRectF(area.left(), area.bottom() + 4, area.width(), line)
        painter.drawText(foot, Qt.AlignmentFlag.AlignLeft, f"{view.low:.3g}")
        painter.drawText(foot, Qt.AlignmentFlag.AlignRight, f"{view.high:.3g}")

    def _row_at(self, position: QPointF) -> int:
        area, count = self._area(), len(self._view.steps)
        if self._look == "heat":
            return int((position.x() - area.left()) / area.width() * count)
        rows = self._rows()
        nearest = min(
            range(len(rows)), key=lambda each: abs(self._ridge_y(each, len(rows)) - position.y())
        )
        return rows[nearest]

    def _choose(self, row: int) -> None:
        if len(self._view.steps):
            self.row_chosen.emit(min(max(row, 0), len(self._view.steps) - 1))

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if len(self._view.steps):
            self._choose(self._row_at(event.position()))

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.mousePressEvent(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        moves = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}
        if event.key() in moves:
            self._choose(self._view.at + moves[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)


def _heat_image(shares: Floats) -> QImage:
    """Return a picture of a column a step, the least value at the bottom; roots of the shares, so
    that what is rare can be seen.
    """
    if not shares.size:
        return QImage()
    picked = np.linspace(0, len(shares) - 1, min(len(shares), _COLUMNS)).astype(int)
    heat = np.sqrt(shares[picked].T[::-1])
    heat = (heat / (heat.max() or 1.0) * (_LEVELS - 1)).astype(np.uint8)
    height, width = heat.shape
    rows = np.zeros((height, -(-width // 4) * 4), np.uint8)  # Qt wants lines of whole words
    rows[:, :width] = heat
    image = QImage(rows.tobytes(), width, height, rows.shape[1], QImage.Format.Format_Indexed8)
    theme = current_theme()
    strong = mixed(theme.accent, theme.text, 0.35)
    halves = ((theme.surface, theme.accent), (theme.accent, strong))
    half = _LEVELS // 2
    colors = [
        QColor(mixed(low, high, level / (half - 1))).rgb()
        for low, high in halves
        for level in range(half)
    ]
    image.setColorTable(colors)
    return image.copy()  # the bytes are gone with this call
