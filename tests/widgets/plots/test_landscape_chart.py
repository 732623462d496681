"""Lines of equal height, and the ways through a landscape."""

import numpy as np
import pytest

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


@pytest.fixture
def chart(qtbot) -> LandscapeChart:
    chart = LandscapeChart("chart.landscape")
    qtbot.addWidget(chart)
    steps = np.arange(4.0)
    ways = tuple(
        WayView(name=str(at), label=f"way {at}", steps=steps, x=steps / 4, y=-steps / 4, color=at)
        for at in (0, 1)
    )
    pixels = np.zeros((41, 41, 4), dtype=np.uint8)
    chart.set_view(
        LandscapeView(
            values=bowl(),
            x=(-1, 1),
            y=(-1, 1),
            shades=ShadesView(pixels=pixels, x=(-1, 1), y=(-1, 1)),
            contours=contours(bowl(), np.array([0.5]), AXIS, AXIS),
            ways=ways,
            marks=((0.0, 0.0),),
        )
    )
    chart.resize(500, 400)
    chart.show()
    return chart


def drawn(chart: LandscapeChart, name: str) -> list[float]:
    return list(chart._ways[name]._line.getData()[0])


def test_that_ways_are_drawn_up_to_a_step(chart):
    assert drawn(chart, "0") == [0, 0.25, 0.5, 0.75]
    chart.set_step(2)
    assert drawn(chart, "1") == [0, 0.25, 0.5]
    chart.set_step(-1)
    assert drawn(chart, "1") == [0]
    chart.set_step()
    assert len(drawn(chart, "1")) == 4


def test_that_a_way_is_hidden_by_its_name_and_stays_so(chart):
    chart._legend._toggle(chart._legend.topLevelItem(1))
    chart.set_view(chart._view)
    assert not chart._ways["1"]._line.isVisible()
    assert chart._ways["0"]._line.isVisible()


def test_that_the_pointer_reads_the_height_of_the_nearest_point(chart, qtbot):
    told = []
    chart.pointed.connect(lambda *values: told.append(values))
    chart._surface.pointer_moved.emit(0.51, 0.0)
    assert told[-1][2] == pytest.approx(0.25)
    chart._surface.pointer_moved.emit(3.0, 0.0)
    assert np.isnan(told[-1][2])
