"""The curve of a wire and what is computed from it."""

import pytest
from PySide6.QtCore import QPointF, QRectF

from widgets.canvas.items.wire_item import WireItem
from widgets.canvas.view_model import WireView

VIEW = WireView(source="a", source_port="o", target="b", target_port="i")
ENDS = [((0, 0), (200, 0)), ((0, 0), (200, 150)), ((500, 0), (0, 140)), ((500, 140), (480, 0))]


@pytest.mark.parametrize(("start", "end"), [*ENDS, ((300, 0), (0, 10))])
def test_that_a_wire_leaves_to_the_right_and_arrives_from_the_left(start, end):
    item = WireItem(VIEW, QPointF(*start), QPointF(*end))
    assert item.path.pointAtPercent(0.0) == QPointF(*start)
    assert (item.path.pointAtPercent(1.0) - QPointF(*end)).manhattanLength() < 0.01
    assert item.path.pointAtPercent(0.02).x() > start[0]
    assert item.path.pointAtPercent(0.98).x() < end[0]


@pytest.mark.parametrize(("start", "end"), ENDS)
def test_that_points_of_the_wire_lie_on_its_curve(start, end):
    item = WireItem(VIEW, QPointF(*start), QPointF(*end))
    for step in range(11):
        point = item.point(step / 10)
        assert item.distance(point) < 2.0
        assert item.bounds().contains(point)
    samples = [item.path.pointAtPercent(step / 50) for step in range(51)]
    assert all(item.distance(point) < 9.0 for point in samples)


def test_that_a_wire_that_goes_back_keeps_to_the_gap_between_the_rows():
    item = WireItem(VIEW, QPointF(960, 24), QPointF(0, 164))
    upper, lower = QRectF(0, 0, 960, 60), QRectF(0, 130, 960, 60)
    samples = [item.path.pointAtPercent(step / 100) for step in range(2, 99)]
    assert not any(upper.contains(point) or lower.contains(point) for point in samples)


def test_that_a_wire_knows_what_it_crosses():
    item = WireItem(VIEW, QPointF(0, 0), QPointF(200, 0))
    assert item.crosses(QRectF(90, -10, 20, 20))
    assert not item.crosses(QRectF(90, 20, 20, 20))
