"""The mistakes that people make: each is found, at its node, with the numbers, as PyTorch would."""

import re

import pytest
import torch

from engine.catalog.spec import Value
from engine.diagnostics import Diagnostic, sentence
from engine.graph.analysis import Analysis
from engine.graph.model import Graph
from engine.model.analysis import Analyser, analyse
from engine.model.module import load_source
from engine.model.repair import Repairer
from engine.model.source import generate
from engine.shape.propagate import Propagator
from tests.engine.graph.builder import Spec, add, model, wire

IMAGE = (3, 28, 28)
CONV: dict[str, Value] = {"out_channels": 4, "kernel_size": 3}


def errors(graph: Graph) -> list[Diagnostic]:
    return [problem for problem in analyse(graph).problems if problem.severity == "error"]


def really_fails(graph: Graph, analysis: Analysis) -> bool:
    """Run the generated class on real tensors; one that cannot be written fails as well."""
    resolved = {node_id: report.resolved for node_id, report in analysis.nodes.items()}
    inputs = [node for node in graph.nodes.values() if node.type == "Input"]
    given: list[torch.Tensor] = []
    for node in inputs:
        shape = node.params["shape"]
        assert isinstance(shape, tuple)
        dtype = getattr(torch, str(node.params.get("dtype", "float32")))
        given.append(torch.ones((2, *(int(size) for size in shape)), dtype=dtype))
    generated = generate(graph, resolved)
    if not generated.is_complete:
        return True
    try:
        vars(load_source(generated.source))["Model"]()(*given)
    except (RuntimeError, ValueError, IndexError, AssertionError):
        return True
    return False


@pytest.mark.parametrize(
    ("shape", "specs", "code", "numbers"),
    [
        (IMAGE, [("Flatten", {}), ("Linear", {"in_features": 64, "out_features": 10}, "bad")],
         "S003", "64 features but receives 2352"),
        (IMAGE, [("Linear", {"in_features": 2352, "out_features": 10}, "bad")],
         "S003", "2352 features but receives 28"),
        ((1, 28, 28), [("Conv2d", {"in_channels": 3, "out_channels": 4, "kernel_size": 3}, "bad")],
         "S004", "3 channels but receives 1"),
        ((28, 28), [("Conv2d", CONV, "bad")], "S005", "N × 28 × 28"),
        ((784,), [("Conv2d", CONV, "bad")], "S005", "4 axes"),
        ((3, 2, 2), [("Conv2d", CONV, "bad")], "S006", "3 positions"),
        ((3, 9, 2), [("MaxPool2d", {"kernel_size": 4}, "bad")],
         "S006", "along W, but the input has only 2"),
        (IMAGE, [("Conv2d", {"out_channels": 4, "kernel_size": 3, "groups": 2}, "bad")],
         "S007", "3, which is not divisible by groups = 2"),
        ((4, 8, 8), [("Conv2d", {"out_channels": 6, "kernel_size": 3, "groups": 4}, "bad")],
         "S007", "6"),
        ((6, 8, 8), [("GroupNorm", {"num_groups": 4}, "bad")], "S007", "4"),
        ((4,), [("Embedding", {"num_embeddings": 9, "embedding_dim": 3}, "bad")],
         "S009", "float32"),
        (IMAGE, [("BatchNorm2d", {"num_features": 8}, "bad")], "S004", "8 channels but receives 3"),
        ((8,), [("BatchNorm1d", {"num_features": 3}, "bad")], "S003", "3 features but receives 8"),
        ((8,), [("BatchNorm2d", {}, "bad")], "S005", "4 axes"),
        ((5, 8), [("LSTM", {"input_size": 4, "hidden_size": 3, "batch_first": True}, "bad")],
         "S003", "4 features but receives 8"),
        ((5, 8, 2), [("LSTM", {"hidden_size": 3, "batch_first": True}, "bad")], "S005", "3 axes"),
        ((5, 8), [("LayerNorm", {"normalized_shape": 5}, "bad")],
         "S003", "5 features but receives 8"),
        ((4, 6), [("reshape", {"shape": (-1, 5)}, "bad")], "S012", "24 elements"),
        ((4, 6), [("view", {"shape": (3, 7)}, "bad")], "S012", "3, 7"),
        ((10,), [("Unflatten", {"dim": 1, "unflattened_size": (3, 3)}, "bad")], "S028", "10"),
        ((4, 6), [("permute", {"dims": (0, 2)}, "bad")], "S027", "2 axes but its input has 3"),
        ((4, 6), [("transpose", {"dim0": 1, "dim1": 3}, "bad")], "S016", "axis 3"),
        ((4, 6), [("permute", {"dims": (0, 2, 2)}, "bad")], "S027", "2 axes but its input has 3"),
        ((4, 6), [("permute", {"dims": (0, 2, 3)}, "bad")], "S016", "from -3 to 2"),
        ((4, 6), [("flip", {"dims": (3,)}, "bad")], "S016", "from -3 to 2"),
        ((4, 6), [("unsqueeze", {"dim": 4}, "bad")], "S016", "from -4 to 3"),
        ((4, 6), [("cat", {"dim": 3}, "bad")], "S016", "from -3 to 2"),
        ((4, 6), [("stack", {"dim": 4}, "bad")], "S016", "from -4 to 3"),
        ((), [("Linear", {"out_features": 2}, "bad")], "S019", "in_features"),
        ((4,), [("Softmax", {"dim": 2}, "bad")], "S016", "axis 2"),
        ((4,), [("Flatten", {"start_dim": 2}, "bad")], "S016", "axis 2"),
        ((4, 4), [("PixelShuffle", {"upscale_factor": 2}, "bad")], "S001", "N × 4 × 4"),
        ((3,), [("Upsample", {"scale_factor": 2.0}, "bad")], "S001", "N × 3"),
    ],
)  # fmt: skip
def test_that_a_mistake_is_told_at_its_node_with_the_numbers(
    shape: tuple[int, ...], specs: list[Spec], code: str, numbers: str
) -> None:
    graph = model(shape, *specs)
    found = errors(graph)
    assert [(problem.code, problem.node) for problem in found] == [(code, "bad")]
    text = sentence(found[0])
    assert numbers in text
    assert "bad" in text
    assert "{" not in text
    assert not re.search(r"[{}]", sentence(found[0], "zh_CN"))
    assert really_fails(graph, analyse(graph))


