"""Matrix with a token beside each row and above each column, as attention weights are read."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip, QWidget
from typing_extensions import override

from widgets.common.stylesheet import mixed
from widgets.common.text import tooltip
from widgets.common.theme import current_theme, scaled_font, theme_signals
from widgets.plots.diverging import number_colors

_GAP = 6
_LEAST, _LARGEST = 16, 44  # pixels a side of a cell
_NARROWEST = 5  # pixels of a unit
_WIDEST = 120  # pixels of a token
_OF_NUMBERS = 36  # pixels a side of a cell that holds a number
_DARK = 0.6  # shades above are written on in light
_COLORS = 256
_STRONGEST = 0.72  # what number_colors covers at most


def weight_color(share: float) -> QColor:
    """Return the color of a weight, a share of the largest one."""
    theme = current_theme()
    return QColor(mixed(theme.surface, theme.accent, 0.06 + 0.94 * share))


def state_color(share: float) -> QColor:
    """Return the color of a state, from -1 (blue) to 1 (red) of the largest size."""
    red, green, blue, alpha = number_colors(np.array([share]), (-1.0, 1.0))[0].tolist()
    strong = QColor(red, green, blue).name()
    return QColor(mixed(current_theme().surface, strong, alpha / 255 / _STRONGEST))


def _no_weights() -> NDArray[np.float32]:
    return np.zeros((0, 0), np.float32)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class TokenMatrixView:
    """How much the tokens ``rows`` look at the tokens ``columns``: ``weights`` (rows, columns), of
    which 0 is no look at all. Numbers that are ``signed`` are states after each token instead, one
    for each of the units ``columns``.
    """

    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    weights: NDArray[np.float32] = field(default_factory=_no_weights)
    is_signed: bool = False


class TokenMatrix(QAbstractScrollArea):
    """Shows a :class:`TokenMatrixView`; what does not fit is scrolled, the tokens stay in sight.
    Arrows go from cell to cell; ``cell_changed`` carries row and column of the one that is looked
    at.
    """

    cell_changed = Signal(int, int)

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self.setProperty("frameless", "true")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.view = TokenMatrixView()
        self._current: tuple[int, int] | None = None
        self._corner = QPointF(_GAP, _GAP)
        self._width = self._height = float(_LEAST)
        self._is_turned = False
        theme_signals().changed.connect(self._place)
        self.retranslate()

    def set_view(self, view: TokenMatrixView) -> None:
        """Show weights; the cell that was looked at stays where it still is one."""
        self.view = view
        rows, columns = view.weights.shape
        if self._current is not None and not (
            self._current[0] < rows and self._current[1] < columns
        ):
            self._current = None
        self.retranslate()
        self._place()

    def sentence(self, row: int, column: int) -> str:
        """Return what a cell says."""
        view, weight = self.view, float(self.view.weights[row, column])
        text = self.tr("“{row}” (row {r}) looks at “{column}” (column {c}) with {weight}")
        if view.is_signed:
            text = self.tr("After “{row}” (row {r}) unit {column} is {weight}")
        elif not weight:
            text = self.tr("“{row}” (row {r}) does not see “{column}” (column {c}): masked, or 0")
        return text.format(
            row=view.rows[row],
            column=view.columns[column],
            r=row + 1,
            c=column + 1,
            weight=f"{weight:.4f}",
        )

    def cell_rect(self, row: int, column: int) -> QRectF:
        """Return where a cell lies, in pixels of the viewport."""
        x = self._corner.x() + column * self._width - self.horizontalScrollBar().value()
        y = self._corner.y() + row * self._height - self.verticalScrollBar().value()
        return QRectF(x, y, self._width, self._height)

    def look_at(self, row: int, column: int) -> None:
        """Mark a cell, scroll to it and tell what it says."""
        self._current = (row, column)
        across, down = self.horizontalScrollBar(), self.verticalScrollBar()
        for bar, at, side, room in (
            (across, column, self._width, self._room().width()),
            (down, row, self._height, self._room().height()),
        ):
            start = int(at * side)
            bar.setValue(min(max(bar.value(), int(start + side - room) + 1), start))
        self.retranslate()
        self.viewport().update()
        self.cell_changed.emit(row, column)

    def retranslate(self) -> None:
        """Set every text that the user reads."""
        self.setAccessibleName(self.tr("Attention weights"))
        said = "" if self._current is None else self.sentence(*self._current)
        self.setAccessibleDescription(said)

    @override
    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    @override
    def sizeHint(self) -> QSize:
        return QSize(480, 420)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place()

    def _room(self) -> QSize:
        """Return the pixels that are left for cells."""
        size = self.viewport().size()
        width, height = self._corner.x() + _GAP, self._corner.y() + _GAP
        return QSize(max(1, int(size.width() - width)), max(1, int(size.height() - height)))

    def _place(self) -> None:
        """Find the size of cells and how far they can be scrolled."""
        metrics = self.fontMetrics()
        widths = [
            min(_WIDEST, max(map(metrics.horizontalAdvance, tokens), default=0))
            for tokens in (self.view.rows, self.view.columns)
        ]
        rows, columns = self.view.weights.shape
        self._corner = QPointF(widths[0] + 2 * _GAP, metrics.height() + 2 * _GAP)
        room = self._room()
        side = min(room.width() / max(columns, 1), room.height() / max(rows, 1))
        is_wide = widths[1] > max(_LEAST, min(_LARGEST, side))
        self._is_turned = is_wide and not self.view.is_signed
        if self._is_turned:
            self._corner.setY(widths[1] + 2 * _GAP)
            room = self._room()
            side = min(room.width() / max(columns, 1), room.height() / max(rows, 1))
        self._width = self._height = max(_LEAST, min(_LARGEST, side))
        if self.view.is_signed:
            self._width = max(_NARROWEST, min(_LARGEST, room.width() / max(columns, 1)))
            self._height = max(_LEAST, min(_LARGEST, room.height() / max(rows, 1)))
        for bar, count, side, length in (
            (self.horizontalScrollBar(), columns, self._width, room.width()),
            (self.verticalScrollBar(), rows, self._height, room.height()),
        ):
            bar.setRange(0, max(0, int(count * side) - length + 1))
            bar.setPageStep(length)
            bar.setSingleStep(int(side))
        self.viewport().update()

    def _seen(self) -> tuple[range, range]:
        """Return the rows and columns that are in sight."""
        room, (rows, columns) = self._room(), self.view.weights.shape
        found: list[range] = []
        for bar, length, side, count in (
            (self.verticalScrollBar(), room.height(), self._height, rows),
            (self.horizontalScrollBar(), room.width(), self._width, columns),
        ):
            first = int(bar.value() // side)
            found.append(range(first, min(count, int((bar.value() + length) // side) + 1)))
        return found[0], found[1]

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        theme = current_theme()
        painter.fillRect(self.viewport().rect(), QColor(theme.surface))
        if not self.view.weights.size:
            return
        painter.setFont(self.font())
        room, corner = self._room(), self._corner
        cells = QRectF(corner.x(), corner.y(), room.width() + _GAP, room.height() + _GAP)
        painter.save()
        painter.setClipRect(cells)
        self._paint_cells(painter)
        painter.restore()
        self._paint_tokens(painter, cells)

    def _paint_cells(self, painter: QPainter) -> None:
        theme, weights = current_theme(), self.view.weights
        is_signed = self.view.is_signed
        shares = [step / (_COLORS - 1) for step in range(_COLORS)]
        colors = [state_color(2 * each - 1) if is_signed else weight_color(each) for each in shares]
        most = float(np.abs(weights).max()) or 1.0
        masked = QBrush(QColor(theme.border), Qt.BrushStyle.BDiagPattern)
        rows, columns = self._seen()
        painter.setFont(scaled_font(0.8))
        for row in rows:
            for column in columns:
                weight, area = float(weights[row, column]), self.cell_rect(row, column)
                inside = area.adjusted(0, 0, -1, -1)
                if is_signed:
                    share = (weight / most + 1) / 2
                    painter.fillRect(area, colors[int(share * (_COLORS - 1))])
                    continue
                if not weight:
                    painter.fillRect(inside, masked)
                    continue
                share = min(weight / most, 1.0)
                painter.fillRect(inside, colors[int(share * (_COLORS - 1))])
                if self._width >= _OF_NUMBERS:
                    painter.setPen(QColor(theme.on_accent if share > _DARK else theme.text))
                    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, f"{weight:.2f}"[-3:])
        if self._current is not None:
            painter.setPen(QPen(QColor(theme.text), 2))
            painter.drawRect(self.cell_rect(*self._current).adjusted(0, 0, -1, -1))

    def _paint_tokens(self, painter: QPainter, cells: QRectF) -> None:
        """Write the tokens in sight along both sides, that of the marked cell in bold."""
        theme = current_theme()
        current = self._current or (-1, -1)
        rows, columns = self._seen()
        painter.save()
        painter.setClipRect(QRectF(0, cells.top(), cells.left(), cells.height()))
        for row in rows:
            area = self.cell_rect(row, 0)
            box = QRectF(_GAP, area.top(), cells.left() - 2 * _GAP, self._height)
            self._write(painter, self.view.rows[row], box, is_bold=row == current[0])
        painter.setClipRect(QRectF(cells.left(), 0, cells.width(), cells.top()))
        widest = max(map(self.fontMetrics().horizontalAdvance, self.view.columns), default=0)
        every = 1 if not self.view.is_signed else max(1, -(-(widest + _GAP) // int(self._width)))
        for column in (each for each in columns if each % every == 0):
            area, token = self.cell_rect(0, column), self.view.columns[column]
            is_bold = column == current[1]
            if not self._is_turned:
                box = QRectF(area.left(), _GAP, self._width, cells.top() - 2 * _GAP)
                self._write(painter, token, box, Qt.AlignmentFlag.AlignHCenter, is_bold=is_bold)
                continue
            painter.save()
            painter.translate(area.left(), cells.top() - _GAP)
            painter.rotate(-90)
            box = QRectF(0, 0, cells.top() - 2 * _GAP, self._width)
            self._write(painter, token, box, Qt.AlignmentFlag.AlignLeft, is_bold=is_bold)
            painter.restore()
        painter.restore()
        painter.setPen(QPen(QColor(theme.border), 1))
        painter.drawLine(
            QPointF(cells.left() - 2, cells.top()), QPointF(cells.left() - 2, cells.bottom())
        )
        painter.drawLine(
            QPointF(cells.left(), cells.top() - 2), QPointF(cells.right(), cells.top() - 2)
        )

    def _write(
        self,
        painter: QPainter,
        token: str,
        box: QRectF,
        side: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignRight,
        *,
        is_bold: bool,
    ) -> None:
        font = self.font()
        font.setBold(is_bold)
        painter.setFont(font)
        painter.setPen(QColor(current_theme().text if is_bold else current_theme().muted))
        mode, width = Qt.TextElideMode.ElideRight, max(int(box.width()), _LEAST)
        text = painter.fontMetrics().elidedText(token, mode, width)
        painter.drawText(box, side | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip, text)

    def _cell_at(self, position: QPointF) -> tuple[int, int] | None:
        if position.x() < self._corner.x() or position.y() < self._corner.y():
            return None
        x = position.x() - self._corner.x() + self.horizontalScrollBar().value()
        y = position.y() - self._corner.y() + self.verticalScrollBar().value()
        row, column = int(y // self._height), int(x // self._width)
        rows, columns = self.view.weights.shape
        return (row, column) if row < rows and column < columns else None

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        cell = self._cell_at(event.position())
        where: QPoint = event.globalPosition().toPoint()
        said = "" if cell is None else tooltip("", self.sentence(*cell))
        QToolTip.showText(where, said, self.viewport())

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self._cell_at(event.position())
        if cell is not None and event.button() == Qt.MouseButton.LeftButton:
            self.look_at(*cell)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        moves = {
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
        }
        move = moves.get(Qt.Key(event.key()))
        rows, columns = self.view.weights.shape
        if move is None or not self.view.weights.size:
            super().keyPressEvent(event)
            return
        row, column = self._current or (-move[0], -move[1])
        self.look_at(
            min(max(row + move[0], 0), rows - 1), min(max(column + move[1], 0), columns - 1)
        )
