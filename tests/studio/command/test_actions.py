"""Commands are data; menus, shortcuts and the palette are projections of them."""

from collections import Counter

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QLineEdit, QMainWindow

from engine.project import Project
from studio.command.actions import ActionSet
from studio.command.command import ActionState
from studio.command.table import COMMANDS, MENUS
from widgets.common.search import score

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def actions(qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    window.called = []
    callbacks = {c.id: lambda c=c: window.called.append(c.id) for c in COMMANDS}
    return ActionSet(callbacks, window), window


def test_that_every_command_stands_in_a_menu(actions):
    made, window = actions
    menus = made.fill(window.menuBar())
    found = set()
    waiting = list(menus.values())
    while waiting:
        for action in waiting.pop().actions():
            if action.menu():
                waiting.append(action.menu())
            found.add(action.objectName())
    assert {command.id for command in COMMANDS} <= found


def test_that_no_menu_is_too_long_for_a_small_screen(actions):
    made, window = actions
    for name, menu in made.fill(window.menuBar()).items():
        # In Chinese 23 rows are 666 pixels high; Qt breaks a menu that is too high into columns.
        assert sum(not action.isSeparator() for action in menu.actions()) <= 23, name


def test_that_ids_and_shortcuts_are_unique():
    assert max(Counter(command.id for command in COMMANDS).values()) == 1
    keys = Counter(QKeySequence(key).toString() for c in COMMANDS for key in c.keys)
    assert [key for key, count in keys.items() if count > 1] == []
    assert all(QKeySequence(key).toString() for c in COMMANDS for key in c.keys)


def test_that_ids_follow_the_public_pattern():
    menus = {name for name, _ in MENUS}
    for command in COMMANDS:
        prefix, menu, verb = command.id.split(".")
        assert prefix == "action"
        assert menu in menus
        assert verb.isidentifier()


def test_that_every_command_is_found_by_its_title_and_its_other_words():
    for command in COMMANDS:
        for words in (command.title, *command.words.split()):
            texts = (command.title, *command.words.split())
            assert score(words.replace("…", ""), texts) > 0, command.id


def test_that_a_command_without_callback_is_refused(qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    with pytest.raises(ValueError, match="differ"):
        ActionSet({}, window)


def test_that_actions_follow_the_state(actions):
    made, _ = actions
    made.update(ActionState(has_project=True, is_running=True, is_paused=True))
    assert made.action("action.run.step").isEnabled()
    assert not made.action("action.run.start").isEnabled()
    made.update(ActionState())
    assert not made.action("action.file.save").isEnabled()


@pytest.fixture
def epochs(opened, qtbot) -> QLineEdit:
    """Return a field of the recipe in which something else was typed this moment."""
    opened.window.show_workspace("train")
    page = opened.window.page("train")
    qtbot.waitUntil(lambda: page.findChild(QLineEdit, "field.epochs") is not None)
    field = page.findChild(QLineEdit, "field.epochs")
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    field.selectAll()
    qtbot.keyClicks(field, "37")
    return field


def test_that_a_command_takes_along_what_was_typed_just_before(opened, epochs, qtbot):
    qtbot.keyClick(epochs, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert Project.open(opened.session.project.path).spec.epochs == 37
    assert not opened.session.is_modified


def test_that_closing_the_window_asks_about_what_was_typed_just_before(opened, epochs):
    opened.window.close()
    assert opened.session.spec.epochs == 37
    question = opened.window.findChild(QDialog, "question.unsaved")
    assert question.isVisible()
    question.reject()
