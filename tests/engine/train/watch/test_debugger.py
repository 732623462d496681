"""The debugger stops a run inside a step, shows and changes tensors, and goes on."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from engine.events import (
    Breakpoint,
    DebugContinue,
    DebugStep,
    DebugStopped,
    Event,
    MeasureMemory,
    MemoryMeasured,
    ReadTensor,
    RunCommand,
    SetBreakpoints,
    SetValue,
    Step,
    Stop,
    TensorChanged,
    TensorRead,
    Warned,
    WriteTensor,
)
from engine.inspect.expression import changed
from engine.runs.folder import RunFolder
from engine.runs.follow import RunFollower
from engine.runs.process.launch import Launch
from engine.runs.record.state import RunState, RunStatus
from engine.spec.run import Choice, DataSpec
from engine.train.worker import run_in_thread
from tests.tiny_run import PATIENCE_S, chain, curves, make_run, node, train

LAYER = Breakpoint(kind="layer", place="hidden")


class Driven:
    """A run on a thread, and the user at its debugger."""

    def __init__(self, folder: RunFolder, *points: Breakpoint) -> None:
        self.folder = folder
        self.events: list[Event] = []
        self.state = RunState()
        folder.send(SetBreakpoints(breakpoints=points))
        self._follower = RunFollower(folder)
        self._run = run_in_thread(Launch(folder=str(folder.path), commands_from=0))

    def until(self, is_there: Callable[[], object]) -> None:
        """Follow until something is told."""
        end = time.monotonic() + PATIENCE_S
        while not is_there():
            assert time.monotonic() < end, self.events[-3:]
            time.sleep(0.005)
            self.state, events = self._follower.poll()
            self.events += [stored.event for stored in events]

    def stop(self, number: int = 1) -> DebugStopped:
        """Return the stop of that number (from 1), when the run stands there."""
        self.until(lambda: len(self.stops()) >= number)
        return self.stops()[number - 1]

    def stops(self) -> list[DebugStopped]:
        return self.told(DebugStopped)

    def told(self, kind: type) -> list:
        return [event for event in self.events if isinstance(event, kind)]

    def send(self, *commands: RunCommand) -> None:
        for command in commands:
            self.folder.send(command)

    def end(self) -> RunState:
        """Let the run go to its end."""
        self.send(SetBreakpoints(breakpoints=()), DebugContinue())
        self.until(lambda: bool(self.state.status.is_over()))
        assert self._run.join(PATIENCE_S)
        self._follower.close()
        return self.state


@pytest.mark.row("N06")
def test_that_a_run_stops_before_a_layer_with_its_tensors_and_goes_on_alike(tmp_path: Path) -> None:
    plain = make_run(tmp_path / "plain", epochs=1)
    train(plain)
    run = Driven(make_run(tmp_path / "watched", epochs=1), LAYER)
    stop = run.stop()
    assert (stop.step, stop.phase, stop.place, stop.layer) == (1, "forward", "hidden", "hidden")
    assert stop.line > 0
    known = {value.key: value for value in stop.values}
    assert known["hidden.weight"].shape == (8, 4)
    assert known["features"].kind == "variable"
    assert known["features"].mean is not None
    assert run.state.status is RunStatus.PAUSED
    assert run.state.stop == stop
    run.send(ReadTensor(key="features", start=2, count=3), DebugContinue())
    second = run.stop(2)
    assert second.step == 2
    read = run.told(TensorRead)[0]
    assert (read.start, len(read.values)) == (2, 3)
    state = run.end()
    assert state.status is RunStatus.FINISHED
    assert state.stop is None
    assert curves(run.folder) == curves(plain)


@pytest.mark.row("N06")
def test_that_steps_lead_over_layers_functions_optimizer_batch_and_epoch(tmp_path: Path) -> None:
    run = Driven(make_run(tmp_path, epochs=3), LAYER)
    run.stop()
    run.send(SetBreakpoints(breakpoints=()))
    expected = []
    for number, over in enumerate(
        ("layer", "function", "function", "layer", "optimizer", "optimizer", "batch", "epoch"), 2
    ):
        run.send(DebugStep(over=over))
        expected.append(run.stop(number))
    places = [(each.phase, each.place, each.step) for each in expected]
    assert places[0] == ("forward", "act", 1)
    assert [phase for phase, _, _ in places[1:4]] == ["backward"] * 3
    assert expected[1].function == "NllLossBackward0"
    assert expected[1].values[0].kind == "incoming"
    assert places[4][0] == "gradients"
    assert places[5][0] == "updated"
    assert places[6] == ("forward", "hidden", 2)
    assert places[7] == ("forward", "hidden", 5)
    assert {each.reason for each in expected} == {"step"}
    run.end()


@pytest.mark.row("N06")
def test_that_a_tensor_is_changed_where_the_run_stands_and_the_record_says_so(
    tmp_path: Path,
) -> None:
    run = Driven(make_run(tmp_path, epochs=1), LAYER)
    run.stop()
    run.send(
        WriteTensor(key="features", expression="x * 0 + 3"),
        WriteTensor(key="hidden.weight", expression="0.5", at=1),
        WriteTensor(key="hidden.weight", expression="__import__('os')"),
        WriteTensor(key="nothing", expression="1"),
    )
    run.until(lambda: len(run.told(Warned)) == 2)
    after = {value.key: value for value in run.stops()[2].values}
    assert (after["features"].minimum, after["features"].maximum) == (3.0, 3.0)
    assert [event.problem.code for event in run.told(Warned)] == ["A010", "A011"]
    changes = run.told(TensorChanged)
    assert [(each.step, each.key) for each in changes] == [(1, "features"), (1, "hidden.weight")]
    state = run.end()
    assert state.changes == tuple(changes)
    assert "knob" in {tag for info in state.checkpoints for tag in info.tags}


@pytest.mark.row("N06")
@pytest.mark.parametrize(
    ("point", "phase"),
    [
        (Breakpoint(kind="backward", place="head"), "backward"),
        (Breakpoint(kind="function", place="AddmmBackward0"), "backward"),
        (Breakpoint(kind="step", value=3), "forward"),
        (Breakpoint(kind="loss", value=0.01), "loss"),
        (Breakpoint(kind="gradient", value=1e-6), "gradients"),
    ],
)
def test_that_each_kind_of_breakpoint_stops_a_run(
    tmp_path: Path, point: Breakpoint, phase: str
) -> None:
    run = Driven(make_run(tmp_path, epochs=1), point)
    stop = run.stop()
    assert (stop.phase, stop.reason) == (phase, point.kind)
    assert stop.step == (3 if point.kind == "step" else 1)
    assert run.end().status is RunStatus.FINISHED


@pytest.mark.row("N06")
def test_that_a_value_that_is_not_finite_stops_the_run_once_where_it_is_first_seen(
    tmp_path: Path,
) -> None:
    run = Driven(make_run(tmp_path, epochs=1), LAYER, Breakpoint(kind="not_finite"))
    run.stop()
    run.send(WriteTensor(key="features", expression="nan", at=0), DebugContinue())
    stop = run.stop(3)
    assert (stop.reason, stop.place) == ("not_finite", "act")
    assert any(value.bad for value in stop.values)
    run.send(DebugStep(over="layer"))
    assert run.stop(4).reason == "step"
    run.send(SetBreakpoints(breakpoints=()), DebugContinue())
    assert run.end().status is RunStatus.FAILED


@pytest.mark.row("N06")
def test_that_a_leaf_is_stopped_at_once_a_step(tmp_path: Path) -> None:
    run = Driven(make_run(tmp_path, epochs=1), Breakpoint(kind="function", place="AccumulateGrad"))
    for number in range(1, 9):
        run.stop(number)
        run.send(DebugContinue())
    assert [stop.step for stop in run.stops()[:8]] == [1] * 6 + [2] * 2
    run.end()


@pytest.mark.row("N06")
def test_that_stopping_a_run_that_stands_ends_it_after_the_step(tmp_path: Path) -> None:
    run = Driven(make_run(tmp_path, epochs=50), LAYER)
    run.stop()
    run.send(SetValue(name="optimizer.lr", value=0.5), Stop())
    run.until(lambda: bool(run.state.status.is_over()))
    assert (run.state.status, run.state.step) == (RunStatus.STOPPED, 1)
    assert run.end().knobs[0].value == 0.5


@pytest.mark.row("N06")
def test_that_a_breakpoint_on_the_way_ends_the_step_over_an_epoch(tmp_path: Path) -> None:
    points = [Breakpoint(kind="step", value=float(step)) for step in (1, 3)]
    run = Driven(make_run(tmp_path, epochs=2), *points)
    run.stop()
    run.send(DebugStep(over="epoch"))
    assert run.stop(2).reason == "step"
    assert run.end().status is RunStatus.FINISHED
    assert [stop.step for stop in run.stops()] == [1, 3]


@pytest.mark.row("N06")
def test_that_sparse_gradients_are_shown_and_measured_and_the_run_goes_on(tmp_path: Path) -> None:
    graph = chain(
        node("Input", "words", field="sentence", shape=(3,), dtype="int64"),
        node("Embedding", "embedding", num_embeddings=512, embedding_dim=2, sparse=True),
        node("Flatten", "flat"),
        node("Linear", "head", out_features=4),
        node("Output", "logits"),
    )
    data = DataSpec(source=Choice(type="sentences", params={"samples": 60, "length": 3}))
    made = make_run(tmp_path, graph, epochs=1, data=data, optimizer=Choice(type="SGD"))
    points = Breakpoint(kind="not_finite"), Breakpoint(kind="condition", condition="grad_norm > 0")
    run = Driven(made, *points)
    gradient = {value.key: value for value in run.stop().values}["embedding.weight.grad"]
    assert gradient.shape == (512, 2)
    assert gradient.maximum is not None
    run.send(ReadTensor(key="embedding.weight.grad"), MeasureMemory())
    assert run.end().status is RunStatus.FINISHED
    assert len(run.told(TensorRead)[0].values) == 256
    rows = {row.name: row for row in run.told(MemoryMeasured)[0].report.rows}
    assert 0 < rows["embedding"].gradients < rows["embedding"].parameters


def test_that_one_value_of_a_transposed_tensor_is_changed() -> None:
    before = torch.arange(6.0).reshape(2, 3).t()
    assert changed(before, "9", 1).tolist() == [[0, 9], [1, 4], [2, 5]]


@pytest.mark.row("N06")
def test_that_a_run_that_others_wait_for_goes_on_in_time_and_changes_no_tensor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.train.watch.debugger._longest_stop_s", lambda _: 0.05)
    folder = make_run(tmp_path, epochs=1)
    folder.send(WriteTensor(key="hidden.weight", expression="0"))
    run = Driven(folder, LAYER)
    run.until(lambda: bool(run.state.status.is_over()))
    assert run.state.status is RunStatus.FINISHED
    told = [event.problem.code for event in run.told(Warned)]
    assert (told[0], set(told[1:])) == ("A014", {"A015"})
    assert run.end().changes == ()


def test_that_one_training_step_leads_to_the_next_batch(tmp_path: Path) -> None:
    run = Driven(make_run(tmp_path, epochs=1), LAYER)
    run.stop()
    run.send(SetBreakpoints(breakpoints=()), Step())
    assert run.stop(2).step == 2
    run.end()


@pytest.mark.row("N06")
@pytest.mark.parametrize(
    ("point", "step", "phase"),
    [
        (Breakpoint(kind="layer", place="hidden", condition="hits == 3"), 3, "forward"),
        (Breakpoint(kind="layer", place="hidden", condition="loss > 0.01"), 2, "forward"),
        (Breakpoint(kind="condition", condition="step == 3"), 3, "forward"),
        (Breakpoint(kind="condition", condition="2 > 1"), 1, "forward"),
        (Breakpoint(kind="condition", condition="loss > 0.01 and step >= 2"), 2, "loss"),
        (Breakpoint(kind="condition", condition="grad_norm > 1e-6"), 1, "gradients"),
    ],
)
def test_that_a_condition_decides_whether_a_breakpoint_stops(
    tmp_path: Path, point: Breakpoint, step: int, phase: str
) -> None:
    run = Driven(make_run(tmp_path, epochs=1), point)
    stop = run.stop()
    assert (stop.step, stop.phase, stop.reason) == (step, phase, point.kind)
    run.end()


@pytest.mark.row("N06")
def test_that_a_function_is_waited_for_where_it_was_made(tmp_path: Path) -> None:
    run = Driven(
        make_run(tmp_path, epochs=1),
        Breakpoint(kind="function", place="AddmmBackward0", within="hidden"),
        Breakpoint(kind="function", place="AccumulateGrad", within="head.bias"),
    )
    leaf = run.stop()
    assert (leaf.function, leaf.parameter) == ("AccumulateGrad", "head.bias")
    run.send(DebugContinue())
    made = run.stop(2)
    assert (made.function, made.place, made.step) == ("AddmmBackward0", "hidden", 1)
    run.end()


@pytest.mark.row("N06")
def test_that_a_function_that_no_step_has_is_told_once(tmp_path: Path) -> None:
    name = "AddmmBackward"
    run = Driven(make_run(tmp_path, epochs=1), Breakpoint(kind="function", place=name))
    run.until(lambda: run.told(Warned))
    assert run.end().status is RunStatus.FINISHED
    (problem,) = [event.problem for event in run.told(Warned)]
    assert (problem.code, problem.params["step"], problem.params["function"]) == ("A016", 1, name)
    assert "AddmmBackward0" in str(problem.params["functions"]).split(", ")


def test_that_a_condition_that_cannot_be_read_is_told_and_stops_nothing(tmp_path: Path) -> None:
    bad = Breakpoint(kind="condition", condition="__import__('os')")
    run = Driven(make_run(tmp_path, epochs=1), bad)
    state = run.end()
    assert [event.problem.code for event in run.told(Warned)] == ["A013"]
    assert state.status is RunStatus.FINISHED
    assert not run.stops()
