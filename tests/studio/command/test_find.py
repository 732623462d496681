"""Finding on the canvas in the whole window: typed, walked through, inside of blocks too."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QToolButton

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def canvas(opened, qtbot):
    opened.window.show_workspace("model")
    opened.window.activateWindow()
    canvas = opened.window.page("model").canvas
    qtbot.waitUntil(lambda: canvas.isVisible() and bool(canvas.scene.nodes))
    canvas.setFocus()
    return canvas


@pytest.fixture
def field(canvas):
    QTest.keyClick(canvas, Qt.Key.Key_F, CTRL)
    return canvas.findChild(QLineEdit, "canvas.find.field")


def found(canvas) -> str:
    return canvas.findChild(QLabel, "canvas.find.found").text()


def test_that_what_fits_is_lit_and_enter_walks_through_it_round(opened, canvas, field):
    assert field.isVisible()
    assert field.hasFocus()
    QTest.keyClicks(field, "relu")
    reluses = [n.id for n in opened.session.level.nodes.values() if n.type == "ReLU"]
    assert canvas.look.matches == set(reluses)
    assert found(canvas) == f"{len(reluses)} results"
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert opened.session.selection == (reluses[0],)
    assert found(canvas) == f"1 of {len(reluses)}"
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert opened.session.selection == (reluses[1],)
    QTest.keyClick(field, Qt.Key.Key_Return, SHIFT)
    QTest.keyClick(field, Qt.Key.Key_Return, SHIFT)
    assert opened.session.selection == (reluses[-1],)
    assert field.hasFocus()


def test_that_a_shape_is_found(opened, canvas, field):
    QTest.keyClicks(field, "N,4")
    assert canvas.look.matches == set(opened.session.level.nodes)
    field.clear()
    QTest.keyClicks(field, "N,40")
    assert canvas.look.matches == set()
    assert found(canvas) == "No results"
    next_button = canvas.findChild(QToolButton, "canvas.find.next")
    assert not next_button.isEnabled()


def test_that_escape_unlights_and_gives_the_keys_back(canvas, field):
    QTest.keyClicks(field, "relu")
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert canvas.look.matches is None
    assert not field.isVisible()
    assert canvas.hasFocus()


def test_that_blocks_are_searched_and_entered(opened, canvas, qtbot):
    canvas.select(("relu1", "hidden2"))
    opened.bench.actions.action("action.model.group").trigger()
    (use,) = [n.id for n in opened.session.graph.nodes.values() if n.type.startswith("block.")]
    qtbot.waitUntil(lambda: use in canvas.scene.nodes)
    QTest.keyClick(canvas, Qt.Key.Key_F, CTRL)
    field = canvas.findChild(QLineEdit, "canvas.find.field")
    QTest.keyClicks(field, "relu1")
    assert canvas.look.matches == {use}
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert opened.session.path == (use,)
    assert opened.session.selection == ("relu1",)
    assert canvas.look.matches == {"relu1"}


def test_that_what_is_lit_follows_an_edit(opened, canvas, field, qtbot):
    QTest.keyClicks(field, "first_one")
    assert canvas.look.matches == set()
    opened.bench.model.rename("relu1", "first_one")
    qtbot.waitUntil(lambda: canvas.look.matches == {"relu1"})


def test_that_ctrl_f_in_the_code_finds_in_the_code(opened, canvas):
    opened.window.show_dock("code")
    text = opened.bench.code.text
    text.setFocus()
    QTest.keyClick(text, Qt.Key.Key_F, CTRL)
    assert opened.bench.code.findChild(QLineEdit, "code.find").isVisible()
    assert not canvas.findChild(QLineEdit, "canvas.find.field").isVisible()


def test_that_typing_brings_the_first_that_fits_into_view(opened, canvas, field):
    canvas.viewport.restore(1.0, -4000, -4000)
    QTest.keyClicks(field, "relu")
    first = next(n.id for n in opened.session.level.nodes.values() if n.type == "ReLU")
    rect = canvas.viewport.pixel_rect(canvas.scene.nodes[first].rect())
    assert canvas.rect().contains(rect)