@pytest.mark.parametrize(
    ("dtype", "specs", "code"),
    [
        ("int64", [("Linear", {"out_features": 3}, "bad")], "S008"),
        ("float64", [("Linear", {"out_features": 3}, "bad")], "S008"),
        ("float64", [("Unflatten", {"dim": 1, "unflattened_size": (1, 8)}),
                     ("LSTM", {"hidden_size": 2, "batch_first": True}, "bad")], "S008"),
        ("int64", [("Unflatten", {"dim": 1, "unflattened_size": (1, 8)}),
                   ("Conv1d", {"out_channels": 2, "kernel_size": 3}, "bad")], "S008"),
        ("int64", [("Softmax", {"dim": 1}, "bad")], "S008"),
        ("int64", [("softmax", {"dim": 1}, "bad")], "S008"),
        ("int64", [("mean", {"dim": 1}, "bad")], "S001"),
    ],
)  # fmt: skip
def test_that_a_wrong_dtype_is_found_though_meta_tensors_miss_it(
    dtype: str, specs: list[Spec], code: str
) -> None:
    graph = model((8,), *specs, dtype=dtype)
    assert [(problem.code, problem.node) for problem in errors(graph)] == [(code, "bad")]
    assert really_fails(graph, analyse(graph))


@pytest.mark.row("S008")
def test_that_a_cast_to_float32_in_a_double_model_is_found_and_mended() -> None:
    graph = model(
        (8,),
        ("Linear", {"out_features": 4}, "first"),
        ("cast", {"dtype": "float32"}, "narrow"),
        ("Linear", {"out_features": 3}, "bad"),
    )
    double = Analyser(Propagator(torch.float64))
    found = double.analyse(graph)
    (problem,) = found.problems
    assert (problem.code, problem.node) == ("S008", "bad")
    assert "float64 but receives float32" in sentence(problem)
    dtypes = {name: found.nodes[name].outputs["output"].dtype for name in ("first", "narrow")}
    assert dtypes == {"first": "float64", "narrow": "float32"}
    (fix, *_) = Repairer(graph, double.analyse).repairs(problem)
    assert sentence(fix.words).startswith("Convert to float64 before “bad”")
    assert analyse(graph).is_ok()


