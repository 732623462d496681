"""Values of every phase that are set while a run trains."""

import copy
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from msgspec.structs import replace
from torch import nn
from torch.nn.functional import softplus

from engine.diagnostics import DiagnosticError
from engine.events import Stop
from engine.graph.model import Graph
from engine.model.module import to_module
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.record.state import RunStatus
from engine.runs.replay import changes_of
from engine.spec.live import LiveChange, LiveValue, live_names
from engine.spec.live_edits import has_same_owner
from engine.spec.run import Choice, PhaseRule, PhaseSpec, RunSpec
from engine.train.loop import train_epoch
from engine.train.training import Training, build_training
from tests.engine.train.live.test_changes import Changes, assert_equal, change_by_hand, made
from tests.engine.train.test_resume import stop_at
from tests.tiny_gan import gan_graph, gan_spec
from tests.tiny_run import iris_graph, iris_spec, train

CYCLIC = Choice(type="CyclicLR", params={"base_lr": 0.01, "max_lr": 0.1, "cycle_momentum": True})
MANY: Changes = [
    (2, "optimizer.lr", 0.05),
    (3, "phases.0.optimizer.lr", 0.004),
    (4, "phases.0.optimizer.betas", (0.9, 0.99)),
    (5, "phases.0.optimizer.weight_decay", 0.1),
    (6, "model.discriminator.hidden.frozen", True),
    (7, "losses.2.weight", 2.0),
    (9, "model.generator.out.frozen", True),
    (11, "optimizer.eps", 1e-4),
    (12, "model.discriminator.hidden.frozen", False),
    (13, "phases.0.optimizer.lr", 0.03),
]


def decaying(**changes: object) -> RunSpec:
    """Return the recipe of a GAN whose generator has a schedule."""
    (generator,) = gan_spec().phases
    schedule = Choice(type="ExponentialLR", params={"gamma": 0.9})
    return gan_spec(phases=(replace(generator, scheduler=schedule),), **changes)


def new_training(graph: Graph, spec: RunSpec) -> Training:
    torch.manual_seed(0)
    return build_training(graph, spec, to_module(graph))


def trained(training: Training, *changes: tuple[str, LiveValue]) -> Training:
    """Train two epochs, the second after some changes."""
    torch.manual_seed(1)
    for epoch in range(2):
        for _ in train_epoch(training, epoch, 0, training.new_meter()):
            pass
        for name, value in changes if not epoch else ():
            training.live.change(name, value)
    return training


def script(training: Training, change: Callable[[nn.Module, torch.optim.Optimizer], None]):
    """Train a GAN as a script would that changes something of its generator after an epoch."""
    model = copy.deepcopy(training.model).train()
    betas = (0.5, 0.999)
    of_one = torch.optim.Adam(model.discriminator.parameters(), lr=0.01, betas=betas)
    of_other = torch.optim.Adam(model.generator.parameters(), lr=0.02, betas=betas)
    torch.manual_seed(1)
    step = 0
    for epoch in range(2):
        if epoch:
            change(model, of_other)
        for batch in training.epoch_batches(epoch, 0):
            is_first = step % 3 < 2
            model.zero_grad()
            real = model.discriminator(batch["point"])
            fake = model.generator(torch.randn_like(batch["point"]))
            scores = model.discriminator(fake.detach() if is_first else fake)
            one, two, three = (softplus(each).mean() for each in (-real, scores, -scores))
            (one + two if is_first else three).backward()
            (of_one if is_first else of_other).step()
            step += 1
    return model


