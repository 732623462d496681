"""Tables: sort, filter, select, copy."""

import math

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QLabel
from typing_extensions import override

from widgets.tables.format import cell_text, natural_key
from widgets.tables.table_view import TableView
from widgets.tables.view_model import ColumnView, RowView, TableData

COLUMNS = (
    ColumnView(key="name", title="Run"),
    ColumnView(key="loss", title="Loss", kind="number"),
    ColumnView(key="state", title="State"),
)


def table_of(*rows):
    return TableData(
        columns=COLUMNS,
        rows=tuple(RowView(id=row[0], cells=row) for row in rows),
        empty_text="No runs yet.",
    )


ROWS = (
    ("run-10", 0.5, "finished"),
    ("run-9", None, "failed"),
    ("run-1", math.nan, "running"),
    ("run-2", 0.05, "finished"),
)


@pytest.fixture
def view(qtbot):
    widget = TableView("runs.table")
    widget.resize(600, 300)
    qtbot.addWidget(widget)
    widget.set_data(table_of(*ROWS))
    with qtbot.waitExposed(widget):
        widget.show()
    yield widget
    widget.close()


def shown(view, column=0):
    return [view.order.index(row, column).data() for row in range(view.order.rowCount())]


def click_row(view, qtbot, row, modifiers=Qt.KeyboardModifier.NoModifier):
    place = view.table.visualRect(view.order.index(row, 0)).center()
    qtbot.mouseClick(view.table.viewport(), Qt.MouseButton.LeftButton, modifiers, place)


def test_that_a_click_on_the_header_sorts_by_value_and_text_by_nature(view, qtbot):
    header = view.table.horizontalHeader()

    def click(column):
        x = header.sectionViewportPosition(column) + 10
        qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(x, 8))

    click(0)
    assert shown(view) == ["run-1", "run-2", "run-9", "run-10"]
    click(1)
    assert shown(view) == ["run-9", "run-1", "run-2", "run-10"]
    click(1)
    assert shown(view) == ["run-10", "run-2", "run-1", "run-9"]


def test_that_every_word_of_the_filter_has_to_be_in_the_row(view, qtbot):
    qtbot.keyClicks(view.search, "finished 0.05")
    assert shown(view) == ["run-2"]
    view.search.clear()
    qtbot.keyClicks(view.search, "zebra")
    assert shown(view) == []
    assert any("zebra" in label.text() for label in view.findChildren(QLabel))


def test_that_the_row_called_like_the_filter_comes_first_then_those_that_begin_so(view):
    names = ("a_net18", "net180", "net18", "my net18")
    columns = (ColumnView(key="name", title="Name"),)
    rows = tuple(RowView(id=name, cells=(name,)) for name in names)
    view.set_data(TableData(columns=columns, rows=rows))
    ascending, descending = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
    for column, order in ((-1, ascending), (0, ascending), (0, descending)):
        view.table.sortByColumn(column, order)
        view.search.setText("net18")
        assert shown(view)[:2] == ["net18", "net180"]
        view.search.clear()
    view.table.sortByColumn(-1, ascending)
    assert shown(view) == list(names)


def test_that_selection_is_told_by_ids_and_survives_new_data(view, qtbot):
    with qtbot.waitSignal(view.selection_changed) as caught:
        click_row(view, qtbot, 1)
    assert caught.args == [["run-9"]]
    click_row(view, qtbot, 3, Qt.KeyboardModifier.ControlModifier)
    assert view.selected_ids() == ["run-9", "run-2"]
    view.set_data(table_of(("run-11", 1.0, "running"), *ROWS))
    assert view.selected_ids() == ["run-9", "run-2"]
    view.set_data(table_of(*ROWS[2:]))
    assert view.selected_ids() == ["run-2"]


