"""Points of a drawn learning-rate curve beside the plan that they make."""

import numpy as np
import pytest
from msgspec.structs import replace

from engine.spec.drawn_curve import read_points
from engine.spec.phase import PhaseSpec
from engine.spec.run import Choice, RunSpec
from studio.view.schedule_points import lowest_rate, points_setting, schedule_points
from widgets.plots.view_model import SeriesView

STEPS = np.arange(1.0, 202.0)
PLAN = (SeriesView(name="lr.0", label="", steps=STEPS, values=STEPS * 0),)


def drawn(points="0:0.1, 0.25:1, 1:0", **params) -> RunSpec:
    return RunSpec(
        optimizer=Choice(type="SGD", params={"lr": 0.5}),
        scheduler=Choice(type="DrawnCurve", params={"points": points, **params}),
    )


def test_that_points_are_drawn_at_their_steps_and_rates_and_come_back():
    places = schedule_points(drawn(), PLAN)
    assert np.array(places) == pytest.approx(np.array([(1, 0.05), (51, 0.5), (201, 0)]))
    text = points_setting(drawn(), PLAN, [(1, 0.05), (91, 0.25), (201, 0.001)])
    assert read_points(text) == ((0, 0.1), (0.45, 0.5), (1, 0.002))


def test_that_points_that_lie_close_stay_apart():
    places = [(1, 0.5), (1.02, 0.5), (1.04, 0.4), (201, 0)]
    assert len(read_points(points_setting(drawn(), PLAN, places))) == 4


def test_that_a_logarithmic_curve_has_no_point_at_zero():
    assert lowest_rate(drawn()) == 0
    assert lowest_rate(drawn("0:0.1, 1:1", interpolation="log")) > 0


@pytest.mark.parametrize(
    "spec",
    [
        drawn("nonsense"),
        replace(drawn(), scheduler=Choice(type="StepLR", params={"step_size": 3})),
        replace(drawn(), scheduler=None),
        replace(drawn(), phases=(PhaseSpec(),)),
    ],
)
def test_that_there_are_no_points_where_none_are_drawn(spec):
    assert schedule_points(spec, PLAN) == ()
    assert schedule_points(drawn(), ()) == ()
