"""The button Undo of a message."""

import pytest

from engine.graph.edit.edits import RenameNode
from studio.view.taking_back import taking_back
from studio.window.notifications import Notifications


class Screen:
    """Keeps what is told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def show_message(self, text, _severity, _action) -> None:
        self.told.append(text)

    def clear_messages(self) -> None:
        self.told.clear()

    def add_log(self, _lines) -> None:
        pass

    def drop_run_log(self) -> None:
        pass

    def show_log(self) -> None:
        pass


@pytest.fixture
def screen() -> Screen:
    return Screen()


@pytest.fixture
def press(opened, screen):
    """Rename a layer; return its graphs before and after, and what the button does."""
    notifications = Notifications(lambda: "en")
    notifications.attach(screen)
    before = opened.session.graph
    first = next(iter(before.nodes))
    opened.session.edit(RenameNode(id=first, name="renamed"), "Rename")
    return before, opened.session.graph, taking_back(opened.session, notifications)[1]


def test_that_a_message_takes_back_what_it_tells_of(opened, press, screen):
    before, _, take_back = press
    take_back()
    assert opened.session.graph == before
    assert screen.told == []


def test_that_a_message_leaves_what_was_changed_since(opened, press, screen):
    _, after, take_back = press
    last = list(after.nodes)[-1]
    opened.session.edit(RenameNode(id=last, name="another"), "Rename")
    later = opened.session.graph
    take_back()
    assert opened.session.graph == later
    assert len(screen.told) == 1


def test_that_a_message_does_not_take_back_twice(opened, press, screen):
    before, after, take_back = press
    last = list(before.nodes)[-1]
    opened.session.undo()
    opened.session.edit(RenameNode(id=last, name="another"), "Rename")
    opened.session.undo()
    take_back()
    assert opened.session.graph == before
    assert len(screen.told) == 1
    assert after != before
