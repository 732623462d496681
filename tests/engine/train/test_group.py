"""Training with frozen layers and with several learning rates."""

from pathlib import Path

import pytest
import torch
from torch import nn

from engine.archive.weights import write_weights
from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.diagnostics import DiagnosticError
from engine.events import SetValue
from engine.graph.edit.edits import apply
from engine.graph.node_state.freezing import FreezeNodes
from engine.model.module import to_module
from engine.runs.record.state import RunStatus
from engine.runs.record.store import RunStore
from engine.spec.choice import initial_choice
from engine.spec.run import Choice, ParameterGroup
from engine.train.checkpoint.lookup import open_checkpoint
from engine.train.optim import build_optimizer, learning_rates, set_learning_rate
from engine.train.schedule import Schedule
from tests.tiny_run import (
    RANDOM_LAYERS,
    curves,
    iris_graph,
    iris_spec,
    make_run,
    stop_amid,
    train,
)

HEAD = ParameterGroup(match="head", params={"lr": 0.1, "weight_decay": 0.0})
SGD = Choice(type="SGD", params={"lr": 0.01, "momentum": 0.9, "weight_decay": 0.1})


def model_of(**sizes: int) -> nn.Module:
    return nn.ModuleDict({name: nn.Linear(size, size) for name, size in sizes.items()})


@pytest.mark.row("S119")
@pytest.mark.row("S120")
def test_that_frozen_weights_and_statistics_are_bit_for_bit_as_before_training(
    tmp_path: Path,
) -> None:
    graph = apply(FreezeNodes(ids=("hidden", "norm")), iris_graph(*RANDOM_LAYERS))
    before = to_module(graph).state_dict()
    (tmp_path / "weights").mkdir()
    write_weights(before, tmp_path / "weights" / "start.safetensors")
    run = make_run(tmp_path, graph, optimizer=SGD, weights="weights/start.safetensors")
    assert train(run).status is RunStatus.FINISHED
    after = open_checkpoint(run, "last").model
    moved = [name for name in before if not torch.equal(before[name], after[name])]
    assert moved == ["head.weight", "head.bias"]


@pytest.mark.row("S170")
def test_that_a_group_has_its_own_rate_and_the_rest_that_of_the_optimizer(tmp_path: Path) -> None:
    run = make_run(tmp_path, optimizer=SGD, groups=(HEAD,))
    assert train(run).status is RunStatus.FINISHED
    with RunStore.open(run.path) as store:
        assert set(store.scalars("lr.0").values) == {0.01}
        assert set(store.scalars("lr.1").values) == {0.1}
    optimizer = build_optimizer(SGD, model_of(body=2, head=2), (HEAD,))
    rest, head = optimizer.param_groups
    assert (rest["weight_decay"], head["weight_decay"], head["momentum"]) == (0.1, 0.0, 0.9)
    assert [len(group["params"]) for group in optimizer.param_groups] == [2, 2]


def test_that_a_run_with_groups_and_frozen_layers_goes_on_bit_by_bit(tmp_path: Path) -> None:
    graph = apply(FreezeNodes(ids=("norm",)), iris_graph(*RANDOM_LAYERS))
    changes = {
        "groups": (HEAD, ParameterGroup(match="*.bias", params={"betas": (0.8, 0.9)})),
        "scheduler": Choice(type="OneCycleLR", params={"max_lr": 0.05}),
        "scheduler_interval": "step",
    }
    unbroken = make_run(tmp_path / "a", graph, **changes)
    train(unbroken)
    broken = make_run(tmp_path / "b", graph, **changes)
    stop_amid(broken, 6)
    assert train(broken, resume="latest").status is RunStatus.FINISHED
    assert curves(broken) == curves(unbroken)
    one, other = (open_checkpoint(run, "last").model for run in (broken, unbroken))
    assert all(torch.equal(one[name], other[name]) for name in other)


@pytest.mark.parametrize("key", ["StepLR", "OneCycleLR", "CyclicLR", "CosineAnnealingLR", ""])
def test_that_schedules_and_a_change_by_hand_keep_the_ratio(key: str) -> None:
    choice = initial_choice(EntryGroup.SCHEDULER, key) if key else None
    spec = iris_spec(optimizer=SGD, groups=(HEAD,), scheduler=choice, scheduler_interval="step")
    optimizer = build_optimizer(SGD, model_of(body=2, head=2), spec.groups)
    schedule = Schedule(spec, optimizer, 4)
    for step in range(8):
        rest, head = learning_rates(optimizer)
        assert head == pytest.approx(10 * rest)
        if step == 4:
            schedule.set_learning_rate(0.5)
            assert learning_rates(optimizer) == pytest.approx([0.5, 5.0])
        optimizer.step()
        schedule.step_done(0)


def test_that_the_rate_set_while_a_run_waits_is_that_of_the_rest(tmp_path: Path) -> None:
    run = make_run(tmp_path, optimizer=SGD, groups=(HEAD,))
    run.send(SetValue(name="optimizer.lr", value=0.2))
    train(run)
    with RunStore.open(run.path) as store:
        assert store.scalars("lr.0").values[-1] == pytest.approx(0.2)
        assert store.scalars("lr.1").values[-1] == pytest.approx(2.0)


GROUPED = [
    entry.key
    for entry in catalog().group(EntryGroup.OPTIMIZER)
    if entry.key not in ("LBFGS", "SparseAdam", "Muon")
]


@pytest.mark.parametrize("key", GROUPED)
def test_that_every_optimizer_steps_when_nothing_is_left_for_the_rest(key: str) -> None:
    model = model_of(head=2)
    choice = initial_choice(EntryGroup.OPTIMIZER, key)
    optimizer = build_optimizer(choice, model, (ParameterGroup(match="head"),))
    before = model["head"].weight.clone()
    model["head"](torch.ones(1, 2)).sum().backward()
    optimizer.step()
    assert not torch.equal(model["head"].weight, before)
    set_learning_rate(optimizer, 0.5)
    assert learning_rates(optimizer)[0] == 0.5


def test_that_groups_without_parameters_and_models_without_any_are_refused_in_words() -> None:
    model = model_of(body=2)
    cases = [
        (SGD, (ParameterGroup(match="body, tail"),), "R056"),
        (Choice(type="LBFGS"), (ParameterGroup(match="body"),), "R059"),
    ]
    for choice, groups, code in cases:
        with pytest.raises(DiagnosticError) as caught:
            build_optimizer(choice, model, groups)
        assert [problem.code for problem in caught.value.problems] == [code]
    with pytest.raises(DiagnosticError) as caught:
        build_optimizer(SGD, model.requires_grad_(requires_grad=False))
    assert caught.value.problems[0].code == "R115"


def test_that_the_optimizer_is_given_only_what_is_not_frozen() -> None:
    model = model_of(body=2, head=2)
    model["body"].requires_grad_(requires_grad=False)
    for groups in ((), (HEAD,)):
        given = build_optimizer(SGD, model, groups).param_groups
        assert sum(len(group["params"]) for group in given) == 2
