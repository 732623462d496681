"""Rows of the capability table about the canvas, shown on the whole window."""

import pytest
from PySide6.QtCore import QEvent, QModelIndex, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QGuiApplication, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QTreeView

from engine.graph.edit.edits import AddNode
from engine.graph.model import Graph, Node
from engine.graph.query import make_node
from engine.project import Project
from widgets.canvas.canvas import Canvas
from widgets.canvas.minimap import Minimap
from widgets.canvas.search_popup import SearchPopup
from widgets.common.toast import ToastStack

LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def canvas(opened, qtbot) -> Canvas:
    opened.window.show_workspace("model")
    found = opened.window.findChild(Canvas, "canvas")
    found.setFocus()
    qtbot.waitUntil(lambda: found.scene.nodes.keys() == opened.session.graph.nodes.keys())
    return found


@pytest.fixture
def empty(opened, canvas, qtbot) -> Graph:
    """Return an empty model in the window, once the canvas shows it."""
    trigger(opened, "edit.select_all")
    trigger(opened, "edit.delete")
    assert not opened.session.graph.nodes
    qtbot.waitUntil(lambda: not canvas.scene.nodes and not canvas.scene.wires)
    return opened.session.graph


def trigger(studio, verb: str) -> None:
    """Do what a menu does, and let the window paint."""
    studio.bench.update_actions()
    action = studio.bench.actions.action(f"action.{verb}")
    assert action.isEnabled()
    action.trigger()
    QApplication.processEvents()


def find(studio, kind: type, name: str):
    return studio.window.findChild(kind, name)


def row_of(tree: QTreeView, text: str) -> QModelIndex:
    model = tree.model()
    for group in range(model.rowCount()):
        parent = model.index(group, 0)
        for row in range(model.rowCount(parent)):
            index = model.index(row, 0, parent)
            if index.data() == text:
                return index
    raise AssertionError(text)


def drag_from_palette(studio, canvas: Canvas, text: str, pixel: QPoint) -> None:
    """Search the palette, then do with its drag what Qt does while the mouse moves."""
    find(studio, QLineEdit, "palette.search").setText(text)
    tree = find(studio, QTreeView, "palette.tree")
    model = tree.model()
    mime = model.mimeData([row_of(tree, text)])
    action = Qt.DropAction.CopyAction
    for event in (
        QDragEnterEvent(pixel, action, mime, LEFT, NONE),
        QDragMoveEvent(pixel, action, mime, LEFT, NONE),
        QDropEvent(QPointF(pixel), action, mime, LEFT, NONE),
    ):
        QApplication.sendEvent(canvas, event)
        assert event.isAccepted()


def port(canvas: Canvas, node: str, name: str, *, is_output: bool) -> QPoint:
    place = canvas.scene.nodes[node].port_point(name, is_output=is_output)
    return canvas.viewport.to_pixel(place).toPoint()


def draw(canvas: Canvas, start: QPoint, end: QPoint, *, release: bool = True) -> None:
    QTest.mousePress(canvas, LEFT, NONE, start)
    for share in (0.3, 0.6, 1.0):
        pixel = start + (end - start) * share
        place = QPointF(canvas.mapToGlobal(pixel))
        kind = QEvent.Type.MouseMove
        event = QMouseEvent(kind, QPointF(pixel), place, Qt.MouseButton.NoButton, LEFT, NONE)
        QApplication.sendEvent(canvas, event)
    if release:
        QTest.mouseRelease(canvas, LEFT, NONE, end)


@pytest.mark.row("P01")
@pytest.mark.usefixtures("empty")
def test_that_layers_are_dragged_and_wires_drawn_to_where_they_may_land(opened, canvas, qtbot):
    for index, text in enumerate(("Linear", "ReLU")):
        drag_from_palette(opened, canvas, text, QPoint(120 + 330 * index, 200))
    qtbot.waitUntil(lambda: len(opened.session.graph.nodes) == 2)
    qtbot.waitUntil(lambda: canvas.scene.nodes.keys() == opened.session.graph.nodes.keys())
    first, second = opened.session.graph.nodes
    start = port(canvas, first, "output", is_output=True)
    end = port(canvas, second, "input", is_output=False)
    draw(canvas, start, end, release=False)
    assert canvas.look.lands is not None, "the wire in the hand shows where it may land"
    QTest.mouseRelease(canvas, LEFT, NONE, end)
    (edge,) = opened.session.graph.edges
    assert (edge.source, edge.target) == (first, second)
    back = port(canvas, second, "output", is_output=True)
    draw(canvas, back, port(canvas, first, "input", is_output=False))
    assert opened.session.graph.edges == (edge,), "no wire may close a circle"


