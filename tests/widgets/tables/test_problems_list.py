"""Problems: read, go there, copy, mend."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu, QPlainTextEdit, QToolButton

from tests.named_parts import part
from widgets.tables.problems_list import ProblemsList
from widgets.tables.view_model import ProblemView

PROBLEMS = (
    ProblemView(
        severity="error",
        text="Gets 576 values, expects 512.",
        where="linear1",
        code="S003",
        detail="mat1 and mat2 shapes cannot be multiplied (2x576 and 512x10)",
        fixes=("Set to automatic", "Insert Flatten() & more"),
    ),
    ProblemView(severity="warning", text="The output goes nowhere.", where="relu2", code="G004"),
)


@pytest.fixture
def problems(qtbot):
    widget = ProblemsList()
    widget.resize(800, 200)
    qtbot.addWidget(widget)
    widget.set_problems(PROBLEMS)
    with qtbot.waitExposed(widget):
        widget.show()
    yield widget
    widget.close()


def click(problems, qtbot, row):
    place = problems.list.visualRect(problems.list.model().index(row, 0)).center()
    qtbot.mouseClick(problems.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    QApplication.processEvents()  # the details take their place


def test_that_a_click_leads_to_the_problem(problems, qtbot):
    with qtbot.waitSignal(problems.problem_activated) as caught:
        click(problems, qtbot, 1)
    assert caught.args == [1]


def test_that_a_click_leads_there_when_the_details_open_under_the_mouse(problems, qtbot):
    """Press and release as two events: between them the list has become narrower."""
    viewport = problems.list.viewport()
    problems.list.setCurrentIndex(QModelIndex())  # as long as the list has had no focus
    qtbot.waitUntil(lambda: viewport.width() > 0.9 * problems.width())
    place = problems.list.visualRect(problems.list.model().index(1, 1)).center()
    with qtbot.waitSignal(problems.problem_activated) as caught:
        qtbot.mousePress(viewport, Qt.MouseButton.LeftButton, pos=place)
        qtbot.waitUntil(lambda: viewport.width() < place.x())
        qtbot.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=place)
    assert caught.args == [1]


def test_that_enter_leads_there_too(problems, qtbot):
    problems.select(0)
    with qtbot.waitSignal(problems.problem_activated) as caught:
        qtbot.keyClick(problems.list, Qt.Key.Key_Return)
    assert caught.args == [0]


def test_that_the_original_message_stands_behind_the_sentence(problems, qtbot):
    detail = problems.findChild(QPlainTextEdit, "problems.detail")
    click(problems, qtbot, 1)
    assert "mat1 and mat2" not in detail.toPlainText()
    click(problems, qtbot, 0)
    assert "mat1 and mat2" in detail.toPlainText()
    problems.set_problems(())
    assert not detail.isVisible()


def test_that_a_problem_is_copied_with_its_place_and_detail(problems, qtbot):
    click(problems, qtbot, 0)
    button = problems.findChild(QToolButton, "problems.copy")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    text = QApplication.clipboard().text()
    assert text.startswith("S003 linear1\nGets 576")
    assert text.endswith("(2x576 and 512x10)")


def test_that_a_fix_is_offered_where_there_is_one(problems, qtbot):
    click(problems, qtbot, 0)
    button = problems.findChild(QToolButton, "problems.fix")
    with qtbot.waitSignal(problems.fix_requested) as caught:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert caught.args == [0, 0]
    click(problems, qtbot, 1)
    assert not button.isVisible()


@pytest.mark.row("N05")
def test_that_the_other_fixes_are_in_a_menu_that_the_keyboard_reaches(problems, qtbot):
    problems.select(0)
    assert problems.open_repairs()
    menu = problems.findChild(QMenu, "problems.fix.menu")
    qtbot.waitUntil(menu.isVisible)
    assert [a.text() for a in menu.actions()] == ["Set to automatic", "Insert Flatten() && more"]
    with qtbot.waitSignal(problems.fix_requested) as caught:
        qtbot.keyClick(menu, Qt.Key.Key_Down)
        qtbot.keyClick(menu, Qt.Key.Key_Return)
    assert caught.args == [0, 1]
    problems.select(1)
    assert not problems.open_repairs()


def test_that_a_right_click_offers_fixes_the_way_there_and_a_copy(problems, qtbot):
    place = problems.list.visualRect(problems.list.model().index(0, 0)).center()
    viewport = problems.list.viewport()
    qtbot.mouseClick(viewport, Qt.MouseButton.RightButton, pos=place)
    problems.select(0)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, viewport.mapToGlobal(place))
    QApplication.sendEvent(viewport, event)
    menu = problems.findChild(QMenu, "problems.context_menu")
    qtbot.waitUntil(menu.isVisible)
    texts = [action.text() for action in menu.actions() if not action.isSeparator()]
    assert texts[2:] == ["Go to problem", "Copy problem and details"]
    with qtbot.waitSignal(problems.fix_requested) as caught:
        at = menu.actionGeometry(menu.actions()[1]).center()
        qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=at)
    assert caught.args == [0, 1]


@pytest.mark.parametrize(
    "text", ["Insert Flatten() before “fc”", "在“classifier”之前插入 Flatten()"]
)
def test_that_a_fix_is_told_in_full_where_there_is_room(problems, qtbot, text):
    problems.set_problems([replace(PROBLEMS[0], fixes=(text, "another"))])
    problems.select(0)
    button = problems.findChild(QToolButton, "problems.fix")
    qtbot.waitUntil(lambda: button.isVisible() and button.text() == text)


def test_that_a_long_fix_is_shortened_and_told_in_full(problems, qtbot):
    long = "Insert permute((0, 3, 1, 2)) before “a_layer_with_a_very_long_name_indeed_yes” " * 3
    problems.set_problems([replace(PROBLEMS[0], fixes=(long,))])
    problems.select(0)
    button = problems.findChild(QToolButton, "problems.fix")
    qtbot.waitUntil(lambda: button.isVisible() and "…" in button.text())
    assert button.accessibleDescription() == long
    assert button.mapTo(problems, button.rect().bottomRight()).x() < problems.width()
    assert button.menu() is None


def test_that_the_current_problem_stays_current_when_others_go(problems, qtbot):
    click(problems, qtbot, 1)
    with qtbot.assertNotEmitted(problems.problem_activated):
        problems.set_problems(PROBLEMS[1:])
    assert problems.current_index() == 0
    problems.set_problems(())
    assert problems.current_index() == -1
    assert part(problems, "problems.empty").isVisible()


def test_that_the_severity_is_spoken_not_only_coloured(problems):
    index = problems.list.model().index(0, 0)
    spoken = index.data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "Error: Gets 576 values, expects 512. linear1"


def test_that_an_empty_model_is_not_called_ready(problems):
    problems.set_problems(())
    problems.set_checking(is_checking=False)
    assert "ready" in part(problems, "problems.empty").text()
    problems.set_checking(is_checking=False, has_nodes=False)
    assert "Add an Input" in part(problems, "problems.empty").text()
    problems.set_checking(is_checking=True, has_nodes=True)
    assert "Checking" in part(problems, "problems.empty").text()
