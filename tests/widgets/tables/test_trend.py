"""The small line beside a number."""

import math

import pytest
from PySide6.QtGui import QImage

from widgets.tables.table_view import TableView
from widgets.tables.trend import Trend
from widgets.tables.view_model import ColumnView, RowView, TableData


def points(trend):
    return [[(point.x(), point.y()) for point in line] for line in trend.lines]


def test_that_a_line_fills_its_square_and_stops_at_gaps():
    trend = Trend.of(9, (1, 5, math.nan, 3, 9, math.inf, 2))
    assert trend.value == 9
    assert points(trend) == [
        [(0, 1), (pytest.approx(1 / 6), 0.5)],
        [(0.5, 0.75), (pytest.approx(2 / 3), 0)],
    ]


@pytest.mark.parametrize("known", [(), (1.0,), (math.nan, 3.0, math.nan)])
def test_that_fewer_than_two_numbers_make_no_line(known):
    assert Trend.of(3.0, known).lines == ()


def test_that_numbers_that_stay_the_same_lie_on_one_line():
    assert points(Trend.of(2, (2, 2, 2))) == [[(0, 0), (0.5, 0), (1, 0)]]


def test_that_the_line_is_seen_at_the_left_of_the_number(qtbot):
    view = TableView("runs.table")
    qtbot.addWidget(view)
    view.resize(400, 200)
    columns = (ColumnView(key="norm", title="Norm", kind="trend", width=30),)
    pictures = []
    for trend in (Trend(1.0), Trend.of(1.0, (0, 1, 0, 1))):
        view.set_data(TableData(columns=columns, rows=(RowView(id="a", cells=(trend,)),)))
        pictures.append(view.table.grab().toImage())
    different = _difference(*pictures)
    assert different
    cell = view.table.visualRect(view.order.index(0, 0))
    assert max(different) < cell.left() + cell.width() * 0.6


def _difference(one: QImage, other: QImage):
    """Return the columns in which two pictures differ."""
    return {
        x
        for x in range(one.width())
        for y in range(one.height())
        if one.pixel(x, y) != other.pixel(x, y)
    }
