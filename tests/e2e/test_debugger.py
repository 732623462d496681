"""The debugger in the real window: stop at a layer, look, change, step, go on."""

from pathlib import Path

import pytest

from engine.events import DebugStopped, RunStarted, TensorChanged
from engine.runs.folder import runs_of
from engine.runs.record.store import RunStore
from tests.e2e.conftest import Start
from tests.e2e.screen import LOADING_S, Place
from tests.e2e.work import give_command


def says(text: str):
    return lambda widget: text in widget["text"]


@pytest.mark.window
@pytest.mark.timeout(600)
@pytest.mark.row("N06")
def test_that_a_run_stops_at_a_layer_shows_and_changes_a_tensor_and_goes_on(
    start: Start, project: Path
) -> None:
    program = start(project)
    program.click(program.node("hidden1"))
    program.key("F9")
    program.key("F5")
    program.widget("train.progress")
    give_command(program, "breakpoints stop tensors")
    program.widget("debugger.where", says("Step 1, forward: before hidden1"), timeout_s=LOADING_S)
    program.click(program.row("debugger.tensors", "hidden1.bias"))
    program.widget("debugger.target", says("All of hidden1.bias ="))
    program.click(program.row("debugger.values", "[1]"))
    program.widget("debugger.target", says("hidden1.bias[1] ="))
    program.replace_text("debugger.expression", "0.25")
    program.row("debugger.values", "0.25")
    program.key("F7")
    program.widget("debugger.where", lambda w: "before hidden1" not in str(w["text"]))
    program.key("F8")
    program.widget("debugger.where", says("Step 2, forward: before hidden1"))
    at: Place = program.row("debugger.points", "Layer hidden1")
    program.click(at)
    program.key("Delete")
    program.key("F8")
    program.widget("debugger.empty")
    (run,) = runs_of(project)
    with RunStore.open(run.path) as store:
        changes = [each.event for each in store.events() if isinstance(each.event, TensorChanged)]
    assert [(each.key, each.step) for each in changes] == [("hidden1.bias", 1)]


@pytest.mark.window
@pytest.mark.timeout(600)
@pytest.mark.row("N06", "S051")
def test_that_a_backward_pass_is_played_and_stepped_through_from_a_function_of_the_graph(
    start: Start, project: Path
) -> None:
    program = start(project)
    give_command(program, "functions backward grad_fn")
    program.click("inspect.empty.action")
    program.node("hidden1.bias", view="dag.view", timeout_s=LOADING_S)
    program.click("backward.play")
    played = program.widget("backward.scrubber", lambda w: w["value"] and w["value"] > 1)
    program.click("backward.play")
    program.click("backward.back")
    program.click("backward.forward")
    assert program.widget("backward.scrubber")["value"] >= played["value"]
    assert program.widget("backward.now")["text"]
    program.click("backward.close")
    program.wait_until_gone("backward.close")
    program.click(program.node("hidden1.bias", view="dag.view"), button=3)
    program.click(program.wait_for(ask="menu", name="dag.stop.function"))
    give_command(program, "breakpoints stop tensors")
    program.row("debugger.points", "AccumulateGrad of hidden1.bias")
    step = program.widget("debugger.where", says("before AccumulateGrad of hidden1"))["text"]
    program.click(program.row("debugger.points", "AccumulateGrad"))
    program.click("debugger.condition")
    program.type("hits > 1000000")
    program.key("Return")
    program.row("debugger.points", "hits > 1000000")
    for over, told in (
        ("function", "backward: before"),
        ("optimizer", "gradients computed"),
        ("optimizer", "has updated the weights"),
        ("batch", "forward: before"),
        ("epoch", "forward: before"),
    ):
        program.click(f"debugger.{over}")
        step = program.widget(
            "debugger.where", lambda w, told=told, step=step: told in w["text"] != step
        )["text"]
    (run,) = runs_of(project)
    with RunStore.open(run.path) as store:
        told = [each.event for each in store.events()]
    stops = [event for event in told if isinstance(event, DebugStopped)]
    started = next(event for event in told if isinstance(event, RunStarted))
    assert [stop.reason for stop in stops] == ["function", *["step"] * 5]
    assert stops[4].step == stops[3].step + 1
    assert (stops[5].step - 1) % started.steps_per_epoch == 0
    assert "hits > 1000000" in (project / ".trellis" / "breakpoints.json").read_text()
