"""Points of a line that are dragged."""

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from tests.plot_parts import surface_of
from widgets.plots.line_preview import LinePreview

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
PLACES = [(1.0, 0.1), (50.0, 1.0), (100.0, 0.5)]


@pytest.fixture
def preview(qtbot):
    pg.setConfigOption("mouseRateLimit", -1)  # each movement counts
    shown = LinePreview()
    qtbot.addWidget(shown)
    shown.resize(500, 300)
    shown.show()
    qtbot.waitExposed(shown)
    shown.set_values(np.arange(1.0, 101.0), np.linspace(0.1, 1.0, 100))
    shown.handles.set_points(PLACES)
    shown.grab()
    yield shown
    pg.setConfigOption("mouseRateLimit", 100)


def pixel(preview, x, y) -> QPoint:
    surface = surface_of(preview)
    return surface.mapFromScene(surface.box.mapViewToScene(QPointF(x, y)))


def drag(preview, start, end):
    viewport = surface_of(preview).viewport()
    first, last = pixel(preview, *start), pixel(preview, *end)
    QTest.mouseMove(viewport, first)
    QTest.mousePress(viewport, LEFT, Qt.KeyboardModifier.NoModifier, first)
    for part in range(1, 6):
        QTest.mouseMove(viewport, first + (last - first) * part / 5)
    QTest.mouseRelease(viewport, LEFT, Qt.KeyboardModifier.NoModifier, last)


def test_that_a_point_is_dragged_and_told_when_it_is_dropped(qtbot, preview):
    with qtbot.waitSignal(preview.handles.moved) as told:
        drag(preview, (50, 1), (30, 0.4))
    first, moved, last = told.args[0]
    assert (first, last) == (PLACES[0], PLACES[2])
    assert moved == pytest.approx((30, 0.4), abs=1)
    assert preview.handles.points == (first, moved, last)


def test_that_a_point_stays_between_its_neighbours_and_above_the_lowest_rate(qtbot, preview):
    preview.handles.set_points(PLACES, 0.2)
    for end in ((200, 0.6), (-50, 0.6)):
        with qtbot.waitSignal(preview.handles.moved):
            drag(preview, preview.handles.points[1], end)
        steps = [step for step, _ in preview.handles.points]
        assert steps == sorted(set(steps))
    with qtbot.waitSignal(preview.handles.moved):
        drag(preview, preview.handles.points[2], (80, -3))
    assert preview.handles.points[2] == (100, 0.2)


def test_that_a_double_click_adds_a_point_and_a_right_click_removes_one(qtbot, preview):
    viewport = surface_of(preview).viewport()
    place = pixel(preview, 75, 0.3)
    with qtbot.waitSignal(preview.handles.moved):
        QTest.mouseClick(viewport, LEFT, Qt.KeyboardModifier.NoModifier, place)
        QTest.mouseDClick(viewport, LEFT, Qt.KeyboardModifier.NoModifier, place)
        QTest.mouseRelease(viewport, LEFT, Qt.KeyboardModifier.NoModifier, place)
    assert len(preview.handles.points) == 4
    assert preview.handles.points[2] == pytest.approx((75, 0.3), abs=1)
    with qtbot.waitSignal(preview.handles.moved):
        QTest.mouseClick(viewport, RIGHT, Qt.KeyboardModifier.NoModifier, place)
    assert preview.handles.points == tuple(PLACES)
    QTest.mouseClick(viewport, RIGHT, Qt.KeyboardModifier.NoModifier, pixel(preview, *PLACES[0]))
    assert preview.handles.points == tuple(PLACES)
