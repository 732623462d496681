"""Searches with real steps of a small model."""

import math
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import torch
from msgspec.structs import replace
from torch.nn.functional import softplus

from engine import api
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.model.module import to_module
from engine.project import Project
from engine.query.finder import answer, batch
from engine.query.finder.request import (
    BatchMeasured,
    BatchTried,
    FindBatch,
    FinderFailed,
    FindRate,
    RateFound,
    RateMeasured,
)
from engine.query.landscape.answer import begin_like_run
from engine.query.reading.request import BatchSizeFound
from engine.query.speed.answer import TimedSteps
from engine.runtime.job.request_job import FinderJob
from engine.spec.phase import phase_named
from engine.spec.run import Choice, PhaseRule, PhaseSpec, RunSpec
from engine.spec.technique import AccumulationSpec, AveragingSpec
from engine.train.devices import run_settings
from engine.train.training import build_training
from tests.tiny_gan import gan_graph, gan_spec
from tests.tiny_run import iris_graph, iris_spec

SGD = Choice(type="SGD", params={"lr": 0.1})


def rate_request(**changes) -> FindRate:
    spec = changes.pop("spec", None) or iris_spec(optimizer=SGD)
    return FindRate(graph=iris_graph(), spec=spec, project="", **changes)


def searched(request: FindRate) -> tuple[list[RateMeasured], RateFound]:
    told: list = []
    answer.find_rate(request, told.append)
    *measured, found = told
    return measured, found


@pytest.mark.row("P22")
def test_that_the_rate_rises_by_the_same_factor_and_the_loss_suggests_rates() -> None:
    measured, found = searched(rate_request(lowest=1e-4, highest=1.0, steps=60))
    rates = [each.rate for each in measured]
    factors = {round(after / before, 9) for before, after in pairwise(rates)}
    assert rates[0] == pytest.approx(1e-4)
    assert len(factors) == 1
    assert found.steepest is not None
    assert found.tenth is not None
    assert 1e-4 < found.steepest <= 10 * found.tenth * 1.001


def test_that_a_search_repeats_and_starts_from_the_weights_of_the_seed() -> None:
    spec = iris_spec(
        optimizer=SGD,
        accumulation=AccumulationSpec(batches=2),
        averaging=AveragingSpec(kind="ema"),
        scheduler=Choice(type="OneCycleLR", params={"max_lr": 0.5}),
    )
    first, second = (searched(rate_request(spec=spec, steps=12)) for _ in range(2))
    assert first == second
    (plain, _) = searched(rate_request(steps=12))
    assert first[0][0].rate == plain[0].rate


def test_that_a_loss_that_diverges_ends_the_search() -> None:
    measured, found = searched(rate_request(highest=1e12, steps=60))
    assert found.is_diverged
    assert len(measured) < 60
    assert all(math.isfinite(each.loss) for each in measured)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"lowest": 0.0}, "R464"),
        ({"lowest": 1.0, "highest": 0.1}, "R464"),
        ({"highest": math.inf}, "R464"),
        ({"steps": 1}, "R464"),
        ({"steps": 10**6}, "R464"),
    ],
)
def test_that_what_makes_no_search_is_refused(changes, code) -> None:
    with pytest.raises(DiagnosticError) as refused:
        searched(rate_request(**changes))
    assert refused.value.problems[0].code == code


def test_that_a_search_from_python_leaves_the_project_as_it_was(tmp_path) -> None:
    project = Project.create(tmp_path / "p", "iris-mlp")
    before = {file: file.read_bytes() for file in project.path.rglob("*") if file.is_file()}
    found, measured = api.find_rate(project, steps=10)
    assert len(measured) == 10
    assert isinstance(found, RateFound)
    assert before == {f: f.read_bytes() for f in project.path.rglob("*") if f.is_file()}


