"""Looking inside a run on a GPU: memory, autograd graph, profile, statistics, landscape, speed."""

from pathlib import Path

import pytest
import torch

from engine.events import CaptureGraph, GraphCaptured, MeasureMemory, ProfileSteps
from engine.graph.memory_report import MemoryReport
from engine.graph.model import Graph, Node
from engine.model.module import to_module
from engine.query.landscape.answer import draw_landscape
from engine.query.landscape.request import DrawLandscape, LandscapeValues
from engine.query.memory.answer import estimate
from engine.query.speed.answer import measure_speed
from engine.query.speed.request import BenchmarkSpeed, SpeedMeasured
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunState, RunStatus
from engine.runs.record.statistic import Kind, StatisticHistory
from engine.runs.record.store import RunStore
from engine.spec.run import Choice, ComputeSpec, DataSpec, RunSpec, WatchSpec
from engine.train.devices import run_settings
from engine.train.training import build_training
from tests.tiny_run import (
    RANDOM_LAYERS,
    chain,
    curves,
    iris_graph,
    iris_spec,
    make_run,
    node,
    train,
)

MIB = 1 << 20


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunFolder, RunState]:
    run = make_run(
        tmp_path_factory.mktemp("observed"),
        device="cuda",
        epochs=4,
        watch=WatchSpec(every_steps=1, limit=1.0),
    )
    for command in (MeasureMemory(), CaptureGraph(), ProfileSteps(count=2)):
        run.send(command)
    return run, train(run)


def test_that_every_layer_leaves_statistics(observed: tuple[RunFolder, RunState]) -> None:
    run, state = observed
    assert state.status is RunStatus.FINISHED
    history = StatisticHistory()
    with RunStore.open(run.path) as store:
        history.update(store)
    assert {(Kind.ACTIVATION, "act"), (Kind.GRADIENT, "hidden.weight")} <= set(history.columns)


def test_that_the_autograd_graph_is_captured(observed: tuple[RunFolder, RunState]) -> None:
    with RunStore.open(observed[0].path) as store:
        captured = [item.event for item in store.events() if isinstance(item.event, GraphCaptured)]
    assert captured
    assert captured[0].functions > len(RANDOM_LAYERS)


def test_that_times_of_the_gpu_are_profiled(observed: tuple[RunFolder, RunState]) -> None:
    state = observed[1]
    assert state.profile is not None
    report = state.profile.report
    rows = {row.place: row for row in report.rows}
    assert rows["hidden"].forward_s > 0
    assert rows["hidden"].backward_s > 0
    assert report.forward_flops > 0


def test_that_observing_changes_no_number(
    observed: tuple[RunFolder, RunState], tmp_path: Path
) -> None:
    plain = make_run(tmp_path, device="cuda", epochs=4, watch=WatchSpec(statistics=False))
    train(plain)
    assert curves(plain)["validation.loss"] == curves(observed[0])["validation.loss"]


def wide_graph(width: int) -> Graph:
    """Return layers whose weights and activations take most of the memory of a step."""
    layers: list[Node] = []
    for number in range(4):
        layers += [
            node("Linear", f"wide{number}", out_features=width),
            node("ReLU", f"act{number}"),
        ]
    return chain(
        node("Input", "point", field="point", shape=(2,)),
        *layers,
        node("Linear", "head", out_features=3),
        node("Output", "logits"),
    )


@pytest.mark.parametrize("optimizer", ["SGD", "AdamW"])
def test_that_the_estimate_of_a_step_is_what_is_allocated(optimizer: str) -> None:
    data = DataSpec(source=Choice(type="blobs", params={"samples": 40_000}), batch_size=8192)
    choice = Choice(type=optimizer, params={"lr": 0.01})
    spec = iris_spec(device="cuda", optimizer=choice, data=data)
    graph = wide_graph(2048)
    expected = estimate(graph, spec).peak
    allocated = allocated_in_step(graph, spec)
    print(f"{optimizer}: estimate {expected / MIB:.1f} MiB, allocated {allocated / MIB:.1f} MiB")
    assert expected == pytest.approx(allocated, rel=0.05)


def _make_workspaces() -> None:
    """Let cuBLAS allocate what it keeps, in the thread of the forward and of the backward pass."""
    weight = torch.ones(8, 8, device="cuda", requires_grad=True)
    (weight @ weight).sum().backward()


def allocated_in_step(graph: Graph, spec: RunSpec) -> int:
    """Return the bytes that PyTorch had allocated at most in a step that is not the first."""
    most = 0
    _make_workspaces()
    before = torch.cuda.memory_allocated()
    with run_settings(spec):
        training = build_training(graph, spec, to_module(graph))
        resident = sum(part.nbytes for part in training.data.parts.values())
        batches = training.epoch_batches(0, 0)
        for batch in (next(batches), next(batches)):
            torch.cuda.reset_peak_memory_stats()
            training.optimizer.zero_grad()
            loss, _ = training.loss(training.model(batch["point"]), batch)
            loss.backward()
            training.optimizer.step()
            most = torch.cuda.max_memory_allocated() - before - resident
    return most


def test_that_a_measured_step_says_what_pytorch_allocated(
    observed: tuple[RunFolder, RunState],
) -> None:
    memory = observed[1].memory
    assert memory is not None
    report: MemoryReport = memory.report
    assert report.allocated > 0


def test_that_a_landscape_is_drawn(observed: tuple[RunFolder, RunState]) -> None:
    told: list = []
    request = DrawLandscape(run_folder=str(observed[0].path), directions="random", size=3)
    draw_landscape(request, told.append)
    assert any(isinstance(message, LandscapeValues) for message in told)


def test_that_settings_for_speed_are_measured() -> None:
    told: list = []
    spec = iris_spec(device="cuda", compute=ComputeSpec())
    measure_speed(BenchmarkSpeed(graph=iris_graph(*RANDOM_LAYERS), spec=spec), told.append)
    names = [message.name for message in told if isinstance(message, SpeedMeasured)]
    assert {"optimizer.fused", "compute.tf32", "compute.precision"} <= set(names)
    assert all(message.problem is None for message in told if isinstance(message, SpeedMeasured))
    assert torch.cuda.memory_allocated() < 512 * MIB
