"""Values that are set while a run trains: they take effect as in a plain script, survive a resume
to the bit, and another run repeats them at their very steps.
"""

import copy
from functools import partial
from pathlib import Path

import pytest
import torch
from msgspec.structs import replace
from torch import nn

from engine.diagnostics import DiagnosticError
from engine.events import Resume, RunCommand, SetValue, Step, Stop
from engine.graph.model import Graph
from engine.model.module import to_module
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch
from engine.runs.record.state import RunState, RunStatus
from engine.runs.record.store import RunStore
from engine.runs.replay import changes_of, not_repeated
from engine.runtime.run import RunHandle, begin_run
from engine.spec.live import LiveChange, LiveValue
from engine.spec.run import Choice, DataSpec, LoaderSpec, ParameterGroup
from engine.spec.technique import AccumulationSpec, AveragingSpec
from engine.train.loop import train_epoch
from engine.train.training import Training, build_training
from engine.train.worker import run_in_thread
from tests.engine.train.test_resume import stop_at
from tests.tiny_run import (
    PATIENCE_S,
    RANDOM_LAYERS,
    curves,
    iris_graph,
    iris_spec,
    make_run,
    train,
    wait_until,
    weights,
)

SGD = Choice(type="SGD", params={"lr": 0.1, "momentum": 0.9})
GROUPS = (ParameterGroup(match="head", params={"lr": 0.01}),)
Changes = list[tuple[int, str, LiveValue]]

MANY: Changes = [
    (2, "optimizer.lr", 0.03),
    (2, "optimizer.weight_decay", 0.1),
    (3, "model.drop.p", 0.6),
    (3, "groups.0.lr", 0.2),
    (4, "losses.0.weight", 2.0),  # at the end of an epoch
    (5, "optimizer.betas", (0.5, 0.9)),
    (6, "clip.kind", "norm"),
    (6, "clip.limit", 0.05),
    (7, "model.hidden.frozen", True),
    (8, "penalty.l2", 0.01),
    (8, "optimizer.lr", 0.01),
    (9, "gradient_noise.variance", 0.02),
    (9, "averaging.decay", 0.5),
    (10, "model.hidden.frozen", False),
    (11, "early_stopping.patience", 9.0),
    (12, "epochs", 4.0),
]
WITH_ALL: dict[str, object] = {
    "groups": GROUPS,
    "scheduler": Choice(type="CosineAnnealingLR"),
    "averaging": AveragingSpec(kind="ema", decay=0.9),
}


def change_by_hand(run: RunFolder, changes: Changes, end: RunCommand | None = None) -> RunState:
    """Train a run to its end, and set values after some of its steps."""
    steps = sorted({step for step, _, _ in changes})
    run.send(Step(count=steps[0]))
    handle = RunHandle(run, thread=run_in_thread(Launch(folder=str(run.path))))
    for step, following in zip(steps, [*steps[1:], 0], strict=True):
        wait_until(run, partial(is_paused_at, step))
        for _, name, value in (one for one in changes if one[0] == step):
            run.send(SetValue(name=name, value=value))
        run.send(Step(count=following - step) if following else end or Resume())
    assert handle.wait(PATIENCE_S)
    state = read_state(run)
    wanted = RunStatus.FINISHED if end is None else RunStatus.STOPPED
    assert state.status is wanted, state.problem
    return state


def is_paused_at(step: int, state: RunState) -> bool:
    return state.status is RunStatus.PAUSED and state.step == step


def repeated(run: RunFolder) -> RunFolder:
    """Return a run that repeats another one."""
    document = run.document
    changes = changes_of(run, read_state(run))
    return RunFolder.create(run.project, document.graph, document.spec, changes=changes)


def assert_equal(one: RunFolder, other: RunFolder) -> None:
    assert curves(one) == curves(other)
    assert weights(one) == weights(other)


def made(state: RunState) -> Changes:
    return [(mark.step, mark.name, mark.value) for mark in state.knobs]


@pytest.mark.row("N08")
def test_that_a_replay_repeats_every_change_to_the_bit(tmp_path: Path) -> None:
    run = make_run(tmp_path, **WITH_ALL)
    state = change_by_hand(run, MANY)
    assert made(state) == MANY
    assert {problem.code for problem in state.warnings} == {"R445"}, "the schedule beyond its end"
    plain = make_run(tmp_path, **WITH_ALL)
    train(plain)
    assert weights(run) != weights(plain)
    again = repeated(run)
    state = train(again)
    assert made(state) == MANY
    assert {mark.origin for mark in state.knobs} == {"replay"}
    assert_equal(again, run)
    assert changes_of(again, state) == changes_of(run, read_state(run))