class Limited:
    """Steps that fit the memory up to a size."""

    most = 100
    count = 1
    tried: list[int]

    def __init__(self, _graph, spec) -> None:
        size = spec.data.batch_size
        if size > self.most:
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried")
        self.samples, self._size = 0, size

    def block(self) -> float:
        self.samples += self._size
        return 0.001


def batches(**changes) -> list:
    told: list = []
    request = FindBatch(graph=iris_graph(), spec=iris_spec(), **changes)
    batch.find_batch(request, told.append)
    return told


@pytest.fixture
def limited(monkeypatch):
    monkeypatch.setattr(batch, "TimedSteps", Limited)
    monkeypatch.setattr(batch, "_be_killed_first", lambda: None)


@pytest.mark.row("P22")
@pytest.mark.usefixtures("limited")
def test_that_a_size_that_does_not_fit_is_told_and_the_search_goes_on_below() -> None:
    told = batches()
    assert isinstance(told[0], BatchSizeFound)
    measured = {each.size: each for each in told if isinstance(each, BatchMeasured)}
    tried = [each.size for each in told if isinstance(each, BatchTried)]
    assert list(measured) == tried
    failed = {size for size, each in measured.items() if each.problem is not None}
    assert {size > Limited.most for size in failed} == {True}
    assert {measured[size].problem.code for size in failed} == {"R138"}
    assert 80 < max(set(tried) - failed) <= Limited.most
    assert measured[32].samples_per_s == pytest.approx(32_000)


@pytest.mark.usefixtures("limited")
def test_that_what_is_known_is_not_tried_again() -> None:
    tried = [each.size for each in batches(fits=64, fails=80) if isinstance(each, BatchTried)]
    assert tried
    assert all(64 < size < 80 for size in tried)


@pytest.mark.usefixtures("limited")
def test_that_sizes_beyond_the_estimate_are_not_tried_on_the_cpu(monkeypatch) -> None:
    guess = BatchSizeFound(chosen=32, largest=32, free_bytes=10**9, device="cpu", samples=105)
    monkeypatch.setattr(batch, "find_batch_size", lambda *_: guess)
    measured = [each for each in batches() if isinstance(each, BatchMeasured)]
    refused = [each for each in measured if each.problem and each.problem.code == "R466"]
    assert {each.size for each in refused} == {64}


@pytest.mark.real
def test_that_a_process_that_is_killed_by_a_size_goes_on_below_it() -> None:
    """The first process dies in the middle of a size; the second one is told what is known."""
    told: list = []
    text = """import json, os, sys
request = json.loads(sys.stdin.readline())
def say(**message):
    print(json.dumps(message), flush=True)
if not request["fails"]:
    say(type="BatchTried", size=32)
    say(type="BatchMeasured", size=32, samples_per_s=5.0)
    say(type="BatchTried", size=64)
    os.kill(os.getpid(), 9)
say(type="BatchTried", size=request["fits"] + request["fails"])
say(type="FinderDone")
"""
    request = FindBatch(graph=iris_graph(), spec=iris_spec())
    job = FinderJob(request, told.append, command=(sys.executable, "-c", text))
    job.start()
    job.wait()
    measured = [each for each in told if isinstance(each, BatchMeasured)]
    problem = measured[-1].problem
    assert isinstance(problem, Diagnostic)
    assert problem.code == "R465"
    assert told[-2] == BatchTried(size=32 + 64)
    assert not any(isinstance(each, FinderFailed) for each in told)


def gan_request(**changes) -> FindRate:
    spec = changes.pop("spec", None) or gan_spec()
    return FindRate(graph=gan_graph(), spec=spec, project="", **changes)


