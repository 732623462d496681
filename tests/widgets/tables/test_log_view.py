"""The log: levels, following, finding."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QToolButton

from tests.named_parts import part
from widgets.tables.log_view import LogView
from widgets.tables.view_model import LogLine


@pytest.fixture
def log(qtbot):
    widget = LogView()
    widget.resize(500, 200)
    qtbot.addWidget(widget)
    with qtbot.waitExposed(widget):
        widget.show()
    yield widget
    widget.close()


def test_that_lines_are_shown_from_the_chosen_level_on(log, qtbot):
    log.append([LogLine(text="quiet", level="debug"), LogLine(text="hello")])
    log.append([LogLine(text="careful", level="warning"), LogLine(text="bad", level="error")])
    assert log.text.toPlainText() == "hello\ncareful\nbad"
    part(log, "log.level").setFocus()
    qtbot.keyClick(part(log, "log.level"), Qt.Key.Key_Up)
    assert log.text.toPlainText() == "quiet\nhello\ncareful\nbad"
    for _ in range(3):
        qtbot.keyClick(part(log, "log.level"), Qt.Key.Key_Down)
    assert log.text.toPlainText() == "bad"


def test_that_the_end_is_followed_until_one_scrolls_up(log, qtbot):
    log.append([LogLine(text=f"line {at}") for at in range(200)])
    bar = log.text.verticalScrollBar()
    assert bar.value() == bar.maximum()
    log.text.setFocus()
    qtbot.keyClick(log.text, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    assert not part(log, "log.follow").isChecked()
    log.append([LogLine(text="more")])
    assert bar.value() == 0
    qtbot.mouseClick(log.findChild(QToolButton, "log.follow"), Qt.MouseButton.LeftButton)
    assert bar.value() == bar.maximum()


def test_that_ctrl_f_finds_and_escape_leaves(log, qtbot):
    log.append([LogLine(text=f"epoch {at}") for at in range(30)])
    log.text.setFocus()
    qtbot.keyClick(log.text, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    field = log.findChild(QLineEdit, "log.find")
    qtbot.keyClicks(field, "epoch 2")
    assert log.text.textCursor().selectedText() == "epoch 2"
    first = log.text.textCursor().blockNumber()
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert log.text.textCursor().blockNumber() != first
    qtbot.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert log.text.textCursor().blockNumber() == first
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert not field.isVisible()


def test_that_copy_and_clear_do_what_they_say(log, qtbot):
    log.append([LogLine(text="one"), LogLine(text="two")])
    qtbot.mouseClick(log.findChild(QToolButton, "log.copy"), Qt.MouseButton.LeftButton)
    assert QApplication.clipboard().text() == "one\ntwo"
    with qtbot.waitSignal(log.cleared):
        qtbot.mouseClick(log.findChild(QToolButton, "log.clear"), Qt.MouseButton.LeftButton)
    assert log.text.toPlainText() == ""


def test_that_a_long_log_keeps_its_newest_lines(log):
    log.append([LogLine(text=str(at)) for at in range(20_100)])
    assert log.text.blockCount() <= 20_000
    assert log.text.toPlainText().endswith("20099")


def test_that_also_lines_that_are_not_shown_make_room_for_newer_ones(log, qtbot):
    log.append([LogLine(text="first")])
    log.append([LogLine(text=str(at), level="debug") for at in range(20_000)])
    assert log.text.toPlainText() == "first"
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
        qtbot.keyClick(part(log, "log.level"), key)
    assert log.text.toPlainText() == ""


def test_that_html_in_a_line_is_text(log):
    log.append([LogLine(text="<b>bold</b> %s {0}")])
    assert log.text.toPlainText() == "<b>bold</b> %s {0}"


def test_that_lines_that_come_while_nobody_sees_the_log_stand_in_it_when_one_looks(log):
    log.append([LogLine(text="before")])
    log.hide()
    for name in ("one", "two"):
        log.append([LogLine(text=name), LogLine(text="quiet", level="debug")])
    assert log.text.toPlainText() == "before"
    log.show()
    assert log.text.toPlainText() == "before\none\ntwo"
    log.append([LogLine(text="after")])
    assert log.text.toPlainText() == "before\none\ntwo\nafter"


def test_that_a_log_that_was_cleared_unseen_is_empty(log):
    log.hide()
    log.append([LogLine(text="one")])
    log.clear()
    log.show()
    assert not log.text.toPlainText()
