"""Qt's models over a frozen table."""

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
)
from PySide6.QtGui import QColor, QPixmap
from typing_extensions import override

from widgets.common.icons import pixmap
from widgets.common.text import tooltip
from widgets.common.theme import current_theme, mono_font
from widgets.tables.format import cell_text, is_right_aligned, one_line, sort_key
from widgets.tables.view_model import Cell, ColumnView, RowView, TableData

Index = QModelIndex | QPersistentModelIndex
_look = attrgetter("color", "icon", "tooltip", "is_muted")
_ROLE = Qt.ItemDataRole
CELL = _ROLE.UserRole + 1
"""The role of a cell as it was given."""


class TableModel(QAbstractTableModel):
    """Shows a :class:`TableData`; rows that stay keep their selection when it is replaced."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.table = TableData()

    def set_table(self, table: TableData) -> None:
        """Replace the table, with a reset only where its shape has changed."""
        previous = self.table
        is_same_shape = [row.id for row in previous.rows] == [row.id for row in table.rows] and [
            column.key for column in previous.columns
        ] == [column.key for column in table.columns]
        if is_same_shape:
            self.table = table
            changed = _changed_columns(previous, table)
            if changed and table.rows:
                last = self.index(len(table.rows) - 1, changed[-1])
                self.dataChanged.emit(self.index(0, changed[0]), last)
            if previous.columns != table.columns:
                self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(table.columns) - 1)
            return
        self.beginResetModel()
        self.table = table
        self.endResetModel()

    @override
    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.table.rows)

    @override
    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.table.columns)

    @override
    def data(self, index: Index, role: int = _ROLE.DisplayRole) -> Any:
        answer = _ANSWERS.get(role)
        if answer is None:
            return None
        column_index = index.column()
        return answer(self.table.rows[index.row()], self.table.columns[column_index], column_index)

    @override
    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = _ROLE.DisplayRole
    ) -> Any:
        return header_data(self.table.columns, section, orientation, role)


def header_data(
    columns: Sequence[ColumnView], section: int, orientation: Qt.Orientation, role: int
) -> Any:
    """Return what the header of a table with these columns shows."""
    if orientation != Qt.Orientation.Horizontal or section >= len(columns):
        return None
    column = columns[section]
    match role:
        case _ROLE.DisplayRole:
            return column.title
        case _ROLE.ToolTipRole:
            return tooltip(column.title, column.help) if column.help else None
        case _ROLE.TextAlignmentRole:
            return alignment(column)
        case _:
            return None


def _changed_columns(previous: TableData, after: TableData) -> list[int]:
    """Return the places of the columns that look otherwise than before: a view paints no others."""
    places = list(range(len(after.columns)))
    rows = list(zip(previous.rows, after.rows, strict=True))
    if previous.columns != after.columns or any(_look(old) != _look(new) for old, new in rows):
        return places
    return [
        column_index
        for column_index in places
        if any(_value(old, column_index) != _value(new, column_index) for old, new in rows)
    ]


def _value(row: RowView, column_index: int) -> Cell:
    return row.cells[column_index] if column_index < len(row.cells) else None


def _text(row: RowView, column: ColumnView, column_index: int) -> str:
    return cell_text(_value(row, column_index), column.kind)


def _decoration(row: RowView, column_index: int) -> QColor | QPixmap | None:
    if column_index:
        return None
    if row.color >= 0:
        return QColor(current_theme().series_color(row.color))
    if row.icon:
        theme = current_theme()
        colors = {"error": theme.error, "warning": theme.warning, "success": theme.success}
        return pixmap(row.icon, colors.get(row.icon, theme.muted), 16, 2.0)
    return None


def alignment(column: ColumnView) -> Qt.AlignmentFlag:
    """Return at which side of a column its cells and its title stand."""
    side = Qt.AlignmentFlag.AlignLeft
    if is_right_aligned(column):
        side = Qt.AlignmentFlag.AlignRight
    elif column.kind == "flag":
        side = Qt.AlignmentFlag.AlignHCenter
    return side | Qt.AlignmentFlag.AlignVCenter


_ANSWERS: dict[int, Callable[[RowView, ColumnView, int], Any]] = {
    # by whole numbers: Qt asks ten roles for every cell that it paints, and enums are slow
    _ROLE.DisplayRole.value: lambda row, column, column_index: one_line(
        _text(row, column, column_index)
    ),
    _ROLE.UserRole.value: lambda row, _, column_index: sort_key(_value(row, column_index)),
    CELL: lambda row, _, column_index: _value(row, column_index),
    _ROLE.TextAlignmentRole.value: lambda _, column, __: alignment(column),
    _ROLE.ToolTipRole.value: lambda row, column, column_index: tooltip(
        "", row.tooltip or _text(row, column, column_index)
    ),
    _ROLE.FontRole.value: lambda _, column, __: mono_font() if column.kind == "code" else None,
    _ROLE.ForegroundRole.value: lambda row, _, __: (
        QColor(current_theme().faint) if row.is_muted else None
    ),
    _ROLE.DecorationRole.value: lambda row, _, column_index: _decoration(row, column_index),
}


class TableOrder(QSortFilterProxyModel):
    """Sorts by value and keeps the rows in which every word of the filter stands; the row that is
    called like the filter comes first, then those whose names begin with it.
    """

    def __init__(self, model: TableModel) -> None:
        super().__init__(model)
        self._model = model
        self._text = ""
        self._words: list[str] = []
        self._is_given_order = True
        self.setSourceModel(model)
        self.setSortRole(_ROLE.UserRole)

    def set_filter(self, text: str) -> None:
        """Keep only rows that hold every word, in any column."""
        self.beginFilterChange()
        self._text = text.casefold().strip()
        self._words = self._text.split()
        self.endFilterChange(QSortFilterProxyModel.Direction.Rows)
        if self._is_given_order:
            super().sort(0 if self._text else -1)
        self.invalidate()  # what is called like the filter moves up

    @override
    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._is_given_order = column < 0
        super().sort(0 if column < 0 and self._text else column, order)

    @override
    def filterAcceptsRow(self, source_row: int, source_parent: Index) -> bool:
        if not self._words:
            return True
        table = self._model.table
        row = table.rows[source_row]
        text = "\n".join(
            cell_text(cell, column.kind)
            for cell, column in zip(row.cells, table.columns, strict=False)
        ).casefold()
        return all(word in text for word in self._words)

    @override
    def lessThan(self, source_left: Index, source_right: Index) -> bool:
        nearness = [self._nearness(index.row()) for index in (source_left, source_right)]
        if nearness[0] != nearness[1]:
            is_descending = self.sortOrder() is Qt.SortOrder.DescendingOrder
            return (nearness[0] < nearness[1]) is not is_descending
        if self._is_given_order:
            return source_left.row() < source_right.row()
        left, right = (self._key(index) for index in (source_left, source_right))
        return left < right

    def _nearness(self, row: int) -> int:
        """Return 0 for the row that is called like the filter, 1 where its name begins so."""
        if not self._text:
            return 0
        table = self._model.table
        cells = table.rows[row].cells
        name = cell_text(cells[0], table.columns[0].kind).casefold() if cells else ""
        return 0 if name == self._text else 1 if name.startswith(self._text) else 2

    def _key(self, index: Index) -> tuple[int, float, str]:
        cells = self._model.table.rows[index.row()].cells
        return sort_key(cells[index.column()] if index.column() < len(cells) else None)
