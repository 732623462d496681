"""Weights in half precision."""

from pathlib import Path

import pytest
import torch

from engine.diagnostics import DiagnosticError
from engine.export.formats import find_format
from engine.export.half import write_half
from engine.export.job import ExportJob
from engine.export.load import read_weights
from engine.graph.model import Graph
from engine.model.module import to_module
from engine.model.source import to_source
from tests.tiny_run import chain, iris_graph, node


def job(graph: Graph | None = None) -> ExportJob:
    found = graph or iris_graph(node("BatchNorm1d", "norm"))
    torch.manual_seed(1)
    return ExportJob(
        title="x", graph=found, source=to_source(found), module=to_module(found).eval()
    )


@pytest.mark.row("S265")
@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("state-dict-half", torch.float16),
        ("safetensors-half", torch.float16),
        ("safetensors-bfloat16", torch.bfloat16),
    ],
)
def test_that_half_the_memory_gives_nearly_the_same_outputs(
    tmp_path: Path, name: str, dtype: torch.dtype
) -> None:
    made, form = job(), find_format(name)
    written = form.writer()(made, tmp_path / f"half{form.suffix}")
    assert 0 < written[1] < 0.01
    weights = read_weights(written[0][0])[1]
    assert {value.dtype for value in weights.values()} == {dtype, torch.int64}
    model = made.empty_module().to(dtype).eval()
    model.load_state_dict(weights)
    assert model(torch.ones(2, 4, dtype=dtype)).dtype is dtype


def test_that_a_weight_beyond_float16_is_refused_by_name(tmp_path: Path) -> None:
    made = job()
    with torch.no_grad():
        made.module.get_parameter("head.bias").fill_(1e6)
    with pytest.raises(DiagnosticError) as error:
        write_half(made, tmp_path / "half.pt")
    problem = error.value.problems[0]
    assert (problem.code, problem.params["name"]) == ("X028", "head.bias")
    assert not list(tmp_path.iterdir())


def test_that_a_model_that_does_not_compute_in_float16_is_told(tmp_path: Path) -> None:
    graph = chain(
        node("Input", "features", field="features", shape=(4,)),
        node("cast", "wide", dtype="float32"),
        node("Linear", "head", out_features=3),
        node("Output", "logits"),
    )
    with pytest.raises(DiagnosticError) as error:
        write_half(job(graph), tmp_path / "half.pt")
    assert error.value.problems[0].code == "X029"
    assert not list(tmp_path.iterdir())
