"""Searches with real steps of a small model."""

import math
import sys
from itertools import pairwise

import pytest

from engine import api
from engine.diagnostics import Diagnostic, DiagnosticError
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
from engine.query.reading.request import BatchSizeFound
from engine.runtime.job.request_job import FinderJob
from engine.spec.run import Choice
from engine.spec.technique import AccumulationSpec, AveragingSpec
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
