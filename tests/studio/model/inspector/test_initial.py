"""How weights begin, in the whole window: chosen for one layer, for several, for a whole type."""

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QPushButton,
    QTabWidget,
)

from engine.graph.model import Initial
from engine.query.listing.request import PreviewWeights, WeightPreview, WeightValues
from studio.model.inspector.initialisation import MIXED

DRAWN = WeightPreview(
    weights=(
        WeightValues(
            name="weight", shape=(64, 64), mean=0.0, std=0.5, minimum=-1.0, maximum=1.0,
            counts=(1, 5, 9, 5, 1),
        ),
        WeightValues(
            name="bias", shape=(64,), mean=0.25, std=0.0, minimum=0.25, maximum=0.25, counts=(64,)
        ),
    )
)  # fmt: skip


def drawn(host) -> list[PreviewWeights]:
    """Return what the host was asked to draw."""
    return [one for one in host.requests if isinstance(one, PreviewWeights)]


@pytest.fixture
def host(host):
    host.own[PreviewWeights] = DRAWN
    return host


@pytest.fixture
def canvas(opened, qtbot):
    opened.window.show_workspace("model")
    opened.window.activateWindow()
    canvas = opened.window.page("model").canvas
    qtbot.waitUntil(lambda: canvas.isVisible() and bool(canvas.scene.nodes))
    return canvas


def choose(opened, qtbot, name: str, key: str) -> None:
    """Choose an entry of a list with the keyboard."""
    weights = opened.bench.inspector.weights
    qtbot.waitUntil(lambda: weights.findChild(QComboBox, f"field.@init.{name}") is not None)
    box = weights.findChild(QComboBox, f"field.@init.{name}")
    box.setFocus()
    place = box.findData(key)
    assert place >= 0, key
    while box.currentIndex() != place:
        forward = box.currentIndex() < place
        QTest.keyClick(box, Qt.Key.Key_Down if forward else Qt.Key.Key_Up)
    qtbot.waitUntil(lambda: current(opened, name) == key)


def current(opened, name: str) -> str:
    box = opened.bench.inspector.weights.findChild(QComboBox, f"field.@init.{name}")
    return "" if box is None else box.currentData()


def look_at(opened, canvas, qtbot, *ids: str) -> None:
    """Select layers and bring the tab about their weights to the front, by the command."""
    canvas.select(ids)
    qtbot.waitUntil(lambda: opened.session.selection == ids)
    action = opened.bench.actions.action("action.model.weights")
    qtbot.waitUntil(action.isEnabled)
    action.trigger()
    qtbot.waitUntil(opened.bench.inspector.weights.isVisible)


@pytest.mark.row("S083")
def test_that_a_beginning_is_chosen_with_its_settings_and_undone(opened, canvas, qtbot):
    look_at(opened, canvas, qtbot, "hidden1")
    choose(opened, qtbot, "weight", "kaiming_normal_")
    panel = opened.bench.inspector.weights
    qtbot.waitUntil(lambda: panel.findChild(QComboBox, "field.@init.weight.mode") is not None)
    mode = panel.findChild(QComboBox, "field.@init.weight.mode")
    mode.setFocus()
    QTest.keyClick(mode, Qt.Key.Key_Down)
    expected = {"nonlinearity": "relu", "mode": "fan_out"}
    node = lambda: opened.session.graph.nodes["hidden1"]  # noqa: E731
    assert node().init == {"weight": Initial(type="kaiming_normal_", params=expected)}
    while node().init:
        opened.bench.actions.action("action.edit.undo").trigger()
    qtbot.waitUntil(lambda: current(opened, "weight") == "")
    opened.bench.actions.action("action.edit.redo").trigger()
    assert node().init["weight"].type != ""


def test_that_a_number_out_of_range_is_told_under_its_field_and_changes_nothing(
    opened, canvas, qtbot
):
    look_at(opened, canvas, qtbot, "hidden1")
    choose(opened, qtbot, "bias", "constant_")
    panel = opened.bench.inspector.weights
    qtbot.waitUntil(lambda: panel.findChild(QLineEdit, "field.@init.bias.val") is not None)
    field = panel.findChild(QLineEdit, "field.@init.bias.val")
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "lots")
    message = panel.findChild(QLabel, "field.@init.bias.val.message")
    qtbot.waitUntil(message.isVisible)
    assert opened.session.graph.nodes["hidden1"].init["bias"].params == {"val": 0.1}
    field.selectAll()
    QTest.keyClicks(field, "0.5")
    qtbot.waitUntil(
        lambda: opened.session.graph.nodes["hidden1"].init["bias"].params == {"val": 0.5}
    )
    qtbot.waitUntil(lambda: not message.isVisible())


def test_that_several_layers_get_one_beginning_at_once(opened, canvas, qtbot):
    look_at(opened, canvas, qtbot, "hidden1")
    choose(opened, qtbot, "weight", "zeros_")
    look_at(opened, canvas, qtbot, "hidden1", "hidden2")
    qtbot.waitUntil(lambda: current(opened, "weight") == MIXED)
    choose(opened, qtbot, "weight", "orthogonal_")
    nodes = opened.session.graph.nodes
    assert nodes["hidden1"].init == nodes["hidden2"].init
    assert nodes["hidden2"].init["weight"].type == "orthogonal_"


