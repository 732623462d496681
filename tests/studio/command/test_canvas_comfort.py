"""Small things around the canvas: undo where it is seen, blocks that nothing uses, form fields
that matter.
"""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QTreeView

from engine.catalog.registry import catalog
from engine.graph.edit.block_edits import PutBlocks, RemoveBlocks, unused_blocks
from engine.graph.edit.edits import GraphError, apply
from engine.graph.model import Block
from studio.view.form import present_params


@pytest.fixture
def canvas(opened, qtbot):
    opened.window.show_workspace("model")
    canvas = opened.window.page("model").canvas
    qtbot.waitUntil(lambda: canvas.isVisible() and bool(canvas.scene.nodes))
    return canvas


def trigger(opened, verb):
    opened.bench.actions.action(f"action.{verb}").trigger()


def test_that_undo_is_off_where_nothing_of_it_is_seen_and_says_what_it_did(opened, canvas, qtbot):
    canvas.select(("relu1",))
    trigger(opened, "model.color_red")
    undo = opened.bench.actions.action("action.edit.undo")
    opened.window.show_workspace("runs")
    assert not undo.isEnabled()
    opened.window.show_workspace("train")
    assert undo.isEnabled()
    undo.trigger()
    assert opened.session.graph.nodes["relu1"].color == ""
    assert "Change color" in opened.window.status.currentMessage()


def test_that_unused_blocks_leave_the_palette(opened, canvas, qtbot):
    canvas.select(("relu1", "hidden2"))
    trigger(opened, "model.group")
    (name,) = opened.session.graph.blocks
    before = opened.session.graph
    opened.bench.palette.remove_requested.emit(f"block.{name}")
    assert opened.session.graph is before
    assert "in use" in opened.bench.log.text.toPlainText()
    opened.session.edit(PutBlocks(blocks={"Spare": before.blocks[name]}), "x")
    trigger(opened, "model.remove_unused")
    assert list(opened.session.graph.blocks) == [name]
    trigger(opened, "edit.undo")
    assert "Spare" in opened.session.graph.blocks
    tree = opened.bench.palette.findChild(QTreeView, "palette.tree")
    qtbot.waitUntil(lambda: _index(tree, "Spare") is not None)
    tree.setCurrentIndex(_index(tree, "Spare"))
    place = tree.visualRect(_index(tree, "Spare")).center()
    tree.customContextMenuRequested.emit(place)
    menu = opened.bench.palette.findChild(QMenu, "palette.menu")
    assert [action.text() for action in menu.actions()][-1] == "Remove from project"
    menu.close()
    QTest.keyClick(tree, Qt.Key.Key_Delete)
    assert "Spare" not in opened.session.graph.blocks


def _index(tree, label):
    model = tree.model()
    for row in range(model.rowCount()):
        heading = model.index(row, 0)
        for place in range(model.rowCount(heading)):
            if model.index(place, 0, heading).data() == label:
                return model.index(place, 0, heading)
    return None


def test_that_blocks_that_need_one_another_go_together(opened):
    block = Block()
    graph = apply(PutBlocks(blocks={"A": block, "B": Block(kept=True)}), opened.session.graph)
    assert unused_blocks(graph) == ("A",)
    assert list(apply(RemoveBlocks(names=("A",)), graph).blocks) == ["B"]
    with pytest.raises(GraphError):
        apply(RemoveBlocks(names=("C",)), graph)


def test_that_fields_of_no_effect_are_hidden_unless_they_say_something():
    entry = catalog().node("Parameter")
    names = [field.name for field in present_params(entry, {"fill": "normal"})]
    assert {"mean", "std"} <= set(names)
    assert not {"value", "low", "high", "mode"} & set(names)
    names = [field.name for field in present_params(entry, {"fill": "zeros", "value": 2.0})]
    assert "value" in names
    assert "mean" not in names
