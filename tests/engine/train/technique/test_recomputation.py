"""Runs that recompute activations: the same bits, exact resume, ranks, and all that looks on."""

from pathlib import Path
from typing import TypeVar

import msgspec
import pytest
import torch

from engine.api import evaluate, export
from engine.events import (
    Breakpoint,
    CaptureGraph,
    CaptureTensor,
    DebugContinue,
    GraphCaptured,
    MeasureMemory,
    MemoryMeasured,
    ProfileSteps,
    ProfileTaken,
    TensorCaptured,
)
from engine.graph.edit.block_edits import GroupNodes
from engine.graph.edit.edits import apply
from engine.graph.model import Graph, Node
from engine.graph.node_state.recomputation import RecomputeNodes
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.record.graph_files import read_graph
from engine.runs.record.state import RunStatus
from engine.runs.record.statistic import Kind, StatisticHistory
from engine.runs.record.store import RunStore
from engine.runs.record.tensor_capture import CapturedTensor
from engine.spec.run import Choice, ComputeSpec, WatchSpec
from engine.spec.technique import AccumulationSpec, AveragingSpec
from tests.engine.train.ranks import test_sharding, test_world
from tests.engine.train.test_resume import assert_same_run, stop_at
from tests.engine.train.watch.test_debugger import Driven
from tests.tiny_run import RANDOM_LAYERS, curves, iris_graph, make_run, node, train, weights

_Told = TypeVar("_Told")

BLOCK = "body"
LOOKING = WatchSpec(every_steps=1, limit=1.0)


def blocks(*extra: Node) -> Graph:
    """Return a model with a block that has batch norm and dropout inside."""
    layers = extra or RANDOM_LAYERS
    ids = ("hidden", "act", *(each.id for each in layers))
    return apply(GroupNodes(ids=ids, name="Body"), iris_graph(*layers))


def marked(graph: Graph) -> Graph:
    return apply(RecomputeNodes(ids=(BLOCK,)), graph)


def told(run: RunFolder, kind: type[_Told]) -> list[_Told]:
    with RunStore.open(run.path) as store:
        return [one.event for one in store.events() if isinstance(one.event, kind)]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"accumulation": AccumulationSpec(batches=3), "averaging": AveragingSpec(kind="ema")},
        {"compute": ComputeSpec(precision="bfloat16")},
        {"optimizer": Choice(type="LBFGS", params={"lr": 0.1, "max_iter": 3})},
    ],
    ids=["plain", "accumulated", "bfloat16", "closure"],
)
def test_that_a_run_has_the_same_bits(tmp_path: Path, changes: dict[str, object]) -> None:
    kept = make_run(tmp_path / "kept", blocks(), **changes)
    after = make_run(tmp_path / "after", marked(blocks()), **changes)
    for run in (kept, after):
        state = train(run)
        assert state.status is RunStatus.FINISHED, state.problem
    assert weights(kept) == weights(after)
    assert curves(kept) == curves(after)
    assert evaluate(kept.path).metrics == evaluate(after.path).metrics


def test_that_a_resume_in_the_middle_of_an_epoch_is_exact(tmp_path: Path) -> None:
    unbroken = make_run(tmp_path, marked(blocks()))
    train(unbroken)
    broken = make_run(tmp_path, marked(blocks()))
    stop_at(broken, 6)
    train(broken, "latest")
    assert_same_run(broken, unbroken)


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunFolder, RunFolder]:
    """Return a run that all look at, and the same without recomputing."""
    runs = []
    for graph in (marked(blocks()), blocks()):
        run = make_run(tmp_path_factory.mktemp("watched"), graph, watch=LOOKING, epochs=5)
        for command in (
            CaptureGraph(),
            MeasureMemory(),
            CaptureTensor(kind="activation", name=f"{BLOCK}/act"),
            ProfileSteps(count=2),
        ):
            run.send(command)
        state = train(run)
        assert state.status is RunStatus.FINISHED, state.problem
        assert not state.warnings
        runs.append(run)
    return runs[0], runs[1]


def test_that_nothing_that_looks_on_changes_a_bit(
    watched: tuple[RunFolder, RunFolder], tmp_path: Path
) -> None:
    bare = make_run(tmp_path, blocks(), watch=WatchSpec(statistics=False), epochs=5)
    train(bare)
    for run in watched:
        assert curves(run) == curves(bare)
        assert weights(run) == weights(bare)