def freeze_hidden(model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    del optimizer
    model.generator.hidden.requires_grad_(False)  # noqa: FBT003 - as PyTorch has it


@pytest.mark.row("N08", "S171")
@pytest.mark.parametrize(
    ("name", "value", "change"),
    [
        ("phases.0.optimizer.lr", 0.1, lambda _, of: of.param_groups[0].update(lr=0.1)),
        (
            "phases.0.optimizer.betas",
            (0.9, 0.9),
            lambda _, of: of.param_groups[0].update(betas=(0.9, 0.9)),
        ),
        (
            "phases.0.optimizer.weight_decay",
            0.3,
            lambda _, of: of.param_groups[0].update(weight_decay=0.3),
        ),
        ("model.generator.hidden.frozen", True, freeze_hidden),
    ],
)
def test_that_a_change_of_a_further_phase_is_that_of_a_plain_script(
    name: str, value: LiveValue, change: Callable[[nn.Module, torch.optim.Optimizer], None]
) -> None:
    expected = script(new_training(gan_graph(), gan_spec()), change)
    found = trained(new_training(gan_graph(), gan_spec()), (name, value)).model
    others = expected.state_dict()
    assert all(torch.equal(own, others[key]) for key, own in found.state_dict().items())


@pytest.mark.row("N08", "S232")
def test_that_changes_of_all_phases_are_repeated_and_survive_a_resume(tmp_path: Path) -> None:
    by_hand = RunFolder.create(tmp_path, gan_graph(), decaying())
    state = change_by_hand(by_hand, MANY)
    assert made(state) == MANY
    assert not state.warnings
    changes = changes_of(by_hand, state)
    unbroken, broken = (
        RunFolder.create(tmp_path, gan_graph(), decaying(), changes=changes) for _ in range(2)
    )
    assert made(train(unbroken)) == MANY
    assert_equal(unbroken, by_hand)
    stop_at(broken, 10)
    assert made(train(broken, "latest")) == MANY
    assert_equal(broken, unbroken)


def test_that_what_was_set_by_hand_is_in_the_checkpoint(tmp_path: Path) -> None:
    stopped = RunFolder.create(tmp_path, gan_graph(), decaying())
    change_by_hand(stopped, MANY[:7], end=Stop())
    changes = tuple(LiveChange(step=step, name=name, value=v) for step, name, v in MANY[:7])
    unbroken = RunFolder.create(tmp_path, gan_graph(), decaying(), changes=changes)
    train(unbroken)
    assert train(stopped, "latest").status is RunStatus.FINISHED
    assert_equal(stopped, unbroken)


def test_that_the_settings_of_every_optimizer_are_live() -> None:
    names = live_names(gan_spec())
    for setting in ("lr", "betas", "eps", "weight_decay"):
        assert {f"optimizer.{setting}", f"phases.0.optimizer.{setting}"} <= names
    assert not {"phases.0.optimizer", "phases.0.match", "phases.0.optimizer.amsgrad"} & names
    assert "phases.1.optimizer.lr" not in names
    training = new_training(gan_graph(), gan_spec())
    assert training.live.value("phases.0.optimizer.lr") == 0.02
    for name in ("phases.0.steps", "phases.1.optimizer.lr"):
        with pytest.raises(DiagnosticError) as error:
            training.live.change(name, 1.0)
        assert error.value.problems[0].code == "R472"


def test_that_an_edit_is_of_a_phase_as_long_as_it_trains_the_same_with_the_same() -> None:
    spec, name = gan_spec(), "phases.0.optimizer.lr"
    (phase,) = spec.phases
    other = replace(phase, optimizer=Choice(type="SGD"))
    assert has_same_owner(name, spec, gan_spec(phases=(replace(phase, steps=3),)))
    for phases in ((), (other,), (replace(phase, match="discriminator"),)):
        assert not has_same_owner(name, spec, gan_spec(phases=phases))


def test_that_momentum_that_a_schedule_of_its_phase_sets_is_refused() -> None:
    sgd = Choice(type="SGD", params={"lr": 0.1, "momentum": 0.9})
    phase = PhaseSpec(parameters="matrices", optimizer=sgd, scheduler=CYCLIC)
    training = new_training(iris_graph(), iris_spec(phases=(phase,), optimizer=sgd))
    training.live.change("optimizer.momentum", 0.5)
    with pytest.raises(DiagnosticError) as error:
        training.live.change("phases.0.optimizer.momentum", 0.5)
    assert error.value.problems[0].code == "R474"


def test_that_a_phase_keeps_something_to_train() -> None:
    training = new_training(gan_graph(), gan_spec())
    training.live.change("model.generator.hidden.frozen", value=True)
    with pytest.raises(DiagnosticError) as error:
        training.live.change("model.generator.out.frozen", value=True)
    problem = error.value.problems[0]
    assert (problem.code, problem.params["phase"]) == ("R571", "generator")
    trained(training)  # as it was
    over = iris_spec(
        phase=PhaseRule(name="head", match="head", end=1), phases=(PhaseSpec(start=1),), epochs=3
    )
    training = new_training(iris_graph(), over)
    with pytest.raises(DiagnosticError):
        training.live.change("model.head.frozen", value=True)
    trained(training)
    training.live.change("model.head.frozen", value=True)
    again = new_training(iris_graph(), over)
    again.load_state(copy.deepcopy(training.state()))
    assert again.live.value("model.head.frozen") is True


def test_that_a_layer_that_was_frozen_joins_the_phase_that_names_it() -> None:
    graph = gan_graph()
    block = graph.blocks["Generator"]
    still = replace(block.nodes["hidden"], frozen=True)
    block = replace(block, nodes=block.nodes | {"hidden": still})
    graph = replace(graph, blocks=graph.blocks | {"Generator": block})
    training = new_training(graph, gan_spec())
    before = training.model.generator.hidden.weight.clone()
    assert training.live.value("model.generator.hidden.frozen") is True
    training.live.change("model.generator.hidden.frozen", value=False)
    trained(training)
    assert not torch.equal(training.model.generator.hidden.weight, before)
    again = new_training(graph, gan_spec())
    again.load_state(copy.deepcopy(training.state()))
    for one in (training, again):
        torch.manual_seed(2)
        for _ in train_epoch(one, 2, 0, one.new_meter()):
            pass
    others = again.model.state_dict()
    assert all(torch.equal(own, others[key]) for key, own in training.model.state_dict().items())


def test_that_read_state_knows_the_changes(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path, gan_graph(), gan_spec())
    change_by_hand(run, MANY[:2])
    assert [mark.before for mark in read_state(run).knobs] == [0.01, 0.02]
