"""Points of drawn learning-rate curves beside the plan that they make."""

import numpy as np
import pytest
from msgspec.structs import replace

from engine.query.rate.request import LrPreview
from engine.spec.drawn_curve import read_points
from engine.spec.phase import PhaseSpec
from engine.spec.run import Choice, ParameterGroup, PhaseRule, RunSpec, ScheduleTerm
from engine.spec.trained_group import TrainedGroup
from engine.train.rate_curve import rate_curve
from studio.view.schedule_points import RatePlan, drawn_points, points_setting

FIRST, SECOND = "scheduler.points", "phases.0.scheduler.points"


def curve(points="0:0.1, 0.25:1, 1:0", **params) -> Choice:
    return Choice(type="DrawnCurve", params={"points": points, **params})


def drawn(points="0:0.1, 0.25:1, 1:0", **params) -> RunSpec:
    return RunSpec(
        optimizer=Choice(type="SGD", params={"lr": 0.5}),
        scheduler=curve(points, **params),
        epochs=3,
    )


def planned(spec, groups=(), steps=67) -> RatePlan:
    """Return the plan of three epochs, as it is answered."""
    found = rate_curve(spec, groups, steps, 3 * steps)
    shares = tuple(found.shares)
    preview = LrPreview(steps=tuple(found.steps), values=tuple(found.values), shares=shares)
    return RatePlan(preview=preview, groups=groups)


def test_that_points_are_drawn_at_their_steps_and_rates_and_come_back():
    plan = planned(drawn())
    (found,) = drawn_points(drawn(), plan)
    assert np.array(found.places) == pytest.approx(np.array([(1, 0.05), (51, 0.5), (201, 0)]))
    text = points_setting(drawn(), plan, FIRST, [(1, 0.05), (91, 0.25), (201, 0.001)])
    assert read_points(text) == ((0, 0.1), (0.45, 0.5), (1, 0.002))


def test_that_points_that_lie_close_stay_apart():
    places = [(1, 0.5), (1.02, 0.5), (1.04, 0.4), (201, 0)]
    assert len(read_points(points_setting(drawn(), planned(drawn()), FIRST, places))) == 4


def test_that_a_logarithmic_curve_has_no_point_at_zero():
    log = drawn("0:0.1, 1:1", interpolation="log")
    assert drawn_points(drawn(), planned(drawn()))[0].lowest == 0
    assert drawn_points(log, planned(log))[0].lowest > 0


@pytest.mark.parametrize("interval", ["step", "epoch"])
def test_that_each_phase_has_the_points_of_its_own_curve_over_its_own_steps(interval):
    sgd = Choice(type="SGD", params={"lr": 0.2})
    second = PhaseSpec(
        optimizer=sgd,
        scheduler=curve("0:1, 0.5:0.5, 1:0"),
        scheduler_interval=interval,
        steps=1,
        start=1,
    )
    spec = replace(
        drawn(), phase=PhaseRule(steps=1), phases=(second,), groups=(ParameterGroup(match="a"),)
    )
    plan = planned(spec, steps=40)
    first, found = drawn_points(spec, plan)
    assert (first.name, first.curve) == (FIRST, "lr.0")
    assert (found.name, found.curve) == (SECOND, "lr.2")
    # It is at work from step 41 to 120, in every second one.
    assert np.array(found.places) == pytest.approx(np.array([(42, 0.2), (81, 0.1), (120, 0)]))
    rates = dict(zip(plan.preview.steps, plan.preview.values[2], strict=True))
    assert interval == "epoch" or [rates[42], rates[120]] == pytest.approx([0.2, 0])
    text = points_setting(spec, plan, SECOND, found.places)
    assert np.array(read_points(text)) == pytest.approx(np.array([(0, 1), (0.5, 0.5), (1, 0)]))


def test_that_points_lie_on_the_highest_rate_where_layers_have_their_own():
    groups = tuple(TrainedGroup(depth=depth, ratio=0.5**depth) for depth in (2, 1, 3))
    plan = planned(drawn(), groups)
    (found,) = drawn_points(drawn(), plan)
    assert found.curve == "lr.1"
    assert found.places[1] == pytest.approx((51, 0.25))
    text = points_setting(drawn(), plan, FIRST, found.places)
    assert read_points(text)[1] == (0.25, 1)


@pytest.mark.parametrize(
    "spec",
    [
        drawn("nonsense"),
        replace(drawn(), scheduler=Choice(type="StepLR", params={"step_size": 3})),
        replace(drawn(), scheduler=None),
        replace(drawn(), schedules=(ScheduleTerm(scheduler=curve(), start=3),)),
    ],
)
def test_that_there_are_no_points_where_none_are_drawn(spec):
    assert drawn_points(spec, planned(drawn())) == ()
    assert drawn_points(drawn(), RatePlan()) == ()
    assert points_setting(spec, RatePlan(), FIRST, [(1, 0.5)]) == ""