def replaying(
    project: Path, changes: Changes = MANY, graph: Graph | None = None, **spec: object
) -> RunFolder:
    """Return a run that makes changes by itself."""
    run = make_run(project, graph, **(spec or WITH_ALL))
    made = tuple(LiveChange(step=step, name=name, value=value) for step, name, value in changes)
    folder = RunFolder(run.path, replace(run.document, changes=made))
    folder.write_document()
    return folder


@pytest.mark.parametrize("stop", [4, 7])
def test_that_a_replay_goes_on_exactly_where_it_was_stopped(tmp_path: Path, stop: int) -> None:
    unbroken, broken = replaying(tmp_path), replaying(tmp_path)
    train(unbroken)
    stop_at(broken, stop)
    state = train(broken, "latest")
    assert made(state) == MANY
    assert_equal(broken, unbroken)


def test_that_a_resume_keeps_what_was_set_by_hand(tmp_path: Path) -> None:
    unbroken = replaying(tmp_path, MANY[:9])
    train(unbroken)
    broken = make_run(tmp_path, **WITH_ALL)
    change_by_hand(broken, MANY[:9], end=Stop())
    train(broken, "latest")
    assert_equal(broken, unbroken)


@pytest.mark.real
def test_that_workers_and_accumulation_change_nothing_of_a_replay(tmp_path: Path) -> None:
    spec = {**WITH_ALL, "accumulation": AccumulationSpec(batches=2)}
    run, again = (
        replaying(
            tmp_path,
            data=DataSpec(
                source=Choice(type="iris"), batch_size=16, loader=LoaderSpec(num_workers=workers)
            ),
            **spec,
        )
        for workers in (0, 2)
    )
    train(run)
    stop_at(again, 6)
    assert made(train(again, "latest")) == MANY
    assert_equal(again, run)


@pytest.mark.real
def test_that_all_processes_change_alike(tmp_path: Path) -> None:
    same = {**WITH_ALL, "epochs": 4}
    changes = [one for one in MANY if one[1] not in ("model.drop.p", "epochs")]
    alone = replaying(tmp_path, changes, iris_graph(), **same)
    together = replaying(tmp_path, changes, iris_graph(), mode="ddp", **same)
    train(alone)
    assert begin_run(together).wait(PATIENCE_S)
    assert made(read_state(together)) == changes
    with RunStore.open(alone.path) as one, RunStore.open(together.path) as other:
        losses = [store.scalars("train.loss").values for store in (one, other)]
    assert losses[0].tolist() == pytest.approx(losses[1].tolist(), rel=1e-3)


def test_that_what_the_user_did_in_the_debugger_is_said_not_to_be_repeated() -> None:
    from engine.events import TensorChanged

    changed = TensorChanged(step=1, place="", key="x", expression="x * 2")
    assert not_repeated(RunState()) is None
    problem = not_repeated(RunState(changes=(changed,)))
    assert problem is not None
    assert problem.code == "R497"


def new_training(graph: Graph | None = None, **changes: object) -> Training:
    torch.manual_seed(0)
    graph = graph or iris_graph(*RANDOM_LAYERS)
    return build_training(graph, iris_spec(**changes), to_module(graph))


def trained(training: Training, change: tuple[str, LiveValue] | None = None) -> Training:
    """Train two epochs, the second after a change."""
    torch.manual_seed(1)
    for epoch in range(2):
        for _ in train_epoch(training, epoch, 0, training.new_meter()):
            pass
        if change is not None and not epoch:
            training.live.change(*change)
    return training


def plain(training: Training, frozen: str = "", drop: float = 0.3, **second: object) -> nn.Module:
    """Train as a script would that changes a group's settings after the first epoch."""
    model = copy.deepcopy(training.model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    torch.manual_seed(1)
    for epoch in range(2):
        model.train()
        if epoch:
            optimizer.param_groups[0].update(second)
            model.drop.p = drop
            for name, weight in model.named_parameters():
                weight.requires_grad_(not frozen or not name.startswith(frozen))
            if frozen == "norm":
                model.norm.eval()
        for batch in training.epoch_batches(epoch, 0):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(batch["features"]), batch["label"]).backward()
            optimizer.step()
    return model


