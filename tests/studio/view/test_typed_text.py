"""What was typed and not confirmed yet is a part of the work, wherever the user goes next."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialog,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from engine.project import Project
from studio.app.app import Studio

PATIENCE_MS = 30_000
CTRL = Qt.KeyboardModifier.ControlModifier


@dataclass(frozen=True)
class Typing:
    """A field in which something was typed, and whether that is in a document."""

    field: QWidget
    is_in: Callable[[object], bool]


@pytest.fixture
def canvas(opened, qtbot):
    opened.window.show_workspace("model")
    opened.window.activateWindow()
    canvas = opened.window.page("model").canvas
    qtbot.waitUntil(lambda: canvas.isVisible() and bool(canvas.scene.nodes))
    canvas.setFocus()
    return canvas


def wait_for(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_MS / 1000
    while not is_so() and time.monotonic() < end:
        QTest.qWait(10)
    assert is_so()


def note_field(opened: Studio) -> QPlainTextEdit:
    return opened.window.page("model").canvas.findChild(QPlainTextEdit, "canvas.note")


def type_note(opened: Studio) -> Typing:
    opened.bench.actions.action("action.model.note").trigger()
    field = note_field(opened)
    QTest.keyClicks(field, "typed")
    return Typing(
        field, lambda found: any(n.text == "typed" for n in found.graph.annotations.values())
    )


def type_title(opened: Studio) -> Typing:
    opened.bench.actions.action("action.model.frame").trigger()
    field = opened.window.page("model").canvas.findChild(QLineEdit, "canvas.frame_title")
    QTest.keyClicks(field, "typed")
    return Typing(
        field, lambda found: any(n.text == "typed" for n in found.graph.annotations.values())
    )


def type_node_name(opened: Studio) -> Typing:
    canvas = opened.window.page("model").canvas
    canvas.select(("relu1",))
    canvas.begin_rename()
    field = canvas.findChild(QLineEdit, "canvas.rename")
    QTest.keyClicks(field, "typed")
    return Typing(field, lambda found: "typed" in {n.name for n in found.graph.nodes.values()})


def type_layer_name(opened: Studio) -> Typing:
    canvas = opened.window.page("model").canvas
    canvas.select(("relu1",))
    field = opened.window.findChild(QLineEdit, "inspector.name")
    wait_for(lambda: field.text() == "relu1")
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "typed")
    return Typing(field, lambda found: "typed" in {n.name for n in found.graph.nodes.values()})


def type_setting(opened: Studio) -> Typing:
    canvas = opened.window.page("model").canvas
    canvas.select(("hidden1",))
    wait_for(lambda: opened.window.findChild(QLineEdit, "field.out_features") is not None)
    field = opened.window.findChild(QLineEdit, "field.out_features")
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "77")
    return Typing(
        field,
        lambda found: any(n.params.get("out_features") == 77 for n in found.graph.nodes.values()),
    )


def type_epochs(opened: Studio) -> Typing:
    opened.window.show_workspace("train")
    field = opened.window.page("train").findChild(QLineEdit, "field.epochs")
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "77")
    return Typing(field, lambda found: found.spec.epochs == 77)


def type_file_name(opened: Studio) -> Typing:
    opened.bench.actions.action("action.code.new_layers").trigger()
    opened.bench.actions.action("action.code.rename").trigger()
    (field,) = [
        each
        for each in opened.window.page("model").own_code.tabs.findChildren(QLineEdit)
        if each.isVisible()
    ]
    field.selectAll()
    QTest.keyClicks(field, "typed.py")
    return Typing(field, lambda found: "typed.py" in found.graph.code)


FIELDS = (
    type_note,
    type_title,
    type_node_name,
    type_layer_name,
    type_setting,
    type_epochs,
    type_file_name,
)


def question(opened: Studio) -> QDialog | None:
    return opened.window.findChild(QDialog, "question.unsaved")


def missed(opened: Studio, go: Callable[[Typing], bool]) -> list[str]:
    """Type into each of the fields and go elsewhere; return where it was lost."""
    lost: list[str] = []
    for begin in FIELDS:
        opened.window.show_workspace("model")
        opened.window.activateWindow()
        wait_for(opened.window.isActiveWindow)
        opened.bench.model.paint()
        if not go(begin(opened)):
            lost.append(begin.__name__)
        if (asked := question(opened)) is not None:
            asked.reject()
            wait_for(lambda: question(opened) is None)
        while opened.session.can_undo:
            opened.session.undo()
    return lost


def test_that_saving_takes_what_is_being_typed(opened, canvas):
    def save(typing: Typing) -> bool:
        opened.bench.actions.action("action.file.save").trigger()
        return typing.is_in(Project.open(opened.session.project.path))

    assert missed(opened, save) == []


def test_that_closing_the_window_asks_about_what_is_being_typed(opened, canvas):
    def close(typing: Typing) -> bool:
        opened.window.close()
        return typing.is_in(opened.session.document) and question(opened) is not None

    assert missed(opened, close) == []


def test_that_opening_another_project_asks_about_what_is_being_typed(opened, canvas, tmp_path):
    Project.create(tmp_path / "other", "iris-mlp")

    def open_other(typing: Typing) -> bool:
        opened.bench.greeting.open_recent(tmp_path / "other")  # a menu keeps the focus where it is
        return typing.is_in(opened.session.document) and question(opened) is not None

    assert missed(opened, open_other) == []


def test_that_a_signal_keeps_what_is_being_typed(opened, canvas):
    def keep(typing: Typing) -> bool:
        opened.keep_work()
        found = Project.open(opened.session.project.path).recoveries()
        return any(map(typing.is_in, found))

    assert missed(opened, keep) == []


def test_that_another_workspace_takes_what_was_typed(opened, canvas):
    button = opened.window.findChild(QAbstractButton, "workspace.data")

    def leave(typing: Typing) -> bool:
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        return typing.is_in(opened.session.document)

    assert missed(opened, leave) == []


def test_that_escape_keeps_what_was_written_in_a_note_and_undo_takes_it_back(opened, canvas):
    typing = type_note(opened)
    QTest.keyClick(typing.field, Qt.Key.Key_Escape)
    assert not typing.field.isVisible()
    assert canvas.hasFocus()
    (note,) = opened.session.graph.annotations.values()
    assert note.text == "typed"
    canvas.begin_writing(note.id)
    QTest.keyClicks(typing.field, "other")
    QTest.keyClick(typing.field, Qt.Key.Key_Escape)
    assert opened.session.graph.annotations[note.id].text == "other"
    opened.bench.actions.action("action.edit.undo").trigger()
    assert opened.session.graph.annotations[note.id].text == "typed"
    opened.bench.actions.action("action.edit.undo").trigger()
    assert opened.session.graph.annotations[note.id].text == "Note"


@pytest.mark.fault("F02")
def test_that_a_note_is_kept_while_it_is_written_and_is_one_step(opened, canvas, qtbot):
    typing = type_note(opened)
    qtbot.waitUntil(lambda: typing.is_in(opened.session.document), timeout=PATIENCE_MS)
    QTest.keyClicks(typing.field, " more")
    qtbot.waitUntil(
        lambda: "typed more" in str(opened.session.graph.annotations), timeout=PATIENCE_MS
    )
    assert typing.field.isVisible()
    assert QApplication.focusWidget() is typing.field
    QTest.keyClick(typing.field, Qt.Key.Key_Return, CTRL)
    opened.bench.actions.action("action.edit.undo").trigger()
    (note,) = opened.session.graph.annotations.values()
    assert note.text == "Note"


def test_that_one_goes_on_writing_a_note_after_saving(opened, canvas):
    typing = type_note(opened)
    opened.bench.actions.action("action.file.save").trigger()
    assert typing.field.isVisible()
    QTest.keyClicks(QApplication.focusWidget(), " more")
    QTest.keyClick(typing.field, Qt.Key.Key_Escape)
    (note,) = opened.session.graph.annotations.values()
    assert note.text == "typed more"


def test_that_undo_of_the_window_is_seen_in_a_note_that_is_being_written(opened, canvas, qtbot):
    typing = type_note(opened)
    opened.bench.actions.action("action.edit.undo").trigger()
    qtbot.waitUntil(lambda: typing.field.toPlainText() == "Note", timeout=PATIENCE_MS)
    QTest.keyClick(typing.field, Qt.Key.Key_Escape)
    (note,) = opened.session.graph.annotations.values()
    assert note.text == "Note"
