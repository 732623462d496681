"""Points of a line that are dragged."""

from types import SimpleNamespace

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPointF, Qt

from tests.plot_parts import drawn, surface_of
from widgets.plots.line_preview import LinePreview

PLACES = [(1.0, 0.1), (50.0, 1.0), (100.0, 0.5)]


@pytest.fixture
def preview(qtbot):
    shown = LinePreview()
    qtbot.addWidget(shown)
    shown.resize(500, 300)
    shown.set_values(np.arange(1.0, 101.0), np.linspace(0.1, 1.0, 100))
    shown.set_handles(PLACES)
    shown.grab()
    return shown


def drag(preview, start, end):
    """Move the point at a place as pyqtgraph does while the mouse drags it, and drop it."""
    (target,) = [
        each
        for each in drawn(preview, pg.TargetItem)
        if (each.pos().x(), each.pos().y()) == pytest.approx(start)
    ]
    for part in range(1, 6):
        target.setPos(
            *(first + (last - first) * part / 5 for first, last in zip(start, end, strict=True))
        )
    target.sigPositionChangeFinished.emit(target)


def spot(preview, x, y) -> QPointF:
    return surface_of(preview).box.mapViewToScene(QPointF(x, y))


def right_click(preview, x, y):
    clicked = SimpleNamespace(
        scenePos=lambda: spot(preview, x, y),
        button=lambda: Qt.MouseButton.RightButton,
        accept=lambda: None,
    )
    surface_of(preview).scene().sigMouseClicked.emit(clicked)


def test_that_a_point_is_dragged_and_told_when_it_is_dropped(qtbot, preview):
    with qtbot.waitSignal(preview.handles.moved) as told:
        drag(preview, (50, 1), (30, 0.4))
    assert told.args[0] == [PLACES[0], pytest.approx((30, 0.4)), PLACES[2]]
    assert list(preview.handles.points) == told.args[0]


def test_that_a_point_stays_between_its_neighbours_and_above_the_lowest_rate(qtbot, preview):
    preview.set_handles(PLACES, 0.2)
    for end in ((200, 0.6), (-50, 0.6)):
        with qtbot.waitSignal(preview.handles.moved):
            drag(preview, preview.handles.points[1], end)
        steps = [step for step, _ in preview.handles.points]
        assert steps == sorted(set(steps))
    with qtbot.waitSignal(preview.handles.moved):
        drag(preview, PLACES[2], (80, -3))
    assert preview.handles.points[2] == (100, 0.2)


def test_that_a_double_click_adds_a_point_and_a_right_click_removes_one(qtbot, preview):
    with qtbot.waitSignal(preview.handles.moved):
        surface_of(preview).box.double_clicked.emit(spot(preview, 75, 0.3))
    assert len(preview.handles.points) == 4
    assert preview.handles.points[2] == pytest.approx((75, 0.3))
    with qtbot.waitSignal(preview.handles.moved):
        right_click(preview, 75, 0.3)
    assert preview.handles.points == tuple(PLACES)
    right_click(preview, *PLACES[0])
    assert preview.handles.points == tuple(PLACES)
