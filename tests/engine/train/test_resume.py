"""The promise: the curve after a resume is bit for bit that of a run that was never stopped."""

import random
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from msgspec.structs import replace

from engine.data.load.load import load_data
from engine.diagnostics import Diagnostic, sentence
from engine.graph.model import Graph
from engine.model.module import to_module
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.record.state import RunStatus
from engine.runs.record.store import RunStore
from engine.spec.run import CheckpointSpec, Choice, ClipSpec, DataSpec, LossTerm
from engine.spec.technique import AccumulationSpec
from tests.custom_data import trusted
from tests.engine.data.load.test_custom_batches import BATCHES
from tests.engine.data.load.test_own_sampler import FILE, SAMPLERS
from tests.tiny_run import (
    RANDOM_LAYERS,
    curves,
    iris_graph,
    make_run,
    node,
    stop_at,
    train,
    weights,
)

OPTIMIZERS = [
    Choice(type="AdamW", params={"lr": 0.01}),
    Choice(type="SGD", params={"lr": 0.05, "momentum": 0.9, "nesterov": True}),
    Choice(type="RMSprop", params={"lr": 0.01, "centered": True}),
    Choice(type="LBFGS", params={"lr": 0.1, "max_iter": 3}),
    Choice(type="RAdam"),
    Choice(type="NAdam"),
    Choice(type="Adafactor"),
    Choice(type="ASGD"),
    Choice(type="Rprop"),
    Choice(type="Adamax"),
    Choice(type="Adadelta"),
    Choice(type="Adagrad"),
]
SCHEDULERS = [
    (None, "epoch"),
    (Choice(type="OneCycleLR", params={"max_lr": 0.05}), "step"),
    (Choice(type="CosineAnnealingLR"), "epoch"),
    (Choice(type="CosineAnnealingLR"), "step"),
    (Choice(type="ReduceLROnPlateau", params={"patience": 0}), "epoch"),
    (Choice(type="StepLR", params={"step_size": 1, "gamma": 0.5}), "epoch"),
    (Choice(type="MultiStepLR", params={"milestones": (1, 2)}), "epoch"),
    (Choice(type="LinearLR"), "step"),
    (Choice(type="ExponentialLR", params={"gamma": 0.9}), "step"),
    (Choice(type="ConstantLR"), "step"),
    (Choice(type="PolynomialLR"), "step"),
    (Choice(type="CosineAnnealingWarmRestarts", params={"T_0": 2}), "step"),
    (
        Choice(
            type="CyclicLR",
            params={"base_lr": 0.001, "max_lr": 0.1, "step_size_up": 3, "cycle_momentum": False},
        ),
        "step",
    ),
]
# Every optimizer and every scheduler once, in twelve pairings; the full product is nightly.
PAIRS = [(OPTIMIZERS[i % len(OPTIMIZERS)], SCHEDULERS[i]) for i in range(len(SCHEDULERS))]


def assert_same_run(
    broken: RunFolder, unbroken: RunFolder, warnings: tuple[Diagnostic, ...] = ()
) -> None:
    assert curves(broken) == curves(unbroken)
    assert weights(broken) == weights(unbroken)
    assert read_state(broken).metrics == read_state(unbroken).metrics
    assert read_state(broken).warnings == warnings


@pytest.mark.fault("F21")
@pytest.mark.parametrize(("optimizer", "schedule"), PAIRS, ids=str)
def test_that_a_resume_in_the_middle_of_an_epoch_is_exact(
    tmp_path: Path, optimizer: Choice, schedule: tuple[Choice | None, str]
) -> None:
    changes = {
        "optimizer": optimizer,
        "scheduler": schedule[0],
        "scheduler_interval": schedule[1],
        "clip": ClipSpec(kind="norm", limit=1.0),
    }
    unbroken = make_run(tmp_path, **changes)
    state = train(unbroken)
    assert state.status is RunStatus.FINISHED, state.problem
    broken = make_run(tmp_path, **changes)
    stop_at(broken, 6)
    state = train(broken, "latest")
    assert state.status is RunStatus.FINISHED, state.problem
    assert_same_run(broken, unbroken)


