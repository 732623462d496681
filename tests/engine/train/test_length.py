"""Runs that end by steps or by time, also within an epoch, and validation within one."""

from pathlib import Path

import numpy as np
import pytest

from engine.api import export
from engine.diagnostics import DiagnosticError
from engine.events import Stop
from engine.query.ask import ask
from engine.query.model.request import Check
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch
from engine.runs.record.state import RunState, RunStatus
from engine.runs.record.store import RunStore
from engine.spec.fields import set_text
from engine.spec.length import RunLength, run_length
from engine.spec.run import CheckpointSpec, Choice
from engine.spec.schedule import follows_length
from engine.spec.technique import AccumulationSpec, AveragingSpec, EarlyStoppingSpec
from engine.train.report import Clock
from engine.train.worker import run_in_thread
from tests.engine.train.test_resume import stop_at
from tests.tiny_run import PATIENCE_S, curves, iris_graph, iris_spec, make_run, train, weights

SGD = Choice(type="SGD", params={"lr": 0.1})
PER_EPOCH = 4
WAVE = Choice(type="CosineAnnealingLR", params={"T_max": 5})


def scalars(run: RunFolder, name: str) -> tuple[list[int], list[float]]:
    with RunStore.open(run.path) as store:
        found = store.scalars(name)
    return found.steps.tolist(), found.values.tolist()


def same(left: RunFolder, right: RunFolder) -> bool:
    return weights(left) == weights(right)


@pytest.mark.row("S198")
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"accumulation": AccumulationSpec(batches=3)},
        {"averaging": AveragingSpec(kind="ema", decay=0.7)},
        {"scheduler": WAVE, "scheduler_interval": "step"},
    ],
    ids=["plain", "accumulation", "ema", "schedule"],
)
def test_that_a_run_ends_after_its_steps_and_goes_on_as_a_longer_one(tmp_path, changes) -> None:
    long, short = (make_run(tmp_path, length="steps", steps=n, **changes) for n in (11, 6))
    assert train(long).status is RunStatus.FINISHED
    state = train(short)
    assert (state.status, state.step, state.problem) == (RunStatus.FINISHED, 6, None)
    assert state.checkpoints[-1].step == 6
    assert {"train.loss", "validation.loss", "test.loss"} <= state.metrics.keys()
    assert scalars(short, "validation.loss")[0][-1] == 6
    state = train(short, "latest", length=11)
    assert state.step == state.total_steps == 11
    assert curves(short)["train.loss"] == curves(long)["train.loss"]
    assert same(short, long)


def test_that_a_run_of_whole_epochs_is_the_same_whichever_it_ends_by(tmp_path: Path) -> None:
    changes = {"scheduler": Choice(type="OneCycleLR", params={"max_lr": 0.05})}
    by_epochs = make_run(tmp_path, epochs=2, scheduler_interval="step", **changes)
    by_steps = make_run(
        tmp_path, length="steps", steps=2 * PER_EPOCH, scheduler_interval="step", **changes
    )
    one, other = train(by_epochs), train(by_steps)
    assert one.metrics == other.metrics
    assert (other.epoch, other.epochs) == (2, 2)
    assert same(by_epochs, by_steps)


def test_that_a_run_of_steps_is_resumed_in_the_middle_with_the_same_bits(tmp_path: Path) -> None:
    unbroken, broken = (make_run(tmp_path, length="steps", steps=10) for _ in range(2))
    train(unbroken)
    stop_at(broken, 7)
    assert train(broken, "latest").step == 10
    assert curves(broken) == curves(unbroken)
    assert same(broken, unbroken)