def test_that_new_values_of_the_same_rows_do_not_reset_the_table(view, qtbot):
    click_row(view, qtbot, 0)
    with qtbot.assertNotEmitted(view.model.modelReset):
        view.set_data(table_of(("run-10", 0.4, "finished"), *ROWS[1:]))
    assert shown(view, 1)[0] == "0.4"


class Painted(QObject):
    """Notes the columns of a view that are painted."""

    def __init__(self, view):
        super().__init__(view)
        self.columns = set()
        self._table = view.table
        view.table.viewport().installEventFilter(self)

    @override
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            last = event.rect().right() - 1  # Qt takes one pixel too many
            first = self._table.columnAt(event.rect().left())
            self.columns |= set(range(first, self._table.columnAt(last) + 1))
        return False


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ((("run-10", 0.4, "finished"), *ROWS[1:2], ("run-1", 1.0, "running"), ROWS[3]), {1}),
        ((("run-10", 0.4, "stopped"), *ROWS[1:2], ("run-1", 1.0, "running"), ROWS[3]), {1, 2}),
        ((("run-10", 0.5, "stopped"), *ROWS[1:2], ("run-1", 1.0, "running"), ROWS[3]), {1, 2}),
    ],
)
def test_that_only_columns_that_changed_are_painted(view, qtbot, rows, columns):
    qtbot.wait(50)
    painted = Painted(view)
    view.set_data(table_of(*rows))
    qtbot.waitUntil(lambda: bool(painted.columns))
    assert painted.columns == columns


def test_that_enter_and_delete_and_the_menu_speak_of_the_rows(view, qtbot):
    click_row(view, qtbot, 0)
    with qtbot.waitSignal(view.row_activated) as caught:
        qtbot.keyClick(view.table, Qt.Key.Key_Return)
    assert caught.args == ["run-10"]
    with qtbot.waitSignal(view.delete_requested) as caught:
        qtbot.keyClick(view.table, Qt.Key.Key_Delete)
    assert caught.args == [["run-10"]]
    place = view.table.viewport().rect().center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, view.mapToGlobal(place))
    with qtbot.waitSignal(view.menu_requested) as caught:
        QApplication.sendEvent(view.table.viewport(), event)
    assert caught.args[0] == ["run-10"]


def test_that_the_selection_is_copied_as_shown_without_hidden_columns(view, qtbot):
    view.set_column_visible(1, False)  # noqa: FBT003
    click_row(view, qtbot, 3)
    qtbot.keyClick(view.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == "Run\tState\nrun-2\tfinished\n"
    view.table.clearSelection()
    assert view.as_text().count("\n") == 5


def test_that_hidden_columns_are_remembered(view):
    view.set_column_visible(2, False)  # noqa: FBT003
    other = TableView("runs.table")
    other.set_data(table_of(*ROWS))
    other.restore_hidden_columns(view.hidden_columns())
    assert other.table.isColumnHidden(2)
    other.deleteLater()


def test_that_an_empty_table_says_what_to_do(view):
    view.resize(60, 300)
    view.set_data(table_of())
    assert any(label.text() == "No runs yet." for label in view.findChildren(QLabel))
    assert not view.search.isVisible()
    assert not view.table.horizontalScrollBar().isVisible()
    view.set_data(table_of(*ROWS))
    assert view.table.horizontalScrollBar().isVisible()


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (0.12345678, "number", "0.123457"),
        (0.975, "percent", "97.50 %"),
        (11274133, "count", "11,274,133"),
        (0.0123, "duration", "12 ms"),
        (7384, "duration", "2:03:04"),
        (4_200_000, "size", "4.2 MB"),
        (True, "flag", "✓"),
        (False, "flag", ""),
        (None, "number", ""),
        (math.nan, "number", "nan"),
        (math.inf, "duration", "inf"),
        (5, "number", "5"),
    ],
)
def test_that_cells_are_written_short(value, kind, text):
    assert cell_text(value, kind) == text


