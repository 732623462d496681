"""Techniques compute what a plain script does, to the last bit, also after a resume."""

import copy
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from engine.diagnostics import sentence
from engine.model.module import to_module
from engine.runs.record.state import RunState, RunStatus
from engine.spec.run import CheckpointSpec, Choice, ClipSpec, RunSpec
from engine.spec.technique import EarlyStoppingSpec, GradientNoiseSpec, PenaltySpec
from engine.train.loop import train_epoch
from engine.train.training import Training, build_training
from tests.engine.train.test_resume import assert_same_run, stop_at
from tests.tiny_run import RANDOM_LAYERS, iris_graph, iris_spec, make_run, train

SGD = Choice(type="SGD", params={"lr": 0.1, "momentum": 0.9})
PENALTY = PenaltySpec(l1=0.01, l2=0.03)
NOISE = GradientNoiseSpec(variance=0.01, decay=0.5)
FLAT = Choice(type="SGD", params={"lr": 1e-9})  # nothing gets better


def new_training(spec: RunSpec) -> Training:
    torch.manual_seed(0)
    return build_training(iris_graph(), spec, to_module(iris_graph()))


def plain(spec: RunSpec, penalty: PenaltySpec, noise: GradientNoiseSpec, limit: float) -> nn.Module:
    """Train as a script would that knows nothing of the program."""
    batches = new_training(spec)
    model = copy.deepcopy(batches.model).train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    step = 0
    for epoch in range(spec.epochs):
        for batch in batches.epoch_batches(epoch, 0):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(batch["features"]), batch["label"])
            for weight in model.parameters():
                if penalty.l1 and weight.ndim > 1:
                    loss = loss + penalty.l1 * weight.abs().sum()
                if penalty.l2 and weight.ndim > 1:
                    loss = loss + penalty.l2 * (weight**2).sum()
            loss.backward()
            generator = torch.Generator().manual_seed(spec.seed + 1_000_003 * (step + 1))
            for weight in model.parameters():
                if noise.variance:
                    drawn = torch.randn(weight.shape, generator=generator)
                    deviation = (noise.variance / (1 + step) ** noise.decay) ** 0.5
                    weight.grad.add_(drawn, alpha=deviation)
            nn.utils.clip_grad_norm_(model.parameters(), limit)
            optimizer.step()
            step += 1
    return model


@pytest.mark.row("S191")
@pytest.mark.parametrize(
    ("penalty", "noise"),
    [(PENALTY, GradientNoiseSpec()), (PenaltySpec(), NOISE), (PENALTY, NOISE)],
    ids=["penalty", "noise", "both"],
)
def test_that_the_weights_are_those_of_a_plain_script(
    penalty: PenaltySpec, noise: GradientNoiseSpec
) -> None:
    clip = ClipSpec(kind="norm", limit=0.5)
    spec = iris_spec(optimizer=SGD, penalty=penalty, gradient_noise=noise, clip=clip)
    training = new_training(spec)
    for epoch in range(spec.epochs):
        for _ in train_epoch(training, epoch, 0, training.new_meter()):
            pass
    without = iris_spec(optimizer=SGD, clip=clip)
    assert not same(training.model, plain(without, PenaltySpec(), GradientNoiseSpec(), 0.5))
    assert same(training.model, plain(without, penalty, noise, 0.5))


def same(left: nn.Module, right: nn.Module) -> bool:
    others: dict[str, Tensor] = right.state_dict()
    return all(torch.equal(value, others[name]) for name, value in left.state_dict().items())


def test_that_the_record_shows_the_loss_without_its_penalty(tmp_path: Path) -> None:
    with_penalty = train(make_run(tmp_path, optimizer=FLAT, penalty=PenaltySpec(l2=1.0)))
    alone = train(make_run(tmp_path, optimizer=FLAT))
    assert with_penalty.metrics["train.loss"] == pytest.approx(alone.metrics["train.loss"], 1e-4)


def test_that_the_penalty_of_an_optimizer_with_a_closure_counts_in_its_search() -> None:
    search = Choice(type="LBFGS", params={"line_search_fn": "strong_wolfe", "max_iter": 20})
    spec = iris_spec(optimizer=search, penalty=PenaltySpec(l2=10.0), epochs=6)
    training = new_training(spec)
    for epoch in range(spec.epochs):
        for _ in train_epoch(training, epoch, 0, training.new_meter()):
            pass
    norms = [weight.norm().item() for weight in training.model.parameters() if weight.ndim > 1]
    assert max(norms) < 0.01  # so heavy a penalty leaves nothing of them