def test_that_all_layers_of_a_type_begin_alike_also_in_blocks(opened, canvas, qtbot):
    canvas.select(("relu1", "hidden2"))
    qtbot.waitUntil(lambda: opened.session.selection == ("relu1", "hidden2"))
    opened.bench.actions.action("action.model.group").trigger()
    look_at(opened, canvas, qtbot, "hidden1")
    choose(opened, qtbot, "bias", "zeros_")
    button = opened.window.findChild(QPushButton, "inspector.weights.alike")
    qtbot.waitUntil(button.isVisible)
    assert "3" in button.text()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    graph = opened.session.graph
    (block,) = graph.blocks.values()
    linear = [n for n in (*graph.nodes.values(), *block.nodes.values()) if n.type == "Linear"]
    assert len(linear) == 3
    assert all(node.init == {"bias": Initial(type="zeros_")} for node in linear)
    opened.bench.actions.action("action.edit.undo").trigger()
    (block,) = opened.session.graph.blocks.values()
    assert not any(node.init for node in block.nodes.values())


def test_that_the_numbers_are_drawn_when_they_come_to_the_eye_and_with_the_seed_of_the_run(
    opened, canvas, qtbot, host
):
    canvas.select(("hidden1",))
    qtbot.waitUntil(lambda: opened.session.selection == ("hidden1",))
    qtbot.wait(300)
    assert drawn(host) == []
    look_at(opened, canvas, qtbot, "hidden1")
    qtbot.waitUntil(lambda: bool(drawn(host)))
    asked = drawn(host)[0]
    assert (asked.place, asked.seed) == ("hidden1", opened.session.spec.seed)
    panel = opened.bench.inspector.weights
    qtbot.waitUntil(lambda: panel.findChild(object, "inspector.weights.histogram1") is not None)
    first = panel.findChild(object, "inspector.weights.histogram0")
    assert "64×64" in first.accessibleName()
    assert "-1" in first.accessibleDescription()
    choose(opened, qtbot, "weight", "xavier_normal_")
    qtbot.waitUntil(lambda: drawn(host)[-1].graph is opened.session.graph)
    note = panel.findChild(QLabel, "inspector.weights.note")
    assert note.isHidden()
    spec = replace(opened.session.spec, weights="weights/a.safetensors", renamed={"hidden1": "fc"})
    opened.session.change(opened.session.graph, spec, "start")
    qtbot.waitUntil(lambda: not note.isHidden() and "weights/a.safetensors" in note.text())
    last = drawn(host)[-1]
    assert (last.weights, last.renamed) == (spec.weights, spec.renamed)


def test_that_layers_without_weights_have_no_such_tab(opened, canvas, qtbot):
    canvas.select(("relu1",))
    qtbot.waitUntil(lambda: opened.session.selection == ("relu1",))
    tabs = opened.window.findChild(QTabWidget, "inspector.tabs")
    place = tabs.indexOf(opened.bench.inspector.weights)
    qtbot.waitUntil(lambda: not tabs.isTabVisible(place))
    assert not opened.bench.actions.action("action.model.weights").isEnabled()
    canvas.select(("hidden1",))
    qtbot.waitUntil(lambda: tabs.isTabVisible(place))


@pytest.mark.parametrize("is_elsewhere", [False, True])
def test_that_the_file_of_a_beginning_is_chosen_and_lies_in_the_project(
    opened, canvas, qtbot, tmp_path, is_elsewhere
):
    project = opened.session.project.path
    folder = tmp_path / "elsewhere" if is_elsewhere else project / "weights"
    folder.mkdir()
    (folder / "edges.npy").write_bytes(b"numbers")
    canvas.select(("hidden1",))
    opened.bench.initial.show()
    choose(opened, qtbot, "weight", "file")
    panel = opened.bench.inspector.weights
    name = "field.@init.weight.file"
    qtbot.waitUntil(lambda: panel.findChild(QLineEdit, name) is not None)
    button = panel.findChild(QAbstractButton, f"{name}.browse")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    dialog = opened.window.findChild(QFileDialog, "dialog.initial.choose")
    dialog.fileSelected.emit(str(folder / "edges.npy"))
    dialog.reject()

    def file():
        return opened.session.level.nodes["hidden1"].init["weight"].params["file"]

    qtbot.waitUntil(lambda: file() == "weights/edges.npy")
    assert (project / "weights" / "edges.npy").read_bytes() == b"numbers"


def test_that_the_tab_stays_with_the_selection_when_the_language_changes(opened, canvas, qtbot):
    look_at(opened, canvas, qtbot, "hidden1")
    opened.settings.change(language="zh_CN")
    opened.apply_language()
    try:
        tabs = opened.bench.inspector.findChild(QTabWidget, "inspector.tabs")
        index = tabs.indexOf(opened.bench.inspector.weights)
        qtbot.waitUntil(lambda: tabs.isTabVisible(index))
    finally:
        opened.settings.change(language="en")
        opened.apply_language()
