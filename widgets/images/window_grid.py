"""Two grids of cells: a window over the large one, and the cell of the small one that it is for."""

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from widgets.common.live_widget import LiveWidget
from widgets.common.theme import current_theme, scaled_font
from widgets.images.sliding_window import SlidingAxis, WindowView

_MOST = 16  # cells a side that are drawn; of larger grids it is the beginning
_CELL = 18.0
_GAP = 8.0
_LEAST = 160
_SMALL_TEXT = 0.85

_ONE = SlidingAxis()
_NOTHING = WindowView(axes=(_ONE, _ONE), large="", small="")


class WindowGrid(LiveWidget):
    """Draws a :class:`WindowView`. ``position_pointed`` gives the place whose cell of the small
    grid the pointer is at.
    """

    position_pointed = Signal(int)

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self.setMouseTracking(True)
        self._view = _NOTHING
        self._position = 0
        self.retranslate()

    def set_view(self, view: WindowView) -> None:
        """Show a window at its first place."""
        self._view = view
        self._position = 0
        self.updateGeometry()
        self.update()

    def count(self) -> int:
        """Return at how many places the window is drawn."""
        rows, columns = self._places()
        return rows * columns

    def set_position(self, position: int) -> None:
        """Draw the window at a place, counted row by row."""
        self._position = min(max(position, 0), self.count() - 1)
        self.update()

    def place(self) -> tuple[int, int]:
        """Return row and column of the cell that the window is for."""
        row, column = divmod(self._position, self._places()[1])
        return row, column

    def taps(self) -> frozenset[tuple[int, int]]:
        """Return the cells of the large grid that the window reads, row and column with padding."""
        across = [
            [at * axis.stride + tap * axis.dilation for tap in range(axis.taps)]
            for at, axis in zip(self.place(), self._view.axes, strict=True)
        ]
        return frozenset((row, column) for row in across[0] for column in across[1])

    def _places(self) -> tuple[int, int]:
        rows, columns = (
            max(min(axis.count, (seen - axis.extent) // axis.stride + 1), 1)
            for axis, seen in zip(self._view.axes, self._seen(), strict=True)
        )
        return rows, columns

    def _seen(self) -> tuple[int, int]:
        """Return how many rows and columns of the large grid are drawn."""
        rows, columns = (
            min(axis.before + axis.size + axis.after, max(_MOST, axis.extent))
            for axis in self._view.axes
        )
        return rows, columns

    def _cell(self) -> float:
        """Return how large a cell is, so that both grids have room below one another."""
        (rows, columns), (more_rows, more_columns) = self._seen(), self._places()
        across = (self.width() - 2.0) / max(columns, more_columns)
        down = (self.height() - self._around()) / (rows + more_rows)
        return max(min(_CELL, across, down), 1.0)

    def _around(self) -> float:
        return 2 * self._text_height() + _GAP + 2

    def _text_height(self) -> float:
        return self.fontMetrics().height() + 2.0

    def _small_top(self) -> float:
        return 2 * self._text_height() + self._seen()[0] * self._cell() + _GAP

    @override
    def sizeHint(self) -> QSize:
        rows = self._seen()[0] + self._places()[0]
        return QSize(int(_MOST * _CELL), int(self._around() + rows * _CELL))

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST, _LEAST)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(scaled_font(_SMALL_TEXT))
        line = self._text_height()
        self._write(painter, 0.0, self._view.large)
        self._draw_large(painter, line)
        top = self._small_top()
        self._write(painter, top - line, self._view.small)
        self._draw_small(painter, top)
        painter.end()

    def _write(self, painter: QPainter, top: float, text: str) -> None:
        painter.setPen(QColor(current_theme().muted))
        room = QRectF(0, top, self.width(), self._text_height())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)

    def _draw_large(self, painter: QPainter, top: float) -> None:
        theme, cell, taps = current_theme(), self._cell(), self.taps()
        rows, columns = self._seen()
        for row in range(rows):
            for column in range(columns):
                box = QRectF(1 + column * cell, top + row * cell, cell, cell)
                is_padding = self._is_padding((row, column))
                color = theme.sunken if is_padding else theme.surface
                if (row, column) in taps:
                    color = theme.accent_soft if is_padding else theme.accent
                painter.setPen(_pen(theme.border, is_dashed=is_padding))
                painter.setBrush(QColor(color))
                painter.drawRect(box)

    def _is_padding(self, cell: tuple[int, int]) -> bool:
        return any(
            not axis.before <= index < axis.before + axis.size
            for index, axis in zip(cell, self._view.axes, strict=True)
        )

    def _draw_small(self, painter: QPainter, top: float) -> None:
        theme, cell = current_theme(), self._cell()
        rows, columns = self._places()
        painter.setPen(_pen(theme.border))
        for position in range(rows * columns):
            row, column = divmod(position, columns)
            is_chosen = position == self._position
            painter.setBrush(QColor(theme.accent if is_chosen else theme.surface))
            painter.drawRect(QRectF(1 + column * cell, top + row * cell, cell, cell))

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._point_at(event.position().toPoint())

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point_at(event.position().toPoint())

    def _point_at(self, point: QPoint) -> None:
        position = self._position_at(point)
        if position is not None:
            self.position_pointed.emit(position)

    def _position_at(self, point: QPoint) -> int | None:
        rows, columns = self._places()
        row = int((point.y() - self._small_top()) // self._cell())
        column = int((point.x() - 1) // self._cell())
        is_inside = 0 <= row < rows and 0 <= column < columns
        return row * columns + column if is_inside else None

    @override
    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Kernel on the input grid"))


def _pen(color: str, *, is_dashed: bool = False) -> QPen:
    pen = QPen(QColor(color))
    pen.setStyle(Qt.PenStyle.DotLine if is_dashed else Qt.PenStyle.SolidLine)
    return pen
