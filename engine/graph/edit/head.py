"""Heads of a model: the last layer with weights before each output, which says how many classes
there are.
"""

from typing import NamedTuple

from msgspec.structs import replace

from engine.catalog.spec import EntryGroup
from engine.graph.block import entry_of, node_at
from engine.graph.edit.inward import Change, change_at
from engine.graph.error import GraphError
from engine.graph.expand import expand, is_first_copy
from engine.graph.index import index_of
from engine.graph.model import Graph, Node
from engine.graph.query import OUTPUT

SIZES = ("out_features", "out_channels")


class Head(NamedTuple):
    """A layer at a path, the parameter that says how many classes it gives, and that number."""

    place: str
    param: str
    size: int


def heads(graph: Graph) -> dict[str, Head]:
    """Return the head of each output of the model, by the id of the output; without those that
    have none.
    """
    flat = expand(graph).graph
    return {
        node.id: head
        for node in graph.nodes.values()
        if node.type == OUTPUT and (head := _head(graph, flat, node.id)) is not None
    }


def _head(graph: Graph, flat: Graph, end: str) -> Head | None:
    by_target = index_of(flat).by_target
    seen: set[str] = set()
    node_path = end
    while node_path not in seen:
        seen.add(node_path)
        wires = by_target.get(node_path, ())
        if not wires:
            return None
        node_path = wires[0].source
        param = size_param(flat, flat.nodes[node_path])
        if param:
            located = node_at(graph, node_path) if is_first_copy(node_path) else None
            size = flat.nodes[node_path].params.get(param)
            return Head(node_path, param, size) if located and isinstance(size, int) else None
    return None


def size_param(graph: Graph, node: Node) -> str:
    """Return the parameter that says how many channels or features a layer with weights gives."""
    entry = entry_of(graph, node)
    if entry is None or entry.group is not EntryGroup.LAYER or not entry.weights:
        return ""
    return next((name for name in SIZES if entry.param(name) is not None), "")


def replace_heads(graph: Graph, size: int) -> Graph:
    """Return the graph with that number of classes at the heads of all outputs. The heads keep
    their names. Raises :class:`GraphError` where an output has none.
    """
    if size < 1:
        raise GraphError.of("G128", text=size)
    replaceable = heads(graph)
    for node in graph.nodes.values():
        if node.type == OUTPUT and node.id not in replaceable:
            raise GraphError.of("G127", node=node.id, name=node.name)
    for head in dict.fromkeys(replaceable.values()):
        graph = change_at(graph, head.place, _sized(head.param, size))
    return graph


def _sized(param: str, size: int) -> Change:
    def change(level: Graph, node: Node) -> Graph:
        owner = level.nodes.get(node.shares, node)
        new = replace(owner, params={**owner.params, param: size}, frozen=False)
        return replace(level, nodes={**level.nodes, owner.id: new})

    return change
