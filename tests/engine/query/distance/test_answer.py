"""How far the weights of runs are from one another, against plain tensor arithmetic."""

from pathlib import Path

import pytest
import torch
from msgspec.structs import replace

from engine.diagnostics import DiagnosticError
from engine.events import CheckpointSaved
from engine.graph.model import Graph
from engine.model.module import to_module
from engine.query.distance.answer import compare_weights
from engine.query.distance.request import CompareWeights
from engine.runs.folder import RunFolder
from engine.runs.record.journal import RunJournal
from engine.train.checkpoint.file import Checkpoint, Position, save_checkpoint
from engine.train.checkpoint.lookup import open_checkpoint
from tests.tiny_run import RANDOM_LAYERS, iris_graph, make_run


def kept(project: Path, graph: Graph, seed: int) -> RunFolder:
    """Return a run of which a checkpoint is kept, as it began with that seed."""
    run = make_run(project, graph)
    torch.manual_seed(seed)
    checkpoint = Checkpoint(
        graph="",
        spec="",
        model=to_module(graph).state_dict(),
        optimizer={},
        scheduler={},
        scaler={},
        meter={},
        random={},
        position=Position(step=1),
        epochs=1,
        elapsed_s=0.0,
        best=None,
        history="",
        mark=(0, 0),
    )
    file = run.checkpoints / "step-00000001-0001.ckpt"
    digest = save_checkpoint(file, checkpoint)
    journal = RunJournal(run.path)
    journal.append(CheckpointSaved(file=file.name, sha256=digest, step=1, epoch=0, tags=("last",)))
    journal.close()
    return run


def request(*runs: RunFolder, checkpoint: str = "last") -> CompareWeights:
    return CompareWeights(run_folders=tuple(str(run.path) for run in runs), checkpoint=checkpoint)


@pytest.fixture
def runs(tmp_path) -> tuple[RunFolder, RunFolder]:
    """Return two runs of one model with batch norm, from other random numbers."""
    graph = iris_graph(*RANDOM_LAYERS)
    return kept(tmp_path, graph, 0), kept(tmp_path, graph, 1)


@pytest.mark.row("N18")
def test_that_distances_are_those_of_the_weights_layer_by_layer(runs):
    report = compare_weights(request(*runs))
    first, second = (open_checkpoint(run, "last").model for run in runs)
    assert [layer.layer for layer in report.layers] == ["hidden", "norm", "head"]
    for layer in report.layers:
        names = [f"{layer.layer}.weight", f"{layer.layer}.bias"]
        a = torch.cat([first[name].flatten() for name in names]).double()
        b = torch.cat([second[name].flatten() for name in names]).double()
        found = layer.others[0]
        assert found is not None
        assert layer.elements == a.numel()
        assert layer.norm == pytest.approx(a.norm().item())
        assert found.l2 == pytest.approx((b - a).norm().item())
        assert found.relative == pytest.approx(((b - a).norm() / a.norm()).item())
        cosine = torch.cosine_similarity(a, b, dim=0).item()
        assert found.cosine == pytest.approx(cosine)
    whole = report.whole.others[0]
    assert whole is not None
    squares = sum(layer.others[0].l2 ** 2 for layer in report.layers if layer.others[0])
    assert whole.l2**2 == pytest.approx(squares)


def test_that_a_run_is_at_no_distance_from_itself(runs):
    report = compare_weights(request(runs[0], runs[0], checkpoint="best"))
    assert {layer.others[0].l2 for layer in report.layers if layer.others[0]} == {0.0}
    assert report.whole.others[0].cosine == pytest.approx(1.0)
    assert report.files[0] == report.files[1]


def test_that_layers_of_other_names_or_shapes_have_no_distance(runs, tmp_path):
    graph = iris_graph()
    wide = replace(graph.nodes["hidden"], params={"out_features": 16})
    nodes = graph.nodes | {"hidden": wide, "head": replace(graph.nodes["head"], name="answer")}
    other = kept(tmp_path, replace(graph, nodes=nodes), 2)
    report = compare_weights(request(runs[0], other))
    assert [layer.others for layer in report.layers] == [(None,)] * 3
    assert report.whole.others == (None,)
    assert report.more == (("answer",),)


def test_that_a_run_without_a_checkpoint_is_refused(runs, tmp_path: Path):
    with pytest.raises(DiagnosticError) as error:
        compare_weights(request(runs[0], make_run(tmp_path)))
    assert error.value.problems[0].code == "K015"
