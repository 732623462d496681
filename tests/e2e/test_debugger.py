"""The debugger in the real window: stop at a layer, look, change, step, go on."""

from pathlib import Path

import pytest

from engine.events import TensorChanged
from engine.runs.folder import runs_of
from engine.runs.store import RunStore
from tests.e2e.conftest import Start
from tests.e2e.screen import Place


def says(text: str):
    return lambda widget: text in widget["text"]


@pytest.mark.window
@pytest.mark.timeout(240)
@pytest.mark.row("N06")
def test_that_a_run_stops_at_a_layer_shows_and_changes_a_tensor_and_goes_on(
    start: Start, project: Path
) -> None:
    program = start(project)
    program.click(program.node("hidden1"))
    program.key("F9")
    program.key("F5")
    program.widget("train.progress")
    program.key("ctrl+k")
    program.type("breakpoints stop tensors")
    program.key("Return")
    program.widget("debugger.where", says("Step 1, forward: before hidden1"), timeout_s=120)
    program.click(program.row("debugger.tensors", "hidden1.bias"))
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
