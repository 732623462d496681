"""How far the weights of runs are from one another, against plain tensor arithmetic."""

from pathlib import Path

import pytest
import torch
from msgspec.structs import replace

from engine.diagnostics import DiagnosticError
from engine.runs.folder import RunFolder
from engine.train.distance import compare_weights
from engine.train.lookup import open_checkpoint
from tests.tiny_run import iris_graph, make_run, train


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> tuple[RunFolder, RunFolder]:
    """Return two runs of one model with batch norm, from other random numbers."""
    project = tmp_path_factory.mktemp("runs")
    made = (make_run(project, epochs=1), make_run(project, epochs=1, seed=4))
    for run in made:
        train(run)
    return made


@pytest.mark.row("N18")
def test_that_distances_are_those_of_the_weights_layer_by_layer(runs):
    report = compare_weights([run.path for run in runs])
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
    report = compare_weights([runs[0].path, runs[0].path], "best")
    assert {layer.others[0].l2 for layer in report.layers if layer.others[0]} == {0.0}
    assert report.whole.others[0].cosine == pytest.approx(1.0)
    assert report.files[0] == report.files[1]


def test_that_layers_of_other_names_or_shapes_have_no_distance(runs, tmp_path):
    graph = iris_graph()
    wide = replace(graph.nodes["hidden"], params={"out_features": 16})
    nodes = graph.nodes | {"hidden": wide, "head": replace(graph.nodes["head"], name="answer")}
    other = make_run(tmp_path, replace(graph, nodes=nodes), epochs=1)
    train(other)
    report = compare_weights([runs[0].path, other.path])
    assert [layer.others for layer in report.layers] == [(None,)] * 3
    assert report.whole.others == (None,)
    assert report.more == (("answer",),)


def test_that_a_run_without_a_checkpoint_is_refused(runs, tmp_path: Path):
    with pytest.raises(DiagnosticError) as error:
        compare_weights([runs[0].path, make_run(tmp_path).path])
    assert error.value.problems[0].code == "K015"
