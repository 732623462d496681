"""Putting a node into a wire and after a node, by drag, by search and by keys."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from widgets.canvas.drag import node_mime
from widgets.canvas.items.lane import find_lane
from widgets.canvas.items.wire_item import WireItem
from widgets.canvas.scene import Scene
from widgets.canvas.search_popup import SearchPopup
from widgets.canvas.view_model import CanvasView, NodeView, PortView, WireEnd, WireView

AB = ("a", "output", "b", "input")
ON_WIRE = (220, 24)
COPY, LEFT = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
NO_KEYS = Qt.KeyboardModifier.NoModifier


class Drag:
    """A drag of a key from a list, with the events that Qt sends."""

    def __init__(self, canvas, mouse, key):
        self.canvas, self.mouse, self.mime = canvas, mouse, node_mime(key)

    def over(self, x, y):
        pixel = self.mouse.pixel(x, y)
        for kind in (QDragEnterEvent, QDragMoveEvent):
            QApplication.sendEvent(self.canvas, kind(pixel, COPY, self.mime, LEFT, NO_KEYS))

    def drop(self, x, y):
        self.over(x, y)
        place = QPointF(self.mouse.pixel(x, y))
        QApplication.sendEvent(self.canvas, QDropEvent(place, COPY, self.mime, LEFT, NO_KEYS))


@pytest.fixture
def inserted(canvas):
    found = []
    canvas.insert_requested.connect(lambda *values: found.append(values))
    return found


@pytest.fixture
def appended(canvas):
    found = []
    canvas.node_append_requested.connect(lambda *values: found.append(values))
    return found


def test_that_a_wire_lights_up_under_a_drag_and_takes_the_node(canvas, mouse, asked, inserted):
    before = canvas.grab().toImage()
    drag = Drag(canvas, mouse, "ReLU")
    drag.over(*ON_WIRE)
    assert canvas.look.opened == AB
    assert "a → b" in asked.of("hint")[-1][0]
    assert canvas.grab().toImage() != before
    drag.drop(*ON_WIRE)
    assert [(row[0], row[3]) for row in inserted] == [("ReLU", AB)]
    assert canvas.look.opened is None
    assert not asked.of("drop_requested")


def test_that_a_drag_that_goes_on_or_away_leaves_the_wire_as_it_was(canvas, mouse, inserted, asked):
    drag = Drag(canvas, mouse, "ReLU")
    drag.over(*ON_WIRE)
    drag.over(220, 300)
    assert canvas.look.opened is None
    drag.over(*ON_WIRE)
    QApplication.sendEvent(canvas, QDragLeaveEvent())
    assert canvas.look.opened is None
    drag.drop(220, 300)
    assert len(asked.of("drop_requested")) == 1
    assert not inserted


def test_that_a_node_without_inputs_is_not_put_into_a_wire(canvas, mouse, inserted, asked):
    Drag(canvas, mouse, "Input").drop(*ON_WIRE)
    assert not inserted
    assert len(asked.of("drop_requested")) == 1


def test_that_a_double_click_on_a_wire_searches_for_what_goes_into_it(canvas, mouse, inserted):
    QTest.mouseDClick(canvas, LEFT, NO_KEYS, mouse.pixel(*ON_WIRE))
    shown = [canvas.findChild(SearchPopup).list.model().index(row, 0).data() for row in range(9)]
    assert {label for label in shown if label} == {"Linear", "ReLU"}
    QTest.keyClicks(canvas.findChild(SearchPopup).field, "relu")
    QTest.keyClick(canvas.findChild(SearchPopup).field, Qt.Key.Key_Return)
    assert [(row[0], row[3]) for row in inserted] == [("ReLU", AB)]


def test_that_tab_with_a_selected_wire_searches_for_what_goes_into_it(canvas, press, inserted):
    canvas.select((), (AB,))
    press(Qt.Key.Key_Tab)
    QTest.keyClicks(canvas.findChild(SearchPopup).field, "linear")
    QTest.keyClick(canvas.findChild(SearchPopup).field, Qt.Key.Key_Return)
    assert [(row[0], row[3]) for row in inserted] == [("Linear", AB)]


def test_that_tab_with_a_selected_node_adds_after_it(canvas, press, appended):
    canvas.select(("b",))
    press(Qt.Key.Key_Tab)
    entries = canvas.findChild(SearchPopup).list.model()
    assert entries.rowCount() == 4  # also what cannot be wired to it
    QTest.keyClicks(canvas.findChild(SearchPopup).field, "relu")
    QTest.keyClick(canvas.findChild(SearchPopup).field, Qt.Key.Key_Return)
    assert appended == [("ReLU", WireEnd(node="b", port="output", is_output=True))]


def test_that_the_rule_for_all_ports_is_asked_once_for_a_drag(canvas, mouse, asked):
    anchors = []
    reasons = []

    def landing(anchor):
        anchors.append(anchor)
        return {("c", "input")}

    canvas.set_link_rule(lambda *ends: reasons.append(ends) or "no", landing)
    mouse.drag((440, 24), (400, 300), (268, 184))
    assert len(anchors) == 1
    assert asked.of("link_requested") == [("b", "output", "c", "input")]
    mouse.drag((440, 24), (520, 118))
    assert asked.of("hint")[-1] == ("no",)


PORT_IN, PORT_OUT = (PortView(name="input"),), (PortView(name="output"),)


def row(count):
    return tuple(
        NodeView(id=f"n{i}", title=f"n{i}", x=280.0 * i, inputs=PORT_IN, outputs=PORT_OUT)
        for i in range(count)
    )


def skip(source, target):
    return WireView(source=source, source_port="output", target=target, target_port="input")


def crossed(scene: Scene, wire: WireItem) -> list[str]:
    ends = wire.key[0], wire.key[2]
    return [k for k, item in scene.nodes.items() if k not in ends and wire.crosses(item.rect())]


def test_that_a_long_wire_goes_around_the_cards_between_its_ends():
    scene = Scene()
    scene.apply(CanvasView(nodes=row(4), wires=(skip("n0", "n3"),)))
    wire = scene.wires["n0", "output", "n3", "input"]
    assert wire.lane is not None
    assert crossed(scene, wire) == []
    assert wire.path.pointAtPercent(1.0).x() == pytest.approx(840.0)


def test_that_a_wire_makes_way_for_a_card_that_is_moved_into_it_and_goes_straight_again():
    nodes = row(3)
    away = (nodes[0], replace(nodes[1], y=500.0), nodes[2])
    scene = Scene()
    scene.apply(CanvasView(nodes=away, wires=(skip("n0", "n2"),)))
    wire = scene.wires["n0", "output", "n2", "input"]
    assert wire.lane is None
    assert scene.move({"n1": (280.0, 0.0)})
    assert wire.lane is not None
    assert crossed(scene, wire) == []
    scene.move({"n1": (280.0, 500.0)})
    assert wire.lane is None


def test_that_a_wall_without_a_gap_leaves_the_wire_straight():
    scene = Scene()
    scene.apply(CanvasView(nodes=row(2)))
    first, last = QPointF(180, 24), QPointF(840, 24)
    left, top, right, bottom = scene.nodes["n1"].sides()
    wall = (left - 100, top - 9000, right + 400, bottom + 9000)
    assert find_lane(first, last, [wall]) is None


def test_that_a_lone_node_moved_onto_a_wire_lights_it_up_and_goes_into_it(canvas, mouse, asked):
    mouse.drag((350, 184), ON_WIRE, release=False)
    assert canvas.look.opened == AB
    assert "a → b" in asked.of("hint")[-1][0]
    QTest.mouseRelease(canvas, LEFT, NO_KEYS, mouse.pixel(*ON_WIRE))
    ((node, x, y, wire),) = asked.of("move_into_requested")
    assert (node, wire) == ("c", AB)
    assert (x, y) == (canvas.scene.nodes["c"].x, canvas.scene.nodes["c"].y)
    assert canvas.look.opened is None
    assert not asked.of("nodes_moved")


def test_that_a_lone_node_that_moves_on_leaves_the_wire_as_it_was(canvas, mouse, asked):
    mouse.drag((350, 184), ON_WIRE, (350, 300), release=False)
    assert canvas.look.opened is None
    mouse.drag((350, 300), ON_WIRE, release=False)
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert canvas.look.opened is None
    assert not asked.of("move_into_requested")
    assert not asked.of("nodes_moved")


@pytest.mark.parametrize("case", ["wired", "several", "alt", "no output"])
def test_that_other_moves_over_a_wire_are_only_moves(canvas, chain, mouse, asked, case):
    modifiers = Qt.KeyboardModifier.AltModifier if case == "alt" else NO_KEYS
    wires, nodes = chain.wires, chain.nodes
    if case == "wired":
        wires += (WireView(source="c", source_port="output", target="d", target_port="first"),)
    if case == "no output":
        nodes = tuple(replace(node, outputs=()) if node.id == "c" else node for node in nodes)
    canvas.set_view(CanvasView(nodes=nodes, wires=wires))
    canvas.select(("c", "d") if case == "several" else ("c",))
    mouse.drag((350, 184), ON_WIRE, modifiers=modifiers)
    assert not asked.of("move_into_requested")
    assert len(asked.of("nodes_moved")) == 1


def test_that_a_node_over_a_wire_that_goes_away_is_only_moved(canvas, chain, mouse, asked):
    mouse.drag((350, 184), ON_WIRE, release=False)
    canvas.set_view(CanvasView(nodes=chain.nodes))
    assert canvas.look.opened is None
    QTest.mouseRelease(canvas, LEFT, NO_KEYS, mouse.pixel(*ON_WIRE))
    assert not asked.of("move_into_requested")
