"""Several schedulers, schedules with a warm-up and expressions, as PyTorch has them."""

import copy
import math
from itertools import pairwise
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.optim import SGD, lr_scheduler

from engine.api import check
from engine.diagnostics import DiagnosticError
from engine.query.ask import ask
from engine.query.rate.request import ExplainExtension, PreviewLr
from engine.runs.record.state import RunStatus
from engine.spec.expression import Expression
from engine.spec.fields import fields, set_text
from engine.spec.run import Choice, RunSpec, ScheduleTerm
from engine.spec.scheduler_rule import check_scheduler
from engine.train.optim import build_optimizer, learning_rates
from engine.train.schedule import Schedule
from tests.engine.train.test_resume import SCHEDULERS, assert_same_run, stop_at
from tests.tiny_run import iris_graph, iris_spec, make_run, train

RATE = Choice(type="SGD", params={"lr": 0.1})
DECAY = Choice(type="ExponentialLR", params={"gamma": 0.9})
STEPS = Choice(type="StepLR", params={"step_size": 3, "gamma": 0.1})
WARMUP = Choice(type="LinearLR", params={"start_factor": 0.25, "total_iters": 4})
COSINE = Choice(type="CosineAnnealingLR")


def rates(epochs: int, **changes: object) -> list[float]:
    """Return the learning rate of each of some epochs of four steps, or of each step."""
    spec = iris_spec(optimizer=RATE, epochs=epochs, **changes)
    (values,) = ask(PreviewLr(spec=spec, steps_per_epoch=4)).values
    return list(values if spec.scheduler_interval == "step" else values[::4])


def plain(count: int, make) -> list[float]:
    """Return the rates of a scheduler that is made for an optimizer."""
    optimizer = SGD([nn.Parameter(torch.zeros(1))], lr=0.1)
    scheduler = make(optimizer)
    found = []
    for _ in range(count):
        found.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return found


@pytest.mark.row("S176")
def test_that_chained_schedules_multiply() -> None:
    found = rates(
        4,
        scheduler=DECAY,
        schedules=(ScheduleTerm(scheduler=STEPS),),
        schedule_order="chained",
    )
    assert found == pytest.approx([0.1, 0.09, 0.081, 0.00729])
    assert found == plain(
        4,
        lambda one: lr_scheduler.ChainedScheduler(
            [lr_scheduler.ExponentialLR(one, 0.9), lr_scheduler.StepLR(one, 3, 0.1)]
        ),
    )


@pytest.mark.row("S176", "S181")
def test_that_schedules_in_series_follow_each_other_and_fill_the_run() -> None:
    found = rates(
        5,
        scheduler=WARMUP,
        schedules=(
            ScheduleTerm(scheduler=COSINE, start=4),
            ScheduleTerm(scheduler=DECAY, start=16),
        ),
        scheduler_interval="step",
    )
    assert found == plain(
        20,
        lambda one: lr_scheduler.SequentialLR(
            one,
            [
                lr_scheduler.LinearLR(one, 0.25, total_iters=4),
                lr_scheduler.CosineAnnealingLR(one, 12),
                lr_scheduler.ExponentialLR(one, 0.9),
            ],
            [4, 16],
        ),
    )


@pytest.mark.row("S178", "S181")
def test_that_a_warm_up_and_a_cosine_are_one_choice() -> None:
    warm = Choice(type="WarmupCosine", params={"warmup": 0.25, "start_factor": 0.2})
    found = rates(5, scheduler=warm, scheduler_interval="step")
    assert found[:5] == pytest.approx([0.02, 0.036, 0.052, 0.068, 0.084])
    rest = [0.05 * (1 + math.cos(math.pi * step / 15)) for step in range(15)]
    assert found[5:] == pytest.approx(rest)


def test_that_a_warm_up_a_constant_rate_and_a_decay_are_one_choice() -> None:
    stable = Choice(
        type="WarmupStableDecay", params={"warmup": 0.1, "start_factor": 0.5, "decay": 0.25}
    )
    found = rates(5, scheduler=stable, scheduler_interval="step")
    assert found == pytest.approx([0.05, 0.075, *[0.1] * 13, 0.1, 0.08, 0.06, 0.04, 0.02], abs=1e-9)
    none = Choice(type="WarmupStableDecay", params={"warmup": 0.0, "decay": 1.0})
    assert rates(1, scheduler=none, scheduler_interval="step") == pytest.approx(
        [0.1, 0.075, 0.05, 0.025]
    )


