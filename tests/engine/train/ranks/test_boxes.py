"""A detector in two processes: what they find together is counted once."""

import pytest
import torch

from engine.api import evaluate
from engine.custom.trust import set_trust
from engine.data.load.load import describe_source, load_split
from engine.graph.model import Graph
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch, worker_arguments
from engine.runs.record.state import RunStatus
from engine.runtime.job.child import start_worker
from engine.spec.defaults import default_losses
from engine.spec.first_model import first_model
from engine.spec.proposal import ModelSize
from engine.spec.run import Choice, DataSpec, LossTerm, ProcessSpec, SplitSpec
from tests.tiny_run import make_run

pytestmark = [pytest.mark.real, pytest.mark.timeout(600)]
DATA = DataSpec(
    source=Choice(
        type="shapes",
        params={"target": "boxes", "samples": 42, "size": 32, "classes": 2, "noise": 0.02},
    ),
    # 13 pictures to look at: not the same number for each process.
    split=SplitSpec(train=0.7, validation=0.3, test=0.0),
    batch_size=4,
)


def detector(size: ModelSize) -> tuple[Graph, tuple[LossTerm, ...]]:
    info = describe_source(DATA, *load_split(DATA))
    graph = first_model(info, size)
    assert graph is not None
    set_trust(graph.code, trusted=True)
    return graph, default_losses(info, graph)


@pytest.mark.parametrize("size", ["small", "large"])
def test_that_two_processes_train_a_detector_and_measure_what_one_finds(tmp_path, size) -> None:
    graph, losses = detector(size)
    run: RunFolder = make_run(
        tmp_path,
        graph,
        data=DATA,
        losses=losses,
        optimizer=Choice(type="Adam", params={"lr": 0.003}),
        processes=ProcessSpec(timeout_s=120),
        epochs=3,
    )
    launch = Launch(folder=str(run.path), nproc=2, trusted=True)
    process = start_worker(worker_arguments(launch, nice=False))
    assert process.wait(400) == 0, run.log_path.read_text()
    state = read_state(run)
    assert state.status is RunStatus.FINISHED
    assert state.ranks is not None
    assert state.ranks.is_equal  # the weights of both, bit by bit
    alone = evaluate(run.path, checkpoint="last", split="validation").metrics
    assert alone["validation.map_50"] > 0
    # FCOS divides its loss by the hits in the pictures that a process has, as it does in
    # torchvision; in a Faster R-CNN each picture has a loss of its own.
    for name in ("map", "map_50", *(("loss",) if size == "large" else ())):
        told = state.metrics[f"validation.{name}"]
        assert told == pytest.approx(alone[f"validation.{name}"], rel=1e-5), name
    assert torch.isfinite(torch.tensor(list(state.metrics.values()))).all()
