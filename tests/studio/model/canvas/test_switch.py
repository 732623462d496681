"""Switches in the window: from the palette, of the selection, and the form that chooses."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox

from engine.graph.edit.switch import switch_of

CTRL_ALT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier


@pytest.fixture
def canvas(opened, qtbot):
    opened.window.show_workspace("model")
    opened.window.activateWindow()
    canvas = opened.window.page("model").canvas
    qtbot.waitUntil(lambda: canvas.isVisible() and bool(canvas.scene.nodes))
    canvas.setFocus()
    return canvas


@pytest.mark.row("S072")
def test_that_two_layers_become_a_switch_whose_form_chooses(opened, canvas, qtbot):
    session = opened.session
    before = session.graph
    opened.bench.model.append_node("Tanh", _end("hidden1"))
    qtbot.waitUntil(lambda: "tanh" in canvas.scene.nodes)
    canvas.select(("relu1", "tanh"))
    QTest.keyClick(canvas, Qt.Key.Key_G, CTRL_ALT)
    (name,) = session.graph.blocks
    switch = switch_of(session.graph, session.graph.blocks[name])
    assert {node.name for node in switch.branches} == {"relu1", "tanh"}
    assert switch.active.name == "relu1"
    (use,) = [n.id for n in session.graph.nodes.values() if n.type == f"block.{name}"]
    qtbot.waitUntil(lambda: use in canvas.scene.nodes)
    assert "→ relu1" in canvas.scene.nodes[use].view.subtitle
    assert opened.bench.blocks.set_field(use, "@branch", "tanh") is None
    assert switch_of(session.graph, session.graph.blocks[name]).active.name == "tanh"
    qtbot.waitUntil(lambda: "→ tanh" in canvas.scene.nodes[use].view.subtitle)
    canvas.select((use,))
    qtbot.waitUntil(lambda: (box := _field(opened)) is not None and box.currentText() == "tanh")
    field = _field(opened)
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_Up)
    assert switch_of(session.graph, session.graph.blocks[name]).active.name == "relu1"
    while session.can_undo:
        opened.bench.actions.action("action.edit.undo").trigger()
    assert session.graph == before


def test_that_each_switch_from_the_palette_is_one_of_its_own(opened, canvas, qtbot):
    canvas.select(())
    for _ in range(2):
        opened.bench.model.add_node("new.Switch", 0.0, 700.0, None)
    assert list(opened.session.graph.blocks) == ["Switch", "Switch2"]
    groups = opened.bench.palette.groups
    assert any(item.key == "new.Switch" for group in groups for item in group.items)


def test_that_layers_in_a_row_are_no_switch_and_that_is_said(opened, canvas, qtbot):
    canvas.select(("hidden1", "relu1"))
    before = opened.session.graph
    opened.bench.actions.action("action.model.switch").trigger()
    assert opened.session.graph is before
    assert "parallel to each other" in opened.bench.log.text.toPlainText()


def _field(opened):
    fields = opened.bench.inspector.findChildren(QComboBox)
    return next((box for box in fields if "@branch" in box.objectName()), None)


def _end(node):
    from widgets.canvas.view_model import WireEnd

    return WireEnd(node=node, port="output", is_output=True)
