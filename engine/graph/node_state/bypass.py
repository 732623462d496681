"""Nodes that are skipped: what arrives at their first input goes on where their first output went.

A skipped node stays in the document with its wires and settings; it is not computed, not written
and has no weights.
"""

from collections.abc import Collection

import msgspec
from msgspec.structs import replace

from engine.graph.block import body, entry_of
from engine.graph.error import GraphError, present_node
from engine.graph.memory import Memory
from engine.graph.model import Edge, Graph, Node
from engine.graph.node_state.mute import with_zeros


class BypassNodes(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Have nodes be skipped: their input goes to their output; or no longer."""

    ids: tuple[str, ...]
    bypassed: bool = True


def bypass_nodes(edit: BypassNodes, graph: Graph) -> Graph:
    """Return the graph with nodes skipped or not.

    Raises :class:`GraphError` for a node that has no input or no output to lead through.
    """
    nodes = graph.nodes.copy()
    for node_id in edit.ids:
        node = present_node(node_id, graph)
        if edit.bypassed and not can_be_bypassed(graph, node):
            raise GraphError.of("G094", node=node_id, name=node.name)
        muted = node.muted and not edit.bypassed
        nodes[node_id] = replace(node, bypassed=edit.bypassed, muted=muted)
    return replace(graph, nodes=nodes)


def can_be_bypassed(graph: Graph, node: Node) -> bool:
    """Return whether a node has an input and an output."""
    entry = entry_of(graph, node)
    return entry is not None and bool(entry.inputs) and bool(entry.output_ports(node.params))


def active(graph: Graph) -> Graph:
    """Return the graph as it is computed: without skipped nodes and with zeros behind muted ones,
    inside of blocks too; the very same where there are none.
    """
    return _last.recall((graph,), lambda: _active(graph))


_last = Memory[Graph](1)  # a graph is checked, computed and written in turn


def _active(graph: Graph) -> Graph:
    blocks = {
        name: block
        if (inside := _spliced(body(graph, block))).nodes is block.nodes
        else replace(block, nodes=inside.nodes, edges=inside.edges)
        for name, block in graph.blocks.items()
    }
    if any(blocks[name] is not block for name, block in graph.blocks.items()):
        graph = replace(graph, blocks=blocks)
    return _spliced(graph)


def _spliced(graph: Graph) -> Graph:
    skipped = {node.id for node in graph.nodes.values() if node.bypassed}
    return with_zeros(without(graph, skipped))


def without(graph: Graph, gone: set[str]) -> Graph:
    """Return the graph without some nodes: what arrives at the first input of one goes on where its
    first output went.
    """
    if not gone:
        return graph
    arriving = _arriving(graph, gone)
    edges: list[Edge] = []
    for edge in graph.edges:
        source = _source(graph, edge, arriving, gone)
        if edge.target not in gone and source is not None:
            edges.append(replace(edge, source=source[0], source_port=source[1]))
    nodes = {node_id: node for node_id, node in graph.nodes.items() if node_id not in gone}
    return replace(graph, nodes=with_owners(graph, nodes, gone), edges=tuple(edges))


def _arriving(graph: Graph, gone: Collection[str]) -> dict[str, Edge]:
    """Return the wire at the first input of each skipped node."""
    arriving: dict[str, Edge] = {}
    for edge in graph.edges:
        entry = entry_of(graph, graph.nodes[edge.target]) if edge.target in gone else None
        if entry is not None and edge.target_port.partition(".")[0] == entry.inputs[0].name:
            first = arriving.get(edge.target)
            if first is None or edge.target_port < first.target_port:
                arriving[edge.target] = edge
    return arriving


def _source(
    graph: Graph, edge: Edge, arriving: dict[str, Edge], gone: Collection[str]
) -> tuple[str, str] | None:
    """Return where a wire comes from when skipped nodes are passed through."""
    for _ in range(len(gone) + 1):
        if edge.source not in gone:
            return edge.source, edge.source_port
        node = graph.nodes[edge.source]
        entry = entry_of(graph, node)
        outputs = entry.output_ports(node.params) if entry is not None else ()
        edge_before = arriving.get(edge.source)
        if edge_before is None or not outputs or outputs[0].name != edge.source_port:
            return None
        edge = edge_before
    return None  # a circle of skipped nodes


def with_owners(graph: Graph, nodes: dict[str, Node], gone: set[str]) -> dict[str, Node]:
    """Return nodes where the first that shared the weights of one that is gone has them now."""
    owners: dict[str, str] = {}
    for node in [node for node in nodes.values() if node.shares in gone]:
        owner = owners.setdefault(node.shares, node.id)
        if owner == node.id:
            old = graph.nodes[node.shares]
            nodes[node.id] = replace(
                node, shares="", params=old.params, init=old.init, frozen=old.frozen
            )
        else:
            nodes[node.id] = replace(node, shares=owner)
    return nodes