@pytest.mark.fault("F21")
@pytest.mark.parametrize(
    "sampler", ["balanced", "weighted", "bucketed", "curriculum", "own.Shuffled"]
)
def test_that_a_resume_in_the_middle_of_an_epoch_is_exact_with_a_sampler(
    tmp_path: Path, sampler: str
) -> None:
    column = "" if sampler == "balanced" else "petal width (cm)"
    data = DataSpec(source=Choice(type="iris"), sampler=sampler, sampler_column=column)
    graph = iris_graph(*RANDOM_LAYERS)
    trusts = sampler == "own.Shuffled"
    if trusts:
        graph = replace(graph, code=trusted(SAMPLERS, FILE))
    unbroken = make_run(tmp_path, graph, data=data)
    state = train(unbroken, trusted=trusts)
    assert state.status is RunStatus.FINISHED, state.problem
    broken = make_run(tmp_path, graph, data=data)
    stop_at(broken, 6, trusted=trusts)
    train(broken, "latest", trusted=trusts)
    assert_same_run(broken, unbroken)


@pytest.mark.row("S136")
@pytest.mark.fault("F21")
def test_that_a_resume_in_the_middle_of_an_epoch_is_exact_with_a_batch_sampler(tmp_path) -> None:
    data = DataSpec(source=Choice(type="iris"), batch_sampler="own.Drawn", batch_size=9)
    graph = replace(iris_graph(*RANDOM_LAYERS), code=trusted(BATCHES, FILE))
    changes = {"data": data, "accumulation": AccumulationSpec(batches=2)}
    unbroken = make_run(tmp_path, graph, **changes)
    state = train(unbroken, trusted=True)
    assert (state.status, state.step) == (RunStatus.FINISHED, 3 * 6), state.problem
    broken = make_run(tmp_path, graph, **changes)
    stop_at(broken, 8, trusted=True)
    train(broken, "latest", trusted=True)
    assert_same_run(broken, unbroken)