@pytest.mark.row("P03")
def test_that_shapes_types_and_counts_stand_on_nodes_and_wires_as_one_types(opened, canvas, qtbot):
    linear = next(n for n in opened.session.graph.nodes.values() if n.type == "Linear")
    qtbot.waitUntil(lambda: bool(canvas.scene.nodes[linear.id].view.badge))
    wires = [item.view for item in canvas.scene.wires.values()]
    assert wires
    assert all("N" in wire.label for wire in wires)
    assert all("float32" in wire.detail for wire in wires)
    before = len(canvas.scene.nodes)
    opened.session.edit(AddNode(node=make_node(opened.session.graph, "ReLU")), "add")
    qtbot.waitUntil(lambda: opened.session.findings.is_current)
    qtbot.waitUntil(lambda: len(canvas.scene.nodes) == before + 1)


@pytest.mark.row("P05")
def test_that_everything_is_undone_and_nodes_travel_with_their_wires_between_projects(
    opened, canvas, tmp_path
):
    session = opened.session
    start = session.document
    trigger(opened, "edit.select_all")
    trigger(opened, "edit.copy")
    text = QGuiApplication.clipboard().text()
    assert '"nodes"' in text, "plain text that can be pasted anywhere"
    count, wires = len(session.graph.nodes), len(session.graph.edges)
    trigger(opened, "edit.paste")
    assert (len(session.graph.nodes), len(session.graph.edges)) == (2 * count, 2 * wires)
    assert len({node.name for node in session.graph.nodes.values()}) == 2 * count
    trigger(opened, "edit.duplicate")
    assert len(session.graph.nodes) == 3 * count
    trigger(opened, "edit.cut")
    assert len(session.graph.nodes) == 2 * count
    opened.services.editor.set("epochs", "77")
    for _ in range(4):
        trigger(opened, "edit.undo")
    assert session.document == start
    for _ in range(4):
        trigger(opened, "edit.redo")
    assert (len(session.graph.nodes), session.spec.epochs) == (2 * count, 77)
    other = Project.create(tmp_path / "other")
    trigger(opened, "file.save")
    assert opened.bench.project.open(other.path)
    QGuiApplication.clipboard().setText(text)
    trigger(opened, "edit.paste")
    assert (len(session.graph.nodes), len(session.graph.edges)) == (count, wires)


