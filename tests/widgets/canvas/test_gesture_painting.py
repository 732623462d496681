"""What is seen while something is in the hand, and hovering."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QInputDevice, QPointingDevice, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from widgets.canvas.hit import Hit
from widgets.canvas.painting.note import note_rect
from widgets.canvas.tooltip import tooltip_at
from widgets.canvas.view_model import CanvasView, WireEnd

LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier


def leave(canvas):
    QApplication.sendEvent(canvas, QEvent(QEvent.Type.Leave))


def picture(canvas, part=None):
    image = canvas.grab(part or canvas.rect()).toImage()  # must live as long as its bytes are read
    return bytes(image.constBits())


def test_that_a_wire_in_the_hand_is_seen_and_gone_after_escape(canvas, mouse, press):
    before = picture(canvas)
    mouse.drag((440, 24), (505, 145), release=False)
    lands = picture(canvas)
    mouse.move(mouse.pixel(480, 320), LEFT, NONE)
    free = picture(canvas)
    press(Qt.Key.Key_Escape)
    leave(canvas)
    canvas.select(())
    assert len({before, lands, free}) == 3
    assert picture(canvas) == before


def test_that_the_reason_is_written_beside_the_mouse_inside_the_canvas(canvas, mouse):
    canvas.set_link_rule(lambda _source, _target: "Because. " * 12)
    mouse.drag((440, 24), (520, 118), release=False)
    with_reason = picture(canvas)
    reason = "Because. " * 12
    for pixel in (QPointF(890, 590), QPointF(3, 590), QPointF(300, 20)):
        note = note_rect(pixel, reason, canvas.style_now(), QRectF(canvas.rect()))
        assert canvas.rect().contains(note.toAlignedRect())
    canvas.set_link_rule(lambda _source, _target: "Else. " * 12)
    mouse.move(mouse.pixel(520, 118), LEFT, NONE)
    assert picture(canvas) != with_reason


def test_that_rubber_band_guides_and_keyboard_wires_are_seen(canvas, mouse, press):
    seen = {picture(canvas)}
    mouse.drag((-15, 250), (100, 300), release=False)
    seen.add(picture(canvas))
    press(Qt.Key.Key_Escape)
    between = canvas.viewport.pixel_rect(
        QRectF(
            canvas.scene.nodes["b"].rect().bottomLeft(), canvas.scene.nodes["c"].rect().topRight()
        )
    ).adjusted(-4, 8, 4, -8)
    before = picture(canvas, between)
    mouse.drag((300, 190), (300, 250), release=False)
    assert picture(canvas, between) != before  # lines from the one to the other
    seen.add(picture(canvas))
    press(Qt.Key.Key_Escape)
    canvas.select(("b",))
    seen.add(picture(canvas))
    press(Qt.Key.Key_C)
    seen.add(picture(canvas))
    assert len(seen) == 5


def test_that_a_pan_can_be_taken_back(canvas, mouse, press):
    x, y = canvas.viewport.x, canvas.viewport.y
    mouse.drag((300, 320), (400, 380), button=Qt.MouseButton.MiddleButton, release=False)
    assert (canvas.viewport.x, canvas.viewport.y) != (x, y)
    press(Qt.Key.Key_Escape)
    assert (canvas.viewport.x, canvas.viewport.y) == (x, y)


def test_that_the_right_button_lets_go_of_what_is_in_the_hand(canvas, mouse, asked):
    mouse.drag((300, 190), (400, 300), release=False)
    QTest.mousePress(canvas, Qt.MouseButton.RightButton, pos=mouse.pixel(400, 300))
    assert canvas.overlay is None
    assert canvas.scene.nodes["c"].y == 160
    assert not asked.of("nodes_moved")
    for button in (Qt.MouseButton.RightButton, Qt.MouseButton.LeftButton):  # not for other tests
        QTest.mouseRelease(canvas, button, pos=mouse.pixel(400, 300))


@pytest.mark.parametrize(
    ("place", "cursor"),
    [
        ((440, 24), Qt.CursorShape.CrossCursor),
        ((220, 24), Qt.CursorShape.PointingHandCursor),
        ((350, 30), Qt.CursorShape.ArrowCursor),
    ],
)
def test_that_hovering_lights_up_what_is_under_the_mouse(canvas, mouse, place, cursor):
    before = picture(canvas)
    mouse.move(mouse.pixel(*place), Qt.MouseButton.NoButton, NONE)
    assert canvas.cursor().shape() == cursor
    assert picture(canvas) != before
    leave(canvas)
    assert picture(canvas) == before


def test_that_a_view_during_keyboard_wiring_keeps_the_target(canvas, chain, press):
    canvas.select(("b",))
    press(Qt.Key.Key_C)
    press(Qt.Key.Key_Down)
    target = canvas.look.target
    nodes = tuple(replace(node, badge="1") for node in chain.nodes)
    canvas.set_view(CanvasView(nodes=nodes, wires=chain.wires))
    assert canvas.look.target == target
    canvas.set_view(CanvasView())
    assert canvas.overlay is None


def test_that_a_port_that_fits_nowhere_says_so(canvas, asked, press):
    canvas.set_link_rule(lambda _source, _target: "no")
    canvas.select(("b",))
    press(Qt.Key.Key_C)
    assert "cannot be connected" in asked.of("hint")[-1][0]
    press(Qt.Key.Key_Return)
    assert not asked.of("link_requested")


def test_that_keys_without_a_selection_say_what_they_need(canvas, asked, press):
    for key in (Qt.Key.Key_C, Qt.Key.Key_W, Qt.Key.Key_F2):
        press(key)
        assert "Select" in asked.of("hint")[-1][0]


def test_that_the_first_arrow_selects_the_node_in_the_middle(canvas, press):
    press(Qt.Key.Key_Down)
    assert len(canvas.selected_nodes()) == 1
    canvas.select((), (("a", "output", "b", "input"),))
    press(Qt.Key.Key_Left)
    assert canvas.selected_nodes() == ("a",)


def test_that_two_fingers_pan_and_with_ctrl_zoom(canvas):
    device = QPointingDevice(
        "pad",
        7,
        QInputDevice.DeviceType.TouchPad,
        QPointingDevice.PointerType.Finger,
        QInputDevice.Capability.Position,
        2,
        0,
    )
    place = QPointF(100, 100)
    x, y = canvas.viewport.x, canvas.viewport.y
    for modifiers in (NONE, Qt.KeyboardModifier.ControlModifier):
        event = QWheelEvent(
            place,
            canvas.mapToGlobal(place),
            QPoint(6, -10),
            QPoint(24, -40),
            Qt.MouseButton.NoButton,
            modifiers,
            Qt.ScrollPhase.ScrollUpdate,
            False,  # noqa: FBT003 - positional only
            Qt.MouseEventSource.MouseEventNotSynthesized,
            device,
        )
        QApplication.sendEvent(canvas, event)
        if modifiers == NONE:
            assert (canvas.viewport.x, canvas.viewport.y) == (x + 6, y - 10)
            assert canvas.viewport.scale == 1.0
    assert canvas.viewport.scale < 1.0


def test_that_a_wire_tells_shape_and_type_and_the_void_nothing(canvas, chain):
    nodes = chain.nodes
    wires = (replace(chain.wires[0], detail="float32"),)
    canvas.set_view(CanvasView(nodes=nodes, wires=wires))
    text = tooltip_at(canvas.scene, Hit(wire=wires[0].key))
    assert "N×8" in text
    assert "float32" in text
    assert tooltip_at(canvas.scene, Hit()) == ""
    assert "Drag to connect" in tooltip_at(
        canvas.scene, Hit(port=WireEnd(node="a", port="output", is_output=True))
    )


def test_that_centring_on_a_node_brings_it_to_the_middle_in_a_readable_size(canvas):
    canvas.viewport.zoom(0.1, QPointF(0, 0))
    canvas.center_on("d")
    center = canvas.viewport.to_pixel(canvas.scene.nodes["d"].rect().center())
    assert (center - QPointF(canvas.rect().center())).manhattanLength() < 4
    assert canvas.viewport.scale == 1.0
    canvas.center_on("nobody")


def test_that_a_long_wire_is_found_wherever_it_is_looked_for(canvas, chain):
    far = replace(chain.nodes[1], x=30_000.0, y=20_000.0)
    canvas.set_view(CanvasView(nodes=(chain.nodes[0], far), wires=chain.wires))
    wire = canvas.scene.wires["a", "output", "b", "input"]
    assert wire in canvas.scene.wires_in(canvas.viewport.scene_rect(canvas.rect()))
    canvas.set_view(CanvasView(nodes=(chain.nodes[0],)))
    assert not canvas.scene.wires_in(canvas.viewport.scene_rect(canvas.rect()))
