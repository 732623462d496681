"""Frames and notes: drawn, moved with what is in them, resized, written, reached by keys."""

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit

from tests.widgets.canvas.conftest import Asked, Mouse
from widgets.canvas.items.box_item import resized
from widgets.canvas.picture_file import scene_picture
from widgets.canvas.view_model import BoxView, CanvasView
from widgets.common.palette import DARK, LIGHT, MARKS

ALT = Qt.KeyboardModifier.AltModifier
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier

FRAME = BoxView(id="frame.1", is_frame=True, text="Stem", x=240, y=-60, width=260, height=300)
NOTE = BoxView(id="note.1", is_frame=False, text="why?", x=-20, y=200, width=160, height=80)


@pytest.fixture
def canvas(make_canvas, chain):
    return make_canvas(CanvasView(nodes=chain.nodes, wires=chain.wires, boxes=(FRAME, NOTE)))


@pytest.fixture
def asked(canvas):
    asked = Asked(canvas)
    canvas.box_changed.connect(lambda *values: asked.note("box_changed", values))
    return asked


@pytest.fixture
def mouse(canvas):
    return Mouse(canvas)


@pytest.mark.row("P10")
def test_that_a_frame_moves_with_what_lies_in_it(canvas, mouse, asked):
    mouse.drag((400, -46), (440, -6))
    ((places,),) = asked.of("nodes_moved")
    assert set(places) == {"frame.1", "b", "c"}
    assert places["frame.1"] == (280.0, -20.0)
    assert places["b"] == (300.0, 40.0)


def test_that_alt_moves_the_frame_alone(canvas, mouse, asked):
    mouse.drag((400, -46), (440, -6), modifiers=ALT)
    ((places,),) = asked.of("nodes_moved")
    assert set(places) == {"frame.1"}


def test_that_inside_a_frame_is_the_void(canvas, mouse, asked, press):
    mouse.click(480, 120)
    assert canvas.selected_boxes() == ()
    mouse.drag((480, 120), (430, 180))
    assert canvas.selected_nodes() == ("c",)
    assert canvas.selected_boxes() == ()


def test_that_a_rubber_band_takes_whole_frames_and_touched_notes(canvas, mouse):
    mouse.drag((540, 260), (-40, -80))
    assert set(canvas.selected_boxes()) == {"frame.1", "note.1"}
    mouse.drag((180, 300), (120, 250))
    assert canvas.selected_boxes() == ("note.1",)
    mouse.drag((180, 300), (120, 250), modifiers=CTRL)
    assert canvas.selected_boxes() == ()


def test_that_a_corner_resizes_on_the_grid_and_escape_takes_it_back(canvas, mouse, asked, press):
    mouse.drag((500, 240), (553, 293))
    ((box, text, rect),) = asked.of("box_changed")
    assert (box, text, rect) == ("frame.1", "Stem", QRectF(240, -60, 320, 360))
    canvas.set_view(CanvasView(boxes=(FRAME,)))
    mouse.drag((500, 240), (553, 293), release=False)
    press(Qt.Key.Key_Escape)
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=mouse.pixel(553, 293))
    assert canvas.scene.boxes["frame.1"].rect() == QRectF(240, -60, 260, 300)
    assert len(asked.of("box_changed")) == 1


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ("l", QRectF(120, 0, 80, 100)),
        ("rb", QRectF(0, 0, 1200, 1100)),
        ("t", QRectF(0, 60, 200, 40)),
    ],
)
def test_that_a_box_stays_large_enough(edges, expected):
    assert resized(QRectF(0, 0, 200, 100), edges, 1000, 1000) == expected


def test_that_delete_and_copy_name_nodes_then_boxes(canvas, mouse, asked, press):
    mouse.click(300, 30)
    mouse.click(60, 240, modifiers=SHIFT)
    press(Qt.Key.Key_C, CTRL)
    press(Qt.Key.Key_Delete)
    assert asked.of("copy_requested") == [(("b", "note.1"),)]
    assert asked.of("delete_requested") == [(("b", "note.1"), ())]