def test_that_a_frozen_weight_is_not_penalized() -> None:
    spec = iris_spec(optimizer=SGD, penalty=PenaltySpec(l2=1e30))
    training = new_training(spec)
    frozen = training.model.get_parameter("head.weight").requires_grad_(requires_grad=False)
    before = frozen.clone()
    next(iter(train_epoch(training, 0, 0, training.new_meter())))
    assert torch.equal(frozen, before)


def stopped(state: RunState) -> list[str]:
    return [problem.code for problem in state.warnings]


@pytest.mark.row("P25")
def test_that_a_run_ends_once_it_does_not_get_better(tmp_path: Path) -> None:
    patience = EarlyStoppingSpec(patience=2, min_delta=0.01)
    changes = {"optimizer": FLAT, "epochs": 30, "early_stopping": patience}
    state = train(make_run(tmp_path, iris_graph(), **changes))
    assert state.status is RunStatus.FINISHED, state.problem
    assert state.epoch == 1 + 2  # the first is always the best so far
    assert state.epochs == state.epoch
    assert stopped(state) == ["R574"]
    assert "test.loss" in state.metrics
    assert state.checkpoints[-1].epoch == state.epoch


def test_that_a_run_that_gets_better_goes_on(tmp_path: Path) -> None:
    patience = EarlyStoppingSpec(patience=1)
    state = train(make_run(tmp_path, iris_graph(), epochs=4, early_stopping=patience))
    assert (state.epoch, stopped(state)) == (4, [])


def test_that_a_largest_value_is_best_where_the_run_says_so(tmp_path: Path) -> None:
    """An accuracy that falls is no improvement; the loss, whose smallest is best, falls."""
    kept = CheckpointSpec(monitor="train.loss", mode="max")
    patience = EarlyStoppingSpec(patience=1)
    changes = {"checkpoint": kept, "early_stopping": patience, "epochs": 9}
    state = train(make_run(tmp_path, iris_graph(), **changes))
    assert (state.epoch, stopped(state)) == (2, ["R218"])


def test_that_more_epochs_are_trained_when_it_is_extended(tmp_path: Path) -> None:
    patience = EarlyStoppingSpec(patience=2, min_delta=0.01)
    changes = {"optimizer": FLAT, "epochs": 30, "early_stopping": patience}
    run = make_run(tmp_path, iris_graph(), **changes)
    first = train(run)
    second = train(run, "latest", length=first.epoch + 10)
    assert second.status is RunStatus.FINISHED, second.problem
    assert second.epoch == first.epoch + 2


def test_that_a_stopped_run_ends_where_an_unbroken_one_does(tmp_path: Path) -> None:
    changes = {
        "optimizer": Choice(type="SGD", params={"lr": 0.02}),
        "epochs": 40,
        "early_stopping": EarlyStoppingSpec(patience=3, min_delta=0.05),
        "penalty": PENALTY,
        "gradient_noise": NOISE,
    }
    graph = iris_graph(*RANDOM_LAYERS)
    unbroken, broken = (make_run(tmp_path, graph, **changes) for _ in range(2))
    state = train(unbroken)
    assert stopped(state) == ["R574"]
    stop_at(broken, state.step - 2)  # while it is waited for
    assert train(broken, "latest").epoch == state.epoch
    assert_same_run(broken, unbroken, warnings=state.warnings)


@pytest.mark.row("P25")
@pytest.mark.parametrize(
    ("length", "unit"),
    [({}, "“Epochs”"), ({"length": "steps", "steps": 99}, "“Steps”")],
)
def test_that_the_end_says_by_how_much_it_had_to_get_better_and_what_to_increase(
    tmp_path: Path, length: dict[str, object], unit: str
) -> None:
    changes = {"epochs": 30, **length, "checkpoint": CheckpointSpec(monitor="train.loss")}
    asked = EarlyStoppingSpec(patience=1, min_delta=0.5)
    run = make_run(tmp_path, iris_graph(), **changes, early_stopping=asked)
    state = train(run)
    (problem,) = state.warnings
    losses = [float(problem.params["best"]), state.metrics["train.loss"]]
    assert losses[1] < losses[0], "it got better, though by too little"
    text = sentence(problem)
    assert f"had not been better than {losses[0]:.4g} by more than 0.5" in text
    assert f"increase {unit} and resume" in text
    never = train(make_run(tmp_path, iris_graph(), optimizer=FLAT, **changes, early_stopping=ONE))
    assert "had not improved for 1 epoch. Its best value" in sentence(never.warnings[0])
    assert unit in sentence(never.warnings[0])


ONE = EarlyStoppingSpec(patience=1)
