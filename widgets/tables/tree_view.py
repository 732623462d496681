"""Tree view: expand, collapse, filter, select."""

from collections.abc import Iterable, Mapping

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QTreeView,
    QWidget,
)
from typing_extensions import override

from widgets.common import parts
from widgets.common.live_widget import LiveWidget
from widgets.tables.format import cell_text
from widgets.tables.tree_model import TreeModel
from widgets.tables.view_model import TreeData

_FEW = 60  # rows that are all open at first
_WIDEST = 260
_ROOM = 16
_INDENTED = 2  # levels that most rows are deep
_MEASURED = 300


class TreeView(LiveWidget):
    """Shows a :class:`TreeData`; rows are told apart by their ids in every signal, groups are in
    none. What the filter leaves is open.
    """

    selection_changed = Signal(list)
    row_activated = Signal(str)

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"{object_name}.panel")
        self._data = TreeData()
        self._texts: dict[str, str] = {}  # what is looked through, made when first needed
        self._widths: dict[str, int] = {}  # by column
        self.model = TreeModel(self)
        self.tree = QTreeView(self)
        self.tree.setObjectName(object_name)
        self.tree.setProperty("frameless", "true")
        self.tree.setModel(self.model)
        self.tree.setUniformRowHeights(True)
        self.tree.setAlternatingRowColors(True)
        self.tree.setAllColumnsShowFocus(True)
        self.tree.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.tree.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.search = parts.line_edit(self, f"{object_name}.search", is_clearable=True)
        self._count = parts.label(self, role="muted")
        bar = parts.row((self.search, 1), self._count, margins=(8, 6, 8, 6), spacing=8)
        parts.column(bar, (self.tree, 1), margins=(0, 0, 0, 0), spacing=0, parent=self)
        self.setFocusProxy(self.tree)
        self.search.textChanged.connect(lambda _: self._show())
        self.tree.activated.connect(self._on_activated)
        self.tree.selectionModel().selectionChanged.connect(
            lambda *_: self.selection_changed.emit(self.selected_ids())
        )
        self.retranslate()

    def set_data(self, data: TreeData) -> None:
        """Show a tree; filter, selection and what is open stay."""
        if data != self._data:
            self._data = data
            self._texts = {}
            self._show()
            self._size_columns()

    def selected_ids(self) -> list[str]:
        """Return the id of the selected row, if one is selected that is no group."""
        rows = [self.model.row_of(each) for each in self.tree.selectionModel().selectedRows()]
        return [row.id for row in rows if not row.is_group]

    def select_ids(self, ids: Iterable[str]) -> None:
        """Select the row with one of these ids, as far as it is there and shown."""
        wanted = set(ids)
        for number, row in enumerate(self.model.tree.rows):
            if row.id in wanted:
                index = self.model.index_of(number)
                flag = QItemSelectionModel.SelectionFlag
                model = self.tree.selectionModel()
                model.setCurrentIndex(index, flag.ClearAndSelect | flag.Rows)
                self.tree.scrollTo(index)
                return

    def _show(self) -> None:
        """Show what the filter leaves."""
        had_rows = bool(self.model.tree.rows)
        selected = self.selected_ids()
        opened = self._opened()
        words = self.search.text().casefold().split()
        if words and not self._texts:
            self._texts = _texts(self._data)
        shown = _filtered(self._data, self._texts, words) if words else self._data
        self.model.set_tree(shown)
        if words or (not had_rows and len(shown.rows) <= _FEW):
            self.tree.expandAll()
        else:
            for number, row in enumerate(shown.rows):
                if row.id in opened:
                    self.tree.setExpanded(self.model.index_of(number), True)  # noqa: FBT003 - Qt's signature
        self.select_ids(selected)
        count = sum(not row.is_group for row in shown.rows)
        total = sum(not row.is_group for row in self._data.rows)
        self._count.setText(f"{count:,} / {total:,}" if count != total else f"{total:,}")

    def _opened(self) -> set[str]:
        rows = enumerate(self.model.tree.rows)
        return {
            row.id
            for number, row in rows
            if row.is_group and self.tree.isExpanded(self.model.index_of(number))
        }

    def _size_columns(self) -> None:
        """Make room for the longest cells, also those of groups that are closed; never less."""
        fonts = self.fontMetrics()
        rows = self.model.tree.rows[:_MEASURED]
        for index, column in enumerate(self.model.tree.columns):
            texts = [
                cell_text(row.cells[index], column.kind) for row in rows if index < len(row.cells)
            ]
            wanted = max(map(fonts.horizontalAdvance, [column.title, *texts]))
            inner = _INDENTED * self.tree.indentation() if index == 0 else 0
            self.tree.setColumnHidden(index, not column.is_visible)
            width = min(wanted + inner + _ROOM, _WIDEST)
            self.tree.setColumnWidth(index, max(width, self._widths.get(column.key, 0)))
            self._widths[column.key] = self.tree.columnWidth(index)

    def _on_activated(self, index: QModelIndex) -> None:
        row = self.model.row_of(index)
        if not row.is_group:
            self.row_activated.emit(row.id)

    @override
    def retranslate(self) -> None:
        self.search.setPlaceholderText(self.tr("Filter"))
        self.search.setAccessibleName(self.tr("Filter the rows"))
        self.tree.setAccessibleName(self.accessibleName() or self.tr("Tree"))

    @override
    def restyle(self) -> None:
        self._size_columns()


def _texts(data: TreeData) -> dict[str, str]:
    """Return the cells of each row, with those of the rows above it, in lower case."""
    texts = {"": ""}
    for row in data.rows:
        cells = zip(row.cells, data.columns, strict=False)
        own = "\n".join(cell_text(cell, column.kind) for cell, column in cells)
        texts[row.id] = f"{texts.get(row.parent, '')}\n{own.casefold()}"
    return texts


def _filtered(data: TreeData, texts: Mapping[str, str], words: list[str]) -> TreeData:
    """Return the rows in whose texts every word stands, and those above them."""
    kept: set[str] = set()
    for row in reversed(data.rows):
        text = texts[row.id]
        if row.id in kept or (not row.is_group and all(word in text for word in words)):
            kept |= {row.id, row.parent}
    rows = tuple(row for row in data.rows if row.id in kept)
    return TreeData(columns=data.columns, rows=rows)