def test_that_keys_go_through_boxes_move_and_write_them(canvas, asked, press):
    press(Qt.Key.Key_F)
    assert canvas.selected_boxes() == ("note.1",)
    press(Qt.Key.Key_F)
    assert canvas.selected_boxes() == ("frame.1",)
    assert "Stem" in canvas.accessibleDescription()
    press(Qt.Key.Key_Right, CTRL)
    ((places,),) = asked.of("nodes_moved")
    assert set(places) == {"frame.1", "b", "c"}
    press(Qt.Key.Key_F2)
    field = canvas.findChild(QLineEdit, "canvas.frame_title")
    assert field.isVisible()
    assert field.text() == "Stem"
    QTest.keyClicks(field, "Encoder")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert asked.of("box_changed")[0][:2] == ("frame.1", "Encoder")
    press(Qt.Key.Key_Escape)
    assert canvas.selected_boxes() == ()


def test_that_a_double_click_writes_a_note_that_grows_with_its_text(canvas, mouse, asked):
    pixel = mouse.pixel(60, 240)
    QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=pixel)
    field = canvas.findChild(QPlainTextEdit, "canvas.note")
    assert field.isVisible()
    QTest.keyClicks(field, "one two three four " * 20)
    QTest.keyClick(field, Qt.Key.Key_Return, CTRL)
    ((box, text, rect),) = asked.of("box_changed")
    assert box == "note.1"
    assert text.startswith("one two")
    assert rect.height() > 150
    assert not field.isVisible()
    QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=pixel)
    QTest.keyClicks(field, "other")
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert asked.of("box_changed")[-1][:2] == ("note.1", "other")
    assert not field.isVisible()


@pytest.mark.fault("S07")
def test_that_markup_in_a_note_is_drawn_as_letters(canvas):
    hostile = "<img src='file:///etc/passwd'><b>bold</b> %s{0.__class__}"
    note = BoxView(id="note.1", is_frame=False, text=hostile, width=700, height=120)
    canvas.set_view(CanvasView(boxes=(note,)))
    picture = scene_picture(canvas.scene, canvas.style_now(), "svg", "x").decode()
    assert "&lt;img" in picture
    assert "<image" not in picture
    assert "&lt;b>bold&lt;/b>" in picture.replace("&gt;", ">")


def test_that_bounds_picture_and_map_hold_the_boxes(canvas):
    assert canvas.scene.bounds().contains(QRectF(240, -60, 260, 300))
    before = canvas.grab().toImage()
    frame = BoxView(id="frame.1", is_frame=True, text="Stem", width=260, height=300, color="red")
    nodes = tuple(item.view for item in canvas.scene.nodes.values())
    canvas.set_view(CanvasView(nodes=nodes, boxes=(frame,)))
    assert canvas.grab().toImage() != before
    assert scene_picture(canvas.scene, canvas.style_now(), "png", "x")


@pytest.mark.parametrize("scale", [0.1, 0.5, 3.0])
def test_that_boxes_are_painted_at_every_zoom(canvas, scale):
    canvas.viewport.scale = scale
    canvas.select((), boxes=("frame.1", "note.1"))
    assert not canvas.grab().toImage().isNull()


def test_that_a_box_that_is_gone_is_not_written_any_more(canvas, mouse, asked):
    canvas.begin_writing("note.1")
    canvas.set_view(CanvasView())
    assert not canvas.findChild(QPlainTextEdit, "canvas.note").isVisible()
    assert asked.of("box_changed") == []
    assert canvas.selected_boxes() == ()


def test_that_both_themes_have_a_colour_for_each_mark():
    for theme in (LIGHT, DARK):
        assert len({theme.mark(name) for name in MARKS}) == len(MARKS)
        assert theme.mark("url(x)") == ""


def test_that_a_collapsed_node_is_low_and_has_its_ports_in_one_place(make_canvas):
    from tests.widgets.canvas.conftest import node

    views = (
        node("a", 0, 0, inputs=("first", "second"), is_collapsed=True, color="blue"),
        node("b", 0, 100, inputs=("first", "second")),
    )
    canvas = make_canvas(CanvasView(nodes=views))
    low, high = canvas.scene.nodes["a"], canvas.scene.nodes["b"]
    assert low.height < high.height / 2
    assert len({low.port_point(port, is_output=False).y() for port in ("first", "second")}) == 1
    assert not canvas.grab().toImage().isNull()


def test_that_nodes_with_the_same_weights_are_tied_while_one_is_selected(make_canvas, chain):
    canvas = make_canvas(CanvasView(nodes=chain.nodes, ties=(("b", "d"),)))
    canvas.select(("c",))
    area = canvas.viewport.pixel_rect(QRectF(445, -30, 60, 80))
    other = canvas.grab(area).toImage()
    canvas.select(("d",))
    assert canvas.grab(area).toImage() != other
