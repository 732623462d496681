"""Accumulated gradients are those of a plain script, with all that goes with them."""

import copy
from itertools import islice
from pathlib import Path

import msgspec
import pytest
import torch
from torch import nn

from engine.api import check
from engine.events import (
    Breakpoint,
    CaptureGraph,
    DebugStep,
    ProfileSteps,
    SetBreakpoints,
)
from engine.graph.model import Graph
from engine.model.module import to_module
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch, worker_arguments
from engine.runs.record.graph_files import read_graph
from engine.runs.record.state import RunStatus
from engine.runtime.job.child import start_worker
from engine.spec.run import Choice, ClipSpec, ComputeSpec, DataSpec, RunSpec
from engine.spec.technique import AccumulationSpec, AveragingSpec, PenaltySpec
from engine.train.checkpoint.lookup import open_checkpoint
from engine.train.loop import train_epoch
from engine.train.training import Training, build_training
from tests.engine.train.test_resume import assert_same_run, stop_at
from tests.engine.train.test_runner import spoil_forward
from tests.engine.train.watch.test_debugger import Driven
from tests.tiny_run import RANDOM_LAYERS, curves, iris_graph, iris_spec, make_run, train

SGD = Choice(type="SGD", params={"lr": 0.1, "momentum": 0.9})
CYCLE = Choice(type="OneCycleLR", params={"max_lr": 0.3})
SMALL = DataSpec(source=Choice(type="iris"), batch_size=15)  # 7 of 15 samples in an epoch
THREE = AccumulationSpec(batches=3)  # so steps of 3, 3 and 1 of them


def new_training(spec: RunSpec) -> Training:
    torch.manual_seed(0)
    return build_training(iris_graph(*RANDOM_LAYERS), spec, to_module(iris_graph(*RANDOM_LAYERS)))


def plain(spec: RunSpec) -> tuple[list[float], nn.Module]:
    """Train as a script would that knows nothing of the program; return the loss of each step."""
    batches = new_training(spec)
    model = copy.deepcopy(batches.model).train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.3, total_steps=3 * spec.epochs)
    scaler = torch.amp.GradScaler("cpu", enabled=spec.compute.precision == "float16")
    losses: list[float] = []
    torch.manual_seed(1)
    for epoch in range(spec.epochs):
        rest = batches.epoch_batches(epoch, 0)
        while group := list(islice(rest, 3)):
            samples = sum(len(batch["label"]) for batch in group)
            optimizer.zero_grad()
            found = []
            for batch in group:
                with torch.autocast("cpu", torch.float16, enabled=scaler.is_enabled()):
                    logits = model(batch["features"])
                loss = nn.functional.cross_entropy(logits.float(), batch["label"])
                found.append(loss.item() * len(batch["label"]))
                scaler.scale(loss * (len(batch["label"]) / samples)).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            scaler.step(optimizer)
            scaler.update()
            schedule.step()
            losses.append(sum(found) / samples)
    return losses, model


@pytest.mark.row("S201", "P25")
@pytest.mark.parametrize("precision", ["float32", "float16"])
def test_that_the_weights_are_those_of_a_plain_script(precision: str) -> None:
    spec = iris_spec(
        data=SMALL,
        optimizer=SGD,
        accumulation=THREE,
        clip=ClipSpec(kind="norm", limit=0.5),
        scheduler=CYCLE,
        scheduler_interval="step",
        compute=ComputeSpec(precision=precision),
    )
    training = new_training(spec)
    torch.manual_seed(1)
    found = [
        result
        for epoch in range(spec.epochs)
        for result in train_epoch(training, epoch, 0, training.new_meter())
    ]
    losses, model = plain(spec)
    assert [result.loss for result in found] == losses
    assert [(result.samples, result.batches) for result in found[:3]] == [(45, 3), (45, 3), (15, 1)]
    others = model.state_dict()
    assert all(torch.equal(own, others[key]) for key, own in training.model.state_dict().items())


