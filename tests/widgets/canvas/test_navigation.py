"""Looking around: wheel, pan, fit, map, buttons."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton

from widgets.canvas.items.lane import STUB
from widgets.canvas.minimap import Minimap
from widgets.canvas.view_model import CanvasView, NodeView
from widgets.canvas.viewport import LARGEST, SMALLEST

MIDDLE = Qt.MouseButton.MiddleButton
LEFT = Qt.MouseButton.LeftButton


def turn(canvas, pixel, units, modifiers=Qt.KeyboardModifier.NoModifier):
    place = QPointF(pixel)
    event = QWheelEvent(
        place,
        canvas.mapToGlobal(place),
        QPoint(),
        QPoint(0, units),
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,  # noqa: FBT003 - positional only
    )
    QApplication.sendEvent(canvas, event)


@pytest.mark.parametrize("units", [120, -120, 15])
def test_that_the_wheel_zooms_and_the_place_under_the_mouse_stays(canvas, units):
    pixel = QPointF(333, 222)
    before = canvas.viewport.to_scene(pixel)
    turn(canvas, pixel, units)
    after = canvas.viewport.to_scene(pixel)
    assert (canvas.viewport.scale > 1.0) == (units > 0)
    assert (after - before).manhattanLength() <= 1.0 / canvas.viewport.scale + 0.1


def test_that_zoom_has_ends(canvas):
    for _ in range(100):
        turn(canvas, QPointF(10, 10), 240)
    assert canvas.viewport.scale == LARGEST
    for _ in range(100):
        turn(canvas, QPointF(10, 10), -240)
    assert canvas.viewport.scale == SMALLEST


def test_that_shift_and_wheel_pans_sideways(canvas):
    x, y = canvas.viewport.x, canvas.viewport.y
    turn(canvas, QPointF(10, 10), -120, Qt.KeyboardModifier.ShiftModifier)
    assert (canvas.viewport.x, canvas.viewport.y) == (x - 60, y)


def test_that_the_middle_button_pans(canvas, mouse, asked):
    x, y = canvas.viewport.x, canvas.viewport.y
    mouse.drag((300, 30), (340, 90), button=MIDDLE)
    assert (canvas.viewport.x, canvas.viewport.y) == (x + 40, y + 60)
    assert canvas.selected_nodes() == ()
    assert not asked.of("nodes_moved")


def test_that_the_space_bar_and_the_left_button_pan(canvas, mouse):
    x, y = canvas.viewport.x, canvas.viewport.y
    QTest.keyPress(canvas, Qt.Key.Key_Space)
    mouse.drag((300, 30), (340, 90))
    QTest.keyRelease(canvas, Qt.Key.Key_Space)
    assert (canvas.viewport.x, canvas.viewport.y) == (x + 40, y + 60)
    mouse.drag((300, 30), (340, 90), release=False)
    assert canvas.scene.nodes["b"].y != 0


def test_that_ctrl_0_shows_everything(canvas, press):
    canvas.viewport.pan(-3000, 900)
    press(Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    seen = canvas.viewport.scene_rect(canvas.rect())
    assert all(seen.contains(item.rect()) for item in canvas.scene.nodes.values())


def test_that_z_shows_the_selection_and_1_the_full_size(canvas, press):
    canvas.select(("c",))
    press(Qt.Key.Key_Z)
    center = canvas.viewport.to_pixel(canvas.scene.nodes["c"].rect().center())
    assert (center - QPointF(450, 283)).manhattanLength() < 3  # above the buttons
    assert canvas.viewport.scale == 1.5
    press(Qt.Key.Key_1)
    assert canvas.viewport.scale == 1.0


def test_that_walking_to_a_node_out_of_sight_brings_it_into_sight(canvas, press):
    canvas.select(("b",))
    canvas.viewport.x = -50
    press(Qt.Key.Key_Left)
    seen = canvas.viewport.scene_rect(canvas.rect())
    assert seen.contains(canvas.scene.nodes["a"].rect())


def test_that_a_fit_before_the_first_show_is_made_up_for(make_canvas, chain, qtbot):
    canvas = make_canvas(CanvasView())
    canvas.hide()
    canvas.set_view(chain)
    canvas.viewport.pan(-5000, 0)
    canvas.fit()
    with qtbot.waitExposed(canvas):
        canvas.show()
    assert canvas.viewport.scene_rect(canvas.rect()).contains(canvas.scene.nodes["a"].rect())


def test_that_a_drag_on_the_map_moves_what_is_seen(canvas):
    canvas.viewport.pan(-4000, 0)
    minimap = canvas.findChild(Minimap)
    target = minimap.map_rect(canvas.scene.nodes["c"].rect()).center().toPoint()
    QTest.mousePress(minimap, LEFT, pos=target - QPoint(20, 10))
    QTest.mouseMove(minimap, target)
    QTest.mouseRelease(minimap, LEFT, pos=target)
    QTest.mouseClick(minimap, LEFT, pos=target)
    middle = canvas.viewport.to_scene(QPointF(canvas.rect().center()))
    assert (middle - canvas.scene.nodes["c"].rect().center()).manhattanLength() < 30


def test_that_the_map_is_there_only_when_something_is_out_of_sight(canvas):
    canvas.fit()
    assert not canvas.findChild(Minimap).isVisible()
    canvas.viewport.pan(-600, 0)
    canvas.navigated()
    assert canvas.findChild(Minimap).isVisible()


def test_that_a_fitted_graph_stays_fitted_while_the_canvas_changes_its_size(canvas, qtbot):
    canvas.fit()
    canvas.resize(500, 400)
    seen = canvas.viewport.scene_rect(canvas.rect())
    assert all(seen.contains(item.rect()) for item in canvas.scene.nodes.values())
    canvas.viewport.pan(30, 0)
    before = canvas.viewport.x
    canvas.resize(800, 600)
    assert canvas.viewport.x == before


def test_that_a_readable_fit_begins_at_the_inputs_of_a_graph_too_long(make_canvas):
    row = tuple(NodeView(id=f"n{i}", title=f"n{i}", x=280.0 * i) for i in range(12))
    canvas = make_canvas(CanvasView(nodes=row))
    canvas.fit_readably()
    assert canvas.viewport.scale == 0.7
    seen = canvas.viewport.scene_rect(canvas.rect())
    assert seen.contains(canvas.scene.nodes["n0"].rect())
    assert not seen.contains(canvas.scene.nodes["n11"].rect())


def test_that_the_map_can_be_hidden_by_key_and_button(canvas, press, asked):
    canvas.zoom_in()
    canvas.zoom_in()
    canvas.zoom_in()
    assert canvas.findChild(Minimap).isVisible()
    press(Qt.Key.Key_M)
    assert not canvas.findChild(Minimap).isVisible()
    QTest.mouseClick(canvas.findChild(QToolButton, "canvas.minimap_shown"), LEFT)
    assert canvas.findChild(Minimap).isVisible()


def test_that_g_switches_snapping(canvas, press, mouse, asked):
    press(Qt.Key.Key_G)
    assert not canvas.is_snapping
    mouse.drag((300, 190), (341, 391))
    assert asked.of("nodes_moved") == [({"c": (301.0, 361.0)},)]


@pytest.mark.parametrize(
    ("name", "is_larger"), [("zoom_in", True), ("zoom_out", False)], ids=["in", "out"]
)
def test_that_the_buttons_zoom(canvas, name, is_larger):
    QTest.mouseClick(canvas.findChild(QToolButton, f"canvas.{name}"), LEFT)
    assert (canvas.viewport.scale > 1.0) == is_larger
    QTest.mouseClick(canvas.findChild(QToolButton, "canvas.zoom_reset"), LEFT)
    assert canvas.viewport.scale == 1.0


def test_that_every_button_has_a_name_for_assistive_technology(canvas):
    buttons = canvas.findChildren(QToolButton)
    assert all(button.accessibleName() and button.objectName() for button in buttons)
    assert len(buttons) >= 7


def test_that_zoom_and_place_are_kept_over_a_restart(canvas, make_canvas, chain):
    canvas.restore_view_state({"recent": ["ReLU"], "counts": {"ReLU": 3}})
    canvas.zoom_in()
    other = make_canvas(chain)
    other.restore_view_state(canvas.view_state())
    assert other.view_state() == canvas.view_state()
    assert other.view_state()["recent"] == ["ReLU"]


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"scale": "large", "x": None, "y": []},
        {"scale": float("nan"), "x": 1e400, "y": 0},
        {"scale": 1e9, "x": -1e300, "y": 0},
        {"recent": [1, None], "counts": {"a": "b"}},
        {"scale": True, "x": 1, "y": 2, "recent": {"a": 1}, "counts": [1]},
    ],
    ids=range(6),
)
def test_that_a_damaged_view_state_is_ignored(canvas, state):
    canvas.restore_view_state(state)
    assert 0.05 <= canvas.viewport.scale <= 3.0
    assert abs(canvas.viewport.x) < 1e7
    canvas.repaint()


def test_that_a_wire_that_has_found_its_port_stays_also_at_the_edge(canvas, mouse, qtbot):
    canvas.viewport.x = -240.0  # the input of b lies 20 pixels from the edge
    canvas.navigated()
    mouse.drag((700, 94), (300, 24), release=False)
    x = canvas.viewport.x
    mouse.move(mouse.pixel(260, 24), LEFT, Qt.KeyboardModifier.NoModifier)
    assert canvas.look.target is not None
    qtbot.wait(100)  # it would have moved several times
    QTest.mouseRelease(canvas, LEFT, pos=mouse.pixel(260, 24))
    assert canvas.viewport.x == x


def test_that_a_drag_at_the_edge_looks_further(canvas, mouse, qtbot):
    x = canvas.viewport.x
    mouse.drag((300, 190), (300, 250), release=False)
    edge = canvas.viewport.to_scene(QPointF(canvas.width() - 4, 300))
    mouse.move(mouse.pixel(edge.x(), edge.y()), LEFT, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: canvas.viewport.x < x - 20)
    QTest.mouseRelease(canvas, LEFT, pos=QPoint(400, 300))
    x = canvas.viewport.x
    qtbot.wait(100)
    assert canvas.viewport.x == x


def test_that_a_wire_that_runs_back_is_seen_whole_in_a_fit(make_canvas):
    nodes = (NodeView(id="a", title="a", x=600.0), NodeView(id="b", title="b", y=120.0))
    canvas = make_canvas(CanvasView(nodes=nodes))
    around = canvas.scene.bounds()
    canvas.resize(round(around.width()) + 50, 600)
    canvas.fit()
    seen = canvas.viewport.scene_rect(canvas.rect())
    assert min(around.left() - seen.left(), seen.right() - around.right()) >= STUB
