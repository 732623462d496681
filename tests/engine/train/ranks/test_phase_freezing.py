"""What phases freeze and unfreeze, two processes train as one does."""

from pathlib import Path
from typing import Any

import pytest
import torch
from msgspec.structs import replace

from engine.graph.edit.edits import apply
from engine.graph.model import Graph
from engine.graph.node_state.freezing import FreezeNodes
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch, worker_arguments
from engine.runs.record.state import RunStatus
from engine.runtime.job.child import start_worker
from engine.spec.live import LiveChange
from engine.spec.run import Choice, ClipSpec, PhaseRule, PhaseSpec
from engine.spec.technique import AccumulationSpec, AveragingSpec, UnfreezingSpec
from tests.engine.train.ranks import test_world
from tests.tiny_run import PATIENCE_S, iris_graph, make_run, node, stop_at, train

pytestmark = [pytest.mark.real, pytest.mark.timeout(600)]
ADAM = Choice(type="AdamW", params={"lr": 0.02, "weight_decay": 0.1})
SGD = Choice(type="SGD", params={"lr": 0.05, "momentum": 0.9, "weight_decay": 0.1})
TURNS: dict[str, Any] = {
    "optimizer": ADAM,
    "phase": PhaseRule(match="head", steps=2),
    "phases": (PhaseSpec(match="hidden, more", steps=1, optimizer=SGD),),
    "epochs": 4,
}
HEAD_FIRST: dict[str, Any] = {
    "optimizer": ADAM,
    "phase": PhaseRule(name="head", match="head", end=1),
    "phases": (PhaseSpec(name="all", start=1, optimizer=SGD),),
    "epochs": 4,
}
LATE = UnfreezingSpec(schedule="more=3, hidden.bias=2")
ALL: dict[str, Any] = {
    "accumulation": AccumulationSpec(batches=2),
    "averaging": AveragingSpec(kind="ema", decay=0.5),
    "clip": ClipSpec(kind="norm", limit=0.3),
}
STILL = (
    LiveChange(step=3, epoch=0, name="model.more.frozen", value=True),
    LiveChange(step=9, epoch=2, name="model.more.frozen", value=False),
)
MORE = {"unfreezing": LATE, "optimizer": SGD, "epochs": 4}
CASES: dict[str, tuple[dict[str, Any], tuple[LiveChange, ...]]] = {
    "turns": (TURNS | {"unfreezing": LATE}, ()),
    "head first": (HEAD_FIRST | {"unfreezing": LATE}, ()),
    "with all": (TURNS | ALL | {"unfreezing": LATE, "epochs": 8}, ()),
    "by hand": (TURNS, STILL),
    "by hand, head first": (HEAD_FIRST | {"unfreezing": LATE}, STILL),
}


def graph_of() -> Graph:
    """Return a model with a layer that is frozen on the canvas and stays so."""
    more = (node("Linear", "more", out_features=8), node("Linear", "still", out_features=8))
    return apply(FreezeNodes(ids=("still",)), iris_graph(*more))


@pytest.mark.parametrize("name", CASES)
def test_that_two_processes_have_the_parameters_of_one(tmp_path: Path, name: str) -> None:
    changes, by_hand = CASES[name]
    graph = graph_of()
    one = make_run(tmp_path / "one", graph, **changes)
    two = make_run(tmp_path / "two", graph, **changes, mode="ddp")
    for run in (one, two):
        type(run)(run.path, replace(run.document, changes=by_hand)).write_document()
    assert train(type(one).open(one.path)).status is RunStatus.FINISHED
    assert test_world.begin(two).wait(300) == 0, two.log_path.read_text()
    state = read_state(two)
    assert (state.status, state.warnings) == (RunStatus.FINISHED, ())
    assert len(state.knobs) == len(by_hand)
    wanted = test_world.weights(one)
    for key, value in test_world.weights(two).items():
        torch.testing.assert_close(value, wanted[key], rtol=0, atol=1e-6)
    torch.testing.assert_close(test_world.curve(two), test_world.curve(one), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("changes", [MORE, TURNS | MORE], ids=["one phase", "phases"])
def test_that_a_run_that_began_in_one_process_goes_on_in_two(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    one, two = (make_run(tmp_path / part, graph_of(), **changes) for part in ("one", "two"))
    assert train(one).status is RunStatus.FINISHED
    stop_at(two, 6)
    launch = Launch(folder=str(two.path), resume="latest", nproc=2)
    worker = start_worker(worker_arguments(launch, nice=False))
    assert worker.wait(PATIENCE_S) == 0, two.log_path.read_text()
    wanted = test_world.weights(one)
    for key, value in test_world.weights(two).items():
        torch.testing.assert_close(value, wanted[key], rtol=0, atol=1e-6)
