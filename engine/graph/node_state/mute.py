"""Nodes that are muted: zeros of the same shape go on in the place of what they compute.

A muted layer is still called and keeps its weights and their names; nothing of it reaches the
result, and no gradient reaches it. So it is seen what a part of a model contributes (an ablation)
while files of weights still fit. In the code a line with ``torch.zeros_like`` follows its call.
"""

from collections.abc import Iterable, Mapping

import msgspec
from msgspec.structs import replace

from engine.graph.block import entry_of
from engine.graph.error import GraphError, present_node
from engine.graph.model import Edge, Graph, Node
from engine.graph.naming import free_name, variable_name

ZEROS = "zeros_like"
"""The operator of the catalogue that stands behind a muted node when it is computed."""

_MARK = "."  # no node of a document has it in its id


class MuteNodes(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Have zeros go on from nodes; or what they compute again."""

    ids: tuple[str, ...]
    muted: bool = True


def mute_nodes(edit: MuteNodes, graph: Graph) -> Graph:
    """Return the graph with nodes muted or not; a muted node is not skipped as well.

    Raises :class:`GraphError` for a node that has no output.
    """
    nodes = graph.nodes.copy()
    for node_id in edit.ids:
        node = present_node(node_id, graph)
        if edit.muted and not _outputs(graph, node):
            raise GraphError.of("G130", node=node_id, name=node.name)
        bypassed = node.bypassed and not edit.muted
        nodes[node_id] = replace(node, muted=edit.muted, bypassed=bypassed)
    return replace(graph, nodes=nodes)


def with_zeros(graph: Graph) -> Graph:
    """Return a level as it is computed: behind each muted node an operator that gives zeros; the
    very same where nothing is muted.
    """
    muted = {node_id for node_id, node in graph.nodes.items() if node.muted}
    if not muted:
        return graph
    names = {node.name for node in graph.nodes.values()}
    used = {(edge.source, edge.source_port) for edge in graph.edges if edge.source in muted}
    nodes: dict[str, Node] = {}
    wires: list[Edge] = []
    for node_id, node in graph.nodes.items():
        nodes[node_id] = replace(node, muted=False) if node_id in muted else node
        ports = [p for p in _outputs(graph, node) if (node_id, p) in used]
        for port in ports:
            word = node.name if len(ports) == 1 else f"{node.name}_{port}"
            name = free_name(variable_name(f"{word}_muted"), names)
            names.add(name)
            zeros = f"{node_id}{_MARK}{port}"
            nodes[zeros] = Node(id=zeros, type=ZEROS, name=name, position=node.position)
            wires.append(Edge(source=node_id, source_port=port, target=zeros, target_port="input"))
    edges = tuple(
        replace(edge, source=zeros, source_port="output")
        if (zeros := f"{edge.source}{_MARK}{edge.source_port}") in nodes
        else edge
        for edge in graph.edges
    )
    return replace(graph, nodes=nodes, edges=(*edges, *wires))


def without_zeros(
    nodes: Mapping[str, Node], edges: Iterable[Edge]
) -> tuple[dict[str, Node], list[Edge]]:
    """Return a level that is computed as one of a document: the opposite of :func:`with_zeros`.

    Where something reads a node beside the zeros behind it, or the node is gone, the operator
    becomes a node of its own.
    """
    edges = list(edges)
    zeros = [node_id for node_id in nodes if is_zeros(node_id)]
    if not zeros:
        return dict(nodes), edges
    heard = {e.source for e in edges if muted_of(e.target) != e.source or not is_zeros(e.target)}
    remaining = dict(nodes)
    ends: dict[str, tuple[str, str]] = {}
    for node_id in zeros:
        source, _, port = node_id.partition(_MARK)
        operator = remaining.pop(node_id)
        if source in remaining and source not in heard and operator.type == ZEROS:
            remaining[source] = replace(remaining[source], muted=True)
            ends[node_id] = source, port
        else:
            new_name = free_name(operator.name, remaining)
            remaining[new_name] = replace(operator, id=new_name)
            ends[node_id] = new_name, "output"
    kept: list[Edge] = []
    for edge in edges:
        source, port = ends.get(edge.source, (edge.source, edge.source_port))
        target = ends.get(edge.target, (edge.target, ""))[0]
        if source != target:
            kept.append(replace(edge, source=source, source_port=port, target=target))
    return remaining, kept


def is_zeros(path: str) -> bool:
    """Return whether a path is that of an operator behind a muted node, not of a node."""
    return _MARK in path


def muted_of(path: str) -> str:
    """Return the path of the muted node that such an operator stands behind; else the path."""
    return path.partition(_MARK)[0]


def _outputs(graph: Graph, node: Node) -> list[str]:
    entry = entry_of(graph, node)
    return [] if entry is None else [port.name for port in entry.output_ports(node.params)]
