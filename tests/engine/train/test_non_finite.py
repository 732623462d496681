"""What follows a step whose loss or gradients are not finite, by the rule of the run."""

import copy
import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from typing_extensions import override

from engine.api import check
from engine.model.module import to_module
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunState, RunStatus
from engine.spec import codec
from engine.spec.run import Choice, ClipSpec, ComputeSpec, DataSpec, RunSpec
from engine.spec.technique import AccumulationSpec, AveragingSpec
from engine.train.loop import train_epoch
from engine.train.losses import LossTerms, Outputs
from engine.train.ranks.world import World
from engine.train.training import Training, build_training
from tests.engine.train.test_resume import assert_same_run, stop_at
from tests.tiny_run import RANDOM_LAYERS, curves, iris_graph, iris_spec, make_run, train

SGD = Choice(type="SGD", params={"lr": 0.1, "momentum": 0.9})
CYCLE = Choice(type="OneCycleLR", params={"max_lr": 0.3})
SMALL = DataSpec(source=Choice(type="iris"), batch_size=15)  # 7 batches in an epoch
NORM = RANDOM_LAYERS[0]
SPOILT_BATCHES = {2, 3, 9}  # from 0, over two epochs


class _BadGradient(torch.autograd.Function):
    """Passes a loss on, and gives NaN as its gradient."""

    @staticmethod
    def forward(_: object, loss: Tensor) -> Tensor:
        return loss.clone()

    @staticmethod
    def backward(_: object, gradient: Tensor) -> Tensor:  # pyright: ignore[reportIncompatibleMethodOverride]
        return gradient * math.nan


def spoil(monkeypatch: pytest.MonkeyPatch, batches: set[int], way: str = "loss") -> None:
    """Make the loss of some training batches (from 0) NaN, or only their gradients."""
    compute, numbers = LossTerms.__call__, iter(range(1 << 30))

    def spoilt(self: LossTerms, outputs: Outputs, *rest: Any) -> object:
        loss, parts = compute(self, outputs, *rest)
        if not loss.requires_grad or next(numbers) not in batches:
            return loss, parts
        return (loss * math.nan if way == "loss" else _BadGradient.apply(loss)), parts

    monkeypatch.setattr(LossTerms, "__call__", spoilt)


def new_training(spec: RunSpec) -> Training:
    torch.manual_seed(0)
    return build_training(iris_graph(NORM), spec, to_module(iris_graph(NORM)))


def plain(spec: RunSpec, batches_a_step: int, bad: set[int]) -> tuple[list[float], nn.Module]:
    """Train as a script would that never sees the steps with bad batches."""
    batches = new_training(spec)
    model = copy.deepcopy(batches.model).train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    is_half = spec.compute.precision == "float16"
    scaler = torch.amp.GradScaler("cpu", enabled=is_half)
    total = spec.epochs * batches.steps_per_epoch
    schedule = None  # one would complain of the first step, which the scaler skips
    if not is_half:
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.3, total_steps=total)
    losses: list[float] = []
    first = 0
    for epoch in range(spec.epochs):
        rest = batches.epoch_batches(epoch, 0)
        while group := list(islice(rest, batches_a_step)):
            numbers = set(range(first, first + len(group)))
            first += len(group)
            if numbers & bad:
                continue
            samples = sum(len(batch["label"]) for batch in group)
            optimizer.zero_grad()
            found = []
            for batch in group:
                with torch.autocast("cpu", torch.float16, enabled=is_half):
                    logits = model(batch["features"])
                loss = nn.functional.cross_entropy(logits.float(), batch["label"])
                found.append(loss.item() * len(batch["label"]))
                share = len(batch["label"]) / samples
                scaler.scale(loss if len(group) == 1 else loss * share).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            scaler.step(optimizer)
            scaler.update()
            if schedule is not None:
                schedule.step()
            losses.append(sum(found) / samples)
    return losses, model


@pytest.mark.fault("F11")
@pytest.mark.parametrize(
    ("way", "compute", "count"),
    [
        ("loss", ComputeSpec(), 1),
        ("gradient", ComputeSpec(), 1),
        ("loss", ComputeSpec(precision="float16"), 1),
        ("loss", ComputeSpec(), 3),
        ("gradient", ComputeSpec(), 3),
    ],
    ids=["loss", "gradient", "half", "loss of three", "gradient of three"],
)
def test_that_skipped_steps_leave_no_trace_in_the_weights(
    monkeypatch: pytest.MonkeyPatch, way: str, compute: ComputeSpec, count: int
) -> None:
    """Batch norms, momentum, schedule and scaler are those of a script without these batches."""
    spec = iris_spec(
        data=SMALL,
        epochs=2,
        optimizer=SGD,
        clip=ClipSpec(kind="norm", limit=0.5),
        scheduler=None if compute.precision == "float16" else CYCLE,
        scheduler_interval="step",
        compute=compute,
        accumulation=AccumulationSpec(batches=count),
        non_finite="skip",
    )
    losses, model = plain(spec, count, SPOILT_BATCHES)
    training = new_training(spec)
    spoil(monkeypatch, SPOILT_BATCHES, way)
    meter = training.epoch_meter()
    found = [each for epoch in range(2) for each in train_epoch(training, epoch, 0, meter)]
    assert sum(each.batches for each in found) == 14
    taken = [each for each in found if not each.is_skipped]
    assert 0 < len(taken) < len(found)
    assert [each.loss for each in taken] == pytest.approx(losses, rel=1e-6)
    others = model.state_dict()
    assert all(torch.equal(own, others[key]) for key, own in training.model.state_dict().items())


