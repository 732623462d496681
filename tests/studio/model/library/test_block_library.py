"""The user's own blocks in the window: saved, offered, placed, renamed, taken out."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QListWidget, QPushButton

from engine.graph.check import check
from engine.graph.edit.block_edits import GroupNodes
from engine.graph.edit.code_edits import SetCode
from engine.graph.edit.edits import AddNode, Batch, SetParam
from engine.graph.model import Node
from engine.project import Project


@pytest.fixture
def canvas(opened, qtbot):
    opened.window.show_workspace("model")
    opened.window.activateWindow()
    canvas = opened.window.page("model").canvas
    qtbot.waitUntil(lambda: canvas.isVisible() and bool(canvas.scene.nodes))
    return canvas


@pytest.fixture
def saved(opened, canvas, qtbot):
    """Save a block of two layers to the library."""
    session = opened.session
    session.edit(GroupNodes(ids=("relu1", "hidden2"), name="Tail"), "group")
    (use,) = [n.id for n in session.graph.nodes.values() if n.type == "block.Tail"]
    qtbot.waitUntil(lambda: use in canvas.scene.nodes)
    canvas.select((use,))
    command(opened, "keep")
    return use


def command(opened, verb: str) -> None:
    action = opened.bench.actions.action(f"action.model.{verb}")
    assert action.isEnabled(), verb
    action.trigger()


def keys(opened) -> set[str]:
    opened.bench.model.paint()
    return {entry.key for entry in opened.bench.model.offered}


@pytest.mark.row("P09")
def test_that_a_saved_block_is_offered_and_placed_in_another_project(
    opened, canvas, saved, tmp_path, qtbot
):
    assert "library.Tail" not in keys(opened)  # this project has it
    assert opened.bench.project.save()
    Project.create(tmp_path / "other", "digits-mlp")
    assert opened.bench.project.open(tmp_path / "other")
    assert "library.Tail" in keys(opened)
    before = opened.session.graph
    search = opened.window.findChild(QLineEdit, "palette.search")
    search.setFocus()
    QTest.keyClicks(search, "Tail")
    QTest.keyClick(search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "Tail" in opened.session.graph.blocks)
    (use,) = set(opened.session.graph.nodes) - set(before.nodes)
    assert opened.session.graph.nodes[use].type == "block.Tail"
    assert "block.Tail" in keys(opened)
    opened.session.undo()
    assert opened.session.graph == before


def test_that_a_block_of_the_library_goes_into_a_wire(opened, canvas, saved, tmp_path, qtbot):
    opened.bench.project.save()
    Project.create(tmp_path / "other", "digits-mlp")
    opened.bench.project.open(tmp_path / "other")
    opened.bench.model.paint()
    edge = opened.session.graph.edges[2]
    wire = (edge.source, edge.source_port, edge.target, edge.target_port)
    opened.bench.model.insert_node("library.Tail", 0.0, 0.0, wire)
    graph = opened.session.graph
    (use,) = [n.id for n in graph.nodes.values() if n.type == "block.Tail"]
    assert any(e.source == edge.source and e.target == use for e in graph.edges)
    assert any(e.source == use and e.target == edge.target for e in graph.edges)
    assert check(graph) == ()
    opened.bench.model.insert_node("ReLU", 0.0, 0.0, wire)  # which is gone by now
    assert len(opened.session.graph.nodes) == len(graph.nodes) + 1
    assert opened.session.graph.edges == graph.edges


def test_that_blocks_are_renamed_and_removed_in_their_dialog(opened, canvas, saved, qtbot):
    session = opened.session
    session.edit(GroupNodes(ids=("relu2",), name="Other"), "group")
    command(opened, "library")
    dialog = opened.window.findChild(object, "dialog.library")
    names = dialog.findChild(QListWidget, "dialog.library.list")
    assert [names.item(row).text() for row in range(names.count())] == ["Tail"]
    QTest.mouseClick(
        dialog.findChild(QPushButton, "dialog.library.rename"), Qt.MouseButton.LeftButton
    )
    editor = names.findChild(QLineEdit)
    editor.selectAll()
    QTest.keyClicks(editor, "Head")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: names.item(0).text() == "Head")
    assert "library.Head" in keys(opened)
    assert "Tail" in session.graph.blocks  # that of the project keeps its name
    QTest.mouseClick(
        dialog.findChild(QPushButton, "dialog.library.remove"), Qt.MouseButton.LeftButton
    )
    assert names.count() == 0
    assert "library.Head" not in keys(opened)
    dialog.close()


def test_that_saving_again_replaces_what_was_saved(opened, canvas, saved, qtbot):
    session = opened.session
    session.enter((saved,))
    session.edit_level(SetParam(id="hidden2", name="out_features", value=5), "narrow")
    session.selection = ()
    opened.bench.update_actions()
    command(opened, "keep")
    session.undo()  # the project has another one again
    session.enter(())
    assert "library.Tail" in keys(opened)


def test_that_a_damaged_file_is_told_when_the_library_is_read(opened, canvas, saved, qtbot):
    folder = opened.settings.folder / "blocks"
    (folder / "Broken.json").write_text("{")
    opened.bench.library.reload()
    qtbot.waitUntil(lambda: "Broken.json" in str(vars(opened.notifications)))
    assert (folder / "Broken.json").read_text() == "{"


@pytest.mark.row("P09")
def test_that_a_block_with_own_code_takes_it_along_and_that_code_is_not_trusted_by_itself(
    opened, canvas, tmp_path, qtbot
):
    session = opened.session
    own = Node(id="own", type="code.kit.twice", name="own")
    text = "def twice(x):\n    return 2 * x\n"
    edits = (SetCode(file="kit.py", text=text), AddNode(node=own))
    session.edit(Batch(edits=edits), "code")
    session.edit(GroupNodes(ids=("own",), name="Twice"), "group")
    (use,) = [n.id for n in session.graph.nodes.values() if n.type == "block.Twice"]
    qtbot.waitUntil(lambda: use in canvas.scene.nodes)
    canvas.select((use,))
    command(opened, "keep")
    assert opened.bench.project.save()
    opened.services.trust.withdraw(opened.session.project.path)  # as another start of the program
    Project.create(tmp_path / "other", "digits-mlp")
    assert opened.bench.project.open(tmp_path / "other")
    opened.bench.model.paint()
    opened.bench.model.add_node("library.Twice", 0.0, 400.0, None)
    graph = opened.session.graph
    assert graph.code == {"kit.py": text}
    assert "Twice" in graph.blocks
    assert not opened.services.trust.covers(graph.code)