@pytest.mark.parametrize(
    ("text", "factor"),
    [
        ("0.95 ** step", lambda step: 0.95**step),
        ("1 / (1 + epoch)", lambda step: 1 / (1 + step)),
        (
            "min(1, (step + 1) / 4) * (1 - step / total)",
            lambda s: min(1, (s + 1) / 4) * (1 - s / 8),
        ),
        ("1 if step < 3 else 0.1", lambda step: 1 if step < 3 else 0.1),
        ("0.5 * (1 + cos(pi * step / total))", lambda s: 0.5 * (1 + math.cos(math.pi * s / 8))),
    ],
)
def test_that_an_expression_is_a_factor_of_the_rate(text: str, factor) -> None:
    choice = Choice(type="LambdaLR", params={"lr_lambda": text})
    found = rates(2, scheduler=choice, scheduler_interval="step")
    assert found == plain(8, lambda one: lr_scheduler.LambdaLR(one, factor))
    choice = Choice(type="MultiplicativeLR", params={"lr_lambda": text})
    found = rates(2, scheduler=choice, scheduler_interval="step")
    assert found == plain(8, lambda one: lr_scheduler.MultiplicativeLR(one, factor))


@pytest.mark.parametrize(
    "text",
    [
        *("__import__('os').system('true')", "step.__class__", "[1][0]", "lambda: 1", "x", ""),
        *("open('x')", "min(*step)", "min(step, key=step)", "'a'", "True", "1 < step < 3"),
        *("step := 3", "10 ** 16 * 1e400", "1" * 400, "(" * 250 + "1" + ")" * 250, "1\x00"),
        *("+".join("1" * 120), "sqrt(1, 2)", "step and 1", "not step", "{1}", "f'{step}'"),
        *("1 +", "sqrt()", "min(1)", "1j"),
    ],
)
def test_that_nothing_else_can_stand_in_an_expression(text: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        Expression.of(text)
    assert [one.code for one in caught.value.problems] == ["R436"]


@pytest.mark.parametrize(
    "text",
    ["1 / step", "step - 1", "9 ** 9 ** 9 ** 9", "log(step)", "(-1) ** 0.5", "1 / (step - 7)"],
)
def test_that_a_step_without_a_factor_is_told_before_the_run(text: str) -> None:
    choice = Choice(type="LambdaLR", params={"lr_lambda": text})
    problems = check(iris_graph(), iris_spec(scheduler=choice, epochs=9)).problems
    assert [(one.code, one.field) for one in problems] == [("R437", "scheduler.lr_lambda")]


def test_that_a_run_whose_expression_fails_in_a_step_says_so(tmp_path: Path) -> None:
    text = "1 / (1 if step < 700 else 0)"
    choice = Choice(type="LambdaLR", params={"lr_lambda": text})
    run = make_run(tmp_path, optimizer=RATE, scheduler=choice, scheduler_interval="step")
    assert train(run).status is RunStatus.FINISHED
    text = text.replace("700", "5")
    choice = Choice(type="LambdaLR", params={"lr_lambda": text})
    run = make_run(tmp_path, optimizer=RATE, scheduler=choice, scheduler_interval="step")
    state = train(run)
    assert state.problem is not None
    assert (state.status, state.problem.code) == (RunStatus.FAILED, "R437")


def test_that_what_does_not_go_together_is_told() -> None:
    plateau, warm = Choice(type="ReduceLROnPlateau"), Choice(type="WarmupCosine")
    factor = Choice(type="LambdaLR", params={"lr_lambda": "0.9 ** step"})

    def codes(first: Choice, *others: ScheduleTerm, **changes: object) -> list[tuple[str, str]]:
        spec = iris_spec(scheduler=first, schedules=others, epochs=10, **changes)
        return [(one.code, one.field) for one in check(iris_graph(), spec).problems]

    def term(choice: Choice, start: int = 4) -> ScheduleTerm:
        return ScheduleTerm(scheduler=choice, start=start)

    assert codes(DECAY, term(STEPS)) == []
    assert codes(plateau, term(STEPS)) == [("R438", "scheduler")]
    assert ("R438", "schedules.0.scheduler") in codes(DECAY, term(warm))
    assert codes(DECAY, term(STEPS), term(DECAY, 3)) == [("R439", "schedules.1.start")]
    assert codes(DECAY, term(STEPS, 10)) == [("R441", "schedules.0.start")]
    assert codes(DECAY, term(factor), schedule_order="chained") == [
        ("R440", "schedules.0.scheduler")
    ]
    assert codes(factor, term(DECAY), schedule_order="chained") == []
    bad = Choice(type="LambdaLR", params={"lr_lambda": "oh"})
    assert codes(DECAY, term(bad)) == [("R436", "schedules.0.scheduler.lr_lambda")]


def test_that_schedules_are_set_by_name() -> None:
    spec = RunSpec()
    for name, text in (
        ("scheduler", "LinearLR"),
        ("schedules.0.scheduler", "CosineAnnealingLR"),
        ("schedules.0.start", "7"),
        ("schedules.0.scheduler.eta_min", "0.01"),
        ("schedules.1.scheduler", "StepLR"),
        ("schedule_order", "chained"),
    ):
        spec = set_text(spec, name, text)
    first, second = spec.schedules
    assert (first.start, first.scheduler.params["eta_min"]) == (7, 0.01)
    assert second.scheduler.type == "StepLR"
    assert set_text(spec, "schedules.0.scheduler", "none").schedules == (second,)
    alone = set_text(spec, "scheduler", "none")
    assert alone.schedules == ()
    assert "schedules.0.scheduler" not in fields(alone)


SEVERAL = {
    "series": {
        "scheduler": WARMUP,
        "schedules": (
            ScheduleTerm(scheduler=Choice(type="OneCycleLR", params={"max_lr": 0.2}), start=4),
        ),
    },
    "chained": {
        "scheduler": Choice(type="LambdaLR", params={"lr_lambda": "1 / (1 + step)"}),
        "schedules": (ScheduleTerm(scheduler=DECAY), ScheduleTerm(scheduler=COSINE)),
        "schedule_order": "chained",
    },
    "composed": {"scheduler": Choice(type="WarmupStableDecay")},
}


@pytest.mark.parametrize("case", SEVERAL)
def test_that_a_stopped_run_ends_where_an_unbroken_one_does(tmp_path: Path, case: str) -> None:
    changes = {"optimizer": RATE, "scheduler_interval": "step", "epochs": 4, **SEVERAL[case]}
    runs = [make_run(tmp_path, **changes) for _ in range(2)]
    assert train(runs[0]).status is RunStatus.FINISHED
    stop_at(runs[1], 6)
    assert train(runs[1], "latest").status is RunStatus.FINISHED
    assert_same_run(*reversed(runs))
    assert train(runs[1], "latest", length=6).status is RunStatus.FINISHED


@pytest.mark.parametrize("case", SEVERAL)
def test_that_a_change_by_hand_scales_the_rest_of_all_schedules(case: str) -> None:
    spec = iris_spec(optimizer=RATE, scheduler_interval="step", epochs=4, **SEVERAL[case])
    one, other = (build_optimizer(RATE, nn.Linear(2, 2)) for _ in range(2))
    schedules = [Schedule(spec, each, 4) for each in (one, other)]
    for step in range(14):
        if step == 2:
            schedules[0].set_learning_rate(2 * learning_rates(one)[0])
        scale = 1 if step < 2 else 2
        assert learning_rates(one) == pytest.approx([scale * learning_rates(other)[0]])
        for optimizer, schedule in zip((one, other), schedules, strict=True):
            optimizer.step()
            schedule.step_done(0)


ALL = {
    **SEVERAL,
    **{
        str(number): {"scheduler": choice, "scheduler_interval": interval}
        for number, (choice, interval) in enumerate(SCHEDULERS)
    },
}


@pytest.mark.fault("F11")
@pytest.mark.parametrize("case", ALL)
def test_that_halved_rates_stay_halved_in_every_schedule_and_after_a_resume(case: str) -> None:
    spec = iris_spec(optimizer=RATE, epochs=4, **{"scheduler_interval": "step", **ALL[case]})
    groups = [{"params": [nn.Parameter(torch.zeros(1))], "lr": rate} for rate in (0.1, 0.0, 0.02)]
    made = [torch.optim.SGD(copy.deepcopy(groups), lr=0.1) for _ in range(3)]
    _, halved, resumed = schedules = [Schedule(spec, each, 4) for each in made]
    for step in range(16):
        if step == 2:
            halved.scale(0.5)
        if step >= 2:
            assert learning_rates(made[1]) == pytest.approx(
                [rate / 2 for rate in learning_rates(made[0])], abs=1e-12
            )
        if step == 9:
            made[2].load_state_dict(copy.deepcopy(made[1].state_dict()))
            resumed.load_state_dict(copy.deepcopy(halved.state_dict()))
        if step >= 9:
            assert learning_rates(made[2]) == learning_rates(made[1])
        for optimizer, schedule in zip(made, schedules, strict=True):
            optimizer.step()
            schedule.step_done(0)
            if step % 4 == 3:
                schedule.epoch_done(1.0, step // 4)


def test_that_the_state_of_another_series_is_refused() -> None:
    one = Schedule(iris_spec(**SEVERAL["series"]), build_optimizer(RATE, nn.Linear(2, 2)), 4)
    other = Schedule(iris_spec(**SEVERAL["chained"]), build_optimizer(RATE, nn.Linear(2, 2)), 4)
    with pytest.raises(ValueError, match="another kind or size"):
        one.load_state_dict(copy.deepcopy(other.state_dict()))


@pytest.mark.parametrize(
    ("scheduler", "code", "rate"),
    [
        (Choice(type="CosineAnnealingLR"), "R442", "0.075"),
        (Choice(type="LinearLR", params={"start_factor": 0.5, "total_iters": 2}), "R443", "0.1"),
        (DECAY, "R444", "0.05905"),
        (Choice(type="PolynomialLR", params={"total_iters": 3}), "R445", "0"),
    ],
)
def test_that_a_run_that_goes_on_tells_what_its_schedule_does(
    tmp_path: Path, scheduler: Choice, code: str, rate: str
) -> None:
    run = make_run(tmp_path, optimizer=RATE, scheduler=scheduler)
    assert train(run).warnings == ()
    question = ExplainExtension(spec=run.document.spec, steps_per_epoch=4, steps=24)
    before = ask(question).problem
    (told,) = train(run, "latest", length=6).warnings
    assert before is not None
    assert (told.code, told.params) == (before.code, before.params)
    assert (told.code, told.params["rate"], told.params["steps"]) == (code, rate, 12)


def test_that_nothing_is_told_where_the_rate_stays_anyway(tmp_path: Path) -> None:
    for scheduler in (None, Choice(type="ReduceLROnPlateau")):
        run = make_run(tmp_path, optimizer=RATE, scheduler=scheduler)
        train(run)
        assert train(run, "latest", length=5).warnings == ()


CURVE = Choice(type="DrawnCurve", params={"points": "0.1:0.2, 0.5:1, 1:0.25"})


def drawn(step: int) -> float:
    """Return the factor of that curve over 20 steps as a script would."""
    share = step / 19
    if share < 0.1:
        return 0.2
    if share < 0.5:
        return 0.2 + (1 - 0.2) / (0.5 - 0.1) * (share - 0.1)
    return 1 + (0.25 - 1) / (1 - 0.5) * (share - 0.5) if share < 1 else 0.25


def test_that_a_drawn_curve_is_a_plain_lambda_to_the_bit() -> None:
    found = rates(5, scheduler=CURVE, scheduler_interval="step")
    assert found == plain(20, lambda one: lr_scheduler.LambdaLR(one, drawn))
    assert found[-1] == 0.1 * 0.25


def test_that_a_curve_between_logarithms_falls_by_equal_factors() -> None:
    params = {"points": "0:1, 1:0.01", "interpolation": "log"}
    found = rates(5, scheduler=Choice(type="DrawnCurve", params=params), scheduler_interval="step")
    factors = [after / before for before, after in pairwise(found)]
    assert factors == pytest.approx([0.01 ** (1 / 19)] * 19)


@pytest.mark.parametrize(
    ("points", "joined"),
    [
        ("", "linear"),
        ("0:1", "linear"),
        ("0:1, 0:2", "linear"),
        ("0.5:1, 0.2:2", "linear"),
        ("0:1, 1.5:2", "linear"),
        ("0:-1, 1:2", "linear"),
        ("0:nan, 1:2", "linear"),
        ("0:1, 1:0", "log"),
        ("here, there", "linear"),
        (", ".join(f"{n / 60}:1" for n in range(60)), "linear"),
    ],
)
def test_that_points_that_are_no_curve_are_told_at_their_field(points: str, joined: str) -> None:
    choice = Choice(type="DrawnCurve", params={"points": points, "interpolation": joined})
    spec = iris_spec(scheduler=choice, scheduler_interval="step")
    (problem,) = check_scheduler(spec, None)
    assert (problem.code, problem.field) == ("R499", "scheduler.points")


def test_that_a_drawn_curve_is_resumed_exactly_and_goes_with_no_other(tmp_path: Path) -> None:
    changes = {"scheduler": CURVE, "scheduler_interval": "step"}
    unbroken, broken = make_run(tmp_path, **changes), make_run(tmp_path, **changes)
    train(unbroken)
    stop_at(broken, 6)
    train(broken, "latest")
    assert_same_run(broken, unbroken)
    both = iris_spec(**changes, schedules=(ScheduleTerm(scheduler=COSINE, start=4),))
    assert "R438" in {problem.code for problem in check_scheduler(both, None)}


def test_that_a_start_is_refused_where_schedules_are_chained() -> None:
    terms = (ScheduleTerm(scheduler=COSINE, start=4),)
    spec = iris_spec(scheduler=WARMUP, schedules=terms, schedule_order="chained")
    assert set_text(spec, "schedules.0.start", "4") == spec
    with pytest.raises(DiagnosticError) as error:
        set_text(spec, "schedules.0.start", "7")
    assert error.value.problems[0].code == "R495"
