"""Runs of several optimizers are those of plain scripts, with all that goes with them."""

import copy
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, softplus
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from engine.diagnostics import DiagnosticError
from engine.graph.model import Graph
from engine.model.module import to_module
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunStatus
from engine.spec.phase import phases_at
from engine.spec.run import (
    Choice,
    ClipSpec,
    ComputeSpec,
    PhaseRule,
    PhaseSpec,
    RunSpec,
)
from engine.spec.technique import (
    AccumulationSpec,
    AveragingSpec,
    PenaltySpec,
    UnfreezingSpec,
)
from engine.train.loop import train_epoch
from engine.train.technique.base import EpochSamples
from engine.train.training import Training, build_training
from tests.engine.train.test_resume import assert_same_run, stop_at
from tests.tiny_gan import gan_graph, gan_spec
from tests.tiny_run import RANDOM_LAYERS, curves, iris_graph, iris_spec, train

MUON = PhaseSpec(
    name="matrices",
    parameters="matrices",
    optimizer=Choice(type="Muon", params={"lr": 0.02}),
    scheduler=Choice(type="OneCycleLR", params={"max_lr": 0.05}),
    scheduler_interval="step",
)
ADAMW = {
    "optimizer": Choice(type="AdamW", params={"lr": 0.01}),
    "scheduler": Choice(type="ExponentialLR", params={"gamma": 0.5}),
}
HEAD_FIRST = {
    "phase": PhaseRule(name="head", match="head", end=1),
    "phases": (PhaseSpec(start=1, optimizer=Choice(type="SGD", params={"lr": 0.1})),),
}


def new_training(graph: Graph, spec: RunSpec) -> Training:
    torch.manual_seed(0)
    return build_training(graph, spec, to_module(graph))


def trained(graph: Graph, spec: RunSpec) -> tuple[list[object], Training]:
    """Return the losses of all steps of a run, and what trained."""
    training = new_training(graph, spec)
    torch.manual_seed(1)
    losses: list[object] = []
    for epoch in range(spec.epochs):
        losses += [each.loss for each in train_epoch(training, epoch, 0, training.new_meter())]
        training.phases.epoch_done(None, epoch)
    return losses, training


def assert_equal_weights(one: nn.Module, other: nn.Module) -> None:
    others = other.state_dict()
    assert all(torch.equal(own, others[key]) for key, own in one.state_dict().items())


def batches_of(graph: Graph, spec: RunSpec) -> tuple[nn.Module, Iterator[dict[str, Tensor]]]:
    """Return a model as it begins, and the batches of all epochs, as a script has them."""
    source = new_training(graph, spec)
    torch.manual_seed(1)
    batches = (each for epoch in range(spec.epochs) for each in source.epoch_batches(epoch, 0))
    return copy.deepcopy(source.model).train(), batches


@pytest.mark.row("S171")
def test_that_muon_for_matrices_beside_adamw_is_a_plain_script() -> None:
    graph = iris_graph(*RANDOM_LAYERS)
    spec = iris_spec(phases=(MUON,), clip=ClipSpec(kind="norm", limit=0.5), **ADAMW)
    model, batches = batches_of(graph, spec)
    matrices = [weight for weight in model.parameters() if weight.ndim == 2]
    others = [weight for weight in model.parameters() if weight.ndim != 2]
    muon, adamw = torch.optim.Muon(matrices, lr=0.02), torch.optim.AdamW(others, lr=0.01)
    by_step = torch.optim.lr_scheduler.OneCycleLR(muon, 0.05, total_steps=12)
    by_epoch = torch.optim.lr_scheduler.ExponentialLR(adamw, 0.5)
    losses = []
    for step, batch in enumerate(batches, 1):
        for optimizer in (muon, adamw):
            optimizer.zero_grad()
        loss = cross_entropy(model(batch["features"]), batch["label"])
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        for optimizer in (muon, adamw):
            optimizer.step()
        by_step.step()
        if step % 4 == 0:
            by_epoch.step()
        losses.append(loss.item())
    found, training = trained(graph, spec)
    assert len(losses) == 12
    assert found == losses
    assert_equal_weights(training.model, model)


