"""What the analysis says against what really runs, for every layer and operator there is."""

import warnings
from math import prod

import pytest
import torch

from engine.catalog.registry import catalog
from engine.catalog.spec import Entry, EntryGroup, Value
from engine.graph.analysis import TensorType
from engine.graph.edit.edits import AddNode, Connect, apply
from engine.graph.model import Edge, Graph
from engine.graph.query import input_ports, make_node
from engine.model.analysis import Analyser, analyse
from engine.model.module import load_source
from engine.model.source import generate
from engine.shape.propagate import Propagator
from tests.engine.graph.builder import add

BATCH = 5
ENTRIES = {
    entry.key: entry
    for entry in catalog().nodes()
    if entry.group not in (EntryGroup.IO, EntryGroup.TENSOR)
}

SHAPES: dict[str, tuple[int, ...]] = {
    "1d": (4, 16), "2d": (4, 16, 16), "3d": (4, 8, 8, 8), "Cell": (6,),
    "RNN": (7, 6), "LSTM": (7, 6), "GRU": (7, 6), "Transformer": (7, 8), "Multihead": (7, 8),
    "PixelShuffle": (4, 6, 6), "PixelUnshuffle": (4, 6, 6), "ChannelShuffle": (4, 6, 6),
    "Upsampl": (4, 6, 6), "Unflatten": (8,), "unflatten": (8,), "Fold": (36, 49),
    "Unfold": (4, 8, 8),
    "Softmax2d": (4, 6, 6), "scaled": (7, 8), "bmm": (4, 4), "permute": (4, 6), "transpose": (4, 6),
    "interpolate": (4, 6), "pad": (4, 6), "pixel": (4, 6, 6), "LocalResponseNorm": (4, 6, 6),
    "GroupNorm": (4, 6), "reshape": (4, 16), "view": (4, 16), "split": (2,), "squeeze": (1,),
    "expand": (1,), "repeat": (4,), "matmul": (4, 4), "einsum": (4,), "movedim": (4, 6),
    "topk": (8,), "outer": (), "cdist": (4, 6), "gather": (4,), "index_select": (4,),
    "unbind": (3,), "repeat_interleave": (4,), "shuffle": (4,),
}  # fmt: skip

PARAMS: dict[str, dict[str, Value]] = {
    "GroupNorm": {"num_groups": 2}, "MultiheadAttention": {"num_heads": 2}, "PReLU": {},
    "clamp": {"min": 0.0},
    "Transformer": {"d_model": "auto", "nhead": 2, "num_encoder_layers": 1,
    "num_decoder_layers": 1},
    "TransformerEncoder": {"nhead": 2, "num_layers": 1},
    "TransformerDecoder": {"nhead": 2, "num_layers": 1},
    "TransformerEncoderLayer": {"nhead": 2}, "TransformerDecoderLayer": {"nhead": 2},
    "Fold": {"output_size": (8, 8), "kernel_size": 2}, "Unflatten": {"dim": 1,
    "unflattened_size": (2, 4)}, "unflatten": {"dim": 1, "unflattened_size": (2, -1)},
    "add": {"other": 2.0}, "sub": {"other": 2.0}, "mul": {"other": 2.0}, "div": {"other": 2.0},
    "pow": {"other": 2.0}, "floor_divide": {"other": 2.0}, "remainder": {"other": 2.0},
    "rsub": {"other": 2.0}, "eq": {"other": 2.0}, "ne": {"other": 2.0}, "lt": {"other": 2.0},
    "le": {"other": 2.0}, "gt": {"other": 2.0}, "ge": {"other": 2.0}, "where": {"other": 2.0},
}  # fmt: skip

INTEGERS = {
    "Embedding.input",
    "EmbeddingBag.input",
    "one_hot.input",
    "gather.index",
    "scatter.index",
    "take.index",
}
BOOLEANS = {"where.condition", "masked_fill.mask"}
NOT_ALONE = {
    "outer",
    "mm",
    "expand_batch",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
    "index_select",
    "masked_select",
}


def shape_of(entry: Entry) -> tuple[int, ...]:
    found = [shape for part, shape in SHAPES.items() if part in entry.key and part != "Cell"]
    if entry.key.endswith("Cell"):
        return SHAPES["Cell"]
    return SHAPES.get(entry.key) or (found[0] if found else (4,))