def two_inputs(
    key: str, first: tuple[int, ...], second: tuple[int, ...], dtype: str = "", **params: Value
) -> Graph:
    graph, _ = add(Graph(), "Input", "x", shape=first)
    given: dict[str, Value] = {"shape": second} | ({"dtype": dtype} if dtype else {})
    graph, _ = add(graph, "Input", "y", **given)
    graph, node = add(graph, key, "bad", **params)
    graph, _ = add(graph, "Output")
    ports = ["tensors.0", "tensors.1"] if key in ("cat", "stack") else ["", ""]
    if key not in ("cat", "stack"):
        from engine.graph.query import input_ports

        ports = [port.name for port in input_ports(graph, node)]
    graph = wire(wire(graph, "x", f"bad.{ports[0]}"), "y", f"bad.{ports[1]}")
    return wire(graph, "bad", "output")


@pytest.mark.parametrize(
    ("graph", "code", "numbers"),
    [
        (two_inputs("cat", (3, 8), (3, 9), dim=1), "S010", "N × 3 × 8; N × 3 × 9"),
        (two_inputs("cat", (3, 8), (3,), dim=1), "S014", "N × 3 × 8; N × 3"),
        (two_inputs("cat", (3,), (3,), dim=2), "S016", "from -2 to 1"),
        (two_inputs("cat", (3,), (3, 8), dim=2), "S014", "N × 3; N × 3 × 8"),
        (two_inputs("stack", (3,), (4,), dim=1), "S018", "N × 3; N × 4"),
        (two_inputs("matmul", (3, 4), (3, 4)), "S011", "4 columns on the left, 3 rows"),
        (two_inputs("matmul", (3, 4), (4, 3), "float64"), "S015", "float32, float64"),
        (two_inputs("bmm", (4, 4), (4,)), "S005", "3 axes"),
        (two_inputs("add", (3, 8), (3, 7)), "S017", "7 and 8"),
    ],
)
def test_that_inputs_that_do_not_fit_each_other_are_told(
    graph: Graph, code: str, numbers: str
) -> None:
    found = errors(graph)
    assert [(problem.code, problem.node) for problem in found] == [(code, "bad")]
    assert numbers in sentence(found[0])
    assert really_fails(graph, analyse(graph))


def test_that_heads_must_share_the_width() -> None:
    graph, _ = add(Graph(), "Input", "x", shape=(5, 10))
    graph, _ = add(graph, "MultiheadAttention", "bad", num_heads=3, batch_first=True)
    graph, _ = add(graph, "Output")
    for port in ("query", "key", "value"):
        graph = wire(graph, "x", f"bad.{port}")
    graph = wire(graph, "bad", "output")
    assert [(p.code, p.node) for p in errors(graph)] == [("S013", "bad")]
    assert really_fails(graph, analyse(graph))


@pytest.mark.parametrize(
    ("graph", "code"),
    [
        (model((5, 8), ("LSTM", {"hidden_size": 3}, "odd")), "S023"),
        (model((8,), ("Dropout2d", {}, "odd")), "S025"),
    ],
)
def test_that_what_is_hardly_meant_is_a_warning(graph: Graph, code: str) -> None:
    analysis = analyse(graph)
    assert [(p.code, p.severity, p.node) for p in analysis.problems] == [(code, "warning", "odd")]
    assert analysis.is_ok()


def test_that_overwriting_what_others_read_is_a_warning() -> None:
    graph = model((4,), ("Tanh", {}), ("ReLU", {"inplace": True}, "odd"))
    assert analyse(graph).problems == ()
    graph, _ = add(graph, "add", "sum1")
    graph, _ = add(graph, "Output", "second")
    graph = wire(wire(graph, "odd", "sum1.input"), "tanh", "sum1.other")
    graph = wire(graph, "sum1", "second")
    assert [(p.code, p.node) for p in analyse(graph).problems] == [("S026", "odd")]


def test_that_pytorchs_own_words_stand_behind_a_finding() -> None:
    found = errors(model((4, 4), ("PixelShuffle", {"upscale_factor": 2})))
    assert "pixel_shuffle" in found[0].detail