def test_that_statistics_and_tensors_are_those_of_the_first_pass(
    watched: tuple[RunFolder, RunFolder],
) -> None:
    columns = []
    for run in watched:
        found = StatisticHistory()
        with RunStore.open(run.path) as store:
            found.update(store)
        tracks = [found.track(key) for key in found.columns]
        columns.append([each.numbers[0].tobytes() for each in tracks])  # of the first step
        assert (Kind.ACTIVATION, f"{BLOCK}.drop") in found.columns
    assert columns[0] == columns[1]
    (first,), (second,) = (told(run, TensorCaptured) for run in watched)
    assert first.step == second.step
    values = [
        msgspec.msgpack.decode((run.artefacts / one.file).read_bytes(), type=CapturedTensor).data
        for run, one in zip(watched, (first, second), strict=True)
    ]
    assert values[0] == values[1]


def test_that_memory_has_no_tensors_of_the_inside_and_the_profile_has_its_second_pass(
    watched: tuple[RunFolder, RunFolder],
) -> None:
    saved, flops = [], []
    for run in watched:
        (memory,) = told(run, MemoryMeasured)
        saved.append(sum(r.saved for r in memory.report.rows if r.place.startswith(f"{BLOCK}/")))
        (profile,) = told(run, ProfileTaken)
        flops.append((profile.report.forward_flops, profile.report.backward_flops))
        assert all(row.forward_s > 0 for row in profile.report.rows if row.place.startswith(BLOCK))
    assert saved[0] == 0 < saved[1]
    assert flops[0][0] == flops[1][0]
    assert flops[0][1] > flops[1][1]


def test_that_the_autograd_graph_is_whole(
    watched: tuple[RunFolder, RunFolder],
) -> None:
    graphs = []
    for run in watched:
        (captured,) = told(run, GraphCaptured)
        graphs.append(read_graph(run.artefacts / captured.file))
    recomputed, kept = graphs
    places = [{each.layer for each in graph.nodes} for graph in graphs]
    assert f"{BLOCK}.norm" in places[0] == places[1]
    assert len(recomputed.nodes) >= len(kept.nodes)


def test_that_the_debugger_stops_inside_once_forward(tmp_path: Path) -> None:
    run = make_run(tmp_path, marked(blocks()), epochs=1)
    driven = Driven(run, Breakpoint(kind="layer", place=f"{BLOCK}/norm"))
    driven.stop()
    assert driven.stops()[0].step == 1
    run.send(DebugContinue())
    assert driven.stop(2).step == 2
    driven.end()


def test_that_exported_code_recomputes_too(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", marked(blocks()), epochs=1)
    train(run)
    code = export(run.path, "python", tmp_path / "model.py")
    assert "recomputed(self.body, features)" in Path(code.files[0]).read_text()


@pytest.mark.real
@pytest.mark.timeout(600)
def test_that_two_ranks_compute_what_they_do_without(tmp_path: Path) -> None:
    runs = []
    for name, graph in (("kept", blocks()), ("after", marked(blocks()))):
        run = make_run(tmp_path / name, graph, mode="ddp", epochs=2)
        assert test_world.begin(run).wait(300) == 0, run.log_path.read_text()
        runs.append(run)
    assert curves(runs[0]) == curves(runs[1])
    assert weights(runs[0]) == weights(runs[1])


@pytest.mark.real
@pytest.mark.timeout(600)
def test_that_sharded_ranks_compute_what_they_do_without(tmp_path: Path) -> None:
    wide = (node("Linear", "wide", out_features=test_sharding.WIDE), node("Tanh", "squash"))
    runs = []
    for name, graph in (("kept", blocks(*wide)), ("after", marked(blocks(*wide)))):
        run = make_run(tmp_path / name, graph, mode="fsdp", epochs=2, optimizer=test_world.SGD)
        assert test_sharding.begin(run).wait(300) == 0, run.log_path.read_text()
        assert read_state(run).status is RunStatus.FINISHED
        runs.append(run)
    torch.testing.assert_close(test_world.curve(runs[1]), test_world.curve(runs[0]), rtol=0, atol=0)
