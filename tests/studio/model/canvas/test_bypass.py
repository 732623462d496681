"""Skipping layers in the whole window."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def canvas(opened, qtbot):
    opened.window.show_workspace("model")
    opened.window.activateWindow()
    canvas = opened.window.page("model").canvas
    qtbot.waitUntil(lambda: canvas.isVisible() and bool(canvas.scene.nodes))
    canvas.setFocus()
    return canvas


def shown(canvas, node_id):
    return canvas.scene.nodes[node_id].view.is_bypassed


@pytest.mark.row("P10")
def test_that_the_selected_layers_are_skipped_and_brought_back(opened, canvas, qtbot):
    canvas.select(("relu1", "hidden2"))
    before = opened.session.level
    action = opened.bench.actions.action("action.model.bypass")
    QTest.keyClick(canvas, Qt.Key.Key_B, CTRL)
    assert opened.session.level.nodes["relu1"].bypassed
    assert action.isChecked()
    qtbot.waitUntil(lambda: shown(canvas, "relu1") and shown(canvas, "hidden2"))
    assert "Bypassed: relu1, hidden2." in canvas.accessibleDescription()
    QTest.keyClick(canvas, Qt.Key.Key_B, CTRL)
    assert opened.session.level == before
    assert not action.isChecked()
    opened.bench.actions.action("action.edit.undo").trigger()
    assert opened.session.level.nodes["hidden2"].bypassed
    opened.bench.actions.action("action.edit.undo").trigger()
    assert opened.session.level == before


def test_that_an_input_is_not_skipped_and_that_is_said(opened, canvas, qtbot):
    (entry,) = [n.id for n in opened.session.level.nodes.values() if n.type == "Input"]
    canvas.select((entry,))
    before = opened.session.level
    opened.bench.actions.action("action.model.bypass").trigger()
    assert opened.session.level is before
    assert "cannot be bypassed" in opened.bench.log.text.toPlainText()


def test_that_a_skipped_node_looks_other_than_before(opened, canvas, qtbot):
    canvas.select(("relu1",))
    rect = canvas.viewport.pixel_rect(canvas.scene.nodes["relu1"].rect())
    qtbot.wait(50)
    before = canvas.grab(rect).toImage()
    opened.bench.actions.action("action.model.bypass").trigger()
    qtbot.waitUntil(lambda: shown(canvas, "relu1"))
    assert canvas.grab(rect).toImage() != before


def test_that_the_wire_behind_a_skipped_node_tells_what_passes(opened, canvas, qtbot):
    def label():
        wires = canvas.scene.wires.values()
        return next(wire.view.label for wire in wires if wire.view.source == "relu1")

    qtbot.waitUntil(lambda: label() != "")
    before = label()
    canvas.select(("relu1",))
    opened.bench.actions.action("action.model.bypass").trigger()
    qtbot.waitUntil(lambda: shown(canvas, "relu1"))
    assert label() == before


@pytest.mark.row("P10")
def test_that_the_selected_layer_is_muted_and_heard_again(opened, canvas, qtbot):
    canvas.select(("relu1",))
    before = opened.session.level
    picture = canvas.viewport.pixel_rect(canvas.scene.nodes["relu1"].rect())
    plain = canvas.grab(picture).toImage()
    QTest.keyClick(canvas, Qt.Key.Key_M, CTRL)
    assert opened.session.level.nodes["relu1"].muted
    assert opened.bench.actions.action("action.model.mute").isChecked()
    qtbot.waitUntil(lambda: canvas.scene.nodes["relu1"].view.is_muted)
    assert "Muted: relu1." in canvas.accessibleDescription()
    assert canvas.grab(picture).toImage() != plain
    QTest.keyClick(canvas, Qt.Key.Key_B, CTRL)
    assert opened.session.level.nodes["relu1"].bypassed
    assert not opened.session.level.nodes["relu1"].muted
    for _ in range(2):
        opened.bench.actions.action("action.edit.undo").trigger()
    assert opened.session.level == before


def test_that_an_output_is_not_muted_and_that_is_said(opened, canvas, qtbot):
    (end,) = [n.id for n in opened.session.level.nodes.values() if n.type == "Output"]
    canvas.select((end,))
    opened.bench.actions.action("action.model.mute").trigger()
    assert "cannot be muted" in opened.bench.log.text.toPlainText()
