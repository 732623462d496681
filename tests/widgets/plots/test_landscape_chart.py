"""Lines of equal height, and the ways through a landscape."""

import numpy as np
import pyqtgraph as pg
import pytest

from tests.plot_parts import click_row, drawn, legend_of, surface_of
from widgets.plots.contour import contours
from widgets.plots.landscape_chart import LandscapeChart
from widgets.plots.view_model import LandscapeView, ShadesView, WayView

AXIS = np.linspace(-1.0, 1.0, 41)


def bowl() -> np.ndarray:
    return AXIS[None, :] ** 2 + AXIS[:, None] ** 2


def test_that_contours_of_a_bowl_are_circles_without_gaps():
    pieces = contours(bowl(), np.array([0.271, 0.533]), AXIS, AXIS)
    radii = np.hypot(pieces[:, :, 0], pieces[:, :, 1])
    off = np.minimum(abs(radii - np.sqrt(0.271)), abs(radii - np.sqrt(0.533)))
    assert off.max() < 2e-3
    lengths = np.hypot(*(pieces[:, 1] - pieces[:, 0]).T)
    assert lengths.sum() == pytest.approx(2 * np.pi * (np.sqrt(0.271) + np.sqrt(0.533)), rel=1e-2)
    ends, counts = np.unique(pieces.reshape(-1, 2).round(6) + 0.0, axis=0, return_counts=True)
    assert len(ends) == len(pieces)
    assert set(counts) == {2}


def test_that_a_saddle_and_unknown_corners_have_lines_that_end_there():
    saddle = np.array([[1.0, 0.0], [0.0, 1.0]])
    place = np.array([0.0, 1.0])
    assert len(contours(saddle, np.array([0.5]), place, place)) == 2
    saddle[0, 0] = np.nan
    assert len(contours(saddle, np.array([0.5]), place, place)) == 0
    assert len(contours(np.ones((1, 1)), np.array([0.5]), place[:1], place[:1])) == 0


STEPS = np.arange(4.0)
LANDSCAPE = LandscapeView(
    values=bowl(),
    x=(-1, 1),
    y=(-1, 1),
    shades=ShadesView(pixels=np.zeros((41, 41, 4), dtype=np.uint8), x=(-1, 1), y=(-1, 1)),
    contours=contours(bowl(), np.array([0.5]), AXIS, AXIS),
    ways=(
        WayView(name="0", label="way 0", steps=STEPS, x=STEPS / 4, y=-STEPS / 4, color=0),
        WayView(name="1", label="way 1", steps=STEPS, x=-STEPS / 4, y=STEPS / 4, color=1),
    ),
    marks=((0.0, 0.0),),
)


@pytest.fixture
def chart(qtbot) -> LandscapeChart:
    chart = LandscapeChart("chart.landscape")
    qtbot.addWidget(chart)
    chart.set_view(LANDSCAPE)
    chart.resize(500, 400)
    chart.show()
    return chart


def ways(chart: LandscapeChart) -> list[list[float]]:
    """Return how far each way goes that is shown, from left to right."""
    rims_and_lines = drawn(chart, pg.PlotCurveItem)
    return [list(line.getData()[0]) for line in rims_and_lines if line.zValue() == 1]


def test_that_ways_are_drawn_up_to_a_step(chart):
    assert ways(chart)[0] == [0, 0.25, 0.5, 0.75]
    chart.set_step(2)
    assert ways(chart)[1] == [0, -0.25, -0.5]
    chart.set_step(-1)
    assert ways(chart)[1] == [0]
    chart.set_step()
    assert len(ways(chart)[1]) == 4


def test_that_a_way_is_hidden_by_its_name_and_stays_so(chart):
    first = ways(chart)[0]
    click_row(legend_of(chart), 1)
    chart.set_view(LANDSCAPE)
    assert ways(chart) == [first]


def test_that_the_pointer_reads_the_height_of_the_nearest_point(chart, qtbot):
    told = []
    chart.pointed.connect(lambda *values: told.append(values))
    surface_of(chart).pointer_moved.emit(0.51, 0.0)
    assert told[-1][2] == pytest.approx(0.25)
    surface_of(chart).pointer_moved.emit(3.0, 0.0)
    assert np.isnan(told[-1][2])
