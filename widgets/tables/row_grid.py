"""Grid of a table: whole rows, keys for what is done with them, a menu."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget
from typing_extensions import override

from widgets.tables.trend_delegate import TrendDelegate
from widgets.tables.view_model import ColumnView


class RowGrid(QTableView):
    """The grid itself: whole rows, keys for copy and delete, menu by mouse and key."""

    copy_requested = Signal()
    delete_requested = Signal()
    rename_requested = Signal()
    menu_requested = Signal(QPoint)
    resized = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("frameless", "true")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSortingEnabled(True)
        header = self.horizontalHeader()
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setSortIndicatorClearable(True)
        header.setSectionsMovable(True)
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        self.verticalHeader().hide()
        self._trends = TrendDelegate(self)
        self.fit_rows()

    def paint_trends(self, columns: Sequence[ColumnView]) -> None:
        """Paint the cells of trends among these columns as lines."""
        for index, column in enumerate(columns):
            delegate = self._trends if column.kind == "trend" else None
            self.setItemDelegateForColumn(index, delegate)  # pyright: ignore[reportArgumentType] - None takes it away

    def fit_rows(self) -> None:
        """Make the rows as high as the text wants."""
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 10)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_requested.emit()
        elif event.matches(QKeySequence.StandardKey.Delete):
            self.delete_requested.emit()
        elif event.key() == Qt.Key.Key_F2:
            self.rename_requested.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            index = self.currentIndex()
            if index.isValid():
                self.activated.emit(index)
        else:
            super().keyPressEvent(event)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    @override
    def contextMenuEvent(self, arg__1: QContextMenuEvent) -> None:
        self.menu_requested.emit(arg__1.globalPos())
