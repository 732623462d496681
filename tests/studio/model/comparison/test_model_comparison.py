"""Models compared in the window: with what was saved, with a run, with another project."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QTreeWidget

from engine.graph.edit.block_edits import GroupNodes
from engine.graph.edit.edits import EditBlock, RemoveNodes, SetParam
from engine.project import Project
from engine.runs.folder import RunFolder
from engine.spec.run import RunSpec


def part(kind, opened, name: str):
    found = opened.window.findChild(kind, f"dialog.models.{name}")
    assert found is not None, name
    return found


@pytest.fixture
def compared(opened, qtbot):
    """Change the model and compare it with how it was saved."""
    session = opened.session
    session.edit(SetParam(id="hidden1", name="out_features", value=99), "change")
    session.edit(RemoveNodes(ids=("relu1",)), "remove")
    opened.bench.actions.action("action.model.compare").trigger()
    qtbot.waitUntil(lambda: rows(opened) != {})
    yield opened
    part(QPushButton, opened, "close").click()
    qtbot.waitUntil(lambda: opened.window.findChild(QLabel, "dialog.models.note") is None)


def rows(opened) -> dict[str, tuple[str, str]]:
    table = part(QTreeWidget, opened, "changes")
    items = [table.topLevelItem(index) for index in range(table.topLevelItemCount())]
    return {item.text(1): (item.text(0), item.text(2)) for item in items}


def viewer(opened):
    from widgets.canvas.viewer import Viewer

    return part(Viewer, opened, "canvas")


@pytest.mark.row("N18")
def test_that_what_was_done_since_saving_is_listed_and_coloured(compared, qtbot):
    assert rows(compared)["hidden1"] == ("≠", "out_features: 64 → 99")
    assert rows(compared)["relu1"][0] == "−"
    nodes = viewer(compared).scene.nodes
    assert (nodes["hidden1"].view.color, nodes["hidden1"].view.title) == ("yellow", "≠ hidden1")
    assert (nodes["relu1"].view.color, nodes["relu1"].view.title) == ("red", "− relu1")
    assert "1" in part(QLabel, compared, "note").text()
    compared.bench.actions.action("action.edit.undo").trigger()
    qtbot.waitUntil(lambda: "relu1" not in rows(compared))
    compared.bench.actions.action("action.edit.undo").trigger()
    qtbot.waitUntil(lambda: rows(compared) == {})
    assert "models are identical" in part(QLabel, compared, "note").text()


def test_that_a_line_leads_to_its_node_on_the_canvas(compared, qtbot):
    table = part(QTreeWidget, compared, "changes")
    item = next(
        table.topLevelItem(i)
        for i in range(table.topLevelItemCount())
        if table.topLevelItem(i).text(1) == "relu1"
    )
    place = table.visualItemRect(item).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(lambda: viewer(compared).selected_nodes() == ("relu1",))


def test_that_looking_changes_nothing(compared, qtbot):
    before = compared.session.graph
    canvas = viewer(compared)
    qtbot.waitUntil(canvas.isVisible)
    item = canvas.scene.nodes["hidden1"]
    start = canvas.viewport.to_pixel(item.rect().center()).toPoint()
    x = canvas.viewport.x
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(canvas, start + canvas.rect().center() / 4)
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=start + canvas.rect().center() / 4)
    assert canvas.viewport.x > x
    QTest.keyClick(canvas, Qt.Key.Key_Delete)
    assert compared.session.graph is before
    assert canvas.scene.nodes["hidden1"].x == item.x


def test_that_a_run_is_compared_with_what_is_on_the_canvas(opened, qtbot):
    session = opened.session
    run = RunFolder.create(session.project.path, session.graph, RunSpec())
    session.edit(SetParam(id="hidden2", name="out_features", value=7), "change")
    opened.bench.actions.action("action.model.compare").trigger()
    qtbot.waitUntil(lambda: rows(opened) != {})
    box = part(QComboBox, opened, "before")
    place = next(i for i in range(box.count()) if run.document.name in box.itemText(i))
    session.edit(SetParam(id="hidden1", name="bias", value=False), "change")
    box.setFocus()
    while box.currentIndex() < place:
        QTest.keyClick(box, Qt.Key.Key_Down)
    while box.currentIndex() > place:
        QTest.keyClick(box, Qt.Key.Key_Up)
    qtbot.waitUntil(lambda: box.currentIndex() == place)
    qtbot.waitUntil(lambda: set(rows(opened)) == {"hidden1", "hidden2"})
    part(QPushButton, opened, "close").click()


def test_that_the_inside_of_a_block_is_entered_and_left(opened, tmp_path, qtbot):
    session = opened.session
    session.edit(GroupNodes(ids=("relu1", "hidden2"), name="Body"), "group")
    opened.bench.actions.action("action.file.save").trigger()
    edit = SetParam(id="hidden2", name="out_features", value=7)
    session.edit(EditBlock(block="Body", edit=edit), "change")
    opened.bench.actions.action("action.model.compare").trigger()
    qtbot.waitUntil(lambda: "Body / hidden2" in rows(opened))
    canvas = viewer(opened)
    use = next(n.id for n in session.graph.nodes.values() if n.type == "block.Body")
    qtbot.waitUntil(lambda: use in canvas.scene.nodes and canvas.isVisible())
    center = canvas.viewport.to_pixel(canvas.scene.nodes[use].rect().center()).toPoint()
    QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=center)
    qtbot.waitUntil(lambda: "hidden2" in canvas.scene.nodes)
    up = part(QPushButton, opened, "up")
    qtbot.waitUntil(up.isVisible)
    QTest.mouseClick(up, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: use in canvas.scene.nodes)
    part(QPushButton, opened, "close").click()


def test_that_another_project_is_compared_and_one_that_is_none_is_told(opened, tmp_path, qtbot):
    other = tmp_path / "other"
    Project.create(other, "iris-mlp")
    opened.bench.actions.action("action.model.compare").trigger()
    controller = opened.bench.models
    controller.choose_project(str(other), is_second=False)
    qtbot.waitUntil(lambda: "+" in {sign for sign, _ in rows(opened).values()})
    assert part(QComboBox, opened, "before").currentText().endswith("other")
    controller.choose_project(str(tmp_path / "nothing"), is_second=False)
    qtbot.waitUntil(lambda: "models are identical" in part(QLabel, opened, "note").text())
    part(QPushButton, opened, "close").click()
