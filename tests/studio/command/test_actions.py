"""Commands are data; menus, shortcuts and the palette are projections of them."""

from collections import Counter

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QLineEdit, QMainWindow

from engine.project import Project
from studio.app.features import commands
from studio.command.actions import ActionSet
from studio.command.command import MENUS, Command
from studio.command.context import Context
from widgets.common.search import score

COMMANDS = commands()

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def window(qtbot) -> QMainWindow:
    window = QMainWindow()
    qtbot.addWidget(window)
    return window


@pytest.fixture
def menus(window):
    return ActionSet(COMMANDS, Context(window), window).fill(window.menuBar())


def test_that_every_command_stands_in_a_menu(menus):
    found = set()
    waiting = list(menus.values())
    while waiting:
        for action in waiting.pop().actions():
            if action.menu():
                waiting.append(action.menu())
            found.add(action.objectName())
    assert {command.id for command in COMMANDS} <= found


def test_that_no_menu_is_too_long_for_a_small_screen(menus):
    for name, menu in menus.items():
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


def command(verb: str, **more) -> Command:
    more = {"title": verb, "run": lambda _context: None, **more}
    return Command(id=f"action.file.{verb}", **more)


def test_that_two_commands_with_one_name_are_refused(window):
    with pytest.raises(ValueError, match=r"action\.file\.twice"):
        ActionSet([command("twice"), command("twice")], Context(window), window)


def test_that_commands_stand_by_group_and_position_and_else_as_they_are_listed(window):
    listed = [
        command("last", group=1),
        command("third", position=1),
        command("first"),
        command("second"),
    ]
    (menu, *_) = ActionSet(listed, Context(window), window).fill(window.menuBar()).values()
    names = [action.objectName().rpartition(".")[2] for action in menu.actions()]
    assert names == ["first", "second", "third", "", "last"]


def test_that_actions_follow_their_rules_and_a_shared_rule_is_asked_once(window):
    asked: list[Context] = []
    things: list[str] = []

    def has_things(context: Context) -> bool:
        asked.append(context)
        return bool(things)

    listed = [command(verb, is_enabled=has_things) for verb in ("save", "print")]
    listed.append(command("mark", is_checked=lambda _context: bool(things)))
    context = Context(window)
    made = ActionSet(listed, context, window)
    save, mark = made.action("action.file.save"), made.action("action.file.mark")
    assert not save.isEnabled()  # as long as nobody has asked
    assert mark.isEnabled()
    things.append("one")
    made.update()
    assert asked == [context]
    assert save.isEnabled()
    assert made.action("action.file.print").isEnabled()
    assert mark.isChecked()
    mark.trigger()  # Qt flips the mark; what it stands for is as it was
    made.update()
    assert mark.isChecked()
    things.clear()
    made.update()
    assert not save.isEnabled()
    assert not mark.isChecked()


def test_that_a_command_is_run_with_the_context_when_what_was_typed_is_taken_over(window):
    done: list[object] = []
    context = Context(window)
    context.flush_requested.connect(lambda: done.append("typed"))
    made = ActionSet([command("act", run=done.append)], context, window)
    made.action("action.file.act").trigger()
    assert done == ["typed", context]


def test_that_what_needs_a_project_can_be_given_when_one_is_open(studio, project_path):
    actions = studio.context[ActionSet]
    assert not actions.action("action.file.save").isEnabled()
    assert not actions.action("action.run.step").isEnabled()
    studio.open(project_path)
    assert actions.action("action.file.save").isEnabled()
    assert not actions.action("action.run.step").isEnabled()


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
