"""A Flatten between convolutions and a linear layer comes with the wire."""

import pytest

from engine.graph.edit.block_edits import GroupNodes
from engine.graph.edit.edits import AddNode, Batch, Connect, apply
from engine.graph.edit.surgery import ReplaceNode
from engine.graph.insert.flattening import flattened
from engine.graph.insert.placing import insert_into
from engine.graph.layout.layered import Size
from engine.graph.model import Edge, Graph
from engine.graph.query import make_node
from engine.model.analysis import analyse
from tests.engine.graph.builder import Spec, add, chain, model, wire

SIZE: Size = (180.0, 48.0)
CONV: Spec = ("Conv2d", {"out_channels": 4, "kernel_size": 3}, "conv")


def laid(graph: Graph, source: str, **params: int | str) -> Graph:
    """Return the graph with a Linear that was added and wired behind a node."""
    node = make_node(graph, "Linear", (900.0, 0.0), {"out_features": 10, **params}, name="head")
    edge = Edge(source=source, source_port="output", target=node.id, target_port="input")
    edit = Batch(edits=(AddNode(node=node), Connect(edge=edge)))
    return apply(flattened(edit, graph, dict.fromkeys(graph.nodes, SIZE), SIZE), graph)


def leads(graph: Graph) -> set[tuple[str, str]]:
    return {(edge.source, edge.target) for edge in graph.edges}


@pytest.mark.row("S015")
@pytest.mark.parametrize(
    "between",
    [
        [],
        [("BatchNorm2d", {}), ("ReLU", {}), ("MaxPool2d", {"kernel_size": 2}), ("Dropout", {})],
        [("relu", {}), ("max_pool2d", {"kernel_size": 2})],
    ],
)
def test_that_a_wire_from_convolutions_to_a_linear_layer_gets_a_flatten(between: list) -> None:
    graph = model((1, 8, 8), CONV, *between)
    last = list(graph.nodes)[-2]
    after = laid(graph, last)
    assert {(last, "flatten"), ("flatten", "head")} <= leads(after)
    assert (last, "head") not in leads(after)
    arriving = analyse(after).nodes["flatten"].outputs["output"].shape
    assert analyse(after).nodes["head"].resolved == {"in_features": arriving[1]}
    assert len(arriving) == 2


@pytest.mark.parametrize(
    ("specs", "last", "params"),
    [
        ([CONV, ("Flatten", {}, "flat")], "flat", {}),
        ([CONV], "conv", {"in_features": 6}),  # a size that was given is meant
        ([("Linear", {"out_features": 4}, "first"), ("ReLU", {}, "act")], "act", {}),
        ([CONV, ("permute", {"dims": (0, 2, 3, 1)}, "turned")], "turned", {}),
    ],
)
def test_that_no_other_wire_gets_one(specs: list, last: str, params: dict) -> None:
    graph = model((1, 8, 8), *specs)
    after = laid(graph, last, **params)
    assert (last, "head") in leads(after)
    assert len(after.nodes) == len(graph.nodes) + 1


def test_that_a_wire_that_was_there_stays_as_it_is() -> None:
    graph, _ = add(model((1, 8, 8), CONV, ("Linear", {"out_features": 3}, "fc")), "ReLU", "alone")
    edge = Edge(source="fc", source_port="output", target="alone", target_port="input")
    edit = Connect(edge=edge)
    assert flattened(edit, graph, {}, SIZE) is edit


@pytest.mark.row("S015")
def test_that_a_layer_that_is_put_into_a_wire_or_in_anothers_place_brings_it_too() -> None:
    graph = model((1, 8, 8), CONV, ("ReLU", {}, "act"))
    edge = Edge(source="conv", source_port="output", target="act", target_port="input")
    node = make_node(graph, "Linear", (0.0, 0.0), {"out_features": 10}, name="head")
    into = insert_into(graph, node, edge, {}, SIZE)
    assert into is not None
    after = apply(flattened(into, graph, {}, SIZE), graph)
    assert {("conv", "flatten"), ("flatten", "head"), ("head", "act")} <= leads(after)
    replacing = ReplaceNode(id="act", type_key="Linear")
    after = apply(flattened(replacing, graph, {}, SIZE), graph)
    assert {("conv", "flatten"), ("flatten", "act")} <= leads(after)


def test_that_a_linear_layer_that_took_places_before_goes_on_with_them() -> None:
    graph = model((1, 8, 8), CONV, ("Linear", {"out_features": 3}, "fc"))
    edge = Edge(source="conv", source_port="output", target="fc", target_port="input")
    node = make_node(graph, "ReLU", (0.0, 0.0), name="act")
    into = insert_into(graph, node, edge, {}, SIZE)
    assert into is not None
    assert flattened(into, graph, {}, SIZE) is into


@pytest.mark.row("S015", "S121")
def test_that_convolutions_are_seen_in_blocks_and_through_a_residual_connection() -> None:
    side: Spec = ("Conv2d", {"out_channels": 4, "kernel_size": 1}, "side")
    graph = chain(("Input", {"shape": (1, 8, 8)}, "x"), CONV, side)
    graph, _ = add(graph, "add", "total")
    for source, target in (("conv", "total.input"), ("side", "total.other")):
        graph = wire(graph, source, target)
    graph = apply(GroupNodes(ids=("side", "total"), name="Residual"), graph)
    graph, _ = add(graph, "ReLU", "act")
    graph = wire(graph, "residual", "act")
    assert {("act", "flatten"), ("flatten", "head")} <= leads(laid(graph, "act"))
    linear = model((4,), ("Linear", {"out_features": 4}, "first"), ("ReLU", {}, "last"))
    linear = apply(GroupNodes(ids=("first",), name="Part"), linear)
    assert ("last", "head") in leads(laid(linear, "last"))
