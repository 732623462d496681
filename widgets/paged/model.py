"""Model of very many rows: pages come when they are looked at, and the oldest ones go.

The model knows how many rows there are, and holds few of them. A view tells which it shows;
``wanted`` then says that some of them, or their pictures, are missing, and whoever has them puts
them in. What is not there yet is painted as a placeholder.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QPixmap
from typing_extensions import override

from widgets.common.text import tooltip
from widgets.common.theme import current_theme, mono_font
from widgets.common.throttle import Frame
from widgets.images.overlay import Look, overlaid
from widgets.images.view_model import ImageView
from widgets.paged.view_model import PagedRow
from widgets.tables.format import cell_text, short_number
from widgets.tables.table_model import CELL, alignment, header_data
from widgets.tables.view_model import Cell, ColumnView

Index = QModelIndex | QPersistentModelIndex
PAGE = 64
_KEPT_PAGES = 40
_KEPT_PICTURES = 800
_ROLE = Qt.ItemDataRole


class PagedModel(QAbstractTableModel):
    """Shows ``total`` rows. ``sort_requested`` asks for the order of a column, by its key, empty
    for the order of the data.
    """

    wanted = Signal()
    sort_requested = Signal(str, bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns: tuple[ColumnView, ...] = ()
        self.sortable: frozenset[str] = frozenset()
        self._total = 0
        self._pages: OrderedDict[int, tuple[PagedRow, ...]] = OrderedDict()
        self._pictures: OrderedDict[int, QPixmap | None] = OrderedDict()
        self._masked: dict[int, ImageView] = {}
        self._look = Look()
        self._tips: dict[int, str] = {}
        self._first, self._last = 0, -1
        self._asking = Frame(0, self._ask, self)

    def set_columns(
        self,
        columns: Sequence[ColumnView],
        sortable: frozenset[str],
        *,
        keeps_pictures: bool = False,
    ) -> None:
        """Show other columns, without any row; ``keeps_pictures`` where they are of the same."""
        self.beginResetModel()
        self.columns, self.sortable = tuple(columns), sortable
        self._forget(0)
        if not keeps_pictures:
            self._drop_pictures()
        self.endResetModel()

    def set_rows(self, total: int, start: int, rows: Sequence[PagedRow]) -> None:
        """Show other rows, of which some from ``start`` on are there."""
        self.beginResetModel()
        self._forget(total)
        self._keep(start, rows)
        self.endResetModel()
        self._asking.request()

    def put(self, start: int, rows: Sequence[PagedRow]) -> None:
        """Put in rows from ``start``, the first of a page, on."""
        self._keep(start, rows)
        if rows and self.columns:
            last = self.index(start + len(rows) - 1, len(self.columns) - 1)
            self.dataChanged.emit(self.index(start, 0), last)
        self._asking.request()

    def put_pictures(
        self, pictures: Mapping[int, ImageView | None], tips: Mapping[int, str]
    ) -> None:
        """Put in pictures by the ids of their rows, None where there is none: ``tips`` say why."""
        for row_id, view in pictures.items():
            self._pictures[row_id] = None if view is None else self._made(view)
            self._pictures.move_to_end(row_id)
            if view is not None and view.overlay is not None:
                self._masked[row_id] = view
        self._tips.update(tips)
        while len(self._pictures) > _KEPT_PICTURES:
            oldest, _ = self._pictures.popitem(last=False)
            self._tips.pop(oldest, None)
            self._masked.pop(oldest, None)
        self._show_again()

    def set_look(self, look: Look) -> None:
        """Lay masks over pictures in another way: those in view at once, others when they are
        looked at.
        """
        self._look = look
        shown = (self.row(at) for at in range(self._first, self._last + 1))
        in_view = {row.id for row in shown if row is not None}
        for row_id in [*self._masked]:
            if row_id in in_view:
                self._pictures[row_id] = self._made(self._masked[row_id])
            else:
                del self._masked[row_id], self._pictures[row_id]
        self._show_again()

    def _show_again(self) -> None:
        """Have the pictures in view painted again, and ask for those that are missing."""
        if self._last >= self._first and self.columns:
            self.dataChanged.emit(self.index(self._first, 0), self.index(self._last, 0))
        self._asking.request()

    def _made(self, view: ImageView) -> QPixmap:
        return QPixmap.fromImage(overlaid(view, self._look))

    def forget_pictures(self) -> None:
        """Have all pictures asked for again, such as in another size."""
        self._drop_pictures()
        self._asking.request()

    def _drop_pictures(self) -> None:
        self._pictures.clear()
        self._masked.clear()
        self._tips.clear()

    def look(self, first: int, last: int) -> None:
        """Say which rows are in view; ``last`` is included."""
        span = (max(first, 0), min(last, self._total - 1))
        if span != (self._first, self._last):
            self._first, self._last = span
            self._asking.request()

    def wanted_rows(self) -> tuple[int, int] | None:
        """Return start and number of rows to ask for: pages in view that are missing, then those
        beside them; None where all are there.
        """
        if self._total == 0 or self._last < self._first:
            return None
        first, last = self._first // PAGE, self._last // PAGE
        inner = [page for page in range(first, last + 1) if page not in self._pages]
        final = (self._total - 1) // PAGE
        outer = [page for page in (last + 1, first - 1) if 0 <= page <= final]
        missing = inner or [page for page in outer if page not in self._pages][:1]
        if not missing:
            return None
        run = 1
        while run < len(missing) and missing[run] == missing[0] + run:
            run += 1
        return missing[0] * PAGE, run * PAGE

    def wanted_pictures(self, most: int) -> tuple[int, ...]:
        """Return the ids of so many rows in view that have no picture yet."""
        shown = (self.row(at) for at in range(self._first, self._last + 1))
        ids = (row.id for row in shown if row is not None and row.id not in self._pictures)
        return tuple(row_id for row_id, _ in zip(ids, range(most), strict=False))

    def row(self, position: int) -> PagedRow | None:
        """Return a row, None where it is not there yet."""
        page = self._pages.get(position // PAGE)
        at = position % PAGE
        return page[at] if page is not None and at < len(page) else None

    def picture(self, position: int) -> QPixmap | None:
        """Return the picture of a row, None where there is none, or not yet."""
        row = self.row(position)
        return None if row is None else self._pictures.get(row.id)

    def has_picture(self, position: int) -> bool:
        """Return whether it is known what the picture of a row is, if there is any."""
        row = self.row(position)
        return row is not None and row.id in self._pictures

    def _forget(self, total: int) -> None:
        self._pages.clear()
        self._total = total
        self._first, self._last = 0, -1

    def _keep(self, start: int, rows: Sequence[PagedRow]) -> None:
        for at in range(0, len(rows), PAGE):
            page = (start + at) // PAGE
            self._pages[page] = tuple(rows[at : at + PAGE])
            self._pages.move_to_end(page)
        while len(self._pages) > _KEPT_PAGES:
            self._pages.popitem(last=False)

    def _ask(self) -> None:
        for page in range(self._first // PAGE, self._last // PAGE + 1):
            if page in self._pages:
                self._pages.move_to_end(page)  # what is in view goes last
        self.wanted.emit()

    @override
    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else self._total

    @override
    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.columns)

    @override
    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        key = self.columns[column].key if 0 <= column < len(self.columns) else ""
        if key and key not in self.sortable:
            return
        self.sort_requested.emit(key, order == Qt.SortOrder.DescendingOrder)

    @override
    def data(self, index: Index, role: int = _ROLE.DisplayRole) -> Any:
        answer = _ANSWERS.get(role)
        if answer is not None:
            row = self.row(index.row())
            return None if row is None else answer(self, row, index.column())
        column = self.columns[index.column()]
        if role == _ROLE.TextAlignmentRole:
            return alignment(column)
        return mono_font() if role == _ROLE.FontRole and column.kind == "code" else None

    @override
    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = _ROLE.DisplayRole
    ) -> Any:
        return header_data(self.columns, section, orientation, role)

    def text(self, row: PagedRow, column: int) -> str:
        """Return what stands in a cell: of a number with many decimals the first digits."""
        kind = self.columns[column].kind
        text = cell_text(_cell(row, column), kind)
        return short_number(text) if kind == "number" else text

    def tip(self, row: PagedRow, column: int) -> str:
        """Return the tooltip of a cell: what it says in full, or why there is no picture."""
        text = self._tips.get(row.id) or (row.tip if column == 0 else "")
        text = text or cell_text(_cell(row, column), self.columns[column].kind)
        return tooltip("", text)


def _color(_model: PagedModel, row: PagedRow, _column: int) -> QColor | None:
    return QColor(current_theme().faint) if row.is_muted else None


def _cell(row: PagedRow, column: int) -> Cell:
    return row.cells[column] if column < len(row.cells) else None


def _spoken(model: PagedModel, row: PagedRow, column: int) -> str:
    words = (row.label, row.sublabel) if column == 0 else (model.text(row, column),)
    return " ".join(word for word in words if word) or model.text(row, column)


_ANSWERS: dict[int, Callable[[PagedModel, PagedRow, int], Any]] = {
    # by whole numbers: Qt asks ten roles for every cell that it paints, and enums are slow
    _ROLE.DisplayRole.value: PagedModel.text,
    CELL: lambda _, row, column: _cell(row, column),
    _ROLE.ToolTipRole.value: PagedModel.tip,
    _ROLE.AccessibleTextRole.value: _spoken,
    _ROLE.ForegroundRole.value: _color,
}