def test_that_early_stopping_ends_a_run_of_steps_which_can_still_be_extended(tmp_path) -> None:
    flat = Choice(type="SGD", params={"lr": 1e-12})
    run = make_run(
        tmp_path,
        iris_graph(),
        optimizer=flat,
        length="steps",
        steps=100,
        early_stopping=EarlyStoppingSpec(patience=2, min_delta=0.01),
    )
    state = train(run)
    assert (state.epoch, state.step, state.total_steps) == (3, 12, 12)
    state = train(run, "latest", length=14)
    assert (state.step, state.steps) == (14, 14)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have each look at the clock of training take a tenth of a minute."""
    looks, measured = {"count": 0}, Clock.elapsed_s

    def elapsed_s(clock: Clock) -> float:
        looks["count"] += 1
        return measured(clock) + 6.0 * looks["count"]

    monkeypatch.setattr(Clock, "elapsed_s", elapsed_s)


@pytest.mark.usefixtures("quick")
def test_that_a_run_ends_once_its_time_is_over_and_says_why(tmp_path: Path) -> None:
    run = make_run(tmp_path, length="minutes", minutes=60.0)
    state = train(run)
    assert state.status is RunStatus.FINISHED, state.problem
    (told,) = state.warnings
    assert (told.code, told.params["minutes"], told.params["step"]) == ("R461", "60", state.step)
    assert state.step > 0
    assert 3600 <= state.elapsed_s < 2 * 3600
    assert state.checkpoints[-1].step == state.step
    assert {"validation.loss", "test.loss"} <= state.metrics.keys()
    assert (state.total_steps, state.share) == (0, 1.0)


def test_that_the_time_before_a_resume_counts(tmp_path: Path) -> None:
    """The record says that an hour has passed; what is left is a fraction of a second."""
    run = make_run(tmp_path, length="minutes", minutes=60.0)
    stop_at(run, 5)
    trained = Clock.elapsed_s
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Clock, "elapsed_s", lambda clock: trained(clock) + 3600.0)
        state = train(run, "latest")
    assert state.status is RunStatus.FINISHED, state.problem
    assert (state.step, [each.code for each in state.warnings]) == (5, ["R461"])
    assert state.eta_s is None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Clock, "elapsed_s", lambda clock: trained(clock) + 3500.0)
        thread = run_in_thread(Launch(folder=str(run.path), resume="latest", length=120.0))
        run.send(Stop())
        assert thread.join(PATIENCE_S)
    assert read_state(run).minutes == 120.0


def test_that_validation_every_few_steps_changes_nothing_but_what_is_known(tmp_path) -> None:
    plain = make_run(tmp_path)
    often = make_run(tmp_path, validate_every=3)
    one, other = train(plain), train(often)
    assert scalars(often, "validation.loss")[0] == [3, 4, 6, 8, 9, 12]
    assert scalars(plain, "validation.loss")[0] == [4, 8, 12]
    assert curves(plain)["train.loss"] == curves(often)["train.loss"]
    assert same(plain, often)
    assert one.metrics == other.metrics
    assert other.evaluations == ()  # that the user asked for


def test_that_the_best_checkpoint_may_lie_within_an_epoch(tmp_path: Path) -> None:
    kept = CheckpointSpec(monitor="validation.loss", mode="max", every_steps=1, keep_last=20)
    run = make_run(tmp_path, validate_every=1, checkpoint=kept, epochs=1)
    state = train(run)
    steps, values = scalars(run, "validation.loss")
    assert state.best is not None
    assert state.best.step == steps[int(np.argmax(values))]
    assert state.best.step < PER_EPOCH


@pytest.mark.parametrize(
    ("spec", "length"),
    [
        ({"epochs": 5}, RunLength(5)),
        ({"length": "steps", "steps": 9}, RunLength(3, 9)),
        ({"length": "minutes", "minutes": 0.5}, RunLength(minutes=0.5)),
    ],
)
def test_that_one_of_three_settings_is_the_length(spec, length) -> None:
    assert run_length(iris_spec(**spec), PER_EPOCH) == length


def test_that_a_schedule_that_follows_the_length_is_refused_where_it_is_not_known() -> None:
    spec = iris_spec(
        length="minutes", scheduler=Choice(type="CosineAnnealingLR", params={"T_max": "auto"})
    )
    problems = ask(Check(graph=iris_graph(), spec=spec)).problems
    assert [(each.code, each.field) for each in problems] == [("R462", "scheduler")]
    for params in ({"T_max": 40}, {"T_max": 7, "eta_min": 0.001}):
        fixed = iris_spec(
            length="minutes", scheduler=Choice(type="CosineAnnealingLR", params=params)
        )
        assert ask(Check(graph=iris_graph(), spec=fixed)).problems == ()


@pytest.mark.parametrize(
    ("choice", "follows"),
    [
        (Choice(type="WarmupCosine"), True),
        (Choice(type="OneCycleLR", params={"max_lr": 0.1}), True),
        (Choice(type="OneCycleLR", params={"max_lr": 0.1, "total_steps": 50}), False),
        (Choice(type="LambdaLR", params={"lr_lambda": "1 - step / total"}), True),
        (Choice(type="LambdaLR", params={"lr_lambda": "0.9 ** step"}), False),
        (Choice(type="StepLR", params={"step_size": 3}), False),
        (Choice(type="ReduceLROnPlateau"), False),
    ],
)
def test_which_schedules_follow_the_length(choice: Choice, follows: bool) -> None:
    assert follows_length(choice) is follows


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "x"])
def test_that_a_number_of_steps_is_a_whole_one_above_0(text: str) -> None:
    with pytest.raises(DiagnosticError):
        set_text(iris_spec(), "steps", text)


def test_that_a_run_can_become_shorter_while_it_trains_but_not_than_it_is(tmp_path: Path) -> None:
    run = make_run(tmp_path, length="steps", steps=7)
    train(run)
    state = train(run, "latest", length=3)
    assert [each.code for each in state.warnings] == ["R130"]
    assert state.step == 7


@pytest.mark.parametrize(
    ("state", "share", "left"),
    [
        (RunState(step=5, epochs=3, steps_per_epoch=4, steps=10), 0.5, None),
        (RunState(step=6, epochs=3, steps_per_epoch=4), 0.5, None),
        (RunState(step=6, minutes=2.0, steps_per_epoch=4, elapsed_s=30.0), 0.25, None),
    ],
)
def test_how_much_of_a_run_is_done(state: RunState, share: float, left: None) -> None:
    assert state.share == share


def test_that_an_export_trains_as_many_steps_as_the_run(tmp_path: Path) -> None:
    run = make_run(
        tmp_path,
        iris_graph(),
        length="steps",
        steps=6,
        scheduler=Choice(type="CosineAnnealingLR"),
        scheduler_interval="step",
    )
    train(run)
    export(run.path, "python-class", tmp_path / "net.py", checkpoint="last")
    text = (tmp_path / "net.py").read_text()
    assert "def fit(self, batches, steps=6" in text
    assert "--steps 6" in (tmp_path / "net.README.md").read_text()
