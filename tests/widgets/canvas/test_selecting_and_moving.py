"""Clicks, rubber band, moving, and the keys that do the same."""

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from widgets.canvas.hit import Hit
from widgets.canvas.rename_editor import RenameEditor
from widgets.canvas.tooltip import tooltip_at
from widgets.canvas.view_model import CanvasView

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier


def test_that_a_click_selects_and_a_click_on_the_void_does_not(canvas, mouse, asked):
    mouse.click(300, 30)
    assert canvas.selected_nodes() == ("b",)
    mouse.click(300, 320)
    assert canvas.selected_nodes() == ()
    assert asked.of("selection_changed") == [(("b",),), ((),)]


def test_that_shift_and_ctrl_add_and_take_away(canvas, mouse):
    mouse.click(300, 30)
    mouse.click(300, 190, SHIFT)
    mouse.click(600, 80, CTRL)
    assert canvas.selected_nodes() == ("b", "c", "d")
    mouse.click(300, 190, CTRL)
    assert canvas.selected_nodes() == ("b", "d")


def test_that_a_click_on_one_of_several_selects_only_it(canvas, mouse):
    canvas.select(("b", "c"))
    mouse.click(300, 190)
    assert canvas.selected_nodes() == ("c",)


def test_that_a_click_on_a_wire_selects_it_and_delete_asks(canvas, mouse, asked, press):
    mouse.click(220, 24)
    key = ("a", "output", "b", "input")
    assert canvas.selected_wires() == (key,)
    press(Qt.Key.Key_Delete)
    assert asked.of("delete_requested") == [((), (key,))]


def test_that_a_rubber_band_selects_nodes_and_the_wires_between(canvas, mouse):
    mouse.drag((-15, -30), (300, 60))
    assert set(canvas.selected_nodes()) == {"a", "b"}
    assert canvas.selected_wires() == (("a", "output", "b", "input"),)


def test_that_a_rubber_band_with_shift_adds_and_with_ctrl_toggles(canvas, mouse):
    canvas.select(("a",))
    mouse.drag((240, 240), (300, 150), modifiers=SHIFT)
    assert set(canvas.selected_nodes()) == {"a", "c"}
    mouse.drag((240, 240), (300, 150), modifiers=CTRL)
    assert set(canvas.selected_nodes()) == {"a"}
    mouse.drag((240, 240), (300, 150), modifiers=CTRL)
    assert set(canvas.selected_nodes()) == {"a", "c"}


def test_that_escape_takes_a_rubber_band_back(canvas, mouse, press):
    canvas.select(("d",))
    mouse.drag((-15, -30), (300, 60), release=False)
    press(Qt.Key.Key_Escape)
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=mouse.pixel(300, 60))
    assert canvas.selected_nodes() == ("d",)


def test_that_nodes_move_together_and_snap_to_the_grid(canvas, mouse, asked):
    canvas.select(("b", "c"))
    mouse.drag((300, 190), (333, 355))
    ((places,),) = asked.of("nodes_moved")
    assert set(places) == {"b", "c"}
    assert places["c"] == (300.0, 320.0)
    assert places["b"] == (300.0, 160.0)


def test_that_alt_moves_without_snapping(mouse, asked):
    mouse.drag((300, 190), (333, 355), modifiers=ALT)
    assert asked.of("nodes_moved") == [({"c": (293.0, 325.0)},)]


def test_that_a_node_snaps_to_the_edge_of_another(canvas, mouse, asked):
    canvas.set_snap(on=False)
    mouse.drag((300, 190), (563, 330))  # c's left edge comes to 523, d's is at 520
    ((places,),) = asked.of("nodes_moved")
    assert places["c"][0] == 520.0


def test_that_the_wires_follow_a_moved_node(canvas, mouse):
    wire = canvas.scene.wires["a", "output", "b", "input"]
    mouse.drag((300, 30), (300, 130), modifiers=ALT, release=False)
    assert wire.end.y() == 124.0


def test_that_escape_puts_moved_nodes_back(canvas, mouse, asked, press):
    mouse.drag((300, 190), (400, 300), release=False)
    press(Qt.Key.Key_Escape)
    assert (canvas.scene.nodes["c"].x, canvas.scene.nodes["c"].y) == (260, 160)
    assert not asked.of("nodes_moved")


def test_that_a_view_that_comes_during_a_drag_does_not_let_go_of_the_node(
    canvas, mouse, chain, asked
):
    mouse.drag((300, 190), (300, 290), modifiers=ALT, release=False)
    nodes = tuple(replace(node, badge="12") for node in chain.nodes)
    canvas.set_view(CanvasView(nodes=nodes, wires=chain.wires))
    assert canvas.scene.nodes["c"].y == 260
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, ALT, mouse.pixel(300, 290))
    assert asked.of("nodes_moved") == [({"c": (260.0, 260.0)},)]


