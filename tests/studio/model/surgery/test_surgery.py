"""Surgery and freezing in the whole window, with keys and clicks."""

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QSpinBox

from engine.graph.analysis import Analysis
from engine.graph.edit.block_edits import GroupNodes
from engine.graph.edit.edits import RenameNode
from studio.session.findings import Findings
from studio.view.status import present_status
from studio.view.wording import size_text
from studio.window.dialog.number import NumberDialog
from widgets.canvas.search_popup import SearchPopup

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def canvas(opened, qtbot):
    opened.window.show_workspace("model")
    opened.window.activateWindow()
    canvas = opened.window.page("model").canvas
    qtbot.waitUntil(lambda: canvas.isVisible() and bool(canvas.scene.nodes))
    canvas.setFocus()
    return canvas


def run(opened, verb):
    action = opened.bench.actions.action(f"action.model.{verb}")
    assert action.isEnabled()
    action.trigger()


def answer(opened, qtbot, name, number):
    """Type a number into the dialog and press its button."""
    qtbot.waitUntil(lambda: opened.window.findChild(NumberDialog, f"dialog.{name}") is not None)
    dialog = opened.window.findChild(NumberDialog, f"dialog.{name}")
    field = dialog.findChild(QSpinBox, f"dialog.{name}.number")
    field.selectAll()
    qtbot.keyClicks(field, str(number))
    button = dialog.findChild(QPushButton, f"dialog.{name}.apply")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


@pytest.mark.row("S048")
def test_that_the_padlock_is_put_on_and_taken_off_by_a_key_and_seen(opened, canvas, qtbot):
    canvas.select(("hidden2",))
    before = opened.session.level
    action = opened.bench.actions.action("action.model.freeze")
    rect = canvas.viewport.pixel_rect(canvas.scene.nodes["hidden2"].rect().adjusted(-9, -9, 9, 9))
    qtbot.wait(50)
    picture = canvas.grab(rect).toImage()
    QTest.keyClick(canvas, Qt.Key.Key_F, CTRL | SHIFT)
    assert opened.session.level.nodes["hidden2"].frozen
    assert action.isChecked()
    qtbot.waitUntil(lambda: canvas.scene.nodes["hidden2"].view.is_frozen)
    assert canvas.grab(rect).toImage() != picture
    assert "Frozen: hidden2." in canvas.accessibleDescription()
    QTest.keyClick(canvas, Qt.Key.Key_F, CTRL | SHIFT)
    assert opened.session.level == before
    assert not action.isChecked()


def test_that_what_has_no_weights_is_not_frozen_and_that_is_said(opened, canvas):
    canvas.select(("relu1",))
    before = opened.session.level
    run(opened, "freeze")
    assert opened.session.level is before
    assert "no weights to freeze" in opened.bench.log.text.toPlainText()


@pytest.mark.row("S123")
def test_that_what_follows_a_layer_is_cut_off_and_comes_back_by_undo(opened, canvas):
    canvas.select(("relu1",))
    before = opened.session.graph
    run(opened, "cut_after")
    after = opened.session.graph
    assert len(after.nodes) < len(before.nodes)
    (output,) = [node.id for node in after.nodes.values() if node.type == "Output"]
    assert [edge.source for edge in after.edges if edge.target == output] == ["relu1"]
    opened.session.undo()
    assert opened.session.graph == before


@pytest.mark.row("S124")
def test_that_a_layer_inside_a_block_becomes_a_further_output(opened, canvas, qtbot):
    session = opened.session
    session.edit(GroupNodes(ids=("relu1", "hidden2"), name="Part"), "group")
    (use,) = [node.id for node in session.graph.nodes.values() if node.type == "block.Part"]
    session.enter((use,))
    qtbot.waitUntil(lambda: set(canvas.scene.nodes) == set(session.level.nodes))
    canvas.select(("relu1",))
    run(opened, "tap")
    names = [node.name for node in session.graph.nodes.values() if node.type == "Output"]
    assert names[1:] == ["relu1_out"]
    run(opened, "tap")
    assert len([n for n in session.graph.nodes.values() if n.type == "Output"]) == 2


@pytest.mark.row("S121")
def test_that_layers_are_taken_out_with_the_gap_closed_by_a_key(opened, canvas):
    canvas.select(("relu1",))
    QTest.keyClick(canvas, Qt.Key.Key_Delete, CTRL)
    graph = opened.session.graph
    assert "relu1" not in graph.nodes
    assert any((edge.source, edge.target) == ("hidden1", "hidden2") for edge in graph.edges)


@pytest.mark.row("S121")
def test_that_a_layer_is_replaced_by_what_is_searched_for(opened, canvas, qtbot):
    canvas.select(("relu1",))
    before = opened.session.graph
    QTest.keyClick(canvas, Qt.Key.Key_R, CTRL)
    popup = canvas.findChild(SearchPopup)
    qtbot.waitUntil(popup.isVisible)
    qtbot.keyClicks(popup.field, "gelu")
    qtbot.keyClick(popup.field, Qt.Key.Key_Return)
    after = opened.session.graph
    assert after.nodes["relu1"].type == "GELU"
    assert set(after.edges) == set(before.edges)


@pytest.mark.row("S121")
def test_that_another_number_of_classes_is_asked_for_and_given_to_the_head(opened, canvas, qtbot):
    before = opened.session.graph
    run(opened, "head")
    answer(opened, qtbot, "head", 23)
    after = opened.session.graph
    changed = [key for key in after.nodes if after.nodes[key] != before.nodes[key]]
    assert [after.nodes[key].params["out_features"] for key in changed] == [23]
    opened.session.undo()
    assert opened.session.graph == before


def test_that_the_width_of_the_selected_layer_is_asked_for(opened, canvas, qtbot):
    canvas.select(("hidden1",))
    run(opened, "width")
    answer(opened, qtbot, "width", 77)
    assert opened.session.graph.nodes["hidden1"].params["out_features"] == 77
    canvas.select(("relu1",))
    run(opened, "width")
    assert "no number of channels" in opened.bench.log.text.toPlainText()


def test_that_the_line_at_the_bottom_says_how_many_parameters_are_trained(opened):
    findings = Findings(analysis=Analysis(parameters=11_181_642, frozen=11_176_512))
    view = present_status(findings, opened.session.spec, None, None)
    assert view.parameters == "5,130 of 11.2 M parameters trainable"
    assert view.memory == f"≈ {size_text(4 * (11_181_642 + 3 * 5_130))}"


@pytest.mark.row("S122")
def test_that_undo_of_a_rename_forgets_what_the_file_calls_it_and_another_file_does_too(opened):
    session = opened.session
    started = replace(session.spec, weights="weights/start.safetensors")
    session.change(session.graph, started, "weights")
    session.edit(RenameNode(id="hidden1", name="body"), "rename")
    assert session.spec.renamed == {"body": "hidden1"}
    session.undo()
    assert session.spec == started
    session.redo()
    other = replace(session.spec, weights="weights/other.safetensors")
    session.change(session.graph, other, "weights")
    assert session.spec.renamed == {}