@pytest.mark.row("S136")
def test_that_the_losses_are_those_of_a_plain_script_with_the_batch_sampler(tmp_path) -> None:
    data = DataSpec(source=Choice(type="iris"), batch_sampler="own.TwoClasses")
    code = trusted(BATCHES, FILE)
    run = make_run(tmp_path, replace(iris_graph(), code=code), data=data, epochs=2)
    state = train(run, trusted=True)
    assert state.status is RunStatus.FINISHED, state.problem
    loaded = load_data(data, code)
    x, y = (loaded.source.column(name)[loaded.indices["train"]] for name in ("features", "label"))
    torch.manual_seed(run.document.spec.seed)
    model = to_module(run.document.graph)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    losses = []
    for _ in range(2):
        for one in range(3):
            chosen = (y == one).nonzero().flatten()[:5]
            loss = F.cross_entropy(model(x[chosen]), y[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    with RunStore.open(run.path) as store:
        assert store.scalars("train.loss").values.tolist() == losses


@pytest.mark.nightly
@pytest.mark.fault("F21")
@pytest.mark.parametrize("schedule", SCHEDULERS, ids=str)
@pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=str)
def test_that_every_pair_resumes_exactly_at_a_random_step(
    tmp_path: Path, optimizer: Choice, schedule: tuple[Choice | None, str]
) -> None:
    changes = {
        "optimizer": optimizer,
        "scheduler": schedule[0],
        "scheduler_interval": schedule[1],
    }
    unbroken = make_run(tmp_path, **changes)
    train(unbroken)
    broken = make_run(tmp_path, **changes)
    stop_at(broken, random.randint(1, 12))
    train(broken, "latest")
    assert_same_run(broken, unbroken)


@pytest.mark.parametrize("step", [1, 4, 8, 11, 12])
def test_that_a_resume_is_exact_at_the_edges_of_epochs(tmp_path: Path, step: int) -> None:
    unbroken = make_run(tmp_path)
    train(unbroken)
    broken = make_run(tmp_path)
    stop_at(broken, step)
    train(broken, "latest")
    assert_same_run(broken, unbroken)


def test_that_regression_with_two_terms_resumes_exactly(tmp_path: Path) -> None:
    from engine.spec.run import DataSpec
    from tests.tiny_run import chain, node

    graph = chain(
        node("Input", "x", field="features", shape=(10,)),
        node("Linear", "hidden", out_features=4),
        node("Tanh", "act"),
        node("Linear", "head", out_features=1),
        node("Output", "value"),
    )
    inputs = {"input": "model.value", "target": "data.target"}
    changes = {
        "data": DataSpec(source=Choice(type="diabetes"), normalization="standard", batch_size=64),
        "losses": (
            LossTerm(loss=Choice(type="MSELoss"), inputs=inputs),
            LossTerm(loss=Choice(type="L1Loss"), inputs=inputs, weight=0.5),
        ),
        "metrics": ("mae", "mse", "rmse", "r2"),
    }
    unbroken = make_run(tmp_path, graph, **changes)
    state = train(unbroken)
    assert state.status is RunStatus.FINISHED, state.problem
    assert {"train.loss.MSELoss", "train.loss.L1Loss", "validation.r2"} <= curves(unbroken).keys()
    broken = make_run(tmp_path, graph, **changes)
    stop_at(broken, 7)
    train(broken, "latest")
    assert_same_run(broken, unbroken)


def test_that_a_resume_from_an_older_checkpoint_forgets_what_came_after(tmp_path: Path) -> None:
    changes = {"checkpoint": CheckpointSpec(every_steps=5, keep_last=20)}
    unbroken = make_run(tmp_path, **changes)
    train(unbroken)
    again = make_run(tmp_path, **changes)
    older = next(info for info in train(again).checkpoints if info.step == 5)
    state = train(again, older.file)
    assert state.resumed_from == older.file
    assert curves(again) == curves(unbroken)
    assert weights(again) == weights(unbroken)


def test_that_a_finished_run_can_be_extended(tmp_path: Path) -> None:
    longer = make_run(tmp_path, epochs=5)
    train(longer)
    run = make_run(tmp_path, epochs=3)
    train(run)
    state = train(run, "latest", length=5)
    assert (state.status, state.epochs, state.step) == (RunStatus.FINISHED, 5, 20)
    assert curves(run) == curves(longer)


def test_that_a_one_cycle_schedule_survives_an_extension(tmp_path: Path) -> None:
    changes = {
        "scheduler": Choice(type="OneCycleLR", params={"max_lr": 0.05}),
        "scheduler_interval": "step",
    }
    run = make_run(tmp_path, **changes)
    train(run)
    state = train(run, "latest", length=4)
    assert (state.status, state.step) == (RunStatus.FINISHED, 16), state.problem


@pytest.mark.fault("F22")
def test_that_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    other = make_run(tmp_path, iris_graph())
    train(other)
    run = make_run(tmp_path, iris_graph(*RANDOM_LAYERS))
    train(run)
    file = read_state(other).checkpoints[-1].file
    (run.checkpoints / f"foreign-{file}").write_bytes((other.checkpoints / file).read_bytes())
    state = train(run, f"foreign-{file}")
    assert state.status is RunStatus.FAILED
    assert state.problem is not None
    assert state.problem.code == "K011"
    assert "norm.weight" in sentence(state.problem), "the keys that differ are named"


@pytest.mark.fault("F22")
@pytest.mark.parametrize(
    ("changes", "graph", "code", "told"),
    [
        (
            {"optimizer": Choice(type="AdamW", params={"lr": 0.5})},
            None,
            "R431",
            "optimizer.lr: 0.5 → 0.01",
        ),
        (
            {"data": DataSpec(source=Choice(type="iris"), batch_size=16)},
            None,
            "R431",
            "data.batch_size: 16 → 32",
        ),
        ({}, iris_graph(node("Linear", "more", out_features=8)), "K011", "more.weight"),
        ({}, iris_graph(node("Linear", "norm", out_features=8)), "K011", "norm.weight (8×8 ≠ 8)"),
    ],
    ids=["learning rate", "batch size", "another layer", "another shape"],
)
def test_that_a_checkpoint_of_what_was_changed_is_refused_with_each_difference(
    tmp_path: Path, changes: dict[str, object], graph: Graph | None, code: str, told: str
) -> None:
    other, run = make_run(tmp_path, graph, epochs=1, **changes), make_run(tmp_path, epochs=1)
    train(other)
    train(run)
    kept = weights(run)
    file = read_state(other).checkpoints[-1].file
    (run.checkpoints / f"other-{file}").write_bytes((other.checkpoints / file).read_bytes())
    state = train(run, f"other-{file}")
    assert state.status is RunStatus.FAILED
    assert state.problem is not None
    assert state.problem.code == code
    for language in ("en", "zh_CN"):
        assert told in sentence(state.problem, language)
    assert weights(run) == kept, "nothing was taken from it"


def test_that_the_same_seed_gives_the_same_curve_and_another_seed_another(tmp_path: Path) -> None:
    runs = [make_run(tmp_path, seed=seed) for seed in (1, 1, 2)]
    for run in runs:
        train(run)
    assert curves(runs[0]) == curves(runs[1])
    assert curves(runs[0]) != curves(runs[2])
