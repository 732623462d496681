"""Blocks in the whole window: grouped, entered, repeated, unpacked, all of it undone."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QToolButton

from engine.graph.check import check
from engine.graph.edit.edits import EditBlock, MoveNodes, PinNodes
from engine.graph.model import BlockStyle
from tests.each import for_each

CTRL = Qt.KeyboardModifier.ControlModifier
NO_KEYS = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def canvas(opened, qtbot):
    opened.window.show_workspace("model")
    opened.window.activateWindow()
    canvas = opened.window.page("model").canvas
    qtbot.waitUntil(lambda: canvas.isVisible() and bool(canvas.scene.nodes))
    canvas.setFocus()
    return canvas


@pytest.fixture
def grouped(opened, canvas, qtbot):
    """Group two layers in the middle of the model with Ctrl+G; return the id of the use."""
    canvas.select(("relu1", "hidden2"))
    trigger(opened, "group")
    qtbot.waitUntil(lambda: bool(opened.session.graph.blocks))
    (use,) = [n.id for n in opened.session.graph.nodes.values() if n.type.startswith("block.")]
    qtbot.waitUntil(lambda: use in canvas.scene.nodes)
    return use


def trigger(opened, verb: str) -> None:
    action = opened.bench.actions.action(f"action.model.{verb}")
    assert action.isEnabled(), verb
    action.trigger()


def double_click(canvas, node_id: str) -> None:
    place = canvas.viewport.to_pixel(canvas.scene.nodes[node_id].rect().center()).toPoint()
    QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton, NO_KEYS, place)


@pytest.mark.row("P09")
def test_that_the_selected_layers_become_a_block_and_one_undo_takes_it_back(
    opened, canvas, grouped, qtbot
):
    assert "relu1" not in opened.session.graph.nodes
    assert check(opened.session.graph) == ()
    qtbot.waitUntil(lambda: opened.session.selection == (grouped,))
    opened.bench.actions.action("action.edit.undo").trigger()
    assert opened.session.graph.blocks == {}
    assert "relu1" in opened.session.graph.nodes


@pytest.mark.row("P07")
def test_that_a_double_click_enters_a_block_and_the_breadcrumbs_lead_out(
    opened, canvas, grouped, qtbot
):
    double_click(canvas, grouped)
    assert opened.session.path == (grouped,)
    qtbot.waitUntil(lambda: "relu1" in canvas.scene.nodes)
    crumb = opened.window.findChild(QToolButton, "model.breadcrumbs.0")
    assert crumb.isVisible()
    qtbot.waitUntil(lambda: crumb.x() > 0)  # laid out
    QTest.mouseClick(crumb, Qt.MouseButton.LeftButton)
    assert opened.session.path == ()
    qtbot.waitUntil(lambda: grouped in canvas.scene.nodes)
    qtbot.waitUntil(lambda: opened.session.selection == (grouped,))
    assert not opened.bench.model_page.breadcrumbs.isVisible()


def test_that_edits_inside_a_block_change_the_block(opened, canvas, grouped, qtbot):
    double_click(canvas, grouped)
    qtbot.waitUntil(lambda: "relu1" in canvas.scene.nodes)
    canvas.select(("relu1",))
    QTest.keyClick(canvas, Qt.Key.Key_Delete)
    (block,) = opened.session.graph.blocks.values()
    assert "relu1" not in block.nodes
    opened.bench.actions.action("action.edit.undo").trigger()
    (block,) = opened.session.graph.blocks.values()
    assert "relu1" in block.nodes
    assert opened.session.path == (grouped,)


def test_that_undoing_the_group_leads_out_of_the_block(opened, canvas, grouped, qtbot):
    trigger(opened, "enter")
    assert opened.session.path == (grouped,)
    opened.bench.actions.action("action.edit.undo").trigger()
    assert opened.session.path == ()
    qtbot.waitUntil(lambda: "relu1" in canvas.scene.nodes)


def test_that_unpacking_gives_the_layers_back(opened, canvas, grouped, qtbot):
    qtbot.waitUntil(lambda: opened.session.selection == (grouped,))
    trigger(opened, "ungroup")
    assert opened.session.graph.blocks == {}
    assert {"relu1", "hidden2"} <= set(opened.session.graph.nodes)
    assert check(opened.session.graph) == ()


def test_that_the_inspector_repeats_a_block_and_names_its_class(opened, canvas, grouped, qtbot):
    qtbot.waitUntil(lambda: opened.session.selection == (grouped,))
    inspector = opened.bench.inspector
    qtbot.waitUntil(lambda: field(inspector, "@repeat") is not None)
    type_into(field(inspector, "@repeat"), "3")
    qtbot.waitUntil(lambda: opened.session.graph.nodes[grouped].repeat == 3)
    type_into(field(inspector, "@block"), "Tail")
    qtbot.waitUntil(lambda: "Tail" in opened.session.graph.blocks)
    type_into(field(inspector, "@block"), "two words")
    qtbot.wait(50)
    assert "Tail" in opened.session.graph.blocks


def test_that_a_chain_is_written_as_the_user_wants(opened, canvas, grouped, qtbot):
    qtbot.waitUntil(lambda: opened.session.selection == (grouped,))
    (block,) = opened.session.graph.blocks.values()
    assert block.style is BlockStyle.SEQUENTIAL
    problem = opened.bench.blocks.set_field(grouped, "@style", "class")
    assert problem is None
    (block,) = opened.session.graph.blocks.values()
    assert block.style is BlockStyle.CLASS


@for_each("text", ["", "three", "1.5", "-1", "1e3", "９"])
def test_that_a_senseless_repeat_gets_a_word_at_its_field(opened, canvas, grouped, text):
    problem = opened.bench.blocks.set_field(grouped, "@repeat", text)
    assert problem is not None
    assert problem.field == "@repeat"
    assert opened.session.graph.nodes[grouped].repeat == 1


def test_that_the_palette_offers_what_can_stand_on_the_level(opened, canvas, grouped, qtbot):
    outside = {entry.key for entry in opened.bench.model.offered}
    (name,) = opened.session.graph.blocks
    assert f"block.{name}" in outside
    assert "BlockInput" not in outside
    trigger(opened, "enter")
    qtbot.waitUntil(lambda: "relu1" in canvas.scene.nodes)
    inside = {entry.key for entry in opened.bench.model.offered}
    assert f"block.{name}" not in inside
    assert "BlockInput" in inside
    assert "Input" not in inside


def test_that_a_selection_with_a_hole_is_refused_in_words(opened, canvas, qtbot):
    before = opened.session.graph
    canvas.select(("flatten", "relu1"))
    trigger(opened, "group")
    assert opened.session.graph == before


def field(inspector, name: str):
    for kind in (QLineEdit, QComboBox):
        for widget in inspector.findChildren(kind):
            if widget.objectName().endswith(name) and widget.isVisible():
                return widget
    return None


def type_into(edit, text: str) -> None:
    edit.setFocus()
    edit.selectAll()
    QTest.keyClicks(edit, text)
    QTest.keyClick(edit, Qt.Key.Key_Return)


def inside(opened, canvas, grouped, qtbot) -> None:
    double_click(canvas, grouped)
    qtbot.waitUntil(lambda: "relu1" in canvas.scene.nodes)


def test_that_inputs_and_outputs_become_those_of_the_block_they_are_put_into(
    opened, canvas, grouped, qtbot
):
    canvas.setFocus()
    ids = [n.id for n in opened.session.graph.nodes.values() if n.type in ("Input", "Output")]
    canvas.select(tuple(ids))
    QTest.keyClick(canvas, Qt.Key.Key_C, CTRL)
    inside(opened, canvas, grouped, qtbot)
    trigger_edit(opened, "paste")
    kinds = [node.type for node in opened.session.level.nodes.values()]
    assert "Input" not in kinds
    assert kinds.count("BlockInput") == 2
    assert kinds.count("BlockOutput") == 2
    assert not [p for p in check(opened.session.graph) if p.code in ("G067", "G068")]


def test_that_ports_of_a_block_become_inputs_of_the_model_that_take_the_data(
    opened, canvas, grouped, qtbot
):
    inside(opened, canvas, grouped, qtbot)
    ports = [n.id for n in opened.session.level.nodes.values() if n.type.startswith("Block")]
    canvas.select(tuple(ports))
    QTest.keyClick(canvas, Qt.Key.Key_C, CTRL)
    trigger(opened, "leave")
    trigger_edit(opened, "paste")
    kinds = [node.type for node in opened.session.graph.nodes.values()]
    assert "BlockInput" not in kinds
    assert kinds.count("Input") == 2


def test_that_escape_leaves_a_block_when_nothing_is_selected(opened, canvas, grouped, qtbot):
    inside(opened, canvas, grouped, qtbot)
    canvas.setFocus()
    canvas.select(("relu1",))
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert opened.session.path == (grouped,)
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert opened.session.path == ()


def test_that_every_level_is_seen_again_as_it_was_left(opened, canvas, grouped, qtbot):
    canvas.zoom_in()
    canvas.zoom_in()
    outside = canvas.view_place()
    inside(opened, canvas, grouped, qtbot)
    within = canvas.view_place()
    assert within != outside
    canvas.select(())
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: grouped in canvas.scene.nodes)
    assert canvas.view_place()["scale"] == outside["scale"]
    inside(opened, canvas, grouped, qtbot)
    assert canvas.view_place() == within


def test_that_a_level_that_lies_elsewhere_by_now_is_fitted_anew(opened, canvas, grouped, qtbot):
    inside(opened, canvas, grouped, qtbot)
    opened.bench.blocks.leave()
    qtbot.waitUntil(lambda: grouped in canvas.scene.nodes)
    (name,) = opened.session.graph.blocks
    far = dict.fromkeys(opened.session.graph.blocks[name].nodes, (10000.0, 7000.0))
    opened.session.edit(EditBlock(block=name, edit=MoveNodes(positions=far)), "move")
    inside(opened, canvas, grouped, qtbot)
    qtbot.waitUntil(canvas.shows_something)


@pytest.mark.row("P09")
def test_that_what_lay_far_apart_is_seen_whole_inside_its_block(opened, canvas, qtbot):
    session = opened.session
    session.edit(MoveNodes(positions={"hidden1": (0.0, 0.0), "relu1": (9000.0, 5000.0)}), "move")
    session.edit(PinNodes(ids=("hidden1", "relu1"), pinned=True), "pin")
    canvas.select(("hidden1", "relu1"))
    trigger(opened, "group")
    (block,) = session.graph.blocks.values()
    xs, ys = zip(*(node.position for node in block.nodes.values()), strict=True)
    assert max(xs) - min(xs) < 1000
    assert max(ys) - min(ys) < 300
    (use,) = (node.id for node in session.level.nodes.values() if node.type.startswith("block."))
    qtbot.waitUntil(lambda: session.selection == (use,))
    qtbot.waitUntil(opened.bench.actions.action("action.model.enter").isEnabled)
    trigger(opened, "enter")
    qtbot.waitUntil(lambda: "relu1" in canvas.scene.nodes)

    def seen():
        return canvas.scene.nodes_in(canvas.viewport.scene_rect(canvas.rect()))

    qtbot.waitUntil(lambda: len(seen()) == 4)
    trigger_edit(opened, "undo")
    assert session.graph.nodes["relu1"].position == (9000.0, 5000.0)


def test_that_inside_a_block_the_inspector_names_and_renames_it(opened, canvas, grouped, qtbot):
    inside(opened, canvas, grouped, qtbot)
    (name,) = opened.session.graph.blocks
    inspector = opened.bench.inspector
    edit = inspector.findChild(QLineEdit, "inspector.name")
    qtbot.waitUntil(lambda: edit.text() == name)
    type_into(edit, "two words")
    assert inspector.findChild(QLabel, "inspector.error").isVisible()
    type_into(edit, "Tail")
    assert list(opened.session.graph.blocks) == ["Tail"]
    assert opened.session.path == (grouped,)
    qtbot.waitUntil(lambda: field(inspector, "@note") is not None)
    type_into(field(inspector, "@note"), "the end of it")
    qtbot.waitUntil(lambda: opened.session.graph.blocks["Tail"].note == "the end of it")


@pytest.mark.row("P09")
def test_that_two_layers_share_weights_and_part_again(opened, canvas, qtbot):
    session = opened.session
    linear = next(n.id for n in session.graph.nodes.values() if n.type == "Linear")
    canvas.select((linear,))
    before = set(session.graph.nodes)
    trigger_edit(opened, "duplicate")
    (copy,) = set(session.graph.nodes) - before
    qtbot.waitUntil(lambda: copy in canvas.scene.nodes)
    canvas.select((copy, linear))
    QTest.keyClick(canvas, Qt.Key.Key_W, CTRL | Qt.KeyboardModifier.AltModifier)
    pair = {session.graph.nodes[copy].shares, session.graph.nodes[linear].shares}
    assert pair in ({"", copy}, {"", linear})
    user = copy if session.graph.nodes[copy].shares else linear
    canvas.select((user,))
    inspector = opened.bench.inspector
    owner = session.graph.nodes[session.graph.nodes[user].shares].name
    qtbot.waitUntil(lambda: field(inspector, "@shares") is not None)
    qtbot.waitUntil(lambda: field(inspector, "@shares").currentText() == owner)
    qtbot.waitUntil(lambda: f"= {owner}" in canvas.scene.nodes[user].view.subtitle)
    box = field(inspector, "@shares")
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Home)
    qtbot.waitUntil(lambda: not session.graph.nodes[user].shares)
    assert session.graph.nodes[user].params == session.graph.nodes[linear].params


def trigger_edit(opened, verb: str) -> None:
    opened.bench.actions.action(f"action.edit.{verb}").trigger()
