"""Parameters, buffers and constants: what is told of them is what the generated class makes."""

from math import prod

import pytest
import torch
from torch import nn

from engine.catalog.registry import catalog
from engine.catalog.spec import Value
from engine.diagnostics import sentence
from engine.graph.edit.grouping import group
from engine.graph.model import Graph
from engine.model.analysis import analyse
from engine.model.module import load_source, to_module
from engine.model.source import to_source
from tests.engine.graph.builder import add, model, wire

SHAPES = ((), (4,), (3, 3), (2, 3, 4))
DTYPES = ("float32", "float64", "int64", "int32", "bool")


def fillings(key: str) -> tuple[str, ...]:
    entry = catalog().node(key)
    assert entry is not None
    spec = entry.param("fill")
    assert spec is not None
    return spec.choices


def alone(key: str, **params: Value) -> Graph:
    """Return a model that gives one tensor."""
    graph, _ = add(Graph(), key, "t", **params)
    graph, _ = add(graph, "Output", "output")
    return wire(graph, "t", "output")


def scaled(key: str, **params: Value) -> Graph:
    """Return a model that multiplies 64 numbers by a tensor."""
    graph = model((64,), ("mul", {}, "scaled"))
    graph, _ = add(graph, key, "scale", shape=(64,), **params)
    return wire(graph, "scale", "scaled.other")


CASES = [
    (key, fill, shape, dtype)
    for key in ("Parameter", "Buffer", "Constant")
    for fill in fillings(key)
    for shape in SHAPES
    for dtype in (("float32",) if key == "Parameter" else DTYPES)
]


@pytest.mark.parametrize(("key", "fill", "shape", "dtype"), CASES)
def test_that_a_tensor_is_what_the_analysis_says_or_is_refused_with_a_reason(
    key: str, fill: str, shape: tuple[int, ...], dtype: str
) -> None:
    params: dict[str, Value] = {"shape": shape, "fill": fill, "low": -1.0, "std": 0.02}
    if key != "Parameter":
        params |= {"dtype": dtype, "values": tuple(float(i) for i in range(prod(shape)))}
    analysis = analyse(alone(key, **params))
    refused = [problem for problem in analysis.problems if problem.code != "G025"]
    if refused:
        assert [problem.code for problem in refused] in (["S032"], ["S033"], ["S035"])
        assert "{" not in sentence(refused[0])
        return
    made = load_source(analysis.source).Model()
    found = analysis.nodes["t"]
    tensor = made()
    assert tuple(tensor.shape) == found.outputs["output"].shape
    assert str(tensor.dtype) == f"torch.{found.outputs['output'].dtype}"
    assert sum(p.numel() for p in made.parameters()) == found.parameters == analysis.parameters
    assert sum(b.numel() for b in made.buffers()) == found.buffers
    assert torch.isfinite(tensor.float()).all()


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"fill": "ones"}, "nn.Parameter(torch.ones(64))"),
        ({"fill": "normal"}, "nn.Parameter(torch.randn(64))"),
        ({"fill": "constant", "value": 0.5}, "nn.Parameter(torch.full((64,), 0.5))"),
        ({"fill": "uniform"}, "nn.Parameter(torch.rand(64))"),
        (
            {"fill": "ones", "requires_grad": False},
            "nn.Parameter(torch.ones(64), requires_grad=False)",
        ),
        (
            {"fill": "trunc_normal", "std": 0.02},
            "nn.Parameter(nn.init.trunc_normal_(torch.empty(64), std=0.02))",
        ),
    ],
)
def test_that_a_parameter_is_written_as_one_writes_it_by_hand(
    params: dict[str, Value], text: str
) -> None:
    source = to_source(scaled("Parameter", **params))
    assert f"        self.scale = {text}\n" in source
    assert "        scaled = x * self.scale\n" in source


def test_that_given_numbers_are_written_as_a_list() -> None:
    mean = (0.485, 0.456, 0.406)
    source = to_source(alone("Buffer", shape=(3, 1, 1), fill="values", values=mean))
    written = 'self.register_buffer("t", torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1))'
    assert written in source


@pytest.mark.parametrize(
    ("key", "params", "code", "field"),
    [
        ("Parameter", {"shape": (4,), "fill": "xavier_uniform"}, "S032", "fill"),
        ("Buffer", {"shape": (2, 3), "fill": "eye"}, "S033", "shape"),
        ("Buffer", {"shape": (3,), "fill": "values", "values": (1.0, 2.0)}, "S034", "values"),
        ("Constant", {"shape": (3,), "fill": "normal", "dtype": "int64"}, "S035", "dtype"),
        ("Constant", {"shape": (3,), "fill": "uniform", "low": 2.0}, "S036", "high"),
    ],
)
def test_that_numbers_that_do_not_go_together_are_told_at_their_field(
    key: str, params: dict[str, Value], code: str, field: str
) -> None:
    problems = [p for p in analyse(alone(key, **params)).problems if p.code != "G025"]
    assert [(p.code, p.node, p.field) for p in problems] == [(code, "t", field)]
    assert "{" not in sentence(problems[0])


def test_that_a_parameter_in_a_block_is_in_the_state_dict_under_both_names() -> None:
    graph = group(scaled("Parameter", fill="ones"), ["scale", "scaled"], "Scale").graph
    analysis = analyse(graph)
    assert analysis.is_ok()
    assert analysis.parameters == 64
    (name,) = to_module(graph).state_dict()
    assert name.endswith(".scale")


def test_that_a_parameter_that_leads_nowhere_is_left_out() -> None:
    graph, _ = add(model((4,), ("Linear", {"out_features": 2}, "fc")), "Parameter", shape=(4,))
    assert set(to_module(graph).state_dict()) == {"fc.weight", "fc.bias"}


def test_that_the_gradient_reaches_a_parameter_and_nothing_else() -> None:
    graph = scaled("Parameter", fill="ones")
    graph, _ = add(graph, "Buffer", "shift", shape=(64,), fill="ones")
    module = to_module(graph)
    x = torch.randn(3, 64)
    module(x).sum().backward()
    (scale,) = module.parameters()
    assert isinstance(scale, nn.Parameter)
    assert scale.grad is not None
    assert torch.allclose(scale.grad, x.sum(0), atol=1e-5)
