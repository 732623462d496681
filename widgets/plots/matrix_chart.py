"""Confusion matrix: a table of counts in shades."""

from collections.abc import Iterator

from PySide6.QtCore import QLineF, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QToolTip, QWidget
from typing_extensions import override

from widgets.common.live_widget import LiveWidget
from widgets.common.stylesheet import mixed
from widgets.common.text import tooltip
from widgets.common.theme import current_theme, scaled_font
from widgets.plots.view_model import MatrixView

_GAP = 10
_SMALLEST_TEXT = 15  # pixels a side of a cell that still holds a number
_LARGEST = 64
_WIDEST_NAME = 110
_SLACK = 2  # pixels by which letters of a painter may be wider than those that were measured
_DARK = 0.6  # shades above are written on in light


class MatrixChart(LiveWidget):
    """Shows a :class:`MatrixView`. A click on a cell, or Enter, chooses it; arrows go around."""

    cell_chosen = Signal(int, int)

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._view = MatrixView()
        self._current: tuple[int, int] | None = None
        self._names_width = _GAP
        self._shades = QImage()
        self.retranslate()

    def set_view(self, view: MatrixView) -> None:
        """Show counts; nothing is chosen."""
        self._view = view
        self._current = None
        self.retranslate()
        self.restyle()

    def cell_rect(self, row: int, column: int) -> QRectF:
        """Return where a cell lies, in the widget's pixels."""
        side, corner = self._side(), self._corner()
        return QRectF(corner.x() + column * side, corner.y() + row * side, side, side)

    def choose(self, row: int, column: int) -> None:
        """Choose a cell, as a click does."""
        self._current = (row, column)
        self.setAccessibleDescription(self._sentence(row, column))
        self.update()
        self.cell_chosen.emit(row, column)

    @override
    def sizeHint(self) -> QSize:
        return QSize(420, 380)

    @override
    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Confusion matrix"))
        diagonal = [row[index] for index, row in enumerate(self._view.counts)]
        total = sum(map(sum, self._view.counts))
        text = self.tr("{right} of {total} correct")
        self.setAccessibleDescription(text.format(right=sum(diagonal), total=total))

    @override
    def restyle(self) -> None:
        metrics = self._metrics()
        widths = (metrics.horizontalAdvance(label) for label in self._view.labels)
        self._names_width = min(_WIDEST_NAME, max(widths, default=0) + _SLACK) + _GAP
        self._shades = _shades(self._view)
        self.update()

    def _metrics(self) -> QFontMetrics:
        return QFontMetrics(scaled_font(0.9))

    def _corner(self) -> QPointF:
        line = self._metrics().height()
        return QPointF(_GAP + line + 4 + self._names_width, 2 * line + 2 * _GAP)

    def _side(self) -> float:
        corner, count = self._corner(), max(1, len(self._view.labels))
        room = min(self.width() - corner.x() - _GAP, self.height() - corner.y() - _GAP)
        return max(3.0, min(_LARGEST, room / count))

    def _sentence(self, row: int, column: int) -> str:
        view = self._view
        text = self.tr("{true} predicted as {predicted}: {count}")
        return text.format(
            true=view.labels[row], predicted=view.labels[column], count=view.counts[row][column]
        )

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(current_theme().surface))
        painter.setFont(scaled_font(0.9))
        self._paint_names(painter)
        self._paint_shades(painter)
        self._paint_counts(painter)
        theme = current_theme()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for index in range(len(self._view.labels)):  # the diagonal: what is right
            painter.setPen(QPen(QColor(theme.strong_border), 1))
            painter.drawRect(self.cell_rect(index, index).adjusted(0.5, 0.5, -1.5, -1.5))
        if self._current is not None:
            painter.setPen(QPen(QColor(theme.accent), 2))
            painter.drawRect(self.cell_rect(*self._current).adjusted(1, 1, -2, -2))

    def _paint_shades(self, painter: QPainter) -> None:
        """Draw a picture of one pixel a cell: of a hundred classes there are ten thousand."""
        corner, whole = self._corner(), self._side() * len(self._view.labels)
        painter.drawImage(QRectF(corner.x(), corner.y(), whole, whole), self._shades)
        painter.setPen(QPen(QColor(current_theme().surface), 1))
        painter.drawLines(list(self._gaps(corner, whole)))

    def _gaps(self, corner: QPointF, whole: float) -> Iterator[QLineF]:
        count = len(self._view.labels)
        for index in range(1, count + 1):
            offset = index * whole / count - 0.5
            x, y = corner.x() + offset, corner.y() + offset
            yield QLineF(x, corner.y(), x, corner.y() + whole)
            yield QLineF(corner.x(), y, corner.x() + whole, y)

    def _paint_counts(self, painter: QPainter) -> None:
        if self._side() < _SMALLEST_TEXT:
            return
        theme, metrics, highest = current_theme(), painter.fontMetrics(), _highest(self._view)
        for row, counts in enumerate(self._view.counts):
            for column, count in enumerate(counts):
                text, area = str(count), self.cell_rect(row, column)
                if not count or metrics.horizontalAdvance(text) >= area.width() - 2:
                    continue
                is_dark = _strength(count, highest) > _DARK
                painter.setPen(QColor(theme.on_accent if is_dark else theme.text))
                painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_names(self, painter: QPainter) -> None:
        view, metrics, corner, side = (
            self._view,
            painter.fontMetrics(),
            self._corner(),
            self._side(),
        )
        theme, line = current_theme(), metrics.height()
        painter.setPen(QColor(theme.muted))
        whole = side * len(view.labels)
        top = QRectF(corner.x(), _GAP / 2, max(whole, 160), line)
        painter.drawText(top, Qt.AlignmentFlag.AlignLeft, view.column_title)
        painter.save()
        painter.translate(_GAP / 2, corner.y() + whole)
        painter.rotate(-90)
        painter.drawText(QRectF(0, 0, whole, line), Qt.AlignmentFlag.AlignRight, view.row_title)
        painter.restore()
        every = max(1, -(-line // max(1, int(side))))
        painter.setPen(QColor(theme.text))
        width = self._names_width - _GAP
        for index in range(0, len(view.labels), every):
            name, cell = view.labels[index], self.cell_rect(index, index)
            text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, width)
            box = QRectF(corner.x() - width - 6, cell.top(), width, side)
            flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(box, flags, text)
            text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, int(side * every) - 2)
            box = QRectF(cell.left(), corner.y() - line - 4, side * every, line)
            centre = Qt.AlignmentFlag.AlignHCenter if every == 1 else Qt.AlignmentFlag.AlignLeft
            painter.drawText(box, centre, text)

    def _cell_at(self, position: QPointF) -> tuple[int, int] | None:
        offset, side, count = position - self._corner(), self._side(), len(self._view.labels)
        row, column = int(offset.y() // side), int(offset.x() // side)
        return (row, column) if 0 <= row < count and 0 <= column < count else None

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        cell = self._cell_at(event.position())
        self.setCursor(
            Qt.CursorShape.ArrowCursor if cell is None else Qt.CursorShape.PointingHandCursor
        )
        if cell is not None:
            where: QPoint = event.globalPosition().toPoint()
            QToolTip.showText(where, tooltip("", self._sentence(*cell)), self)

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self._cell_at(event.position())
        if cell is not None and event.button() == Qt.MouseButton.LeftButton:
            self.choose(*cell)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        moves = {
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
        }
        move, count = moves.get(Qt.Key(event.key())), len(self._view.labels)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            move = (0, 0)
        if move is None or not count:
            super().keyPressEvent(event)
            return
        row, column = self._current or (0, 0)
        self.choose((row + move[0]) % count, (column + move[1]) % count)


def _highest(view: MatrixView) -> int:
    return max((max(row, default=0) for row in view.counts), default=0) or 1


def _strength(count: int, highest: int) -> float:
    """Return how strong the shade of a count is, from 0 to 1."""
    return 0.12 + 0.78 * count / highest if count else 0.0


def _shades(view: MatrixView) -> QImage:
    """Return a picture of one pixel a cell, in the colours of the theme."""
    theme, highest = current_theme(), _highest(view)
    colors = {
        count: QColor(mixed(theme.surface, theme.accent, _strength(count, highest))).rgb()
        for count in {count for counts in view.counts for count in counts}
    }
    image = QImage(len(view.labels), len(view.labels), QImage.Format.Format_RGB32)
    for row, counts in enumerate(view.counts):
        for column, count in enumerate(counts):
            image.setPixel(column, row, colors[count])
    return image
