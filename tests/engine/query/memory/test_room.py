"""Before a run: a recipe whose step has no room in memory is told, with what would have."""

import pytest
import torch
from msgspec.structs import replace

from engine.diagnostics import sentence
from engine.query.memory import room
from engine.query.memory.answer import estimate
from engine.query.model.answer import check, repair
from engine.query.model.request import Check, Repair
from engine.spec.repair import repaired
from engine.spec.run import Choice, ComputeSpec, DataSpec, RunSpec
from tests.custom_data import trusted
from tests.tiny_run import iris_graph, iris_spec, node

GB = 10**9
WIDE = iris_graph(
    node("Linear", "wide", out_features=1_000_000),
    node("Linear", "narrow", out_features=8),
    node("Linear", "again", out_features=1_000_000),
)
ON_HOST = room.room_for_tensors(torch.device("cpu"), 1)


def memory_problems(spec: RunSpec, graph=WIDE):
    problems = check(Check(graph=graph, spec=spec)).problems
    return [problem for problem in problems if problem.code in ("R490", "R491", "D586")]


@pytest.mark.fault("F10")
def test_that_a_batch_that_does_not_fit_is_told_with_one_that_does(monkeypatch):
    spec = iris_spec(data=DataSpec(source=Choice(type="iris"), batch_size=64))
    standing = estimate(WIDE, spec).standing
    free = int((standing + 0.3 * GB) / ON_HOST)
    monkeypatch.setattr(room, "free_bytes", lambda _: free)
    (problem,) = memory_problems(spec)
    assert (problem.code, problem.severity, problem.field) == (
        "R490",
        "warning",
        "data.batch_size",
    )
    fitting = problem.params["fitting"]
    (proposals,) = repair(Repair(graph=WIDE, spec=spec, problems=(problem,))).fixes
    _, mended = repaired(proposals[0], WIDE, spec)
    assert mended.data.batch_size == fitting < 64
    assert memory_problems(mended) == []
    twice = replace(spec, data=replace(spec.data, batch_size=2 * fitting))
    assert memory_problems(twice), "it is the largest"
    for language in ("en", "zh_CN"):
        assert str(fitting) in sentence(problem, language)
        assert f"{free / GB:.2f}".rstrip("0") in sentence(problem, language)


BATCHES = """
from torch.utils.data import Sampler

class PairsBatchSampler(Sampler):
    def __init__(self, data_source):
        self.data_source = data_source

    def __len__(self):
        return 2

    def __iter__(self):
        return iter([list(range(48)), list(range(8))])
"""


@pytest.mark.fault("F10")
def test_that_own_batches_that_do_not_fit_are_not_told_to_change_the_batch_size(monkeypatch):
    graph = replace(WIDE, code=trusted(BATCHES, "own.py"))
    data = DataSpec(source=Choice(type="iris"), batch_size=2, batch_sampler="own.PairsBatchSampler")
    spec = iris_spec(data=data)
    standing = estimate(graph, spec).standing
    monkeypatch.setattr(
        room,
        "free_bytes",
        lambda _: int((standing + 0.3 * GB) / ON_HOST),
    )
    (problem,) = memory_problems(spec, graph)
    assert (problem.code, problem.field) == ("D586", "data.batch_sampler")
    assert problem.params["samples"] == 48
    fitting = problem.params["fitting"]
    assert 2 <= fitting < 48
    (proposals,) = repair(Repair(graph=graph, spec=spec, problems=(problem,))).fixes
    assert proposals == ()
    for language in ("en", "zh_CN"):
        assert "PairsBatchSampler" in sentence(problem, language)
        assert str(fitting) in sentence(problem, language)


@pytest.mark.fault("F10")
def test_that_a_model_that_does_not_fit_at_all_is_told_without_a_batch(monkeypatch):
    spec = iris_spec()
    monkeypatch.setattr(room, "free_bytes", lambda _: estimate(WIDE, spec).standing // 2)
    (problem,) = memory_problems(spec)
    assert (problem.code, problem.severity) == ("R491", "warning")
    (proposals,) = repair(Repair(graph=WIDE, spec=spec, problems=(problem,))).fixes
    assert proposals == ()
    for language in ("en", "zh_CN"):
        assert "SGD" in sentence(problem, language)


@pytest.mark.fault("F10")
def test_that_nothing_is_told_of_what_fits_is_small_or_is_shared_out(monkeypatch):
    assert memory_problems(iris_spec()) == []
    monkeypatch.setattr(room, "free_bytes", lambda _: 1)
    assert memory_problems(iris_spec()), "there is nothing free"
    assert memory_problems(iris_spec(), iris_graph()) == []
    assert memory_problems(iris_spec(mode="fsdp")) == []
    placed = iris_spec(compute=ComputeSpec(placement="wide=cpu"))
    assert memory_problems(placed) == []


def test_that_no_step_is_counted_after_each_edit_where_there_is_room_anyway(monkeypatch):
    def count(*_):
        pytest.fail("a step on the meta device holds up what comes after an edit")

    monkeypatch.setattr(room, "estimate", count)
    monkeypatch.setattr(room, "free_bytes", lambda _: 1000 * GB)
    assert memory_problems(iris_spec()) == []
