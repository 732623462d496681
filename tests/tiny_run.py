"""A run small enough for a test, and what tests ask of runs."""

import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np

from engine.events import Step, Stop
from engine.graph.model import Edge, Graph, Node
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch
from engine.runs.record.state import RunState, RunStatus
from engine.runs.record.store import RunStore
from engine.runs.teacher import create_run
from engine.spec.run import Choice, DataSpec, LossTerm, RunSpec


def chain(*nodes: Node) -> Graph:
    """Return a graph of nodes one after the other."""
    edges = tuple(
        Edge(source=a.id, source_port="output", target=b.id, target_port="input")
        for a, b in pairwise(nodes)
    )
    return Graph(nodes={node.id: node for node in nodes}, edges=edges)


def node(kind: str, name: str, **params: object) -> Node:
    """Return a node whose id is its name."""
    return Node(id=name, type=kind, name=name, params=params)


def iris_graph(*extra: Node) -> Graph:
    """Return a two-layer classifier of iris flowers with layers after the first activation."""
    return chain(
        node("Input", "features", field="features", shape=(4,)),
        node("Linear", "hidden", out_features=8),
        node("ReLU", "act"),
        *extra,
        node("Linear", "head", out_features=3),
        node("Output", "logits"),
    )


PATIENCE_S = 240.0  # no test fails because the machine is busy
RANDOM_LAYERS = (node("BatchNorm1d", "norm"), node("Dropout", "drop", p=0.3))

CROSS_ENTROPY = LossTerm(
    loss=Choice(type="CrossEntropyLoss"), inputs={"input": "model.logits", "target": "data.label"}
)


def iris_spec(**changes: object) -> RunSpec:
    """Return a specification of 3 epochs of 4 steps."""
    values: dict[str, object] = {
        "data": DataSpec(source=Choice(type="iris")),
        "losses": (CROSS_ENTROPY,),
        "optimizer": Choice(type="AdamW", params={"lr": 0.01}),
        "epochs": 3,
        "seed": 3,
        "device": "cpu",
        "threads": 1,
    }
    return RunSpec(**values | changes)


def make_run(project: Path, graph: Graph | None = None, **changes: object) -> RunFolder:
    """Return a new run in a project folder."""
    default = iris_graph(*RANDOM_LAYERS)
    return create_run(project, graph or default, iris_spec(**changes))


def train(
    folder: RunFolder,
    resume: str = "",
    length: float = 0,
    *,
    trusted: bool = False,
    patience_s: float = PATIENCE_S,
) -> RunState:
    """Train on a thread of this process to the end and return the state."""
    from engine.train.worker import run_in_thread

    launch = Launch(folder=str(folder.path), resume=resume, length=length, trusted=trusted)
    assert run_in_thread(launch).join(patience_s)
    return read_state(folder)


def stop_at(folder: RunFolder, steps: int, *, trusted: bool = False) -> RunState:
    """Train on a thread of this process for some steps, stop there, and return the state. A stop
    that was sent with the steps would be obeyed before them.
    """
    from engine.train.worker import run_in_thread

    folder.send(Step(count=steps))
    run = run_in_thread(Launch(folder=str(folder.path), trusted=trusted))
    stop_paused(folder)
    assert run.join(PATIENCE_S)
    return stopped_state(folder, steps)


def stop_amid(folder: RunFolder, steps: int) -> RunState:
    """Stop as ``stop_at`` does, at a step that is in the middle of an epoch."""
    return in_mid_epoch(stop_at(folder, steps))


def stop_paused(folder: RunFolder) -> None:
    """Wait until a run stands, and tell it to stop."""
    wait_until(folder, lambda state: state.status is RunStatus.PAUSED or state.status.is_over())
    folder.send(Stop())


def stopped_state(folder: RunFolder, steps: int) -> RunState:
    """Return the state of a run, which was stopped after some steps."""
    state = read_state(folder)
    assert (state.status, state.step) == (RunStatus.STOPPED, steps), state
    return state


def in_mid_epoch(state: RunState) -> RunState:
    """Return a state, which lies between the first and the last step of an epoch."""
    assert state.step % state.steps_per_epoch, state
    return state


def wait_until(folder: RunFolder, claim: Callable[[RunState], bool]) -> None:
    """Wait until the state of a run is as claimed."""
    deadline = time.monotonic() + PATIENCE_S
    while not claim(read_state(folder)):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def curves(folder: RunFolder) -> dict[str, tuple[list[int], bytes]]:
    """Return every series as steps and the bytes of its values (bitwise comparable)."""
    with RunStore.open(folder.path) as store:
        read = {name: store.scalars(name) for name in store.series_names()}
    return {
        name: (points.steps.tolist(), np.asarray(points.values).tobytes())
        for name, points in read.items()
    }


def weights(folder: RunFolder) -> dict[str, bytes]:
    """Return the values of the last checkpoint as bytes (bitwise comparable)."""
    from engine.train.checkpoint.lookup import open_checkpoint

    state = open_checkpoint(folder, "last").model
    return {name: value.numpy().tobytes() for name, value in state.items()}
