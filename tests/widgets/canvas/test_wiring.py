"""Wires by mouse and by keyboard."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.widgets.canvas.conftest import wire
from widgets.canvas.search_popup import SearchPopup
from widgets.canvas.view_model import CanvasView, WireEnd

B_OUT = (440, 24)
C_IN = (260, 184)
D_FIRST = (520, 118)


def test_that_a_drag_from_an_output_to_an_input_asks_for_a_wire(mouse, asked):
    mouse.drag(B_OUT, D_FIRST)
    assert asked.of("link_requested") == [("b", "output", "d", "first")]


def test_that_a_drag_from_an_input_to_an_output_asks_for_the_same_wire(mouse, asked):
    mouse.drag(D_FIRST, B_OUT)
    assert asked.of("link_requested") == [("b", "output", "d", "first")]


def test_that_a_wire_snaps_to_the_nearest_port_where_it_may_land(canvas, mouse, asked):
    mouse.drag(B_OUT, (505, 145), release=False)
    assert canvas.look.target == WireEnd(node="d", port="second", is_output=False)
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=mouse.pixel(505, 145))
    assert asked.of("link_requested") == [("b", "output", "d", "second")]


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_that_nothing_glows_once_a_wire_is_laid_and_shown(canvas, mouse, chain, press, by):
    shown = replace(chain, wires=(*chain.wires, wire("b", "d", port="first")))
    canvas.link_requested.connect(lambda *_wire: canvas.set_view(shown))
    if by == "mouse":
        mouse.drag(B_OUT, D_FIRST)
    else:
        canvas.select(("b",))
        press(Qt.Key.Key_C)
        press(Qt.Key.Key_Return)
    assert len(canvas.scene.wires) == 2
    assert (canvas.look.lands, canvas.look.anchor, canvas.look.target) == (None, None, None)


def test_that_a_wire_over_a_card_snaps_to_a_port_of_that_card(mouse, asked):
    mouse.drag(B_OUT, (600, 84))
    assert asked.of("link_requested") == [("b", "output", "d", "first")]


def test_that_a_refused_wire_is_not_asked_for_and_the_reason_is_told(canvas, mouse, asked):
    canvas.set_link_rule(lambda source, target: f"{source.node} must not feed {target.node}")
    mouse.drag(B_OUT, D_FIRST)
    assert not asked.of("link_requested")
    assert asked.of("hint")[-1] == ("b must not feed d",)
    assert not canvas.findChild(SearchPopup).isVisible()


def test_that_the_rule_is_given_the_output_first_whichever_end_is_in_the_hand(canvas, mouse):
    seen = []
    canvas.set_link_rule(lambda source, target: seen.append((source, target)))
    mouse.drag(D_FIRST, B_OUT)
    assert all(source.is_output and not target.is_output for source, target in seen)
    assert seen


def test_that_an_unplugged_end_can_be_plugged_elsewhere(mouse, asked):
    mouse.drag((260, 24), C_IN)
    before, after = ("a", "output", "b", "input"), ("a", "output", "c", "input")
    assert asked.of("relink_requested") == [(before, after)]


def test_that_a_wire_can_be_taken_by_its_line_near_either_end(mouse, asked):
    mouse.drag((196, 24), B_OUT)
    before, after = ("a", "output", "b", "input"), ("b", "output", "b", "input")
    assert not asked.of("relink_requested")  # a node cannot feed itself
    mouse.drag((196, 24), (440, 184))
    after = ("c", "output", "b", "input")
    assert asked.of("relink_requested") == [(before, after)]


def test_that_an_unplugged_wire_let_go_over_the_void_is_taken_away(canvas, mouse, asked):
    mouse.drag((260, 24), (100, 300))
    assert asked.of("disconnect_requested") == [((("a", "output", "b", "input"),),)]
    assert not canvas.findChild(SearchPopup).isVisible()


def test_that_a_wire_put_back_where_it_was_asks_for_nothing(mouse, asked):
    mouse.drag((260, 24), (300, 120), (260, 24))
    assert not asked.of("relink_requested")
    assert not asked.of("disconnect_requested")


def test_that_escape_lets_go_of_the_wire(canvas, mouse, asked, press):
    mouse.drag(B_OUT, D_FIRST, release=False)
    press(Qt.Key.Key_Escape)
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=mouse.pixel(*D_FIRST))
    assert not asked.of("link_requested")
    assert canvas.look.lands is None


def test_that_a_wire_in_the_void_opens_a_search_for_what_fits(canvas, mouse, asked):
    mouse.drag(B_OUT, (480, 320))
    assert canvas.findChild(SearchPopup).isVisible()
    entries = canvas.findChild(SearchPopup).list.model()
    assert entries.rowCount() == 3  # all but Input, which takes nothing
    QTest.keyClicks(canvas.findChild(SearchPopup).field, "relu")
    QTest.keyClick(canvas.findChild(SearchPopup).field, Qt.Key.Key_Return)
    ((key, x, y, end),) = asked.of("node_add_requested")
    assert key == "ReLU"
    assert end == WireEnd(node="b", port="output", is_output=True)
    assert (x, y) == (480, 300)


def test_that_a_wire_ends_when_its_node_is_taken_away_meanwhile(canvas, mouse, chain, asked):
    mouse.drag(B_OUT, (480, 300), release=False)
    canvas.set_view(CanvasView(nodes=(chain.nodes[0],)))
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=mouse.pixel(480, 300))
    assert canvas.look.anchor is None
    assert not asked.of("link_requested")


def test_that_c_arrows_and_enter_lay_a_wire(canvas, asked, press):
    canvas.select(("b",))
    press(Qt.Key.Key_C)
    assert canvas.look.target == WireEnd(node="d", port="first", is_output=False)
    press(Qt.Key.Key_Down)
    press(Qt.Key.Key_Return)
    assert asked.of("link_requested") == [("b", "output", "d", "second")]
    assert canvas.look.target is None


def test_that_an_input_that_has_a_wire_is_offered_after_all_free_ones(canvas, chain, press):
    canvas.set_view(replace(chain, wires=(wire("a", "b"), wire("b", "d", port="first"))))
    canvas.select(("a",))
    offered = []
    press(Qt.Key.Key_C)
    for _ in range(4):
        offered.append(canvas.look.target.node + "." + canvas.look.target.port)
        press(Qt.Key.Key_Down)
    assert offered == ["c.input", "d.second", "b.input", "d.first"]


def test_that_the_hint_names_both_ends_and_the_keys(canvas, asked, press):
    canvas.select(("b",))
    press(Qt.Key.Key_C)
    assert "b.output" in asked.of("hint")[-1][0]
    assert "d.first" in asked.of("hint")[-1][0]
    assert "Enter" in asked.of("hint")[-1][0]


def test_that_the_other_ports_of_a_node_are_reached_with_left_and_right(canvas, asked, press):
    canvas.select(("b",))
    press(Qt.Key.Key_C)
    press(Qt.Key.Key_Right)
    assert canvas.look.anchor == WireEnd(node="b", port="input", is_output=False)
    press(Qt.Key.Key_Return)
    ((source, *_, target, _port),) = asked.of("link_requested")
    assert target == "b"
    assert source in ("a", "c", "d")


@pytest.mark.parametrize("way", [Qt.Key.Key_Escape, None])
def test_that_keyboard_wiring_is_left_by_escape_or_a_click(canvas, mouse, asked, press, way):
    canvas.select(("b",))
    press(Qt.Key.Key_C)
    if way is None:
        mouse.click(700, 400)
    else:
        press(way)
    assert canvas.overlay is None
    assert canvas.look.anchor is None
    assert not asked.of("link_requested")


def test_that_w_goes_through_wires_and_delete_takes_one_away(canvas, asked, press):
    canvas.select(("b",))
    press(Qt.Key.Key_W)
    assert canvas.selected_wires() == (("a", "output", "b", "input"),)
    press(Qt.Key.Key_Delete)
    assert asked.of("delete_requested") == [((), (("a", "output", "b", "input"),))]
