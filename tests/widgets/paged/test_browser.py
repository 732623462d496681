"""A million rows as a gallery and a table: which are asked for, kept, selected and reached."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt

from widgets.images.class_color import box_color, class_color
from widgets.images.view_model import BoxView, ImageView, MaskView
from widgets.paged.browser import PagedBrowser
from widgets.paged.model import PAGE
from widgets.paged.view_model import PagedRow
from widgets.tables.view_model import ColumnView

MILLION = 1_000_000
COLUMNS = (
    ColumnView(key="number", title="No.", kind="count"),
    ColumnView(key="name", title="Name"),
)


def rows(start, count):
    return [
        PagedRow(id=10 * at, cells=(at, f"name {at}"), label=f"class {at}", sublabel=f"#{at}")
        for at in range(start, start + count)
    ]


class Source:
    """Brings what a browser wants, and remembers it."""

    def __init__(self, browser):
        self.browser = browser
        self.total = MILLION
        self.asked = []
        self.pictured = []
        self.overlay = None
        browser.wanted.connect(self.bring)

    def bring(self):
        wanted = self.browser.model.wanted_rows()
        if wanted is not None:
            start, count = wanted
            self.asked.append(wanted)
            self.browser.put(start, rows(start, min(count, self.total - start)))
        ids = self.browser.model.wanted_pictures(16)
        if ids:
            self.pictured += ids
            pictures = {
                each: ImageView(pixels=np.ones((1, 4, 4)), overlay=self.overlay) for each in ids
            }
            self.browser.put_pictures(pictures, {})


@pytest.fixture
def browser(qtbot):
    made = PagedBrowser("samples")
    made.resize(600, 400)
    qtbot.addWidget(made)
    made.set_columns(COLUMNS, frozenset({"number"}))
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.close()


@pytest.fixture
def source(browser):
    made = Source(browser)
    browser.set_rows(made.total, 0, ())
    return made


@pytest.mark.parametrize("form", ["gallery", "table"])
def test_that_only_rows_near_those_in_view_are_asked_for(browser, source, form, qtbot):
    browser.set_form(form)
    qtbot.waitUntil(lambda: browser.model.row(0) is not None)
    view = browser.grid if form == "gallery" else browser.table
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    qtbot.waitUntil(lambda: browser.model.row(MILLION - 1) is not None)
    qtbot.waitUntil(lambda: browser.model.wanted_rows() is None)
    starts = {start for start, _ in source.asked}
    assert starts <= {0, PAGE, MILLION - PAGE, MILLION - 2 * PAGE}


def test_that_a_table_that_is_not_shown_is_not_read_whole(browser, monkeypatch):
    browser.set_form("gallery")
    looked = set()
    row = browser.model.row
    monkeypatch.setattr(browser.model, "row", lambda at: looked.add(at) or row(at))
    browser.set_rows(20_000, 0, rows(0, 100))
    assert 0 < len(looked) < 1000
    assert browser.table.columnWidth(1) >= browser.fontMetrics().horizontalAdvance("name 63")


def test_that_few_of_the_rows_that_were_seen_are_kept(browser, source, qtbot):
    bar = browser.table.verticalScrollBar()
    for step in range(120):
        bar.setValue(step * 200 * browser.table.rowHeight(0))
        qtbot.waitUntil(lambda at=step: browser.model.row(at * 200) is not None)
    kept = sum(browser.model.row(at) is not None for at in range(0, MILLION, PAGE))
    assert 0 < kept <= 64
    assert browser.model.row(0) is None
    bar.setValue(0)
    qtbot.waitUntil(lambda: browser.model.row(0) is not None)


def test_that_what_is_in_view_is_never_dropped_for_what_is_beside_it(browser, source, qtbot):
    qtbot.waitUntil(lambda: browser.model.row(0) is not None)
    for start in range(PAGE, 100 * PAGE, PAGE):
        browser.put(start, rows(start, PAGE))
    qtbot.waitUntil(lambda: browser.model.row(0) is not None)


def test_that_pictures_of_rows_in_view_alone_are_asked_for(browser, source, qtbot):
    browser.set_form("gallery")
    qtbot.waitUntil(lambda: browser.model.picture(0) is not None)
    qtbot.waitUntil(lambda: not browser.model.wanted_pictures(1) and bool(source.pictured))
    per_line = browser.grid.line_length
    assert len(source.pictured) == len(set(source.pictured)) <= 6 * per_line
    assert set(source.pictured) == {10 * at for at in range(len(source.pictured))}


def test_that_a_row_without_a_picture_is_not_asked_for_again_and_says_why(browser, qtbot):
    browser.set_form("gallery")
    browser.set_rows(3, 0, rows(0, 3))
    browser.put_pictures({0: None, 10: None}, {0: "a.png is damaged."})
    assert browser.model.wanted_pictures(9) == (20,)
    tip = browser.model.data(browser.model.index(0, 0), Qt.ItemDataRole.ToolTipRole)
    assert "a.png is damaged." in tip


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("0.3333333333333333", "0.333333"),
        ("-1234567,8912345678", "-1234568"),
        ("0,00000012345678901", "1,23457e-07"),
        ("31.5", "31.5"),
        ("1234567890123456", "1234567890123456"),
        ("2024-03-06 08:00:00.1234567", "2024-03-06 08:00:00.1234567"),
    ],
)
def test_that_a_number_with_many_decimals_is_short_and_whole_in_its_tooltip(
    browser, written, shown
):
    browser.set_columns((*COLUMNS, ColumnView(key="x", title="x", kind="number")), frozenset())
    browser.set_rows(1, 0, [PagedRow(id=0, cells=(0, "a", written))])
    cell = browser.model.index(0, 2)
    assert browser.model.data(cell, Qt.ItemDataRole.DisplayRole) == shown
    assert written in browser.model.data(cell, Qt.ItemDataRole.ToolTipRole)


def tile(browser, row: int) -> QRect:
    """Return where a row lies in the gallery."""
    return browser.grid.visualRect(browser.model.index(row, 0))


def test_that_gallery_and_table_have_one_selection(browser, source, qtbot):
    browser.set_form("gallery")
    qtbot.waitUntil(lambda: browser.model.row(5) is not None)
    qtbot.mouseClick(
        browser.grid.viewport(), Qt.MouseButton.LeftButton, pos=tile(browser, 1).center()
    )
    qtbot.mouseClick(
        browser.grid.viewport(),
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.ShiftModifier,
        tile(browser, 4).center(),
    )
    assert browser.selected_ranges() == ((1, 5),)
    browser.set_form("table")
    assert browser.table.selectionModel().isRowSelected(3)
    assert browser.current() == 4
    assert browser.selected_count() == 4


def test_that_keys_walk_through_the_gallery(browser, source, qtbot):
    browser.set_form("gallery")
    browser.grid.setFocus()
    line = browser.grid.line_length
    assert line > 2
    browser.select(0)
    for key, wanted in (
        (Qt.Key.Key_Right, 1),
        (Qt.Key.Key_Down, 1 + line),
        (Qt.Key.Key_Left, line),
        (Qt.Key.Key_Up, 0),
        (Qt.Key.Key_Up, 0),
        (Qt.Key.Key_End, MILLION - 1),
        (Qt.Key.Key_Right, MILLION - 1),
    ):
        qtbot.keyClick(browser.grid, key)
        assert browser.current() == wanted
    viewport = browser.grid.viewport().rect()
    assert viewport.contains(tile(browser, MILLION - 1))
    qtbot.keyClick(browser.grid, Qt.Key.Key_Home, Qt.KeyboardModifier.ShiftModifier)
    assert browser.selected_count() == MILLION


def test_that_all_can_be_selected_at_once(browser, source, qtbot):
    for form, view in (("gallery", browser.grid), ("table", browser.table)):
        browser.set_form(form)
        browser.chosen.clearSelection()
        qtbot.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        assert browser.selected_ranges() == ((0, MILLION),)


def test_that_a_rectangle_selects_what_it_touches(browser, source):
    browser.set_form("gallery")
    grid, line = browser.grid, browser.grid.line_length
    rect = QRect(tile(browser, 1).center(), tile(browser, line + 2).center())
    grid.setState(grid.State.DragSelectingState)
    grid.setSelection(rect, browser.chosen.SelectionFlag.ClearAndSelect)
    assert browser.selected_ranges() == ((1, 3), (line + 1, line + 3))
    grid.setState(grid.State.NoState)


def test_that_typing_letters_does_not_go_through_all_rows(browser, source, qtbot):
    for form, view in (("gallery", browser.grid), ("table", browser.table)):
        browser.set_form(form)
        qtbot.keyClick(view, Qt.Key.Key_N)
    assert len(source.asked) < 4


def test_that_enter_and_a_double_click_open_a_row(browser, source, qtbot):
    for form in ("gallery", "table"):
        browser.set_form(form)
        browser.select(2)
        view = browser.grid if form == "gallery" else browser.table
        with qtbot.waitSignal(browser.row_activated) as heard:
            qtbot.keyClick(view, Qt.Key.Key_Return)
        assert heard.args == [2]


def test_that_a_click_on_a_header_asks_for_the_order_of_a_column_that_has_one(
    browser, source, qtbot
):
    header = browser.table.horizontalHeader()

    def click(column):
        x = header.sectionViewportPosition(column) + 8
        qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(x, 8))

    with qtbot.waitSignal(browser.sort_requested) as heard:
        click(0)
    assert heard.args == ["number", False]
    with qtbot.waitSignal(browser.sort_requested) as heard:
        click(0)
    assert heard.args == ["number", True]
    with qtbot.assertNotEmitted(browser.sort_requested):
        click(1)


def test_that_the_place_stays_when_tiles_become_larger(browser, source, qtbot):
    browser.set_form("gallery")
    browser.grid.verticalScrollBar().setValue(500_000)
    first = browser.grid.indexAt(QPoint(30, 0)).row()
    browser.zoom.setValue(200)
    line = browser.grid.line_length
    assert browser.grid.indexAt(QPoint(30, 0)).row() // line == first // line


def test_that_other_rows_have_no_selection(browser, source):
    browser.select(7)
    browser.set_rows(20, 0, rows(0, 20))
    assert browser.selected_ranges() == ()
    assert browser.current() == -1


def test_that_a_row_is_read_out_by_its_label(browser):
    browser.set_rows(1, 0, rows(0, 1))
    role = Qt.ItemDataRole.AccessibleTextRole
    assert browser.model.data(browser.model.index(0, 0), role) == "class 0 #0"
    assert browser.model.data(browser.model.index(0, 1), role) == "name 0"


def test_that_a_column_that_was_hidden_stays_hidden(browser, source, qtbot):
    browser.set_column_visible(1, is_visible=False)
    browser.set_rows(5, 0, rows(0, 5))
    assert browser.table.isColumnHidden(1)


def test_that_masks_lie_over_pictures_as_strongly_as_is_wanted(browser, source, qtbot):
    truth = np.ones((4, 4), np.int16)
    source.overlay = MaskView(classes=("ground", "cat"), truth=truth)
    browser.model.forget_pictures()
    browser.set_form("gallery")
    qtbot.waitUntil(browser.masks.isVisible)

    def color():
        shown = browser.model.picture(0)
        return shown.toImage().pixelColor(0, 0).getRgb()[:3]

    browser.masks.opacity.setValue(100)
    assert color() == class_color(1)
    browser.masks.opacity.setValue(0)
    assert color() == (255, 255, 255)
    browser.set_form("table")
    assert not browser.masks.isVisible()
    browser.set_form("gallery")
    assert browser.masks.isVisible()
    browser.set_columns(COLUMNS, frozenset())
    assert not browser.masks.isVisible()


def test_that_boxes_have_a_legend_and_can_be_hidden(browser, source, qtbot):
    corners, numbers = np.array([[0.0, 0.0, 1.0, 1.0]]), np.array([1])
    source.overlay = BoxView(classes=("cat", "dog"), corners=corners, numbers=numbers)
    browser.model.forget_pictures()
    browser.set_form("gallery")
    qtbot.waitUntil(browser.masks.isVisible)
    assert browser.masks.legend.accessibleDescription() == "cat, dog"

    def edge():
        shown = browser.model.picture(0).toImage()
        return shown.pixelColor(0, shown.height() // 2).getRgb()[:3]

    assert edge() == box_color(1)
    browser.masks.opacity.setValue(0)
    assert edge() == (255, 255, 255)
    browser.set_columns(COLUMNS, frozenset(), keeps_pictures=True)
    assert browser.masks.isVisible()
