"""The search at the cursor."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QWidget

from widgets.canvas.search_popup import ENTRY, SearchPopup
from widgets.canvas.search_ranking import Usage, ranked
from widgets.canvas.view_model import CanvasView, SearchEntry


def labels(canvas):
    model = canvas.findChild(SearchPopup).list.model()
    return [model.data(model.index(row, 0), ENTRY).label for row in range(model.rowCount())]


def test_that_tab_opens_the_search_and_enter_adds(canvas, press, asked):
    press(Qt.Key.Key_Tab)
    assert canvas.findChild(SearchPopup).isVisible()
    QTest.keyClicks(canvas.findChild(SearchPopup).field, "lin")
    QTest.keyClick(canvas.findChild(SearchPopup).field, Qt.Key.Key_Return)
    ((key, _x, _y, end),) = asked.of("node_add_requested")
    assert (key, end) == ("Linear", None)
    assert not canvas.findChild(SearchPopup).isVisible()
    assert canvas.hasFocus()


def test_that_a_double_click_adds_where_it_was(canvas, mouse, asked):
    QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=mouse.pixel(90, 304))
    QTest.keyClick(canvas.findChild(SearchPopup).field, Qt.Key.Key_Return)
    assert asked.of("node_add_requested") == [("Input", 0.0, 280.0, None)]


def test_that_arrows_choose_and_escape_closes(canvas, press, asked):
    press(Qt.Key.Key_Tab)
    field = canvas.findChild(SearchPopup).field
    for _ in range(2):
        QTest.keyClick(field, Qt.Key.Key_Down)
    QTest.keyClick(field, Qt.Key.Key_Up)
    assert canvas.findChild(SearchPopup).list.currentIndex().data(ENTRY).key == "Linear"
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert not canvas.findChild(SearchPopup).isVisible()
    assert canvas.hasFocus()
    assert not asked.of("node_add_requested")


def test_that_a_click_on_the_canvas_closes_the_search(canvas, press, mouse):
    press(Qt.Key.Key_Tab)
    canvas.setFocus(Qt.FocusReason.MouseFocusReason)
    assert not canvas.findChild(SearchPopup).isVisible()


def test_that_the_search_does_not_take_the_keys_back_from_another_widget(canvas, press, qtbot):
    field = QLineEdit()
    window = QWidget()
    row = QHBoxLayout(window)
    row.addWidget(canvas)
    row.addWidget(field)
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    canvas.setFocus()
    press(Qt.Key.Key_Tab)
    assert canvas.findChild(SearchPopup).isVisible()
    QTest.mouseClick(field, Qt.MouseButton.LeftButton)
    assert field.hasFocus()
    assert not canvas.findChild(SearchPopup).isVisible()
    canvas.setParent(None)


def test_that_a_click_on_an_entry_adds_it(canvas, press, asked):
    press(Qt.Key.Key_Tab)
    view = canvas.findChild(SearchPopup).list
    rect = view.visualRect(canvas.findChild(SearchPopup).list.model().index(2, 0))
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    assert asked.of("node_add_requested")[0][0] == "ReLU"


def test_that_what_was_used_comes_first(canvas, press):
    press(Qt.Key.Key_Tab)
    QTest.keyClicks(canvas.findChild(SearchPopup).field, "relu")
    QTest.keyClick(canvas.findChild(SearchPopup).field, Qt.Key.Key_Return)
    press(Qt.Key.Key_Tab)
    assert labels(canvas)[0] == "ReLU"


def test_that_nothing_found_says_what_to_try_and_enter_does_nothing(canvas, press, asked):
    press(Qt.Key.Key_Tab)
    QTest.keyClicks(canvas.findChild(SearchPopup).field, "qqqq")
    assert "No results" in canvas.findChild(QLabel, "canvas.search.foot").text()
    QTest.keyClick(canvas.findChild(SearchPopup).field, Qt.Key.Key_Return)
    assert not asked.of("node_add_requested")


def test_that_the_search_stays_inside_the_canvas(canvas):
    for x, y in ((2, 2), (895, 595)):
        QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(x, y))
        popup = canvas.findChild(SearchPopup)
        assert popup.isVisible()
        assert canvas.rect().contains(popup.geometry())
        popup.hide()


def test_that_an_empty_canvas_can_be_searched(make_canvas):
    canvas = make_canvas(CanvasView())
    canvas.repaint()
    QTest.keyClick(canvas, Qt.Key.Key_Tab)
    assert canvas.findChild(SearchPopup).isVisible()


ENTRIES = [
    SearchEntry(key="Conv2d", label="Conv2d", category="Convolution", summary="Filters"),
    SearchEntry(key="ConvTranspose2d", label="ConvTranspose2d", category="Convolution"),
    SearchEntry(key="Linear", label="Linear", category="Linear", aliases=("dense",)),
    SearchEntry(key="BatchNorm2d", label="BatchNorm2d", category="Normalization"),
    SearchEntry(key="relu", label="ReLU", category="Activation", summary="Keeps what is dense"),
]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("conv2d", "Conv2d"),
        ("conv", "Conv2d"),
        ("transpose", "ConvTranspose2d"),
        ("dense", "Linear"),
        ("norm", "BatchNorm2d"),
        ("bn2", "BatchNorm2d"),
        ("conv tr", "ConvTranspose2d"),
        ("RELU", "relu"),
    ],
)
def test_that_the_best_fit_comes_first(query, first):
    assert ranked(ENTRIES, query, Usage())[0].key == first


def test_that_often_used_entries_come_before_others_but_not_before_better_fits():
    usage = Usage()
    usage.used("ConvTranspose2d")
    assert ranked(ENTRIES, "", usage)[0].key == "ConvTranspose2d"
    assert ranked(ENTRIES, "conv", usage)[0].key == "ConvTranspose2d"
    assert ranked(ENTRIES, "conv2d", usage)[0].key == "Conv2d"
