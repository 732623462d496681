"""The flow of boxes: each is seen whole, in any width, and is pressed by mouse and keyboard."""

import itertools

import pytest
from PySide6.QtCore import Qt

from widgets.flow.flow_view import FlowView
from widgets.flow.view_model import FlowBox, FlowLane


def box(key: str, **changes) -> FlowBox:
    return FlowBox(
        key=key, title=f"Stage {key}", icon="data", value="a value of some words", **changes
    )


def lanes(*counts: int) -> list[FlowLane]:
    numbers = itertools.count()
    return [
        FlowLane(
            title="Lane",
            note="where it is",
            boxes=tuple(box(str(next(numbers))) for _ in range(count)),
        )
        for count in counts
    ]


@pytest.fixture
def flow(qtbot):
    flow = FlowView("flow")
    qtbot.addWidget(flow)
    flow.resize(900, 500)
    flow.show()
    qtbot.waitExposed(flow)
    return flow


@pytest.mark.parametrize("width", [240, 520, 900, 1500])
def test_that_boxes_stay_in_the_width_and_never_overlap(flow, qtbot, width):
    flow.resize(width, 500)
    flow.set_lanes(lanes(4, 3, 4))
    places = [each.geometry() for each in flow.boxes]
    assert len(places) == 11
    assert all(place.left() >= 0 and place.right() < flow.viewport().width() for place in places)
    assert not any(one.intersects(other) for one, other in itertools.combinations(places, 2))
    assert max(place.bottom() for place in places) < flow.widget().height()


def test_that_a_box_grows_with_what_it_says(flow):
    flow.set_lanes(lanes(1))
    before = flow.boxes[0].height()
    long = box("0", notes=("a long note " * 12,), flow=("image 3×224×224 float32",))
    flow.set_lanes([FlowLane(title="Lane", note="", boxes=(long,))])
    assert flow.boxes[0].height() > before + 30


def test_that_mouse_and_keyboard_press_a_box(flow, qtbot):
    flow.set_lanes(lanes(3))
    pressed = []
    flow.box_chosen.connect(pressed.append)
    qtbot.mouseClick(flow.boxes[1], Qt.MouseButton.LeftButton)
    flow.boxes[2].setFocus()
    qtbot.keyClick(flow.boxes[2], Qt.Key.Key_Return)
    qtbot.keyClick(flow.boxes[2], Qt.Key.Key_Space)
    assert pressed == ["1", "2", "2"]


def test_that_a_box_is_called_what_it_shows_and_boxes_come_and_go(flow):
    flow.set_lanes(lanes(2, 1))
    flow.set_lanes([FlowLane(title="Lane", note="", boxes=(box("9", notes=("why",)),))])
    (only,) = flow.boxes
    assert only.accessibleName() == "Stage 9: a value of some words"
    assert only.accessibleDescription() == "why"
    assert [each.isVisible() for each in flow.widget().findChildren(type(only))].count(True) == 1