@pytest.mark.parametrize("optimizer", [SGD, Choice(type="LBFGS", params={"max_iter": 3})], ids=str)
def test_that_small_batches_do_what_a_large_one_does(optimizer: Choice) -> None:
    """Without layers that look at a batch as a whole, with a penalty that counts once."""
    graph, penalty = iris_graph(), PenaltySpec(l2=0.1)
    weights: list[torch.Tensor] = []
    for size, count in ((35, 1), (5, 7)):
        data = DataSpec(source=Choice(type="iris"), batch_size=size)
        accumulation = AccumulationSpec(batches=count)
        changes = {"data": data, "optimizer": optimizer, "penalty": penalty}
        spec = iris_spec(
            accumulation=accumulation, compute=ComputeSpec(precision="float64"), **changes
        )
        torch.manual_seed(0)
        training = build_training(graph, spec, to_module(graph))
        steps = list(train_epoch(training, 0, 0, training.new_meter()))
        assert len(steps) == training.steps_per_epoch == 3
        weights.append(nn.utils.parameters_to_vector(training.model.parameters()))
    torch.testing.assert_close(*weights, rtol=1e-9, atol=1e-9)


def run_of(folder: Path, graph: Graph | None = None, **changes: object) -> RunFolder:
    usual = {"data": SMALL, "optimizer": SGD, "accumulation": THREE}
    return make_run(folder, graph, **usual | changes)


@pytest.mark.row("S201")
def test_that_a_step_of_the_record_is_one_of_the_optimizer(tmp_path: Path) -> None:
    run = run_of(tmp_path, epochs=2)
    state = train(run)
    assert (state.status, state.steps_per_epoch, state.step) == (RunStatus.FINISHED, 3, 6)
    assert curves(run)["train.loss"][0] == [1, 2, 3, 4, 5, 6]
    alone = run_of(tmp_path, epochs=2, accumulation=AccumulationSpec())
    assert train(alone).step == 14


@pytest.mark.parametrize("precision", ["float32", "float16"])
def test_that_a_stopped_run_ends_where_an_unbroken_one_does(tmp_path: Path, precision: str) -> None:
    changes = {
        "scheduler": CYCLE,
        "scheduler_interval": "step",
        "compute": ComputeSpec(precision=precision),
        "clip": ClipSpec(kind="norm", limit=0.5),
    }
    unbroken, broken = (run_of(tmp_path, **changes) for _ in range(2))
    assert train(unbroken).status is RunStatus.FINISHED
    stop_at(broken, 5)
    assert read_state(broken).checkpoints[-1].epoch == 1  # in the middle of the second
    assert train(broken, "latest").status is RunStatus.FINISHED
    assert_same_run(broken, unbroken)


@pytest.mark.fault("F22")
def test_that_a_checkpoint_of_another_accumulation_is_refused_by_name(tmp_path: Path) -> None:
    run, other = run_of(tmp_path), run_of(tmp_path, accumulation=AccumulationSpec(batches=2))
    train(run)
    train(other)
    file = read_state(other).checkpoints[-1].file
    (run.checkpoints / f"other-{file}").write_bytes((other.checkpoints / file).read_bytes())
    problem = train(run, f"other-{file}").problem
    assert problem is not None
    assert problem.code == "R431"
    assert problem.params["settings"] == "accumulation.batches: 2 → 3"


@pytest.mark.fault("F11")
@pytest.mark.parametrize("precision", ["float32", "float16"])
def test_that_nan_in_a_later_batch_of_a_step_is_told_with_its_layer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, precision: str
) -> None:
    spoil_forward(monkeypatch, torch.nn.ReLU, call=5)  # the second of the second step
    run = run_of(tmp_path, compute=ComputeSpec(precision=precision))
    state = train(run)
    assert state.problem is not None
    assert (state.problem.code, state.problem.node) == ("R133", "act")
    assert (state.problem.params["step"], state.step) == (2, 1)
    monkeypatch.undo()
    unbroken = run_of(tmp_path, compute=ComputeSpec(precision=precision))
    train(unbroken)
    assert train(run, "latest").status is RunStatus.FINISHED
    assert curves(run) == curves(unbroken)


