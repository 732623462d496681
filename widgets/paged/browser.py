"""Gallery and table of the same rows, with one selection and one place in them."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QSlider, QStackedLayout, QWidget
from typing_extensions import override

from widgets.common import parts
from widgets.common.live_widget import LiveWidget
from widgets.images.overlay_bar import OverlayBar
from widgets.images.view_model import ImageView, Overlay
from widgets.paged.grid import GridView
from widgets.paged.model import PagedModel
from widgets.paged.tile import TileDelegate
from widgets.paged.view_model import PagedRow
from widgets.tables.columns_menu import ColumnsMenu
from widgets.tables.row_grid import RowGrid
from widgets.tables.view_model import ColumnView

Form = Literal["gallery", "table"]
Ranges = tuple[tuple[int, int], ...]
_FLAG = QItemSelectionModel.SelectionFlag
_SIDE, _WIDEST = 112, 420
_MEASURED = 64  # rows that columns are fitted to; with 0, those in view, Qt takes all where none is


class ViewPosition(NamedTuple):
    """What is selected (ranges of positions), the current position, and how far each form is
    scrolled.
    """

    ranges: Ranges
    current: int
    scrolled: tuple[int, ...]


class PagedBrowser(LiveWidget):
    """Shows very many rows; positions are those in the order that is shown. ``bar`` has the
    controls of the form, for the head of a page.
    """

    wanted = Signal()
    sort_requested = Signal(str, bool)
    selection_changed = Signal()
    current_changed = Signal(int)
    row_activated = Signal(int)
    copy_requested = Signal()
    menu_requested = Signal(QPoint)

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self.model = PagedModel(self)
        self._form: Form = "table"
        self._hidden: dict[str, bool] = {}
        self.grid = GridView(self)
        self.grid.setObjectName(f"{object_name}.gallery")
        self.grid.setModel(self.model)
        self._tile = TileDelegate(self.model, self.grid)
        self._tile.side = _SIDE
        self.grid.setItemDelegate(self._tile)
        self.table = _PagedTable(self)
        self.table.setObjectName(f"{object_name}.table")
        self.table.setModel(self.model)
        self.table.horizontalHeader().setResizeContentsPrecision(_MEASURED)
        self.chosen = QItemSelectionModel(self.model, self)
        for view in (self.grid, self.table):
            view.setSelectionModel(self.chosen)
        self._build_bar(object_name)
        self.masks = OverlayBar(f"{object_name}.masks", self)
        self.masks.changed.connect(lambda: self.model.set_look(self.masks.look))
        column = parts.column(self.masks, margins=(0, 0, 0, 0), spacing=0, parent=self)
        self._stack = QStackedLayout()
        column.addLayout(self._stack, 1)
        self._stack.addWidget(self.grid)
        self._stack.addWidget(self.table)
        self._connect()
        self.set_form("table")
        self.retranslate()
        self.restyle()

    def _build_bar(self, name: str) -> None:
        self.bar = QWidget(self)
        self.zoom = QSlider(Qt.Orientation.Horizontal, self.bar)
        self.zoom.setObjectName(f"{name}.zoom")
        self.zoom.setRange(48, 256)
        self.zoom.setValue(_SIDE)
        self.zoom.setFixedWidth(84)
        self._columns = parts.tool_button(self.bar, f"{name}.columns", icon="columns")
        ColumnsMenu(
            self._columns,
            self.table,
            lambda: self.model.columns,
            lambda index, on: self.set_column_visible(index, is_visible=on),
        )
        parts.row(self.zoom, self._columns, margins=(0, 0, 0, 0), parent=self.bar)

    def _connect(self) -> None:
        self.model.wanted.connect(self.wanted)
        self.model.sort_requested.connect(self.sort_requested)
        self.grid.looked_at.connect(lambda first, last: self._look("gallery", first, last))
        self.table.verticalScrollBar().valueChanged.connect(self._look_at_table)
        self.table.resized.connect(self._look_at_table)
        self.chosen.selectionChanged.connect(lambda *_: self.selection_changed.emit())
        self.chosen.currentChanged.connect(lambda index, _: self.current_changed.emit(index.row()))
        for view in (self.grid, self.table):
            view.activated.connect(lambda index: self.row_activated.emit(index.row()))
            view.copy_requested.connect(self.copy_requested)
            view.menu_requested.connect(self.menu_requested)
        self.zoom.valueChanged.connect(self._on_zoomed)

    @property
    def form(self) -> Form:
        """How the rows are shown."""
        return self._form

    def set_form(self, form: Form) -> None:
        """Show the rows in another form, at the same place."""
        view = self.grid if form == "gallery" else self.table
        current = self.chosen.currentIndex()
        has_focus = self.grid.hasFocus() or self.table.hasFocus()
        self._form = form
        self._stack.setCurrentWidget(view)
        self.setFocusProxy(view)
        self.zoom.setVisible(form == "gallery")
        self._show_masks(None)
        self._columns.setVisible(form == "table")
        if current.isValid():
            view.scrollTo(self.model.index(current.row(), 0))
        if has_focus:
            view.setFocus()
        self.look()

    def set_columns(
        self,
        columns: Sequence[ColumnView],
        sortable: frozenset[str],
        *,
        keeps_pictures: bool = False,
    ) -> None:
        """Show other columns, without any row; ``keeps_pictures`` where they are of the same."""
        self.model.set_columns(columns, sortable, keeps_pictures=keeps_pictures)
        if not keeps_pictures:
            self.masks.set_overlay(None)
        self.table.paint_trends(columns)

    def set_rows(
        self, total: int, start: int, rows: Sequence[PagedRow], *, is_new: bool = True
    ) -> None:
        """Show other rows, of which some are there already; the selection goes. Where they are not
        new, their columns keep their widths.
        """
        had_rows = self.model.rowCount() > 0
        self.model.set_rows(total, start, rows)
        if is_new or not had_rows:
            self._size_columns()
        self.table.scrollToTop()
        self.grid.updateGeometries()
        self.grid.verticalScrollBar().setValue(0)
        self.selection_changed.emit()  # Qt tells nothing when a model is reset
        self.look()

    def put(self, start: int, rows: Sequence[PagedRow]) -> None:
        """Put in rows that were asked for."""
        is_first = self.model.row(0) is None and start == 0
        self.model.put(start, rows)
        if is_first:
            self._size_columns()

    def put_pictures(
        self, pictures: Mapping[int, ImageView | None], tips: Mapping[int, str]
    ) -> None:
        """Put in pictures that were asked for, by the ids of their rows."""
        overlays = (view.overlay for view in pictures.values() if view is not None)
        self._show_masks(next((overlay for overlay in overlays if overlay is not None), None))
        self.model.put_pictures(pictures, tips)

    def _show_masks(self, overlay: Overlay | None) -> None:
        """Offer masks, boxes or points over the pictures, where they have some."""
        if overlay is not None and not self.masks.has_masks:
            self.masks.set_overlay(overlay)
            self.model.set_look(self.masks.look)
        self.masks.setVisible(self.masks.has_masks and self._form == "gallery")

    def set_sort(self, key: str, *, is_descending: bool) -> None:
        """Show in the header by which column the rows are sorted, empty for none."""
        keys = [column.key for column in self.model.columns]
        order = Qt.SortOrder.DescendingOrder if is_descending else Qt.SortOrder.AscendingOrder
        header = self.table.horizontalHeader()
        with QSignalBlocker(header):
            header.setSortIndicator(keys.index(key) if key in keys else -1, order)
        header.viewport().update()

    def selected_ranges(self) -> Ranges:
        """Return the positions of the selected rows as ranges (start, end), in order."""
        selection = self.chosen.selection()
        spans = sorted(
            (selection.at(at).top(), selection.at(at).bottom() + 1)
            for at in range(selection.count())
        )
        merged: list[tuple[int, int]] = []
        for start, end in spans:
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        return tuple(merged)

    def selected_count(self) -> int:
        """Return how many rows are selected."""
        return sum(end - start for start, end in self.selected_ranges())

    def current(self) -> int:
        """Return the position of the current row, -1 without one."""
        return self.chosen.currentIndex().row()

    def select(self, position: int) -> None:
        """Make a row the current and only selected one, in view."""
        if not self.model.columns or not 0 <= position < self.model.rowCount():
            return
        index = self.model.index(position, 0)
        self.chosen.setCurrentIndex(index, _FLAG.ClearAndSelect | _FLAG.Rows)
        (self.grid if self._form == "gallery" else self.table).scrollTo(index)

    def select_ranges(self, ranges: Ranges) -> None:
        """Select rows by their positions."""
        selection = QItemSelection()
        for start, end in ranges:
            selection.select(self.model.index(start, 0), self.model.index(end - 1, 0))
        self.chosen.select(selection, _FLAG.ClearAndSelect | _FLAG.Rows)

    def position(self) -> ViewPosition:
        """Return what is selected and looked at, for :meth:`restore`."""
        bars = (self.grid.verticalScrollBar(), self.table.verticalScrollBar())
        return ViewPosition(
            self.selected_ranges(), self.current(), tuple(bar.value() for bar in bars)
        )

    def restore(self, position: ViewPosition) -> None:
        """Select and look at what was selected and looked at, after the rows were shown anew."""
        if not self.model.columns or not self.model.rowCount():
            return
        self.select_ranges(position.ranges)
        if 0 <= position.current < self.model.rowCount():
            index = self.model.index(position.current, 0)
            self.chosen.setCurrentIndex(index, _FLAG.NoUpdate)
        for view, value in zip((self.grid, self.table), position.scrolled, strict=True):
            view.verticalScrollBar().setValue(value)
        self.look()

    def look(self) -> None:
        """Tell the model again what is in view."""
        if self._form == "gallery":
            self.grid.updateGeometries()
        else:
            self._look_at_table()

    def _look_at_table(self) -> None:
        top = self.table.rowAt(0)
        bottom = self.table.rowAt(self.table.viewport().height() - 1)
        count = self.model.rowCount()
        self._look("table", max(top, 0), count - 1 if bottom < 0 else bottom)

    def _look(self, form: Form, first: int, last: int) -> None:
        if form == self._form:
            self.model.look(first, last)

    def _on_zoomed(self, side: int) -> None:
        self._tile.side = side
        self.grid.set_cell_size(self._tile.size(self.grid.fontMetrics()))

    def _size_columns(self) -> None:
        header = self.table.horizontalHeader()
        columns = self.model.columns
        is_quantity = bool(columns) and columns[-1].kind not in ("text", "code")
        header.setStretchLastSection(not is_quantity)
        for index, column in enumerate(columns):
            self.table.setColumnHidden(index, self._hidden.get(column.key, not column.is_visible))
            least = self.fontMetrics().averageCharWidth() * column.width
            content = max(self.table.sizeHintForColumn(index), header.sectionSizeHint(index))
            widest = max(_WIDEST, self.table.viewport().width() // 2 if column.is_elastic else 0)
            self.table.setColumnWidth(index, min(max(content, least) + 14, widest))

    def set_column_visible(self, index: int, *, is_visible: bool) -> None:
        """Show or hide a column; the choice outlives other rows."""
        self._hidden[self.model.columns[index].key] = not is_visible
        self.table.setColumnHidden(index, not is_visible)

    @override
    def retranslate(self) -> None:
        self.grid.setAccessibleName(self.tr("Gallery"))
        self.table.setAccessibleName(self.tr("Table"))
        self.zoom.setAccessibleName(self.tr("Image size"))
        self.zoom.setToolTip(self.tr("Image size"))
        self._columns.setAccessibleName(self.tr("Choose columns"))
        self._columns.setToolTip(self.tr("Choose columns"))

    @override
    def restyle(self) -> None:
        self.table.fit_rows()
        self._on_zoomed(self.zoom.value())


class _PagedTable(RowGrid):
    """A table of rows that are not all there."""

    @override
    def keyboardSearch(self, search: str) -> None:
        """Look for nothing: Qt would go through all rows, those that are not there included."""
