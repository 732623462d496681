"""Unfreezing on a schedule is what a plain script does, to the bit, and resumes exactly."""

import copy
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from engine.graph.edit.edits import apply
from engine.graph.model import Graph
from engine.graph.node_state.freezing import FreezeNodes
from engine.model.analysis import analyse
from engine.model.module import to_module
from engine.runs.record.state import RunStatus
from engine.spec.run import Choice, ClipSpec, ParameterGroup, RunSpec
from engine.spec.technique import UnfreezingSpec
from engine.spec.unfreezing import check_unfreezing, unfreezing_epochs
from engine.train.loop import train_epoch
from engine.train.training import Training, build_training
from tests.engine.train.ranks import test_world
from tests.engine.train.test_resume import assert_same_run, stop_at
from tests.tiny_run import RANDOM_LAYERS, curves, iris_graph, iris_spec, make_run, train, weights

ADAM = Choice(type="AdamW", params={"lr": 0.05, "weight_decay": 0.1})
SCHEDULE = UnfreezingSpec(schedule="hidden=3, norm.bias=2")
GROUPS = (ParameterGroup(match="hidden", params={"lr": 0.01}),)


def spec(**changes: object) -> RunSpec:
    values: dict[str, Any] = {
        "epochs": 4,
        "optimizer": ADAM,
        "groups": GROUPS,
        "unfreezing": SCHEDULE,
    }
    return iris_spec(**values | changes)


def new_training(graph: Graph, chosen: RunSpec) -> Training:
    torch.manual_seed(0)
    return build_training(graph, chosen, to_module(graph))


def plain(batches: Training, model: nn.Module) -> None:
    """Train as a script would that knows nothing of the program."""
    weights = dict(model.named_parameters())
    rest = [w for name, w in weights.items() if not name.startswith("hidden.")]
    hidden = [weights["hidden.weight"], weights["hidden.bias"]]
    optimizer = torch.optim.AdamW(
        [{"params": rest}, {"params": hidden, "lr": 0.01}], lr=0.05, weight_decay=0.1
    )
    torch.manual_seed(1)
    for epoch in range(4):
        for weight in hidden:
            weight.requires_grad_(epoch >= 2)
        weights["norm.bias"].requires_grad_(epoch >= 1)
        model.train()
        for batch in batches.epoch_batches(epoch, 0):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(batch["features"]), batch["label"]).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()


@pytest.mark.row("S194")
@pytest.mark.parametrize("is_padlocked", [False, True])
@pytest.mark.parametrize("mode", ["process", "ddp"])
def test_that_it_is_what_a_plain_script_does(is_padlocked: bool, mode: str) -> None:
    graph = iris_graph(*RANDOM_LAYERS)
    if is_padlocked:  # as on the canvas
        graph = apply(FreezeNodes(ids=("hidden",)), graph)
    chosen = spec(clip=ClipSpec(kind="norm", limit=0.5), mode=mode)
    training = new_training(graph, chosen)
    script = copy.deepcopy(new_training(graph, chosen).model)
    started = {name: value.clone() for name, value in training.model.state_dict().items()}
    torch.manual_seed(1)
    for epoch in range(chosen.epochs):
        for _ in train_epoch(training, epoch, 0, training.new_meter()):
            pass
        present = training.model.state_dict()
        is_held = torch.equal(present["hidden.weight"], started["hidden.weight"])
        assert is_held is (epoch < 2)
        assert torch.equal(present["norm.bias"], started["norm.bias"]) is (epoch < 1)
    plain(new_training(graph, chosen), script)
    for name, value in script.state_dict().items():
        assert torch.equal(training.model.state_dict()[name], value), name