@pytest.mark.parametrize("precision", ["float32", "float16"])
def test_that_a_gan_is_a_plain_script(precision: str) -> None:
    """The turns go on over the ends of epochs, whose 6 steps are no multiple of ... 4."""
    spec = gan_spec(steps=3, compute=ComputeSpec(precision=precision))
    model, batches = batches_of(gan_graph(), spec)
    discriminator, generator = model.discriminator, model.generator
    of_one = torch.optim.Adam(discriminator.parameters(), lr=0.01, betas=(0.5, 0.999))
    of_other = torch.optim.Adam(generator.parameters(), lr=0.02, betas=(0.5, 0.999))
    scaler = torch.amp.GradScaler("cpu", enabled=precision == "float16")
    losses = []
    for step, batch in enumerate(batches):
        point, is_first = batch["point"], step % 4 < 3
        optimizer = of_one if is_first else of_other
        of_one.zero_grad()
        of_other.zero_grad()
        with torch.autocast("cpu", torch.float16, enabled=scaler.is_enabled()):
            real = discriminator(point)
            fake = generator(torch.randn_like(point))
            scores = discriminator(fake.detach() if is_first else fake)
            terms = [softplus(-real), softplus(scores), softplus(-scores)]
        one, two, three = (term.float().mean() for term in terms)
        loss = one + two if is_first else three
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    found, training = trained(gan_graph(), spec)
    assert len(losses) == 18
    assert found == losses
    assert_equal_weights(training.model, model)


def test_that_the_head_trains_first_and_then_all() -> None:
    graph, spec = iris_graph(*RANDOM_LAYERS), iris_spec(**HEAD_FIRST)
    model, batches = batches_of(graph, spec)
    first = torch.optim.AdamW(model.head.parameters(), lr=0.01)
    then = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for step, batch in enumerate(batches):
        optimizer = first if step < 4 else then
        model.zero_grad()
        loss = cross_entropy(model(batch["features"]), batch["label"])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    found, training = trained(graph, spec)
    assert found == losses
    assert_equal_weights(training.model, model)


@pytest.mark.parametrize("kind", ["ema", "swa"])
def test_that_an_average_goes_on_over_phases_as_in_a_plain_script(kind: str) -> None:
    graph = iris_graph()
    averaging = AveragingSpec(kind=kind, decay=0.8, start=0)
    spec = iris_spec(averaging=averaging, **HEAD_FIRST)
    model, batches = batches_of(graph, spec)
    moving = get_ema_multi_avg_fn(0.8) if kind == "ema" else None
    average = AveragedModel(model, multi_avg_fn=moving, use_buffers=averaging.use_buffers)
    first = torch.optim.AdamW(model.head.parameters(), lr=0.01)
    then = torch.optim.SGD(model.parameters(), lr=0.1)
    for step, batch in enumerate(batches, 1):
        optimizer = first if step <= 4 else then
        model.zero_grad()
        cross_entropy(model(batch["features"]), batch["label"]).backward()
        optimizer.step()
        if kind == "ema" or step % 4 == 0:
            average.update_parameters(model)
    training = new_training(graph, spec)
    torch.manual_seed(1)
    for epoch in range(spec.epochs):
        list(train_epoch(training, epoch, 0, training.new_meter()))
        samples = EpochSamples(training.part_batches("train"), lambda one, _: one)
        for technique in training.techniques.values() if kind == "swa" else ():
            technique.epoch_trained(epoch + 1, samples)
    assert_equal_weights(training.model, model)
    assert_equal_weights(training.evaluated_model(), average.module)


