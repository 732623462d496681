"""Any model that is found to be without errors runs, and gives what was said."""

import warnings
from collections.abc import Callable

import pytest
import torch
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from engine.catalog.spec import Value
from engine.custom.source_module import load_source
from engine.graph.edit.block_edits import GroupNodes, SetRepeat, ShareModule
from engine.graph.edit.edits import AddNode, Connect, Edit, SetParam, apply
from engine.graph.error import GraphError
from engine.graph.model import Edge, Graph, Initial
from engine.graph.node_state.bypass import BypassNodes, active
from engine.graph.node_state.freezing import FreezeNodes
from engine.graph.node_state.initialization import SetInitial
from engine.graph.node_state.mute import MuteNodes
from engine.graph.query import input_ports, make_node, output_ports
from engine.model.analysis import Analyser
from engine.model.source import generate_whole
from tests.engine.graph.builder import add, model, wire
from tests.engine.shape.test_fidelity import evaluated, tensors

ANALYSER = Analyser()
IMAGE, ROW, WORDS = (2, 8, 8), (6,), (5, 6)
PARTS: tuple[tuple[str, dict[str, Value]], ...] = (
    ("Linear", {"out_features": 6}), ("Linear", {"out_features": 3, "bias": False}),
    ("Conv2d", {"out_channels": 2, "kernel_size": 3, "padding": 1}),
    ("Conv2d", {"out_channels": 4, "kernel_size": 2, "stride": 2}),
    ("BatchNorm1d", {}), ("BatchNorm2d", {}), ("LayerNorm", {}), ("ReLU", {}), ("Tanh", {}),
    ("MaxPool2d", {"kernel_size": 2}), ("Dropout", {"p": 0.5}), ("Flatten", {}), ("GELU", {}),
    ("LSTM", {"hidden_size": 6, "batch_first": True}), ("GRU", {"hidden_size": 3}),
    ("MultiheadAttention", {"num_heads": 2, "batch_first": True}),
    ("add", {}), ("mul", {}), ("matmul", {}), ("cat", {"dim": 1}), ("stack", {"dim": 1}),
    ("mean", {"dim": 1}), ("sum", {"dim": -1, "keepdim": True}), ("softmax", {"dim": -1}),
    ("transpose", {"dim0": 1, "dim1": -1}), ("permute", {"dims": (0, 2, 1)}),
    ("reshape", {"shape": (-1, 12)}), ("view", {"shape": (-1, 6)}), ("unsqueeze", {"dim": 1}),
    ("squeeze", {"dim": 1}), ("flatten", {"start_dim": 1}), ("select", {"dim": 1, "index": 0}),
    ("relu", {}), ("interpolate", {"scale_factor": 2.0}), ("chunk", {"chunks": 2, "dim": 1}),
    ("Parameter", {"shape": (6,)}), ("Buffer", {"shape": (1,)}),
)  # fmt: skip
BEGINNINGS = ("xavier_normal_", "kaiming_uniform_", "zeros_", "orthogonal_", "uniform_")


def tried(graph: Graph, edit: Edit) -> Graph:
    """Return the graph after an edit, or as it was where the edit is refused."""
    try:
        return apply(edit, graph)
    except GraphError:
        return graph


def open_ends(graph: Graph) -> list[tuple[str, str]]:
    return [
        (node.id, port.name)
        for node in graph.nodes.values()
        if node.type != "Output"
        for port in output_ports(graph, node)
    ]


@st.composite
def graphs(draw: Callable[..., int]) -> Graph:
    """Draw a model: a few inputs, nodes wired to what is there, then what edits make of it."""
    pick = lambda items: items[draw(st.integers(0, len(items) - 1))]  # noqa: E731
    graph, _ = add(Graph(), "Input", "x", shape=pick((IMAGE, ROW, WORDS)))
    if draw(st.integers(0, 3)) == 0:
        graph, _ = add(graph, "Input", "y", shape=pick((IMAGE, ROW, WORDS)))
    for _ in range(draw(st.integers(1, 7))):
        graph = _grown(graph, pick, draw)
    layers = [n for n in graph.nodes if graph.nodes[n].type not in ("Input", "Output")]
    for _ in range(draw(st.integers(0, 3))):
        graph = tried(graph, _edit(pick, layers, draw))
    used = {(edge.source, edge.source_port) for edge in graph.edges}
    ends = [end for end in open_ends(graph) if end not in used] or open_ends(graph)[-1:]
    for number, (source, port) in enumerate(ends[-3:]):
        graph, sink = add(graph, "Output", f"out{number}")
        graph = tried(graph, Connect(edge=_edge(source, port, sink.id, "input")))
    return graph


