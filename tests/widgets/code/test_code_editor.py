"""Writing source: typing, keys of an editor, marks, completion, finding and replacing."""

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent, QTextCursor, QWheelEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QToolTip

from widgets.code.code_editor import CodeEditor
from widgets.code.completion import NameView
from widgets.code.mark import MarkView
from widgets.common.theme import DARK, LIGHT, apply_theme

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
NAMES = (
    NameView(name="nn.Linear", note="Weights."),
    NameView(name="nn.LayerNorm"),
    NameView(name="torch.cat"),
    NameView(name=".reshape"),
)


@pytest.fixture
def editor(qtbot):
    widget = CodeEditor()
    widget.resize(600, 400)
    qtbot.addWidget(widget)
    widget.set_names(NAMES)
    with qtbot.waitExposed(widget):
        widget.show()
    widget.activateWindow()
    widget.edit.setFocus()
    qtbot.waitUntil(widget.edit.hasFocus)
    yield widget
    widget.close()


def open_at(editor, text, line, column):
    editor.open_text(text)
    editor.go_to(line, column)


def select(editor, start, end):
    cursor = editor.edit.textCursor()
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    editor.edit.setTextCursor(cursor)


def offered(editor, qtbot):
    qtbot.waitUntil(editor.edit.offer.isVisible)
    return editor.edit.offer.names()


def test_that_escape_and_then_tab_leaves_the_text_and_tab_alone_indents_it(editor, qtbot):
    button = QPushButton("Run", editor)
    editor.layout().addWidget(button)
    button.show()
    editor.open_text("x")
    key = Qt.Key
    for keys, text in (((key.Key_Tab,), "    x"), ((key.Key_Escape, key.Key_End, key.Key_Tab), "")):
        for each in keys:
            qtbot.keyClick(editor.edit, each)
        assert editor.edit.hasFocus()
        assert editor.text().startswith(text)
    before = editor.text()
    qtbot.keyClick(editor.edit, key.Key_Escape)
    qtbot.keyClick(editor.edit, key.Key_Tab)
    assert button.hasFocus()
    qtbot.keyClick(button, key.Key_Backtab, SHIFT)
    assert editor.edit.hasFocus()
    for each, held in ((key.Key_Escape, {}), (key.Key_Shift, {}), (key.Key_Backtab, SHIFT)):
        qtbot.keyClick(editor.edit, each, held or Qt.KeyboardModifier.NoModifier)
    assert button.hasFocus()
    assert editor.text() == before


def test_that_a_pause_of_typing_tells_the_text_once(editor, qtbot):
    told = []
    editor.text_settled.connect(told.append)
    qtbot.keyClicks(editor.edit, "x = 1")
    assert told == []
    assert editor.has_pending()
    qtbot.waitUntil(lambda: told == ["x = 1"])
    assert not editor.has_pending()


def test_that_ctrl_return_tells_the_text_at_once_and_asks_to_apply_it(editor, qtbot):
    qtbot.keyClicks(editor.edit, "y")
    with qtbot.waitSignals([editor.text_settled, editor.apply_requested]):
        qtbot.keyClick(editor.edit, Qt.Key.Key_Return, CTRL)
    assert editor.text() == "y"


def test_that_a_text_from_outside_is_not_told_and_keeps_cursor_and_undo(editor, qtbot):
    open_at(editor, "a = 1\nb = 2\n", 2, 6)
    with qtbot.assertNotEmitted(editor.text_settled, wait=700):
        editor.set_text("# new\na = 1\nb = 2\n")
    assert editor.place() == (3, 6)
    editor.edit.undo()
    assert editor.text() == "a = 1\nb = 2\n"


def test_that_a_new_line_goes_in_after_a_colon_and_out_after_a_return(editor, qtbot):
    for line in ("def f(x):", "return x", "y = 1"):
        qtbot.keyClicks(editor.edit, line)
        editor.edit.offer.hide()
        qtbot.keyClick(editor.edit, Qt.Key.Key_Return)
    assert editor.text() == "def f(x):\n    return x\ny = 1\n"


def test_that_tab_and_backspace_move_by_levels(editor, qtbot):
    qtbot.keyClick(editor.edit, Qt.Key.Key_Tab)
    qtbot.keyClick(editor.edit, Qt.Key.Key_Tab)
    assert editor.text() == " " * 8
    qtbot.keyClick(editor.edit, Qt.Key.Key_Backspace)
    assert editor.text() == " " * 4
    qtbot.keyClick(editor.edit, Qt.Key.Key_Backtab, SHIFT)
    assert editor.text() == ""