def test_that_numbers_in_names_are_ordered_by_value():
    assert sorted(["b", "a10", "a9", "A1"], key=natural_key) == ["A1", "a9", "a10", "b"]


def test_that_a_name_with_a_swatch_stands_whole_in_the_first_column(view):
    columns = (ColumnView(key="run", title="Run", width=4), ColumnView(key="state", title="State"))
    row = RowView(id="a", cells=("run-0001 of today", "finished"), color=1)
    view.set_data(TableData(columns=columns, rows=(row,)))
    needed = view.fontMetrics().horizontalAdvance(row.cells[0]) + 24
    assert view.table.columnWidth(0) >= needed


@pytest.mark.fault("U01")
def test_that_who_hears_of_a_selection_may_hand_over_another_table(view):
    heard = []

    def answer(ids):
        heard.append(ids)
        view.set_data(table_of(*ROWS[: 4 - len(ids)]))

    view.select_ids(["run-10", "run-9"])
    view.selection_changed.connect(answer)
    view.search.setText("run-9")  # takes the other row out, and with it its selection
    assert heard[0] == ["run-9"]
    assert shown(view) == ["run-9"]
    assert len(view.model.table.rows) == 3
    view.search.setText("no such row")
    assert heard[-1] == []
    view.search.clear()
    assert len(shown(view)) == 4


@pytest.mark.fault("U01")
def test_that_a_selected_row_that_does_not_pass_the_filter_any_more_is_told_once(view):
    view.search.setText("finished")
    view.select_ids(["run-10"])
    heard = []
    view.selection_changed.connect(
        lambda ids: (heard.append(ids), view.set_data(table_of(*ROWS[1:])))
    )
    view.set_data(table_of(("run-10", 0.5, "failed"), *ROWS[1:]))
    assert heard == [[]]
    assert shown(view) == ["run-2"]


def test_that_a_table_whose_columns_have_room_has_no_bar_to_scroll(view):
    columns = tuple(ColumnView(key=f"c{at}", title=f"Column {at}") for at in range(4))
    view.set_data(TableData(columns=columns, rows=(RowView(id="a", cells=("text",) * 4),)))
    view.restyle()
    bar = view.table.horizontalScrollBar()
    needed = view.table.columnViewportPosition(3) + view.table.columnWidth(2)  # all are alike
    assert bar.maximum() == 0
    view.resize(needed + 2, 300)  # a letter is a pixel wider than another
    assert bar.maximum() == 0
    view.resize(needed // 2, 300)
    assert bar.maximum() > 40


def test_that_elastic_columns_take_what_the_others_leave_and_drive_none_out_of_sight(view):
    columns = (
        COLUMNS[0],
        ColumnView(key="note", title="Note", width=10, is_elastic=True),
        COLUMNS[2],
    )
    for text in ("short", "long " * 200):
        row = RowView(id="a", cells=("a", text, "finished"))
        view.set_data(TableData(columns=columns, rows=(row,)))
        widths = [view.table.columnWidth(index) for index in range(3)]
        assert sum(widths) == view.table.viewport().width()
        assert widths[1] > widths[0] + widths[2]
    view.resize(900, 300)
    assert view.table.columnWidth(1) == widths[1] + 300
    view.set_column_visible(2, is_visible=False)
    assert view.table.columnWidth(1) == widths[1] + 300 + widths[2]
    view.resize(100, 300)
    assert 40 < view.table.columnWidth(1) <= view.fontMetrics().averageCharWidth() * 10


def test_that_a_text_of_several_lines_stands_in_its_row_with_a_mark_for_each_break(view):
    poem = "two roads\n  diverged\r\nin a wood"
    view.set_data(table_of((poem, 0.5, "finished")))
    assert shown(view) == ["two roads ⏎ diverged ⏎ in a wood"]
    index = view.order.index(0, 0)
    assert "two roads<br>" in index.data(Qt.ItemDataRole.ToolTipRole)  # as it was written