def _edge(source: str, port: str, target: str, into: str) -> Edge:
    return Edge(source=source, source_port=port, target=target, target_port=into)


def _grown(graph: Graph, pick: Callable, draw: Callable[..., int]) -> Graph:
    key, params = pick(PARTS)
    node = make_node(graph, key, params=dict(params))
    ends = open_ends(graph)
    graph = apply(AddNode(node=node), graph)
    wanted = [port for port in input_ports(graph, node) if port.required]
    if key in ("add", "mul"):
        wanted = list(input_ports(graph, node))
    for index, port in enumerate(wanted[:3]):
        last = index == 0 and draw(st.integers(0, 2)) > 0
        source, out = ends[-1] if last else pick(ends)
        graph = tried(graph, Connect(edge=_edge(source, out, node.id, port.name)))
    if key in ("cat", "stack"):
        source, out = pick(ends)
        port = input_ports(graph, node)[-1].name
        graph = tried(graph, Connect(edge=_edge(source, out, node.id, port)))
    return graph


def _edit(pick: Callable, layers: list[str], draw: Callable[..., int]) -> Edit:
    first, second = pick(layers), pick(layers)
    edits: tuple[Edit, ...] = (
        GroupNodes(ids=tuple({first, second}), name="Part"),
        SetRepeat(id=first, repeat=draw(st.integers(2, 3)), tied=bool(draw(st.integers(0, 1)))),
        ShareModule(id=first, source=second),
        BypassNodes(ids=(first,)),
        MuteNodes(ids=(first,)),
        FreezeNodes(ids=(first,)),
        SetInitial(ids=(first,), weight="weight", initial=Initial(type=pick(BEGINNINGS))),
        SetParam(id=first, name="bias", value=False),
    )
    return pick(edits)


def holds(graph: Graph) -> None:
    """Check a model that has no error, by running it."""
    analysis = ANALYSER.analyse(graph)
    errors = [problem for problem in analysis.problems if problem.severity == "error"]
    event("an error" if errors else "runs")
    if errors:
        return
    written = generate_whole(graph)
    assert written.source == analysis.source
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = vars(load_source(written.source))["Model"]()
        results = module(*tensors(graph))
    flowing = active(graph)  # what is skipped gives nothing itself
    outputs = [node for node in graph.nodes.values() if node.type == "Output"]
    found = list(results) if isinstance(results, tuple) else [results]
    assert len(found) == len(outputs)
    for node, tensor in zip(outputs, found, strict=True):
        edge = next(edge for edge in flowing.edges if edge.target == node.id)
        source, _, port = edge.source.partition(".")  # zeros are shaped like what is muted
        said = analysis.nodes[source].outputs[port or edge.source_port]
        assert evaluated(said) == tuple(tensor.shape)
        assert said.dtype == str(tensor.dtype).removeprefix("torch.")
    assert analysis.parameters == sum(p.numel() for p in module.parameters())


COMMON = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}


@settings(max_examples=60, **COMMON)
@given(graph=graphs())
def test_that_any_model_without_errors_runs_and_gives_what_was_said(graph: Graph) -> None:
    holds(graph)


@pytest.mark.nightly
@settings(max_examples=2000, **COMMON)
@given(graph=graphs())
def test_that_thousands_of_models_without_errors_run_and_give_what_was_said(graph: Graph) -> None:
    holds(graph)


def test_that_two_batches_in_one_are_cut_into_halves() -> None:
    graph = model((4, 6), ("cat", {"dim": 0}, "both"), ("chunk", {"chunks": 2, "dim": 0}, "cut"))
    graph = wire(graph, "x", "both.tensors.1")
    analysis = ANALYSER.analyse(graph)
    assert analysis.is_ok()
    assert analysis.nodes["cut"].outputs["output.0"].shape == ("N", 4, 6)


def test_that_chunks_of_the_batch_are_refused_as_their_size_is_unknown() -> None:
    graph = model((4, 6), ("chunk", {"chunks": 2, "dim": 0}, "cut"))
    assert [problem.code for problem in ANALYSER.analyse(graph).problems] == ["S045"]
    graph = apply(SetParam(id="cut", name="dim", value=1), graph)
    assert ANALYSER.analyse(graph).is_ok()