class _WithOtherRank(World):
    """A world of shards in which another rank has a bad gradient in a step (from 0)."""

    is_sharded = True

    def __init__(self, bad: int) -> None:
        self._left = bad

    @override
    def all_reduce(self, values: Sequence[float]) -> list[float]:
        self._left -= 1
        return [float(self._left == -1)]


@pytest.mark.fault("F11")
def test_that_ranks_with_other_shards_skip_a_step_together() -> None:
    spec = iris_spec(data=SMALL, optimizer=SGD, non_finite="skip")
    training = replace(new_training(spec), world=_WithOtherRank(bad=2))
    found = list(train_epoch(training, 0, 0, training.new_meter()))
    assert [each.is_skipped for each in found] == [number == 2 for number in range(7)]


def skipping_run(project: Path, **changes: object) -> RunFolder:
    wanted: dict[str, object] = {"data": SMALL, "epochs": 2, "non_finite": "skip"}
    return make_run(project, None, **wanted | changes)


def codes(state: RunState) -> list[str]:
    return [problem.code for problem in state.warnings]


@pytest.mark.fault("F11")
def test_that_a_run_goes_on_and_tells_what_it_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil(monkeypatch, SPOILT_BATCHES)
    run = skipping_run(tmp_path, averaging=AveragingSpec(kind="ema", decay=0.5))
    state = train(run)
    assert (state.status, state.step, state.epoch) == (RunStatus.FINISHED, 14, 2)
    assert codes(state) == ["R476", "R477", "R476"]
    assert [each.params["step"] for each in state.warnings if "step" in each.params] == [3, 10]
    assert state.warnings[1].params == {"count": 2, "epoch": 1, "steps": 7}
    taken = [number for number in range(1, 15) if number - 1 not in SPOILT_BATCHES]
    assert curves(run)["train.loss"][0] == taken
    assert all(math.isfinite(value) for value in state.metrics.values())


@pytest.mark.fault("F11")
@pytest.mark.parametrize("begin", [0, 8])
def test_that_a_run_ends_when_skipping_does_not_help(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begin: int
) -> None:
    spoil(monkeypatch, {*range(begin - 3), *range(begin, 100)})
    state = train(skipping_run(tmp_path, epochs=9))
    assert state.problem is not None
    assert (state.status, state.problem.code) == (RunStatus.FAILED, "R475"), state.problem
    assert state.problem.params == {"step": begin + 20, "count": 20}
    assert state.step == begin + 19


@pytest.mark.fault("F11")
def test_that_weights_that_are_not_finite_end_the_run_at_the_first_step_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    step, calls = torch.optim.SGD.step, iter(range(1, 1 << 30))

    def spoil_weight(optimizer: torch.optim.SGD, closure: None = None) -> None:
        step(optimizer, closure)
        if next(calls) == 3:
            optimizer.param_groups[0]["params"][0].data.fill_(math.nan)

    monkeypatch.setattr(torch.optim.SGD, "step", spoil_weight)
    state = train(skipping_run(tmp_path, optimizer=Choice(type="SGD")))
    assert state.problem is not None
    assert (state.problem.code, state.problem.params["step"], state.step) == ("R215", 3, 3)


@pytest.mark.fault("F21")
def test_that_a_resume_after_a_skipped_step_is_exact(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unbroken, broken = skipping_run(tmp_path / "a"), skipping_run(tmp_path / "b")
    with monkeypatch.context() as patch:
        spoil(patch, {2, 3, 4})
        warnings = train(unbroken).warnings
    with monkeypatch.context() as patch:
        spoil(patch, {2, 3, 4})  # counts on over both sessions
        stop_at(broken, 4)
        train(broken, "latest")
    assert_same_run(broken, unbroken, warnings)


def test_that_the_rule_is_checked_with_the_optimizer() -> None:
    found = [
        problem
        for name in ("LBFGS", "SGD")
        for problem in check(
            iris_graph(), iris_spec(optimizer=Choice(type=name), non_finite="skip")
        ).problems
        if problem.field == "non_finite"
    ]
    assert [problem.code for problem in found] == ["R478"]


def test_that_documents_without_the_rule_stay_as_they_are() -> None:
    assert "non_finite" not in str(codec.to_document(iris_spec()))
    assert "non_finite" in str(codec.to_document(iris_spec(non_finite="skip")))
