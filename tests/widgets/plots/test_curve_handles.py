"""Points of a line that are dragged."""

from types import SimpleNamespace

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPointF, Qt

from tests.plot_parts import drawn, surface_of
from widgets.plots.legend import Legend
from widgets.plots.line_preview import LinePreview
from widgets.plots.view_model import HandlesView, SeriesView

PLACES = [(1.0, 0.1), (50.0, 1.0), (100.0, 0.5)]


@pytest.fixture
def preview(qtbot):
    shown = LinePreview()
    qtbot.addWidget(shown)
    shown.resize(500, 300)
    shown.set_values(np.arange(1.0, 101.0), np.linspace(0.1, 1.0, 100))
    shown.set_handles([HandlesView(places=tuple(PLACES))])
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


def points(preview, curve=0):
    return preview.handles.views[curve].places


def test_that_a_point_is_dragged_and_told_when_it_is_dropped(qtbot, preview):
    with qtbot.waitSignal(preview.handles.moved) as told:
        drag(preview, (50, 1), (30, 0.4))
    assert told.args[1] == [PLACES[0], pytest.approx((30, 0.4)), PLACES[2]]
    assert list(points(preview)) == told.args[1]


def test_that_a_point_stays_between_its_neighbours_and_above_the_lowest_rate(qtbot, preview):
    preview.set_handles([HandlesView(places=tuple(PLACES), lowest=0.2)])
    for end in ((200, 0.6), (-50, 0.6)):
        with qtbot.waitSignal(preview.handles.moved):
            drag(preview, points(preview)[1], end)
        steps = [step for step, _ in points(preview)]
        assert steps == sorted(set(steps))
    with qtbot.waitSignal(preview.handles.moved):
        drag(preview, PLACES[2], (80, -3))
    assert points(preview)[2] == (100, 0.2)


def test_that_a_double_click_adds_a_point_and_a_right_click_removes_one(qtbot, preview):
    with qtbot.waitSignal(preview.handles.moved):
        surface_of(preview).box.double_clicked.emit(spot(preview, 75, 0.3))
    assert len(points(preview)) == 4
    assert points(preview)[2] == pytest.approx((75, 0.3))
    with qtbot.waitSignal(preview.handles.moved):
        right_click(preview, 75, 0.3)
    assert points(preview) == tuple(PLACES)
    right_click(preview, *PLACES[0])
    assert points(preview) == tuple(PLACES)


def test_that_each_curve_has_points_of_its_own_and_hidden_ones_have_none(qtbot, preview):
    other = ((20.0, 0.2), (60.0, 0.2), (100.0, 0.2))
    steps = np.arange(1.0, 101.0)
    preview.set_series([SeriesView(name=n, label=n, steps=steps, values=steps / 100) for n in "ab"])
    both = [("one", "a", tuple(PLACES)), ("two", "b", other)]
    preview.set_handles([HandlesView(name=n, curve=c, places=p) for n, c, p in both])
    with qtbot.waitSignal(preview.handles.moved) as told:
        drag(preview, (60, 0.2), (70, 0.3))
    assert told.args == ["two", [other[0], pytest.approx((70, 0.3)), other[2]]]
    assert points(preview) == tuple(PLACES)
    with qtbot.waitSignal(preview.handles.moved) as told:  # near the second curve
        surface_of(preview).box.double_clicked.emit(spot(preview, 40, 0.3))
    assert told.args[0] == "two"
    preview.findChild(Legend).visibility_changed.emit("b", False)  # noqa: FBT003 - a signal
    shown = [each for each in drawn(preview, pg.TargetItem) if each.isVisible()]
    assert len(shown) == len(PLACES)
    with qtbot.waitSignal(preview.handles.moved) as told:  # the only one that is shown
        surface_of(preview).box.double_clicked.emit(spot(preview, 40, 0.3))
    assert told.args[0] == "one"