def one_node(entry: Entry, decimal: str = "float32") -> Graph:
    """Return inputs for all required ports, the node, and an output for each of its outputs;
    ``decimal`` is the dtype where the node needs no other one.
    """
    graph = Graph()
    params = {**entry.initial_params(), **PARAMS.get(entry.key, {})}
    node = make_node(graph, entry.key, params=params, name="tested")
    graph = apply(AddNode(node=node), graph)
    wanted = [p for p in input_ports(graph, node) if p.required]
    wanted += wanted[:1] if entry.inputs[0].variadic else []
    for number, port in enumerate(wanted):
        name = f"{entry.key}.{port.name}"
        dtype = "int64" if name in INTEGERS else "bool" if name in BOOLEANS else decimal
        given: dict[str, Value] = {"shape": shape_of(entry)}
        if dtype != "float32":
            given["dtype"] = dtype
        graph, source = add(graph, "Input", f"x{number}", **given)
        target = f"{entry.inputs[0].name}.{number}" if entry.inputs[0].variadic else port.name
        graph = join(graph, (source.id, "output"), (node.id, target))
    for number, port in enumerate(entry.output_ports(node.params)):
        graph, sink = add(graph, "Output", f"y{number}")
        graph = join(graph, (node.id, port.name), (sink.id, "input"))
    return graph


def join(graph: Graph, source: tuple[str, str], target: tuple[str, str]) -> Graph:
    edge = Edge(source=source[0], source_port=source[1], target=target[0], target_port=target[1])
    return apply(Connect(edge=edge), graph)


def tensors(graph: Graph) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    found: list[torch.Tensor] = []
    for node in graph.nodes.values():
        if node.type == "Input":
            shape = node.params["shape"]
            assert isinstance(shape, tuple)
            full = (BATCH, *(int(size) for size in shape))
            dtype = getattr(torch, str(node.params.get("dtype", "float32")))
            value = torch.rand(full, generator=generator)
            found.append(value.to(dtype) if dtype.is_floating_point else (value * 2).to(dtype))
    return found


def evaluated(expected: TensorType) -> tuple[int, ...]:
    return tuple(_size(axis) for axis in expected.shape)


def _size(axis: int | str) -> int:
    if isinstance(axis, int):
        return axis
    factor, _, _ = axis.rpartition("*N")
    return int(factor or 1) * BATCH


@pytest.mark.parametrize("key", sorted(ENTRIES.keys() - NOT_ALONE))
def test_that_the_analysis_says_what_the_generated_class_does(key: str) -> None:
    graph = one_node(ENTRIES[key])
    analysis = analyse(graph)
    assert analysis.problems == () or analysis.is_ok(), analysis.problems
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        namespace = vars(load_source(analysis.source))
        module = namespace["Model"]()
        results = module(*tensors(graph))
    expected = list(analysis.nodes["tested"].outputs.values())
    actual = list(results) if isinstance(results, tuple) else [results]
    assert len(expected) == len(actual)
    for said, tensor in zip(expected, actual, strict=True):
        assert evaluated(said) == tuple(tensor.shape)
        assert said.dtype == str(tensor.dtype).removeprefix("torch.")
    parameters = sum(prod(p.shape) for p in module.parameters())
    assert analysis.parameters == parameters
    assert analysis.nodes["tested"].buffers == sum(b.numel() for b in module.buffers())
    assert generate(graph, {}).source in ("", analysis.source) or analysis.nodes["tested"].resolved


ANALYSER = Analyser()


@pytest.mark.parametrize("shape", [(4,), (4, 6), (2, 4, 6, 6)])
def test_that_a_shape_is_refused_exactly_where_torch_refuses_it(
    shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong: list[str] = []
    monkeypatch.setitem(globals(), "shape_of", lambda entry: shape)
    for key in sorted(ENTRIES.keys() - NOT_ALONE):
        graph = one_node(ENTRIES[key])
        analysis = ANALYSER.analyse(graph)
        takes_batch_for_another_axis = any(p.code == "S005" for p in analysis.problems)
        if analysis.is_ok() != runs(graph, analysis.source) and not takes_batch_for_another_axis:
            wrong.append(key)
    assert wrong == []


@pytest.mark.parametrize("dtype", ["float64", "int64"])
def test_that_a_dtype_is_refused_exactly_where_torch_refuses_it(dtype: str) -> None:
    wrong: list[str] = []
    for key in sorted(ENTRIES.keys() - NOT_ALONE):
        graph = one_node(ENTRIES[key], dtype)
        analysis = ANALYSER.analyse(graph)
        if analysis.is_ok() != runs(graph, analysis.source):
            wrong.append(key)
    assert wrong == []


@pytest.mark.row("S008")
@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_that_a_double_model_is_checked_as_it_runs(dtype: str) -> None:
    analyser = Analyser(Propagator(torch.float64))
    wrong: list[str] = []
    for key in sorted(ENTRIES.keys() - NOT_ALONE):
        graph = one_node(ENTRIES[key], dtype)
        analysis = analyser.analyse(graph)
        if analysis.is_ok() != runs(graph, analysis.source, is_double=True):
            wrong.append(key)
    assert wrong == []


def runs(graph: Graph, source: str, *, is_double: bool = False) -> bool:
    given = tensors(graph)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = vars(load_source(source))["Model"]()
        if is_double:
            module.double()
            given = [x.double() if x.is_floating_point() else x for x in given]
        try:
            module(*given)
        except (RuntimeError, ValueError, IndexError, AssertionError):
            return False
    return True