@pytest.mark.parametrize(
    ("change", "script"),
    [
        (("optimizer.lr", 0.01), {"lr": 0.01}),
        (("optimizer.momentum", 0.5), {"momentum": 0.5}),
        (("optimizer.weight_decay", 0.3), {"weight_decay": 0.3}),
        (("optimizer.dampening", 0.2), {"dampening": 0.2}),
        (("model.drop.p", 0.7), {"drop": 0.7}),
        (("model.p", 0.0), {"drop": 0.0}),
        (("model.hidden.frozen", True), {"frozen": "hidden"}),
        (("model.norm.frozen", True), {"frozen": "norm"}),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_that_a_change_is_that_of_a_plain_script(
    change: tuple[str, LiveValue], script: dict[str, object]
) -> None:
    expected = plain(new_training(optimizer=SGD), **script)
    unchanged = plain(new_training(optimizer=SGD))
    found = trained(new_training(optimizer=SGD), change).model
    assert same(found, expected)
    assert not same(found, unchanged)


def same(left: nn.Module, right: nn.Module) -> bool:
    others = right.state_dict()
    return all(torch.equal(value, others[name]) for name, value in left.state_dict().items())


def test_that_a_layer_that_was_frozen_from_the_start_learns_from_then_on() -> None:
    graph = iris_graph(*RANDOM_LAYERS)
    still = replace(graph.nodes["hidden"], frozen=True)
    graph = replace(graph, nodes={**graph.nodes, "hidden": still})
    training = new_training(graph, optimizer=SGD)
    before = training.model.hidden.weight.clone()
    assert training.live.value("model.hidden.frozen") is True
    trained(training, ("model.hidden.frozen", False))
    assert not torch.equal(training.model.hidden.weight, before)
    again = new_training(graph, optimizer=SGD)  # a resume has the same order of parameters
    again.load_state(copy.deepcopy(training.state()))
    assert same(again.model, training.model)
    for one in (training, again):
        torch.manual_seed(2)
        for _ in train_epoch(one, 2, 0, one.new_meter()):
            pass
    assert same(again.model, training.model)


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("data.batch_size", 8.0, "R472"),
        ("optimizer.nesterov", True, "R472"),
        ("model.hidden.p", 0.5, "R473"),
        ("model.nothing.frozen", True, "R473"),
        ("model.drop.p", 1.5, "R130"),
        ("model.frozen", True, "R496"),
        ("optimizer.lr", 0.0, None),
        ("optimizer.lr", "fast", None),
        ("optimizer.momentum", -1.0, None),
        ("penalty.l2", -1.0, None),
        ("clip.kind", "hard", None),
    ],
)
def test_that_what_cannot_be_changed_is_refused_and_changes_nothing(
    name: str, value: LiveValue, code: str | None
) -> None:
    training = new_training(optimizer=SGD)
    untouched = trained(new_training(optimizer=SGD))
    with pytest.raises(DiagnosticError) as error:
        training.live.change(name, value)
    assert code is None or error.value.problems[0].code == code
    assert training.live.state_dict() == {}
    assert same(trained(training).model, untouched.model)


def test_that_momentum_that_a_schedule_sets_is_refused() -> None:
    cycle = Choice(type="OneCycleLR", params={"max_lr": 0.1})
    training = new_training(optimizer=SGD, scheduler=cycle, scheduler_interval="step")
    with pytest.raises(DiagnosticError) as error:
        training.live.change("optimizer.momentum", 0.5)
    assert error.value.problems[0].code == "R474"


def test_that_no_layer_is_frozen_whose_history_would_move_it_on() -> None:
    training = new_training(optimizer=Choice(type="LBFGS"))
    with pytest.raises(DiagnosticError) as error:
        training.live.change("model.hidden.frozen", value=True)
    assert error.value.problems[0].code == "R494"
    assert training.live.state_dict() == {}


def test_that_an_rmsprop_gets_the_momentum_that_it_was_made_without() -> None:
    training = new_training(optimizer=Choice(type="RMSprop", params={"lr": 0.01}))
    trained(training, ("optimizer.momentum", 0.9))
    buffers = [state["momentum_buffer"] for state in training.optimizer.state.values()]
    assert all(buffer.abs().sum() > 0 for buffer in buffers)


def test_that_the_rate_of_one_group_keeps_its_new_ratio_after_a_resume() -> None:
    spec: dict[str, object] = {"optimizer": SGD, "groups": GROUPS}
    training = new_training(**spec)
    training.live.change("groups.0.lr", 0.05)
    assert training.rates() == [0.1, 0.05]
    again = new_training(**spec)
    again.load_state(training.state())
    for one in (training, again):
        one.live.change("optimizer.lr", 0.2)
        assert one.rates() == [0.2, 0.1]