def test_that_an_error_in_a_later_batch_counts_no_sample_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forward, calls = nn.ReLU.forward, iter(range(1, 1000))

    def failing(self: nn.Module, x: torch.Tensor) -> torch.Tensor:
        if not x.is_meta and next(calls) == 5:
            raise RuntimeError("the machine is tired")
        return forward(self, x)

    monkeypatch.setattr(nn.ReLU, "forward", failing)
    run, unbroken = (run_of(tmp_path, iris_graph()) for _ in range(2))
    assert train(run).status is RunStatus.FAILED
    monkeypatch.undo()
    assert train(run, "latest").metrics == train(unbroken).metrics
    assert curves(run) == curves(unbroken)


def test_that_watching_changes_nothing_and_shows_the_first_batch(tmp_path: Path) -> None:
    two = AccumulationSpec(batches=2)
    watched, alone = (run_of(tmp_path, accumulation=two) for _ in range(2))
    watched.send(CaptureGraph())
    watched.send(ProfileSteps(count=1))
    state, plain_state = train(watched), train(alone)
    assert (state.metrics, curves(watched)) == (plain_state.metrics, curves(alone))
    assert state.graph is not None
    graph = read_graph(watched.artefacts / state.graph.file)
    assert {call.id for call in graph.calls} == {one.id for one in graph.nodes}
    assert all(len([c for c in graph.calls if c.id == one.id]) == 1 for one in graph.nodes)
    assert state.profile is not None
    assert state.profile.report.forward_flops == 2 * 30 * (4 * 8 + 8 * 3)


def test_that_the_debugger_stops_in_each_batch_and_leads_to_the_next_step(tmp_path: Path) -> None:
    alone = run_of(tmp_path, epochs=1)
    train(alone)
    run = Driven(run_of(tmp_path, epochs=1), Breakpoint(kind="layer", place="hidden"))
    run.stop(1)
    for number in (2, 3):  # of the three batches of the first step
        run.send(DebugStep(over="batch"))
        run.stop(number)
    assert [stop.step for stop in run.stops()] == [1, 1, 1]
    run.send(SetBreakpoints(breakpoints=()), DebugStep(over="batch"))
    assert run.stop(4).step == 2
    assert run.end().status is RunStatus.FINISHED
    assert curves(run.folder) == curves(alone)


def test_that_more_batches_than_an_epoch_has_are_told(tmp_path: Path) -> None:
    spec = iris_spec(data=SMALL, accumulation=AccumulationSpec(batches=8))
    problems = check(iris_graph(), spec).problems
    assert [(one.code, one.params["there"]) for one in problems] == [("R430", 7)]
    spec = msgspec.structs.replace(spec, accumulation=AccumulationSpec(batches=0))
    assert [one.field for one in check(iris_graph(), spec).problems] == ["accumulation.batches"]


@pytest.mark.real
@pytest.mark.parametrize("mode", ["ddp", "fsdp"])
def test_that_processes_share_the_gradients_of_a_step(tmp_path: Path, mode: str) -> None:
    average = AveragingSpec(kind="ema" if mode == "ddp" else "none", decay=0.9)
    changes = {"epochs": 8, "mode": mode, "averaging": average}
    runs = [run_of(tmp_path, iris_graph(), **changes) for _ in range(2)]
    train(runs[0])
    launch = Launch(folder=str(runs[1].path), nproc=2, sharded=mode == "fsdp")
    process = start_worker(worker_arguments(launch, nice=False))
    assert process.wait(300) == 0, runs[1].log_path.read_text()
    alone, together = (read_state(run) for run in runs)
    assert (together.status, together.step) == (RunStatus.FINISHED, 24)
    assert together.warnings == ()
    assert together.ranks is not None
    assert together.metrics == pytest.approx(alone.metrics, rel=1e-4)
    first, second = (open_checkpoint(run, "last").model for run in runs)
    for name, value in first.items():
        torch.testing.assert_close(second[name], value, rtol=1e-4, atol=1e-5)