@pytest.mark.row("P22", "S171")
@pytest.mark.parametrize("phase", [0, 1])
def test_that_the_rate_of_a_phase_rises_in_its_own_steps_alone(phase: int) -> None:
    """A script that takes the same turns has the same losses; the opponent stands still."""
    measured, _ = searched(gan_request(phase=phase, steps=12, lowest=1e-4, highest=0.1))
    spec = gan_spec()
    with run_settings(spec):
        model = to_module(gan_graph())
        begin_like_run(model, gan_graph(), spec, Path())
        training = build_training(gan_graph(), spec, model)
        model = training.model.train()
        parts = (model.discriminator, model.generator)
        optimizers = [
            torch.optim.Adam(part.parameters(), lr=rate, betas=(0.5, 0.999))
            for part, rate in zip(parts, (0.01, 0.02), strict=True)
        ]
        losses, step = [], 0
        batches = (each for epoch in range(20) for each in training.epoch_batches(epoch, 0))
        while len(losses) < len(measured):
            point, now = next(batches)["point"], int(step % 3 == 2)
            if now == phase:
                optimizers[now].param_groups[0]["lr"] = measured[len(losses)].rate
            model.zero_grad()
            real, fake = model.discriminator(point), model.generator(torch.randn_like(point))
            score = model.discriminator(fake if now else fake.detach())
            loss = (
                softplus(-score).mean() if now else softplus(-real).mean() + softplus(score).mean()
            )
            loss.backward()
            if now == phase:
                optimizers[now].step()
            losses += [loss.item()] if now == phase else []
            step += 1
    assert [each.loss for each in measured] == losses
    assert len(measured) == 12


def test_that_a_phase_with_the_same_loss_trains_along() -> None:
    spec = iris_spec(phases=(PhaseSpec(match="head", optimizer=SGD),), optimizer=SGD)
    both, _ = searched(rate_request(spec=spec, steps=10, lowest=1e-4, highest=0.1))
    still = replace(
        spec, phases=(replace(spec.phases[0], optimizer=Choice(type="SGD", params={"lr": 1e-9})),)
    )
    alone, _ = searched(rate_request(spec=still, steps=10, lowest=1e-4, highest=0.1))
    assert both[-1].loss < alone[-1].loss


def test_that_a_phase_is_searched_in_the_epochs_in_which_it_is_at_work() -> None:
    late = PhaseSpec(start=3, end=4, optimizer=SGD, scheduler=Choice(type="StepLR"))
    spec = iris_spec(phase=PhaseRule(match="head", end=3), phases=(late,))
    measured, _ = searched(rate_request(spec=spec, phase=1, steps=20))
    assert len(measured) == 20


@pytest.mark.parametrize(("phase", "code"), [(2, "R573"), (1, "R463")])
def test_that_a_phase_without_a_rate_to_search_is_refused(phase: int, code: str) -> None:
    spec = gan_spec()
    (generator,) = spec.phases
    spec = gan_spec(phases=(replace(generator, optimizer=Choice(type="Unknown")),))
    with pytest.raises(DiagnosticError) as refused:
        searched(gan_request(spec=spec, phase=phase))
    assert refused.value.problems[0].code == code


def test_that_phases_are_named_by_name_or_number() -> None:
    spec = gan_spec()
    assert [phase_named(spec, text) for text in ("", "1", "generator", "2")] == [0, 0, 1, 1]
    for text in ("3", "0", "critic"):
        with pytest.raises(DiagnosticError) as refused:
            phase_named(spec, text)
        assert refused.value.problems[0].code == "R573"


def test_that_a_batch_is_measured_with_the_steps_of_all_phases() -> None:
    """Training all takes more memory than training the head."""
    then = PhaseSpec(start=1, optimizer=SGD)
    spec = iris_spec(phase=PhaseRule(match="head", end=1), phases=(then,), optimizer=SGD)
    hidden = TimedSteps(iris_graph(), spec).training.model.hidden
    changed = [not torch.equal(w, b) for w, b in zip(hidden.parameters(), begun(spec), strict=True)]
    assert all(changed)


def begun(spec: RunSpec) -> list[torch.Tensor]:
    """Return the weights of the first layer as a run begins with them."""
    with run_settings(spec):
        model = build_training(iris_graph(), spec, to_module(iris_graph())).model
        return list(model.hidden.parameters())
