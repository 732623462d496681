"""The source: lines that lead somewhere, marks, finding, colours."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QToolButton

from widgets.code.code_view import CodeView
from widgets.common.theme import DARK, LIGHT, apply_theme, current_theme

SOURCE = '''class Net(nn.Module):
    """Two
    lines."""

    def forward(self, x):
        return self.conv1(x)  # "not a string"
'''


@pytest.fixture
def view(qtbot):
    widget = CodeView()
    widget.resize(500, 300)
    qtbot.addWidget(widget)
    widget.set_source(SOURCE, {5: "input", 6: "conv1"})
    with qtbot.waitExposed(widget):
        widget.show()
    yield widget
    widget.close()


def line_middle(view, line):
    block = view.text.document().findBlockByNumber(line - 1)
    box = view.text.blockBoundingGeometry(block).translated(view.text.contentOffset())
    return QPoint(60, round(box.center().y()))


def color_at(view, line, column):
    block = view.text.document().findBlockByNumber(line - 1)
    for one in block.layout().formats():
        if one.start <= column < one.start + one.length:
            return one.format.foreground().color().name()
    return None


def test_that_a_clicked_line_leads_to_what_it_came_from(view, qtbot):
    with qtbot.waitSignal(view.line_activated) as caught:
        qtbot.mouseClick(view.text.viewport(), Qt.MouseButton.LeftButton, pos=line_middle(view, 6))
    assert caught.args == ["conv1"]
    with qtbot.assertNotEmitted(view.line_activated):
        qtbot.mouseClick(view.text.viewport(), Qt.MouseButton.LeftButton, pos=line_middle(view, 2))


def test_that_a_click_on_the_line_number_leads_there_too(view, qtbot):
    place = QPoint(5, line_middle(view, 5).y())
    with qtbot.waitSignal(view.line_activated) as caught:
        qtbot.mousePress(view.text.childAt(place), Qt.MouseButton.LeftButton, pos=place)
    assert caught.args == ["input"]


def test_that_the_lines_of_the_selection_are_marked(view):
    view.highlight_ids(["conv1"])
    assert view.highlighted_lines() == [6]
    view.set_source("\n" + SOURCE, {6: "input", 7: "conv1"})
    assert view.highlighted_lines() == [7]
    view.highlight_ids([])
    assert view.highlighted_lines() == []


def test_that_tokens_have_their_colours_also_over_lines(view):
    theme = current_theme()
    assert color_at(view, 1, 0) == theme.accent
    assert color_at(view, 1, 6) == theme.info
    assert color_at(view, 2, 6) == theme.success
    assert color_at(view, 3, 5) == theme.success
    assert color_at(view, 6, 30) == theme.muted
    assert color_at(view, 6, 36) == theme.muted


def test_that_colours_follow_the_theme(view, qapp):
    apply_theme(qapp, DARK)
    try:
        assert color_at(view, 1, 0) == DARK.accent
        view.grab()
    finally:
        apply_theme(qapp, LIGHT)


def test_that_the_source_can_be_read_and_copied_but_not_changed(view, qtbot):
    qtbot.keyClicks(view.text, "x")
    assert view.text.toPlainText() == SOURCE
    qtbot.mouseClick(view.findChild(QToolButton, "code.copy"), Qt.MouseButton.LeftButton)
    assert QApplication.clipboard().text() == SOURCE


def test_that_ctrl_f_finds(view, qtbot):
    view.text.setFocus()
    view.activateWindow()
    qtbot.waitUntil(view.text.hasFocus)
    qtbot.keyClick(view.text, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    field = view.findChild(QLineEdit, "code.find")
    qtbot.waitUntil(field.isVisible)
    qtbot.keyClicks(field, "conv1")
    assert view.text.textCursor().blockNumber() == 5


def test_that_no_source_is_no_error(view):
    view.set_source("")
    assert view.text.toPlainText() == ""
    view.grab()