def test_that_the_optimizer_has_no_state_before_and_a_new_one_after() -> None:
    training = new_training(iris_graph(*RANDOM_LAYERS), spec())
    hidden = training.model.get_parameter("hidden.weight")
    for epoch in range(3):
        assert hidden not in training.optimizer.state
        list(train_epoch(training, epoch, 0, training.new_meter()))
    steps = training.optimizer.state[hidden]["step"]
    assert int(steps) == training.steps_per_epoch
    assert [group["lr"] for group in training.optimizer.param_groups] == [0.05, 0.01]


def test_that_what_is_frozen_by_hand_stays_so_over_its_epoch() -> None:
    training = new_training(iris_graph(*RANDOM_LAYERS), spec())
    hidden = training.model.get_parameter("hidden.weight")
    head = training.model.get_parameter("head.weight")
    start, start_of_head = hidden.detach().clone(), head.detach().clone()
    training.live.change("model.head.frozen", value=True)
    for epoch in range(3):
        if epoch == 1:  # before its epoch it cannot be unfrozen
            training.live.change("model.hidden.frozen", value=False)
        list(train_epoch(training, epoch, 0, training.new_meter()))
        assert torch.equal(hidden, start) is (epoch < 2)
        assert torch.equal(head, start_of_head)
    training.live.change("model.hidden.frozen", value=True)
    before = hidden.detach().clone()
    list(train_epoch(training, 3, 0, training.new_meter()))
    assert torch.equal(hidden, before)


@pytest.mark.parametrize("step", [6, 8, 9])
def test_that_a_resume_over_the_moment_is_exact(tmp_path: Path, step: int) -> None:
    changes: dict[str, Any] = {"epochs": 4, "groups": GROUPS, "optimizer": ADAM}
    changes |= {"unfreezing": SCHEDULE}
    unbroken = make_run(tmp_path, **changes)
    state = train(unbroken)
    assert state.status is RunStatus.FINISHED, state.problem
    broken = make_run(tmp_path, **changes)
    stop_at(broken, step)
    train(broken, "latest")
    assert_same_run(broken, unbroken)


@pytest.mark.real
@pytest.mark.timeout(600)
def test_that_ranks_train_it_from_the_same_epoch_on(tmp_path: Path) -> None:
    schedule = UnfreezingSpec(schedule="hidden=3")
    changes: dict[str, Any] = {"optimizer": test_world.SGD, "unfreezing": schedule, "epochs": 4}
    graph = iris_graph()
    alone = make_run(tmp_path / "alone", graph, **changes)
    train(alone)
    two = make_run(tmp_path / "two", graph, mode="ddp", **changes)
    assert test_world.begin(two).wait(300) == 0, two.log_path.read_text()
    torch.testing.assert_close(test_world.curve(two), test_world.curve(alone), rtol=1e-5, atol=1e-6)
    assert curves(two).keys() >= curves(alone).keys()
    assert weights(two).keys() == weights(alone).keys()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", {}),
        ("hidden=3, *.bias = 2", {"hidden": 3, "*.bias": 2}),
        ("hidden=3；head=1", {"hidden": 3, "head": 1}),
        ("hidden", None),
        ("hidden=0", None),
        ("hidden=one", None),
    ],
)
def test_that_schedules_are_read(text: str, found: dict[str, int] | None) -> None:
    assert unfreezing_epochs(text) == found


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("", []),
        ("hidden=3", []),
        ("hidden", ["R468"]),
        ("nothing=2", ["R469"]),
        ("hidden=2, norm=2, head=2", ["R470"]),
        ("hidden=2, norm=2, head=2, *.bias=1", ["R470"]),
        ("*.bias=1, hidden=2, norm=2, head=2", []),
        ("hidden=9", ["R471"]),
    ],
)
def test_that_what_cannot_be_is_told_before_the_run(text: str, codes: list[str]) -> None:
    graph = iris_graph(*RANDOM_LAYERS)
    chosen = spec(unfreezing=UnfreezingSpec(schedule=text))
    found = check_unfreezing(chosen, graph, analyse(graph))
    assert [problem.code for problem in found] == codes
