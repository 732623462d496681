"""Grid of equal cells that holds nothing of its own: where a cell is, is worked out when needed, so
that a million of them take no more than ten.
"""

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QRegion,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyleOptionViewItem, QWidget
from typing_extensions import override

Index = QModelIndex | QPersistentModelIndex
_MARGIN = 6
_ACTION = QAbstractItemView.CursorAction
_FLAG = QItemSelectionModel.SelectionFlag


class GridView(QAbstractItemView):
    """Shows the first column of a model as cells of one size, as many in a line as fit. Selecting
    a cell selects its row.
    """

    looked_at = Signal(int, int)
    copy_requested = Signal()
    menu_requested = Signal(QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cell = QSize(96, 120)
        self.setProperty("frameless", "true")
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover)

    def set_cell_size(self, size: QSize) -> None:
        """Make the cells as large; the first one in view stays in view."""
        if size == self._cell:
            return
        first = self._first_in_view()
        self._cell = size
        self.updateGeometries()
        self.verticalScrollBar().setValue(first // self.line_length * size.height() + _MARGIN)
        self._tell()
        self.viewport().update()

    @property
    def line_length(self) -> int:
        """The number of cells in a line."""
        return max(1, (self.viewport().width() - 2 * _MARGIN) // self._cell.width())

    def _count(self) -> int:
        model = self.model()
        return model.rowCount() if model else 0  # there is none while it is built

    def _first_in_view(self) -> int:
        return max(0, (self.verticalOffset() - _MARGIN) // self._cell.height()) * self.line_length

    def _last_in_view(self) -> int:
        bottom = self.verticalOffset() + self.viewport().height() - _MARGIN
        return min((bottom // self._cell.height() + 1) * self.line_length, self._count()) - 1

    def _tell(self) -> None:
        self.looked_at.emit(self._first_in_view(), self._last_in_view())

    def _rect(self, row: int) -> QRect:
        line, column = divmod(row, self.line_length)
        left = _MARGIN + column * self._cell.width()
        top = _MARGIN + line * self._cell.height() - self.verticalOffset()
        return QRect(QPoint(left, top), self._cell)

    def _row_near(self, point: QPoint) -> int:
        """Return the row of the cell nearest to a point of the viewport."""
        column = (point.x() - _MARGIN) // self._cell.width()
        line = (point.y() + self.verticalOffset() - _MARGIN) // self._cell.height()
        row = line * self.line_length + min(max(column, 0), self.line_length - 1)
        return min(max(row, 0), self._count() - 1)

    @override
    def visualRect(self, index: Index) -> QRect:
        if not index.isValid() or index.column():
            return QRect()
        return self._rect(index.row())

    @override
    def indexAt(self, point: QPoint) -> QModelIndex:
        if self._count():
            row = self._row_near(point)
            if self._rect(row).contains(point):
                return self.model().index(row, 0)
        return QModelIndex()

    @override
    def scrollTo(
        self,
        index: Index,
        hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        if not index.isValid():
            return
        rect, bar = self._rect(index.row()), self.verticalScrollBar()
        below = rect.bottom() + _MARGIN - self.viewport().height()
        if hint == QAbstractItemView.ScrollHint.PositionAtCenter:
            bar.setValue(bar.value() + rect.center().y() - self.viewport().height() // 2)
        elif rect.top() < _MARGIN or hint == QAbstractItemView.ScrollHint.PositionAtTop:
            bar.setValue(bar.value() + rect.top() - _MARGIN)
        elif below > 0:
            bar.setValue(bar.value() + below)

    @override
    def moveCursor(
        self, cursorAction: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        count = self._count()
        if not count:
            return QModelIndex()
        current = self.currentIndex()
        if not current.isValid():
            return self.model().index(0, 0)
        line = self.line_length
        page = max(1, self.viewport().height() // self._cell.height()) * line
        step = {
            _ACTION.MoveLeft: -1,
            _ACTION.MovePrevious: -1,
            _ACTION.MoveRight: 1,
            _ACTION.MoveNext: 1,
            _ACTION.MoveUp: -line,
            _ACTION.MoveDown: line,
            _ACTION.MovePageUp: -page,
            _ACTION.MovePageDown: page,
            _ACTION.MoveHome: -count,
            _ACTION.MoveEnd: count,
        }.get(cursorAction, 0)
        row = current.row() + step
        if not 0 <= row < count and cursorAction in (_ACTION.MoveUp, _ACTION.MoveDown):
            row = current.row()
        return self.model().index(min(max(row, 0), count - 1), 0)

    @override
    def horizontalOffset(self) -> int:
        return 0

    @override
    def verticalOffset(self) -> int:
        return self.verticalScrollBar().value()

    @override
    def isIndexHidden(self, index: Index) -> bool:
        return index.column() != 0

    @override
    def setSelection(self, rect: QRect, command: QItemSelectionModel.SelectionFlag) -> None:
        """Select the cells that a drawn rectangle touches, else all from its one corner to the
        other: those are the middles of the cells where keys or clicks began and ended.
        """
        selection = QItemSelection()
        if self._count():
            for first, last in self._spans(rect):
                selection.select(self.model().index(first, 0), self.model().index(last, 0))
        self.selectionModel().select(selection, command | _FLAG.Rows)

    def _spans(self, rect: QRect) -> list[tuple[int, int]]:
        if self.state() != QAbstractItemView.State.DragSelectingState:
            ends = sorted((self._row_near(rect.topLeft()), self._row_near(rect.bottomRight())))
            return [(ends[0], ends[1])]
        rect = rect.normalized()
        first, last = self._row_near(rect.topLeft()), self._row_near(rect.bottomRight())
        line = self.line_length
        left, right = sorted((first % line, last % line))
        lines = range(first // line, last // line + 1)
        if not self._rect(first).intersects(rect) and first == last:
            return []
        final = self._count() - 1
        spans = [(at * line + left, min(at * line + right, final)) for at in lines]
        return [(start, end) for start, end in spans if start <= end]

    @override
    def visualRegionForSelection(self, selection: QItemSelection) -> QRegion:
        region = QRegion()
        first, last = self._first_in_view(), self._last_in_view()
        for part in (selection.at(at) for at in range(selection.count())):
            for row in range(max(part.top(), first), min(part.bottom(), last) + 1):
                region += QRegion(self._rect(row))
        return region

    @override
    def updateGeometries(self) -> None:
        lines = -(-self._count() // self.line_length)
        height = lines * self._cell.height() + 2 * _MARGIN
        bar = self.verticalScrollBar()
        bar.setRange(0, max(0, height - self.viewport().height()))
        bar.setPageStep(self.viewport().height())
        bar.setSingleStep(max(1, self._cell.height() // 3))
        super().updateGeometries()
        self._tell()

    @override
    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().scroll(dx, dy)
        self._tell()

    @override
    def reset(self) -> None:
        super().reset()
        self.updateGeometries()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometries()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        option = QStyleOptionViewItem()
        self.initViewItemOption(option)
        plain = option.state
        under = self.indexAt(self.viewport().mapFromGlobal(self.cursor().pos()))
        hovered = under.row() if self.viewport().underMouse() else -1
        model, chosen = self.model(), self.selectionModel()
        for row in range(self._first_in_view(), self._last_in_view() + 1):
            rect = self._rect(row)
            if not rect.intersects(event.rect()):
                continue
            index = model.index(row, 0)
            option.rect = rect
            option.state = plain
            if chosen.isSelected(index):
                option.state |= QStyle.StateFlag.State_Selected
            if row == hovered:
                option.state |= QStyle.StateFlag.State_MouseOver
            if row == self.currentIndex().row() and self.hasFocus():
                option.state |= QStyle.StateFlag.State_HasFocus
            self.itemDelegate().paint(painter, option, index)
        painter.end()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_requested.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.currentIndex().isValid():
                self.activated.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)

    @override
    def keyboardSearch(self, search: str) -> None:
        """Look for nothing: Qt would go through all rows, those that are not there included."""

    @override
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_requested.emit(event.globalPos())
