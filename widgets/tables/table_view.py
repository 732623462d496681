"""Table view: sort, filter, choose columns, select, copy."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    Qt,
    Signal,
)
from PySide6.QtWidgets import (
    QApplication,
    QVBoxLayout,
    QWidget,
)
from typing_extensions import override

from widgets.common import parts
from widgets.common.live_widget import LiveWidget
from widgets.tables.columns_menu import ColumnsMenu
from widgets.tables.format import cell_text, is_right_aligned
from widgets.tables.row_grid import RowGrid
from widgets.tables.table_model import TableModel, TableOrder
from widgets.tables.view_model import TableData

_WIDEST = 320


class TableView(LiveWidget):
    """Shows a :class:`TableData`; rows are told apart by their ids in every signal. The filter is
    there from ``filtered_from`` rows on.
    """

    selection_changed = Signal(list)
    row_activated = Signal(str)
    menu_requested = Signal(list, QPoint)
    delete_requested = Signal(list)
    rename_requested = Signal(str)

    def __init__(
        self, object_name: str, parent: QWidget | None = None, *, filtered_from: int = 1
    ) -> None:
        super().__init__(parent)
        self.setObjectName(f"{object_name}.panel")
        self._filtered_from = filtered_from
        self._hidden: dict[str, bool] = {}  # column key to whether the user hid it
        self._is_holding = False
        self._is_held_back = False
        self.model = TableModel(self)
        self.order = TableOrder(self.model)
        self.table = RowGrid(self)
        self.table.setObjectName(object_name)
        self.table.setModel(self.order)
        self.search = parts.line_edit(self, f"{object_name}.search", is_clearable=True)
        self._count = parts.label(self, role="muted")
        self._columns = parts.tool_button(self, f"{object_name}.columns", icon="columns")
        ColumnsMenu(
            self._columns, self.table, lambda: self.model.table.columns, self.set_column_visible
        )
        self._empty = parts.label(self.table, role="muted", wraps=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._arrange()
        self._connect()
        self.retranslate()

    def _arrange(self) -> None:
        bar = parts.row(
            (self.search, 1), self._count, self._columns, margins=(8, 6, 8, 6), spacing=8
        )
        parts.column(bar, (self.table, 1), margins=(0, 0, 0, 0), spacing=0, parent=self)
        self.setFocusProxy(self.table)
        inner = QVBoxLayout(self.table.viewport())
        inner.addWidget(self._empty)

    def _connect(self) -> None:
        self.search.textChanged.connect(self._on_search_changed)
        self.table.activated.connect(self._on_activated)
        self.table.selectionModel().selectionChanged.connect(self._on_selection_changed)
        self.table.menu_requested.connect(
            lambda position: self.menu_requested.emit(self.selected_ids(), position)
        )
        self.table.copy_requested.connect(self.copy_selection)
        self.table.delete_requested.connect(lambda: self.delete_requested.emit(self.selected_ids()))
        self.table.rename_requested.connect(self._on_rename_requested)
        self.table.resized.connect(self._fit_elastic)

    def set_data(self, data: TableData) -> None:
        """Show a table; selection, sorting, scroll position and filter stay."""
        with self._holding_back():
            self._set_data(data)

    def _set_data(self, data: TableData) -> None:
        selected = self.selected_ids()
        is_new = [c.key for c in data.columns] != [c.key for c in self.model.table.columns]
        had_rows = bool(self.model.table.rows)
        scroll = self.table.verticalScrollBar().value()
        self.model.set_table(data)
        if is_new:
            self.table.paint_trends(data.columns)
        if is_new or not had_rows:
            self._size_columns()
        if selected != self.selected_ids():
            self.select_ids(selected)
        self.table.verticalScrollBar().setValue(scroll)
        self._update_state()

    def _size_columns(self) -> None:
        columns = self.model.table.columns
        is_quantity = bool(columns) and is_right_aligned(columns[-1])  # it would end far away
        has_elastic = any(column.is_elastic for column in columns)
        is_stretched = not is_quantity and not has_elastic
        self.table.horizontalHeader().setStretchLastSection(is_stretched)
        for index, column in enumerate(columns):
            hidden = self._hidden.get(column.key, not column.is_visible)
            self.table.setColumnHidden(index, hidden)
            room = 0 if has_elastic else 10
            room += 0 if index else 24  # a swatch may come before the first cell
            wanted = self._character() * column.width
            width = max(self._contents_width(index), wanted) + room
            self.table.setColumnWidth(index, min(width, _WIDEST))
        self._fit_elastic()

    def _contents_width(self, index: int) -> int:
        """Return how wide a column has to be: a last one that is stretched stands wider."""
        title = self.table.horizontalHeader().sectionSizeHint(index)
        return max(self.table.sizeHintForColumn(index), title)

    def _character(self) -> int:
        """Return the width of a character: that of a digit where Han makes the average wide."""
        metrics = self.fontMetrics()
        return min(metrics.averageCharWidth(), metrics.horizontalAdvance("0"))

    def _fit_elastic(self) -> None:
        """Give elastic columns the room that is left, and what they need at least."""
        columns = self.model.table.columns
        shown = [at for at in range(len(columns)) if not self.table.isColumnHidden(at)]
        elastic = [at for at in shown if columns[at].is_elastic]
        others = (self.table.columnWidth(at) for at in shown if at not in elastic)
        room = self.table.viewport().width() - sum(others)
        for left, index in zip(range(len(elastic), 0, -1), elastic, strict=True):
            least = self._character() * columns[index].width
            self.table.setColumnWidth(index, max(room // left, least))
            room -= self.table.columnWidth(index)

    def _update_state(self) -> None:
        shown, total = self.order.rowCount(), self.model.rowCount()
        self._empty.setVisible(shown == 0)
        nothing_fits = self.tr("No rows contain “{text}”.").format(text=self.search.text())
        self._empty.setText(nothing_fits if total else self.model.table.empty_text)
        self._count.setText(f"{shown} / {total}" if shown != total else f"{total}")
        for widget in (self.search, self._count, self._columns):
            widget.setVisible(total >= self._filtered_from)
        self.table.horizontalHeader().setVisible(total > 0)
        policy = Qt.ScrollBarPolicy
        bar = policy.ScrollBarAsNeeded if total else policy.ScrollBarAlwaysOff
        self.table.setHorizontalScrollBarPolicy(bar)  # the columns of an empty table are not seen

    def selected_ids(self) -> list[str]:
        """Return the ids of the selected rows, in the order in which they are shown."""
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        return [self._id(self.order.index(row, 0)) for row in rows]

    def _id(self, index: QModelIndex) -> str:
        return self.model.table.rows[self.order.mapToSource(index).row()].id

    def select_ids(self, ids: Iterable[str]) -> None:
        """Select the rows with these ids, as far as they are there and shown."""
        wanted = set(ids)
        selection = QItemSelection()
        first = None
        for position, row in enumerate(self.model.table.rows):
            index = self.order.mapFromSource(self.model.index(position, 0))
            if row.id in wanted and index.isValid():
                selection.select(index, index)
                first = first or index
        flag = QItemSelectionModel.SelectionFlag
        model = self.table.selectionModel()
        if first is not None:
            model.setCurrentIndex(first, flag.NoUpdate)
        model.select(selection, flag.ClearAndSelect | flag.Rows)

    def copy_selection(self) -> None:
        """Put the selected rows (all, where none is) on the clipboard, columns parted by tabs."""
        QApplication.clipboard().setText(self.as_text())

    def as_text(self) -> str:
        """Return the selected rows (all, where none is), as shown, columns parted by tabs."""
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        columns = [
            index
            for index in range(self.model.columnCount())
            if not self.table.isColumnHidden(index)
        ]
        table = self.model.table
        lines = ["\t".join(table.columns[index].title for index in columns)]
        for row in rows or range(self.order.rowCount()):
            source = table.rows[self.order.mapToSource(self.order.index(row, 0)).row()]
            cells = (cell_text(source.cells[at], table.columns[at].kind) for at in columns)
            lines.append("\t".join(cell.replace("\t", " ").replace("\n", " ") for cell in cells))
        return "\n".join(lines) + "\n"

    def set_column_visible(self, index: int, is_visible: bool) -> None:
        """Show or hide a column; the choice outlives the next :meth:`set_data`."""
        self._hidden[self.model.table.columns[index].key] = not is_visible
        self.table.setColumnHidden(index, not is_visible)
        self._fit_elastic()

    def hidden_columns(self) -> dict[str, bool]:
        """Return which columns the user hid or showed, by key: to be remembered."""
        return dict(self._hidden)

    def restore_hidden_columns(self, hidden: dict[str, bool]) -> None:
        """Take over what :meth:`hidden_columns` returned."""
        self._hidden = dict(hidden)
        self._size_columns()

    def _on_search_changed(self, text: str) -> None:
        with self._holding_back():
            self.order.set_filter(text)
            self._update_state()

    def _on_activated(self, index: QModelIndex) -> None:
        self.row_activated.emit(self._id(index))

    def _on_rename_requested(self) -> None:
        chosen = self.selected_ids()
        if len(chosen) == 1:
            self.rename_requested.emit(chosen[0])

    def _on_selection_changed(self) -> None:
        if self._is_holding:
            self._is_held_back = True
        else:
            self.selection_changed.emit(self.selected_ids())

    @contextmanager
    def _holding_back(self) -> Generator[None, None, None]:
        """Tell of a change of the selection when the rows are in order: who hears of it may hand
        over another table, and Qt crashes where that comes while it takes rows out.
        """
        was_holding, self._is_holding = self._is_holding, True
        try:
            yield
        finally:
            self._is_holding = was_holding
        if self._is_held_back and not was_holding:
            self._is_held_back = False
            self.selection_changed.emit(self.selected_ids())

    @override
    def retranslate(self) -> None:
        self.search.setPlaceholderText(self.tr("Filter"))
        self.search.setAccessibleName(self.tr("Filter the rows"))
        self._columns.setToolTip(self.tr("Choose columns"))
        self._columns.setAccessibleName(self.tr("Choose columns"))
        self.table.setAccessibleName(self.accessibleName() or self.tr("Table"))
        self._update_state()

    @override
    def restyle(self) -> None:
        self.table.fit_rows()
        self._size_columns()
