"""The canvas in the whole window: building a model by drag, by search and by keys alone."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from engine.graph.edit.edits import AddNode
from engine.graph.model import Edge, Node
from engine.graph.query import order
from widgets.canvas.drag import node_mime
from widgets.canvas.hit import Hit
from widgets.canvas.tooltip import tooltip_at
from widgets.canvas.view_model import WireEnd

COPY, LEFT = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
NO_KEYS = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def canvas(opened, qtbot):
    opened.window.show_workspace("model")
    opened.window.activateWindow()
    canvas = opened.window.page("model").canvas
    qtbot.waitUntil(lambda: canvas.isVisible() and bool(canvas.scene.nodes))
    canvas.setFocus()
    return canvas


def follow(opened, qtbot) -> None:
    """Wait until the canvas shows the graph as it is."""
    canvas = opened.window.page("model").canvas
    qtbot.waitUntil(lambda: list(canvas.scene.nodes) == list(opened.session.graph.nodes))
    qtbot.waitUntil(lambda: opened.bench.model._pending_selection is None)


def add(canvas, text: str) -> None:
    """Press Tab, type and press Enter, as a user without a mouse does."""
    QTest.keyClick(canvas, Qt.Key.Key_Tab)
    field = canvas.findChild(QLineEdit, "canvas.search.field")
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)


def first_wire(opened) -> Edge:
    return opened.session.graph.edges[0]


def test_that_a_drop_on_a_wire_is_one_step_to_undo(opened, canvas, qtbot):
    edge, before = first_wire(opened), opened.session.graph
    key = (edge.source, edge.source_port, edge.target, edge.target_port)
    pixel = canvas.viewport.to_pixel(canvas.scene.wires[key].middle())
    mime = node_mime("ReLU")
    enter = QDragEnterEvent(pixel.toPoint(), COPY, mime, LEFT, NO_KEYS)
    QApplication.sendEvent(canvas, enter)
    QApplication.sendEvent(canvas, QDropEvent(pixel, COPY, mime, LEFT, NO_KEYS))
    follow(opened, qtbot)
    graph = opened.session.graph
    (added,) = set(graph.nodes) - set(before.nodes)
    ordered = order(graph)
    assert ordered.index(added) == ordered.index(edge.source) + 1
    assert edge not in graph.edges
    assert canvas.selected_nodes() == (added,)
    opened.bench.actions.action("action.edit.undo").trigger()
    assert opened.session.graph == before


def test_that_a_node_moved_onto_a_wire_goes_into_it_in_one_step(opened, canvas, qtbot):
    edge = first_wire(opened)
    key = (edge.source, edge.source_port, edge.target, edge.target_port)
    node = Node(id="lone", type="ReLU", name="lone", position=(40.0, 500.0))
    opened.session.edit(AddNode(node=node), "add")
    follow(opened, qtbot)
    canvas.fit()
    before = opened.session.graph
    grip = canvas.viewport.to_pixel(canvas.scene.nodes["lone"].rect().center()).toPoint()
    goal = canvas.viewport.to_pixel(canvas.scene.wires[key].middle()).toPoint()
    QTest.mousePress(canvas, LEFT, NO_KEYS, grip)
    for share in (0.3, 0.6, 1.0):
        QTest.mouseMove(canvas, grip + (goal - grip) * share)
    assert canvas.look.opened == key
    QTest.mouseRelease(canvas, LEFT, NO_KEYS, goal)
    graph = opened.session.graph
    ordered = order(graph)
    assert ordered.index("lone") == ordered.index(edge.source) + 1
    assert edge not in graph.edges
    assert len(graph.edges) == len(before.edges) + 1
    opened.bench.actions.action("action.edit.undo").trigger()
    assert opened.session.graph == before


def test_that_a_whole_model_is_built_with_the_keyboard_alone(opened, canvas, qtbot):
    QTest.keyClick(canvas, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(canvas, Qt.Key.Key_Delete)
    follow(opened, qtbot)
    for text in ("input", "flatten", "linear", "relu", "linear", "output"):
        add(canvas, text)
        follow(opened, qtbot)
    graph = opened.session.graph
    types = [graph.nodes[key].type for key in order(graph)]
    assert types == ["Input", "Flatten", "Linear", "ReLU", "Linear", "Output"]
    assert len(graph.edges) == 5
    rects = [item.rect() for item in canvas.scene.nodes.values()]
    assert not any(a.intersects(b) for i, a in enumerate(rects) for b in rects[:i])


def test_that_nodes_added_with_nothing_selected_lie_on_no_other(opened, canvas, qtbot):
    for text in ("relu", "linear", "flatten"):
        canvas.select(())
        canvas.fit()
        add(canvas, text)
        follow(opened, qtbot)
    rects = [item.rect() for item in canvas.scene.nodes.values()]
    assert not any(a.intersects(b) for i, a in enumerate(rects) for b in rects[:i])


def test_that_enter_in_the_palette_adds_after_the_selected_node(opened, canvas, qtbot):
    edge = first_wire(opened)
    place = canvas.scene.nodes[edge.source].rect().center()
    QTest.mouseClick(canvas, LEFT, NO_KEYS, canvas.viewport.to_pixel(place).toPoint())
    field = opened.window.findChild(QLineEdit, "palette.search")
    QTest.keyClicks(field, "sigmoid")
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "sigmoid" in opened.session.graph.nodes)
    follow(opened, qtbot)
    wire = Edge(
        source=edge.source, source_port=edge.source_port, target="sigmoid", target_port="input"
    )
    assert wire in opened.session.graph.edges
    assert edge in opened.session.graph.edges
    seen = canvas.viewport.scene_rect(canvas.rect())
    assert seen.contains(canvas.scene.nodes["sigmoid"].rect())


@pytest.mark.fault("U01")
def test_that_enter_adds_what_was_offered_though_the_palette_is_filled_anew(opened, canvas, qtbot):
    field = opened.window.findChild(QLineEdit, "palette.search")
    QTest.keyClicks(field, "sigmoid")
    QTest.keyClick(field, Qt.Key.Key_Return)
    opened.bench.palette.set_groups(())  # before Qt comes to it: its index would lead nowhere
    qtbot.waitUntil(lambda: "sigmoid" in opened.session.graph.nodes)


def test_that_arranging_makes_a_model_that_can_be_read_as_a_whole(opened, canvas, qtbot):
    for _ in range(6):
        add(canvas, "relu")
        follow(opened, qtbot)
    QTest.keyClick(canvas, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)

    def is_seen_whole() -> bool:
        places = [canvas.viewport.pixel_rect(item.rect()) for item in canvas.scene.nodes.values()]
        return all(canvas.rect().contains(place) for place in places)

    qtbot.waitUntil(is_seen_whole)
    assert canvas.viewport.scale >= 0.7


def test_that_an_output_shows_what_arrives(opened, canvas, qtbot):
    (output,) = (n for n in opened.session.graph.nodes.values() if n.type == "Output")
    qtbot.waitUntil(lambda: "N×4" in canvas.scene.nodes[output.id].view.subtitle)


def test_that_copies_go_through_the_clipboard_as_text_with_their_wires(opened, canvas, qtbot):
    count, wires = len(opened.session.graph.nodes), len(opened.session.graph.edges)
    control = Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(canvas, Qt.Key.Key_A, control)
    QTest.keyClick(canvas, Qt.Key.Key_C, control)
    text = QApplication.clipboard().text()
    assert '"nodes"' in text
    QTest.keyClick(canvas, Qt.Key.Key_V, control)
    follow(opened, qtbot)
    assert len(opened.session.graph.nodes) == 2 * count
    assert len(opened.session.graph.edges) == 2 * wires
    assert len(canvas.selected_nodes()) == count


def test_that_the_tooltip_of_a_node_tells_what_it_does_and_what_goes_through(opened, canvas):
    linear = next(n for n in opened.session.graph.nodes.values() if n.type == "Linear")
    text = tooltip_at(canvas.scene, Hit(node=linear.id))
    assert linear.name in text
    assert canvas.scene.nodes[linear.id].view.summary in text
    assert "N×4 float32" in text


def test_that_a_wire_in_the_hand_knows_where_it_may_land(opened, canvas):
    edge = first_wire(opened)
    item = canvas.scene.nodes[edge.target]
    start = canvas.viewport.to_pixel(item.port_point("output", is_output=True)).toPoint()
    QTest.mousePress(canvas, LEFT, NO_KEYS, start)
    QTest.mouseMove(canvas, start + QPoint(20, 30))
    QTest.mouseMove(canvas, start + QPoint(40, 60))
    lands = canvas.look.lands
    QTest.mouseRelease(canvas, LEFT, NO_KEYS, start)
    assert lands is not None
    after = order(opened.session.graph)[-1]
    assert lands(WireEnd(node=after, port="input", is_output=False))
    assert not lands(WireEnd(node=edge.target, port="input", is_output=False))


def test_that_a_new_node_is_selected_although_no_analysis_comes(opened, canvas, host, qtbot):
    host.is_holding = True
    canvas.select((next(iter(opened.session.graph.nodes)),))
    qtbot.wait(40)  # the picture of the selection is painted: the next one is painted at once
    add(canvas, "sigmoid")
    qtbot.waitUntil(lambda: canvas.selected_nodes() == ("sigmoid",))
    host.is_holding = False


def test_that_arranging_shows_everything_although_no_analysis_comes(opened, canvas, host, qtbot):
    host.is_holding = True
    canvas.viewport.pan(-4000, 0)
    canvas.navigated()
    qtbot.wait(40)
    first = next(iter(opened.session.graph.nodes))
    canvas.nodes_moved.emit({first: (900.0, 500.0)})
    qtbot.wait(40)
    QTest.keyClick(canvas, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(
        lambda: canvas.viewport.scene_rect(canvas.rect()).contains(canvas.scene.bounds())
    )
    host.is_holding = False


def test_that_layers_from_the_palette_do_not_lie_over_each_other(opened, canvas, qtbot):
    for _ in range(2):
        canvas.select(())
        opened.bench.palette.add_requested.emit("Tanh")
        follow(opened, qtbot)
    first, second = [n.position for n in opened.session.graph.nodes.values() if n.type == "Tanh"]
    assert first[0] == second[0]
    assert second[1] > first[1]