def test_that_selected_lines_are_indented_commented_and_brought_back_by_one_undo(editor, qtbot):
    before = "a = 1\n\n    b = 2\nc = 3\n"
    editor.open_text(before)
    select(editor, 2, before.index("c"))  # c's line is only touched at its beginning
    qtbot.keyClick(editor.edit, Qt.Key.Key_Tab)
    assert editor.text() == "    a = 1\n\n        b = 2\nc = 3\n"
    qtbot.keyClick(editor.edit, Qt.Key.Key_Slash, CTRL)
    assert editor.text() == "    # a = 1\n\n    #     b = 2\nc = 3\n"
    qtbot.keyClick(editor.edit, Qt.Key.Key_Slash, CTRL)
    assert editor.text() == "    a = 1\n\n        b = 2\nc = 3\n"
    for _ in range(3):
        qtbot.keyClick(editor.edit, Qt.Key.Key_Z, CTRL)
    assert editor.text() == before


def brackets(editor) -> list[int]:
    """Return where single characters are marked."""
    marks = (one.cursor for one in editor.edit.extraSelections())
    return [mark.selectionStart() for mark in marks if len(mark.selectedText()) == 1]


def test_that_the_bracket_beside_the_cursor_finds_its_partner_past_strings(editor):
    open_at(editor, 'f(a, "(", [b,\n  c])  # )\n', 1, 3)
    marked = brackets(editor)
    assert marked == [1, editor.text().index("])") + 1]
    editor.go_to(2, 10)
    assert brackets(editor) == []


def test_that_names_are_offered_while_typing_and_taken_with_enter(editor, qtbot):
    qtbot.keyClicks(editor.edit, "m = nn.L")
    assert offered(editor, qtbot) == ["LayerNorm", "Linear"]
    qtbot.keyClick(editor.edit, Qt.Key.Key_Down)
    qtbot.keyClick(editor.edit, Qt.Key.Key_Return)
    assert editor.text() == "m = nn.Linear"
    assert not editor.edit.offer.isVisible()


def test_that_a_whole_name_is_followed_by_longer_ones_only_when_asked(editor, qtbot):
    open_at(editor, "value = values = 1\n", 2, 1)
    qtbot.keyClicks(editor.edit, "valu")
    assert offered(editor, qtbot) == ["value", "values"]
    qtbot.keyClicks(editor.edit, "e")
    qtbot.waitUntil(lambda: not editor.edit.offer.isVisible())
    qtbot.keyClick(editor.edit, Qt.Key.Key_Return)
    assert editor.text().splitlines()[1] == "value"
    open_at(editor, "value = values = 1\nvalue", 2, 6)
    qtbot.keyClick(editor.edit, Qt.Key.Key_Space, CTRL)
    assert offered(editor, qtbot) == ["values"]


def test_that_enter_right_behind_a_bracket_breaks_the_line_and_takes_no_name(editor, qtbot):
    qtbot.keyClicks(editor.edit, "f(nn.L")
    assert offered(editor, qtbot) == ["LayerNorm", "Linear"]
    qtbot.keyClicks(editor.edit, ")")
    qtbot.keyClick(editor.edit, Qt.Key.Key_Return)
    assert editor.text() == "f(nn.L)\n"


def test_that_ctrl_space_offers_and_escape_takes_the_offer_away(editor, qtbot):
    open_at(editor, "self.weight = 1\nself.", 2, 6)
    qtbot.keyClick(editor.edit, Qt.Key.Key_Space, CTRL)
    assert offered(editor, qtbot) == ["weight"]
    qtbot.keyClick(editor.edit, Qt.Key.Key_Escape)
    assert not editor.edit.offer.isVisible()
    assert editor.text() == "self.weight = 1\nself."


def test_that_nothing_is_offered_in_strings_and_comments(editor, qtbot):
    for line in ("# nn.Li", "'nn.Li"):
        open_at(editor, "", 1, 1)
        qtbot.keyClicks(editor.edit, line)
        qtbot.wait(20)
        assert not editor.edit.offer.isVisible()


