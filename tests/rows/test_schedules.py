"""Rows of the capability table about learning rates over a run and the speed of optimizers."""

import math
from pathlib import Path

import pytest
import torch
from torch import nn, optim
from torch.optim import lr_scheduler

from engine.query.ask import ask
from engine.query.rate.request import PreviewLr
from engine.runs.folder import RunFolder
from engine.runs.record.store import RunStore
from engine.spec.run import CheckpointSpec, Choice, ScheduleTerm
from engine.train.optim import build_optimizer
from tests.tiny_run import iris_spec, make_run, train

RATE = Choice(type="SGD", params={"lr": 0.1})


def planned(epochs: int, **changes: object) -> list[float]:
    """Return the learning rate of each step, as it is drawn before a run with 4 an epoch."""
    spec = iris_spec(optimizer=RATE, epochs=epochs, metrics=(), **changes)
    return list(ask(PreviewLr(spec=spec, steps_per_epoch=4)).values[0])


def scalars(run: RunFolder, name: str) -> list[float]:
    with RunStore.open(run.path) as store:
        return store.scalars(name).values.tolist()


@pytest.mark.row("S174")
@pytest.mark.parametrize("way", ["foreach", "fused"])
@pytest.mark.parametrize("key", ["SGD", "Adam", "AdamW"])
def test_that_the_fast_ways_of_an_optimizer_are_settings_with_the_steps_of_torch(
    key: str, way: str
) -> None:
    mine, theirs = nn.Linear(3, 2), nn.Linear(3, 2)
    theirs.load_state_dict(mine.state_dict())
    chosen = build_optimizer(Choice(type=key, params={"lr": 0.01, way: True}), mine)
    assert chosen.param_groups[0][way] is True
    twin = getattr(optim, key)(theirs.parameters(), lr=0.01, **{way: True})
    for model, optimizer in ((mine, chosen), (theirs, twin)):
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.ones(4, 3)).square().sum().backward()
            optimizer.step()
    assert torch.equal(mine.weight, theirs.weight)


@pytest.mark.row("S177")
@pytest.mark.parametrize(
    ("monitor", "mode"), [("validation.accuracy", "max"), ("validation.loss", "min")]
)
def test_that_a_plateau_goes_by_the_value_and_the_direction_that_are_chosen(
    tmp_path: Path, monitor: str, mode: str
) -> None:
    params = {"mode": mode, "patience": 2, "factor": 0.5}
    run = make_run(
        tmp_path,
        optimizer=Choice(type="SGD", params={"lr": 2.0}),  # too much to get better
        scheduler=Choice(type="ReduceLROnPlateau", params=params),
        checkpoint=CheckpointSpec(monitor=monitor, mode=mode),
        epochs=9,
    )
    train(run)
    optimizer = optim.SGD([nn.Parameter(torch.zeros(1))], lr=2.0)
    plateau = lr_scheduler.ReduceLROnPlateau(optimizer, mode, patience=2, factor=0.5)
    measured = scalars(run, monitor)
    expected = []
    for value in measured:
        expected.append(optimizer.param_groups[0]["lr"])
        plateau.step(value)
    assert scalars(run, "lr") == expected
    assert expected[-1] < expected[0]


@pytest.mark.row("S178")
def test_that_a_warm_up_rises_from_nothing_to_the_full_rate_in_ten_epochs() -> None:
    rise = Choice(type="LambdaLR", params={"lr_lambda": "min(1, epoch / 10)"})
    by_epoch = planned(12, scheduler=rise)[::4]
    assert by_epoch == pytest.approx([0.01 * epoch for epoch in range(10)] + [0.1, 0.1])
    linear = Choice(type="LinearLR", params={"start_factor": 0.1, "total_iters": 9})
    by_epoch = planned(12, scheduler=linear)[::4]
    assert by_epoch == pytest.approx([0.01 * (epoch + 1) for epoch in range(10)] + [0.1, 0.1])


@pytest.mark.row("S181")
def test_that_a_hundred_steps_of_warm_up_go_before_a_cosine_or_a_line() -> None:
    warm = Choice(type="WarmupCosine", params={"warmup": 0.25, "start_factor": 0.01})
    found = planned(100, scheduler=warm, scheduler_interval="step")
    assert len(found) == 400
    assert found[0] == pytest.approx(0.001)
    assert found[50] == pytest.approx(0.1 * (0.01 + 0.99 * 0.5))
    cosine = [0.05 * (1 + math.cos(math.pi * step / 300)) for step in range(300)]
    assert found[100:] == pytest.approx(cosine)
    rise = Choice(type="LinearLR", params={"start_factor": 0.01, "total_iters": 100})
    fall = Choice(
        type="LinearLR", params={"start_factor": 1.0, "end_factor": 0.0, "total_iters": 300}
    )
    found = planned(
        100,
        scheduler=rise,
        schedules=(ScheduleTerm(scheduler=fall, start=100),),
        scheduler_interval="step",
    )
    assert found[:100] == pytest.approx([0.1 * (0.01 + 0.0099 * step) for step in range(100)])
    assert found[100:] == pytest.approx([0.1 * (1 - step / 300) for step in range(300)])


@pytest.mark.row("S179")
@pytest.mark.filterwarnings("error:Detected call of `lr_scheduler.step")
@pytest.mark.parametrize(
    ("interval", "epoch"),
    [("epoch", ["step"] * 4 + ["schedule"]), ("step", ["step", "schedule"] * 4)],
)
def test_that_the_schedule_goes_on_after_the_optimizer_by_epoch_or_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interval: str, epoch: list[str]
) -> None:
    calls: list[str] = []

    def spied(owner: type, name: str) -> None:
        original = owner.step

        def called(self: object, *arguments: object, **options: object) -> object:
            calls.append(name)
            return original(self, *arguments, **options)

        monkeypatch.setattr(owner, "step", called)

    spied(optim.SGD, "step")
    spied(lr_scheduler.StepLR, "schedule")
    run = make_run(
        tmp_path,
        optimizer=RATE,
        scheduler=Choice(type="StepLR", params={"step_size": 1, "gamma": 0.5}),
        scheduler_interval=interval,
        epochs=2,
        metrics=(),
    )
    train(run)
    assert calls[calls.index("step") :] == epoch * 2
    assert scalars(run, "lr") == [0.1 * 0.5**at for at in range(2 if interval == "epoch" else 8)]