@pytest.mark.row("P06")
def test_that_the_search_opens_at_the_cursor_and_filtered_by_the_wire(opened, canvas):
    QTest.keyClick(canvas, Qt.Key.Key_Tab)
    popup = find(opened, SearchPopup, "canvas.search")
    assert popup.isVisible()
    everything = popup.list.model().rowCount()
    QTest.keyClicks(popup.field, "dropout")
    QTest.keyClick(popup.field, Qt.Key.Key_Return)
    assert any(node.type == "Dropout" for node in opened.session.graph.nodes.values())
    output = next(n.id for n in opened.session.graph.nodes.values() if n.type == "Linear")
    void = QPoint(canvas.width() // 2, canvas.height() - 90)
    draw(canvas, port(canvas, output, "output", is_output=True), void)
    assert popup.isVisible()
    assert 0 < popup.list.model().rowCount() < everything, "what takes nothing is left out"
    QTest.keyClick(popup.field, Qt.Key.Key_Escape)
    QTest.keyClick(canvas, Qt.Key.Key_Tab)
    first = popup.list.model().index(0, 0).data()
    assert "Dropout" in str(first), "what was used lately comes first"


@pytest.mark.row("P07")
def test_that_map_fit_and_zoom_show_the_whole_or_a_part(opened, canvas):
    minimap = find(opened, Minimap, "canvas.minimap")
    canvas.viewport.pan(-5000, 0)
    canvas.navigated()
    for _ in range(2):
        trigger(opened, "model.minimap")
        assert minimap.isVisible() is canvas.is_minimap_shown()
    target = minimap.map_rect(next(iter(canvas.scene.nodes.values())).rect()).center()
    canvas.set_minimap_shown(on=True)
    QTest.mouseClick(minimap, LEFT, NONE, target.toPoint())
    seen = canvas.viewport.scene_rect(canvas.rect())
    assert any(seen.contains(item.rect()) for item in canvas.scene.nodes.values())
    trigger(opened, "model.fit")
    seen = canvas.viewport.scene_rect(canvas.rect())
    assert all(seen.contains(item.rect()) for item in canvas.scene.nodes.values())
    whole = canvas.viewport.scale
    trigger(opened, "model.zoom_in")
    assert canvas.viewport.scale > whole
    trigger(opened, "model.zoom_out")
    first = next(iter(canvas.scene.nodes))
    canvas.select((first,))
    QTest.keyClick(canvas, Qt.Key.Key_Z)
    seen = canvas.viewport.scene_rect(canvas.rect())
    assert seen.contains(canvas.scene.nodes[first].rect())


@pytest.mark.row("P08")
def test_that_one_key_lays_the_model_out_and_one_undo_takes_it_back(opened, canvas, qtbot):
    session = opened.session
    for index in range(3):
        node = Node(id=f"far{index}", type="ReLU", name=f"far{index}", position=(7.0, 9.0))
        session.edit(AddNode(node=node), "add")
    before = session.graph
    trigger(opened, "model.arrange")
    qtbot.waitUntil(lambda: canvas.scene.nodes["far2"].rect().x() != 7.0)
    places = [item.rect() for item in canvas.scene.nodes.values()]
    for index, rect in enumerate(places):
        assert not any(rect.intersects(other) for other in places[:index])
    trigger(opened, "edit.undo")
    assert session.graph == before


@pytest.mark.row("P08")
def test_that_what_is_pinned_stays_where_it_is_when_the_model_is_arranged(opened, canvas, qtbot):
    session = opened.session
    kept, moved = "pinned", "free"
    for name, place in ((kept, (333.0, 777.0)), (moved, (700.0, 777.0))):
        node = Node(id=name, type="ReLU", name=name, position=place)
        session.edit(AddNode(node=node), "add")
    qtbot.waitUntil(lambda: moved in canvas.scene.nodes)
    canvas.fit()
    grip = canvas.viewport.to_pixel(canvas.scene.nodes[kept].rect().center()).toPoint()
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=grip)
    QTest.keyClick(canvas, Qt.Key.Key_P)
    qtbot.waitUntil(lambda: canvas.scene.nodes[kept].view.is_pinned)
    assert opened.bench.actions.action("action.model.pin").isChecked()
    before = session.graph
    QTest.keyClick(canvas, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: session.graph.nodes[moved].position != (700.0, 777.0))
    assert session.graph.nodes[kept].position == (333.0, 777.0)
    trigger(opened, "edit.undo")
    assert session.graph == before
    trigger(opened, "model.pin")
    assert not session.graph.nodes[kept].pinned
    trigger(opened, "edit.undo")
    assert session.graph.nodes[kept].pinned
    trigger(opened, "edit.duplicate")
    (copy,) = session.graph.nodes.keys() - before.nodes.keys()
    assert not session.graph.nodes[copy].pinned


@pytest.mark.row("P08")
def test_that_nothing_moves_where_everything_is_pinned(opened, canvas):
    trigger(opened, "edit.select_all")
    trigger(opened, "model.pin")
    before = opened.session.graph
    assert all(node.pinned for node in before.nodes.values())
    trigger(opened, "model.arrange")
    assert opened.session.graph == before
    assert "pinned" in opened.window.findChild(ToastStack).toasts[-1].view.text


@pytest.mark.row("P08")
def test_that_a_dragged_node_snaps_to_the_grid(opened, canvas, qtbot):
    opened.session.edit(
        AddNode(node=Node(id="lone", type="ReLU", name="lone", position=(0.0, 2000.0))), "add"
    )
    qtbot.waitUntil(lambda: "lone" in canvas.scene.nodes)
    canvas.zoom_reset()
    canvas.center_on("lone")
    grip = canvas.viewport.to_pixel(canvas.scene.nodes["lone"].rect().center()).toPoint()
    canvas.set_snap(on=True)
    draw(canvas, grip, grip + QPoint(47, 33))
    x, y = opened.session.graph.nodes["lone"].position
    assert (x, y) != (0.0, 2000.0)
    assert (x % 20, y % 20) == (0, 0)
