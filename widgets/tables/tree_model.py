"""Qt's model over a frozen tree."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from typing_extensions import override

from widgets.common.text import tooltip
from widgets.common.theme import mono_font
from widgets.tables.format import cell_text, one_line
from widgets.tables.view_model import TreeData, TreeRow

Index = QModelIndex | QPersistentModelIndex
_ROLE = Qt.ItemDataRole
_ROOT = -1


class TreeModel(QAbstractItemModel):
    """Shows a :class:`TreeData`; an index holds the number of its row in it."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.tree = TreeData()
        self._parents: list[int] = []
        self._places: list[int] = []  # of each row among those of its parent
        self._children: dict[int, list[int]] = {_ROOT: []}

    def set_tree(self, tree: TreeData) -> None:
        """Replace the tree."""
        self.beginResetModel()
        self.tree = tree
        numbers = {row.id: number for number, row in enumerate(tree.rows)}
        self._parents = [numbers.get(row.parent, _ROOT) for row in tree.rows]
        self._children = {_ROOT: []}
        self._places = []
        for number, above in enumerate(self._parents):
            siblings = self._children.setdefault(above, [])
            self._places.append(len(siblings))
            siblings.append(number)
        self.endResetModel()

    def row_of(self, index: Index) -> TreeRow:
        """Return the row that an index stands for."""
        return self.tree.rows[index.internalId()]

    def index_of(self, number: int) -> QModelIndex:
        """Return the index of a row of the tree, by its number."""
        return self.createIndex(self._places[number], 0, number)

    @override
    def index(self, row: int, column: int, parent: Index | None = None) -> QModelIndex:
        siblings = self._below(parent)
        if not 0 <= row < len(siblings) or not 0 <= column < len(self.tree.columns):
            return QModelIndex()
        return self.createIndex(row, column, siblings[row])

    @override
    def parent(self, child: Index) -> QModelIndex:  # pyright: ignore[reportIncompatibleMethodOverride] - QObject.parent() is another
        above = self._parents[child.internalId()] if child.isValid() else _ROOT
        return QModelIndex() if above == _ROOT else self.index_of(above)

    @override
    def rowCount(self, parent: Index | None = None) -> int:
        return len(self._below(parent))

    @override
    def columnCount(self, parent: Index | None = None) -> int:
        return len(self.tree.columns)

    def _below(self, parent: Index | None) -> Sequence[int]:
        if parent is None or not parent.isValid():
            return self._children[_ROOT]
        return self._children.get(parent.internalId(), ())

    @override
    def data(self, index: Index, role: int = _ROLE.DisplayRole) -> Any:
        row, column = self.row_of(index), self.tree.columns[index.column()]
        value = row.cells[index.column()] if index.column() < len(row.cells) else None
        match role:
            case _ROLE.DisplayRole:
                return one_line(cell_text(value, column.kind))
            case _ROLE.ToolTipRole:
                return tooltip("", row.tooltip or cell_text(value, column.kind))
            case _ROLE.FontRole:
                return mono_font() if column.kind == "code" else None
            case _:
                return None

    @override
    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = _ROLE.DisplayRole
    ) -> Any:
        is_title = orientation == Qt.Orientation.Horizontal and role == _ROLE.DisplayRole
        if is_title and section < len(self.tree.columns):
            return self.tree.columns[section].title
        return None