def test_that_arrows_walk_between_nodes(canvas, press):
    canvas.select(("a",))
    for key, expected in (
        (Qt.Key.Key_Right, "b"),
        (Qt.Key.Key_Down, "c"),
        (Qt.Key.Key_Right, "d"),
        (Qt.Key.Key_Left, "c"),
    ):
        press(key)
        assert canvas.selected_nodes() == (expected,)


def test_that_shift_and_arrows_keep_what_was_selected(canvas, press):
    canvas.select(("a",))
    press(Qt.Key.Key_Right, SHIFT)
    assert canvas.selected_nodes() == ("a", "b")


def test_that_ctrl_and_arrows_nudge_the_nodes(canvas, asked, press):
    canvas.select(("b",))
    press(Qt.Key.Key_Right, CTRL)
    press(Qt.Key.Key_Up, CTRL | SHIFT)
    assert asked.of("nodes_moved") == [({"b": (280.0, 0.0)},), ({"b": (280.0, -1.0)},)]


def test_that_the_standard_keys_ask_for_what_they_mean(canvas, asked, press):
    canvas.select(("b",))
    for key in (Qt.Key.Key_C, Qt.Key.Key_X, Qt.Key.Key_D, Qt.Key.Key_V, Qt.Key.Key_L):
        press(key, CTRL)
    press(Qt.Key.Key_Return)
    press(Qt.Key.Key_Delete)
    for name in ("copy_requested", "cut_requested", "duplicate_requested"):
        assert asked.of(name) == [(("b",),)]
    assert len(asked.of("paste_requested")) == len(asked.of("arrange_requested")) == 1
    assert asked.of("node_activated") == [("b",)]
    assert asked.of("delete_requested") == [(("b",), ())]
    press(Qt.Key.Key_A, CTRL)
    assert set(canvas.selected_nodes()) == {"a", "b", "c", "d"}
    press(Qt.Key.Key_Escape)
    assert canvas.selected_nodes() == ()


def test_that_f2_renames_in_place(canvas, asked, press):
    canvas.select(("b",))
    press(Qt.Key.Key_F2)
    assert canvas.findChild(RenameEditor, "canvas.rename").text() == "b"
    QTest.keyClicks(canvas.findChild(RenameEditor, "canvas.rename"), "hidden")
    QTest.keyClick(canvas.findChild(RenameEditor, "canvas.rename"), Qt.Key.Key_Return)
    assert asked.of("rename_requested") == [("b", "hidden")]
    assert canvas.hasFocus()


def test_that_escape_leaves_the_old_name(canvas, asked, press):
    canvas.select(("b",))
    press(Qt.Key.Key_F2)
    QTest.keyClicks(canvas.findChild(RenameEditor, "canvas.rename"), "other")
    QTest.keyClick(canvas.findChild(RenameEditor, "canvas.rename"), Qt.Key.Key_Escape)
    assert not asked.of("rename_requested")


def test_that_a_double_click_renames_on_the_title_and_activates_elsewhere(canvas, mouse, asked):
    QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=mouse.pixel(330, 17))
    assert canvas.findChild(RenameEditor, "canvas.rename").isVisible()
    canvas.findChild(RenameEditor, "canvas.rename").finish(keep=False)
    QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=mouse.pixel(285, 38))
    assert asked.of("node_activated") == [("b",)]


def test_that_the_selection_is_told_to_assistive_technology(canvas):
    canvas.select(("b",))
    assert "b (Linear)" in canvas.accessibleDescription()
    assert "Nodes: 4" in canvas.accessibleDescription()
    canvas.select((), (("a", "output", "b", "input"),))
    assert "a → b" in canvas.accessibleDescription()


def test_that_a_pinned_node_shows_it_and_says_so(canvas, chain, mouse, press, asked):
    before = canvas.grab().toImage()
    nodes = tuple(replace(node, is_pinned=node.id == "c") for node in chain.nodes)
    canvas.set_view(CanvasView(nodes=nodes, wires=chain.wires))
    after = canvas.grab().toImage()
    pin = mouse.pixel(263, 163)
    assert any(
        before.pixel(pin.x() + d, pin.y()) != after.pixel(pin.x() + d, pin.y()) for d in (0, 6)
    )
    assert "Pinned" in tooltip_at(canvas.scene, Hit(node="c"))
    assert "Pinned" not in tooltip_at(canvas.scene, Hit(node="b"))
    mouse.click(350, 184)
    assert "Pinned: c." in canvas.accessibleDescription()
    press(Qt.Key.Key_P)
    assert asked.of("pin_requested") == [()]