def test_that_unfreezing_in_turns_is_a_plain_script() -> None:
    held = UnfreezingSpec(schedule="generator.hidden=2, discriminator.out=3")
    spec = gan_spec(unfreezing=held)
    model, batches = batches_of(gan_graph(), spec)
    discriminator, generator = model.discriminator, model.generator
    of_one = torch.optim.Adam(discriminator.parameters(), lr=0.01, betas=(0.5, 0.999))
    of_other = torch.optim.Adam(generator.parameters(), lr=0.02, betas=(0.5, 0.999))
    losses = []
    for step, batch in enumerate(batches):
        for part, start in ((generator.hidden, 2), (discriminator.out, 3)):
            part.requires_grad_(step // 6 + 1 >= start)
        point, is_first = batch["point"], step % 3 < 2
        model.zero_grad()
        fake = generator(torch.randn_like(point))
        terms = [softplus(-discriminator(point)), softplus(discriminator(fake))]
        loss = sum(each.mean() for each in terms)
        if not is_first:
            loss = softplus(-discriminator(fake)).mean()
        loss.backward()
        (of_one if is_first else of_other).step()
        losses.append(loss.item())
    found, training = trained(gan_graph(), spec)
    assert found == losses
    assert_equal_weights(training.model, model)


def test_that_a_phase_that_begins_before_its_parameters_are_unfrozen_is_refused() -> None:
    with pytest.raises(DiagnosticError) as error:
        new_training(gan_graph(), gan_spec(unfreezing=UnfreezingSpec(schedule="generator=2")))
    problem = error.value.problems[0]
    assert (problem.code, problem.field) == ("R572", "unfreezing.schedule")
    assert problem.params == {"phase": "generator", "epoch": 1}


RUNS = {
    "muon": (iris_graph(*RANDOM_LAYERS), iris_spec(phases=(MUON,), **ADAMW)),
    "gan": (gan_graph(), gan_spec()),
    "gan with all": (
        gan_graph(),
        gan_spec(
            accumulation=AccumulationSpec(batches=2),
            averaging=AveragingSpec(kind="ema", decay=0.9),
            penalty=PenaltySpec(l2=0.01),
            clip=ClipSpec(kind="norm", limit=0.1),
            compute=ComputeSpec(precision="float16"),
            epochs=4,
        ),
    ),
    "gan with swa": (
        gan_graph(),
        gan_spec(averaging=AveragingSpec(kind="swa", start=1), epochs=4),
    ),
    "gan with unfreezing": (
        gan_graph(),
        gan_spec(
            unfreezing=UnfreezingSpec(schedule="generator.hidden=2, discriminator.out=3"), epochs=4
        ),
    ),
    "head first": (iris_graph(*RANDOM_LAYERS), iris_spec(**HEAD_FIRST)),
}


@pytest.mark.row("S232")
@pytest.mark.parametrize("name", RUNS)
def test_that_a_run_stopped_in_the_middle_of_a_turn_ends_where_an_unbroken_one_does(
    tmp_path: Path, name: str
) -> None:
    graph, spec = RUNS[name]
    whole, broken = (RunFolder.create(tmp_path / part, graph, spec) for part in ("a", "b"))
    assert train(whole).status is RunStatus.FINISHED
    stop_at(broken, 7)
    assert train(broken, resume="latest").status is RunStatus.FINISHED
    assert_same_run(whole, broken)


def test_that_each_phase_has_its_losses_and_rates_in_the_record(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path, *RUNS["gan"])
    state = train(run)
    found = {name: (steps, np.frombuffer(data)) for name, (steps, data) in curves(run).items()}
    steps, losses = found["train.loss"]
    assert steps == list(range(1, 19))
    for index, name in ((0, "train.loss.phase1"), (1, "train.loss.phase2")):
        own = [step for step in steps if (step % 3 == 0) == bool(index)]
        assert found[name][0] == own
        assert found[name][1].tolist() == [losses[step - 1] for step in own]
    assert found["train.loss.fooled"][1].tolist() == found["train.loss.phase2"][1].tolist()
    assert found["train.loss.real"][0] == found["train.loss.phase1"][0]
    assert [found[f"lr.{index}"][1][0] for index in (0, 1)] == [0.01, 0.02]
    assert [group.phase for group in state.groups] == [0, 1]


def test_that_what_does_not_train_in_a_step_stays_as_it_was() -> None:
    training = new_training(gan_graph(), gan_spec())
    parts = (training.model.discriminator, training.model.generator)
    rules = (PhaseRule(steps=2), PhaseRule(steps=1))
    before = [copy.deepcopy(part.state_dict()) for part in parts]
    for number, _ in enumerate(train_epoch(training, 0, 0, training.new_meter())):
        now = [copy.deepcopy(part.state_dict()) for part in parts]
        for index, part in enumerate(now):
            is_same = all(torch.equal(value, before[index][key]) for key, value in part.items())
            assert is_same == (index not in phases_at(rules, 0, number))
        before = now


def test_that_a_phase_without_parameters_or_losses_of_its_own_is_refused() -> None:
    graph = iris_graph()
    nothing = iris_spec(phases=(PhaseSpec(name="rest"),))
    with pytest.raises(DiagnosticError) as error:
        new_training(graph, nothing)
    assert [(each.code, each.field) for each in error.value.problems] == [
        ("R500", "phases.0.match")
    ]
    spec = gan_spec(phase=PhaseRule(match="generator", losses="1"), phases=())
    training = new_training(gan_graph(), spec)
    with pytest.raises(DiagnosticError) as error:
        next(iter(train_epoch(training, 0, 0, training.new_meter())))
    assert error.value.problems[0].code == "R501"
