"""Typing layers in a row, in the whole window: preview, words for what is wrong, one undo."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from widgets.canvas.search_popup import SearchPopup

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def canvas(opened, qtbot):
    opened.window.show_workspace("model")
    opened.window.activateWindow()
    canvas = opened.window.page("model").canvas
    qtbot.waitUntil(lambda: canvas.isVisible() and bool(canvas.scene.nodes))
    canvas.setFocus()
    return canvas


def search(canvas) -> SearchPopup:
    return canvas.findChild(SearchPopup, "canvas.search")


def sources(opened, target):
    return [edge.source for edge in opened.session.level.edges if edge.target == target]


@pytest.mark.row("N24")
def test_that_a_phrase_in_the_search_grows_nodes_after_the_selection(opened, canvas, qtbot):
    canvas.select(("relu1",))
    QTest.keyClick(canvas, Qt.Key.Key_Tab)
    popup = search(canvas)
    QTest.keyClicks(popup.field, "conv")
    assert popup.list.isVisible()
    QTest.keyClicks(popup.field, " 32 3 | tanh")
    assert popup.preview.isVisible()
    assert not popup.list.isVisible()
    assert "Conv2d(32, 3)" in popup.preview.text()
    assert "Tanh()" in popup.preview.text()
    before = opened.session.level
    QTest.keyClick(popup.field, Qt.Key.Key_Return)
    assert not popup.isVisible()
    nodes = opened.session.level.nodes
    assert nodes["conv"].params["out_channels"] == 32
    assert sources(opened, "conv") == ["relu1"]
    assert sources(opened, "tanh") == ["conv"]
    qtbot.waitUntil(lambda: opened.session.selection == ("conv", "tanh"))
    opened.bench.actions.action("action.edit.undo").trigger()
    assert opened.session.level == before


def test_that_enter_adds_nothing_while_a_part_is_not_understood(opened, canvas):
    QTest.keyClick(canvas, Qt.Key.Key_Tab)
    popup = search(canvas)
    before = opened.session.level
    QTest.keyClicks(popup.field, "conv 32 3 | qqqq")
    assert "“qqqq” is not a layer" in popup.preview.text()
    QTest.keyClick(popup.field, Qt.Key.Key_Return)
    assert popup.isVisible()
    assert opened.session.level is before
    for _ in range(7):
        QTest.keyClick(popup.field, Qt.Key.Key_Backspace)
    QTest.keyClick(popup.field, Qt.Key.Key_Return)
    assert "conv" in opened.session.level.nodes


def test_that_the_command_takes_a_single_word_for_a_phrase(opened, canvas):
    canvas.select(("relu1",))
    QTest.keyClick(canvas, Qt.Key.Key_T, CTRL)
    popup = search(canvas)
    assert popup.preview.isVisible()
    assert "conv 32 3" in popup.field.placeholderText()
    QTest.keyClicks(popup.field, "gelu")
    QTest.keyClick(popup.field, Qt.Key.Key_Return)
    assert sources(opened, "gelu") == ["relu1"]
    QTest.keyClick(canvas, Qt.Key.Key_Tab)
    assert popup.list.isVisible()
    assert not popup.preview.isVisible()


@pytest.mark.row("S015")
def test_that_a_linear_layer_typed_behind_a_convolution_gets_a_flatten(opened, canvas):
    before = opened.session.level
    canvas.select(())
    QTest.keyClick(canvas, Qt.Key.Key_T, CTRL)
    popup = search(canvas)
    QTest.keyClicks(popup.field, "input shape=(1,8,8) | conv 4 3 | gelu | linear 10")
    QTest.keyClick(popup.field, Qt.Key.Key_Return)
    assert sources(opened, "linear") == ["flatten2"]
    assert sources(opened, "flatten2") == ["gelu"]
    assert "A Flatten layer was inserted" in opened.bench.log.text.toPlainText()
    opened.bench.actions.action("action.edit.undo").trigger()
    assert opened.session.level == before


def typed(canvas, phrase):
    canvas.select(())
    QTest.keyClick(canvas, Qt.Key.Key_T, CTRL)
    QTest.keyClicks(search(canvas).field, phrase)
    QTest.keyClick(search(canvas).field, Qt.Key.Key_Return)


@pytest.mark.row("S015")
def test_that_every_way_to_lead_convolutions_to_a_linear_layer_brings_the_flatten(
    opened, canvas, qtbot
):
    typed(canvas, "input shape=(1,8,8) | conv 4 3 | gelu")
    typed(canvas, "linear 10")
    qtbot.waitUntil(lambda: {"gelu", "linear"} <= set(canvas.scene.nodes))
    before, old = opened.session.level, ("flatten", "output", "hidden1", "input")
    bench = opened.bench
    assert old in canvas.scene.wires
    for act, target, source in (
        (lambda: canvas.link_requested.emit("gelu", "output", "linear", "input"), "linear", "gelu"),
        (
            lambda: canvas.relink_requested.emit(old, ("gelu", "output", "hidden1", "input")),
            "hidden1",
            "gelu",
        ),
        (lambda: bench.model.insert_node("Conv2d", 0.0, 0.0, old), "hidden1", "conv2"),
        (
            lambda: canvas.move_into_requested.emit(
                "linear", 0.0, 0.0, ("conv", "output", "gelu", "input")
            ),
            "linear",
            "conv",
        ),
        (lambda: canvas.replace_requested.emit("Linear", "gelu"), "gelu", "conv"),
    ):
        act()
        assert sources(opened, target) == ["flatten2"]
        assert sources(opened, "flatten2") == [source]
        bench.actions.action("action.edit.undo").trigger()
        assert opened.session.level == before


def test_that_a_phrase_grows_inside_a_block(opened, canvas, qtbot):
    canvas.select(("relu1", "hidden2"))
    opened.bench.actions.action("action.model.group").trigger()
    enter = opened.bench.actions.action("action.model.enter")
    qtbot.waitUntil(enter.isEnabled)
    enter.trigger()
    qtbot.waitUntil(lambda: "relu1" in canvas.scene.nodes)
    canvas.select(("relu1",))
    opened.bench.actions.action("action.model.phrase").trigger()
    QTest.keyClicks(search(canvas).field, "tanh | dropout 0.5")
    QTest.keyClick(search(canvas).field, Qt.Key.Key_Return)
    (block,) = opened.session.graph.blocks.values()
    assert block.nodes["dropout"].params == {}
    assert "tanh" in block.nodes


def test_that_a_phrase_goes_into_the_selected_wire(opened, canvas):
    wire = next(key for key in canvas.scene.wires if key[0] == "relu1")
    canvas.select((), (wire,))
    QTest.keyClick(canvas, Qt.Key.Key_Tab)
    QTest.keyClicks(search(canvas).field, "tanh | gelu")
    QTest.keyClick(search(canvas).field, Qt.Key.Key_Return)
    assert sources(opened, "tanh") == ["relu1"]
    assert sources(opened, "gelu") == ["tanh"]
    assert sources(opened, wire[2]) == ["gelu"]