def test_that_marks_say_what_is_wrong_and_move_with_their_line(editor, qtbot):
    open_at(editor, "a = (\nb = 2\n", 1, 1)
    editor.set_marks([MarkView(line=1, text="“(” was never closed", column=5)])
    qtbot.keyClick(editor.edit, Qt.Key.Key_Return)
    assert [mark.line for mark in editor.edit.marks()] == [2]
    y = editor.edit.cursorRect().center().y()
    place = QPoint(20, y)
    event = QHelpEvent(QEvent.Type.ToolTip, place, editor.edit.viewport().mapToGlobal(place))
    QApplication.sendEvent(editor.edit.viewport(), event)
    qtbot.waitUntil(lambda: "never closed" in QToolTip.text())
    QToolTip.hideText()
    editor.grab()


def test_that_replacing_all_is_one_step_of_undo(editor, qtbot):
    editor.open_text("one two one")
    qtbot.keyClick(editor.edit, Qt.Key.Key_H, CTRL)
    find = editor.findChild(QLineEdit, "editor.find")
    field = editor.findChild(QLineEdit, "editor.replace")
    qtbot.waitUntil(field.isVisible)
    qtbot.keyClicks(find, "one")
    qtbot.keyClicks(field, "three")
    qtbot.mouseClick(editor.findChild(QPushButton, "editor.replace.all"), Qt.MouseButton.LeftButton)
    assert editor.text() == "three two three"
    editor.edit.undo()
    assert editor.text() == "one two one"
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert not field.isVisible()


def test_that_replacing_one_goes_on_to_the_next(editor, qtbot):
    editor.open_text("one two one")
    editor.find_bar.ask_replacement()
    editor.find_bar.field.setText("one")
    editor.find_bar.replacement.setText("1")
    qtbot.keyClick(editor.find_bar.replacement, Qt.Key.Key_Return)
    assert editor.text() == "1 two one"
    qtbot.keyClick(editor.find_bar.replacement, Qt.Key.Key_Return)
    assert editor.text() == "1 two 1"


def test_that_the_wheel_with_ctrl_zooms_and_ctrl_0_goes_back(editor, qtbot):
    size = editor.edit.font().pointSizeF()
    at = editor.edit.rect().center()
    event = QWheelEvent(
        at.toPointF(),
        editor.edit.mapToGlobal(at).toPointF(),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        CTRL,
        Qt.ScrollPhase.NoScrollPhase,
        False,  # noqa: FBT003
    )
    QApplication.sendEvent(editor.edit.viewport(), event)
    assert editor.edit.font().pointSizeF() == size + 1
    qtbot.keyClick(editor.edit, Qt.Key.Key_0, CTRL)
    assert editor.edit.font().pointSizeF() == size


def test_that_the_theme_changes_under_an_open_file(editor, qapp):
    open_at(editor, "class Net:\n    pass\n", 2, 3)
    editor.set_marks([MarkView(line=1, text="Look here", severity="warning")])
    apply_theme(qapp, DARK)
    try:
        editor.grab()
        assert [mark.line for mark in editor.edit.marks()] == [1]
    finally:
        apply_theme(qapp, LIGHT)


def test_that_home_goes_to_the_first_letter_then_to_the_edge(editor, qtbot):
    open_at(editor, "    word", 1, 7)
    qtbot.keyClick(editor.edit, Qt.Key.Key_Home)
    assert editor.place() == (1, 5)
    qtbot.keyClick(editor.edit, Qt.Key.Key_Home)
    assert editor.place() == (1, 1)


def test_that_ctrl_d_writes_the_line_once_more(editor, qtbot):
    open_at(editor, "a = 1\nb = 2", 1, 3)
    qtbot.keyClick(editor.edit, Qt.Key.Key_D, CTRL)
    assert editor.text() == "a = 1\na = 1\nb = 2"
    assert editor.place() == (2, 3)


def test_that_a_read_only_text_takes_no_letters(editor, qtbot):
    editor.open_text("a = 1\n")
    editor.set_read_only(is_read_only=True)
    qtbot.keyClicks(editor.edit, "x")
    qtbot.keyClick(editor.edit, Qt.Key.Key_Tab)
    assert editor.text() == "a = 1\n"
    editor.set_read_only(is_read_only=False)
    qtbot.keyClicks(editor.edit, "x")
    assert editor.text().startswith("x")


def test_that_unusual_blanks_stay_as_they_are(editor, qtbot):
    editor.open_text("a = '\u00a0'\n")
    qtbot.keyClicks(editor.edit, "b")
    assert editor.text() == "ba = '\u00a0'\n"
