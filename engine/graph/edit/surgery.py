"""Changing an existing model: cutting off what is behind a layer, taking layers out with the gap
closed, another type in the place of a layer, another number of classes.
"""

from typing import assert_never

import msgspec
from msgspec.structs import replace

from engine.catalog.spec import Entry, PortSpec, Value
from engine.catalog.validate import check_value
from engine.graph.block import BLOCK_INPUT, BLOCK_OUTPUT, entry_of, type_entry
from engine.graph.check import unknown_type
from engine.graph.edit.head import replace_heads
from engine.graph.edit.tapping import tap_output
from engine.graph.error import GraphError, present_node
from engine.graph.model import Edge, Graph, Node
from engine.graph.node_state.bypass import can_be_bypassed, with_owners, without
from engine.graph.query import INPUT, OUTPUT, ancestors, dependents, output_ports

_ENDS = (OUTPUT, BLOCK_OUTPUT)
_KEPT = (INPUT, BLOCK_INPUT, *_ENDS)


class CutAfter(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Take away all that follows a node; what it gives is the output now."""

    id: str


class DissolveNodes(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Take nodes away and lead what arrived at them to where their output went."""

    ids: tuple[str, ...]


class ReplaceNode(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Put a node of another type in the place of one: its name, wires and what both have stay."""

    id: str
    type_key: str


class TapOutput(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Make what a layer gives a further output of the model; ``place`` is its path, from inside of
    blocks it is led out through outputs of theirs.
    """

    place: str
    name: str = ""


class ReplaceHeads(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Give the last layers with weights before each output another number of classes."""

    size: int


SurgeryEdit = CutAfter | DissolveNodes | ReplaceNode | TapOutput | ReplaceHeads


def apply_surgery(edit: SurgeryEdit, graph: Graph) -> Graph:
    """Return the graph after an edit. Raises :class:`GraphError`."""
    match edit:
        case CutAfter():
            return _cut_after(edit.id, graph)
        case DissolveNodes():
            return _dissolve(edit.ids, graph)
        case ReplaceNode():
            return _replace(edit, graph)
        case TapOutput():
            return tap_output(graph, edit.place, edit.name)
        case ReplaceHeads():
            return replace_heads(graph, edit.size)
        case _:
            assert_never(edit)


def _cut_after(node_id: str, graph: Graph) -> Graph:
    node = present_node(node_id, graph)
    ports = output_ports(graph, node)
    if not ports or node.type in _ENDS:
        raise GraphError.of("G121", node=node_id, name=node.name)
    behind = dependents(graph, (node_id,)) - {node_id}
    ends = [key for key in graph.nodes if graph.nodes[key].type in _ENDS]
    cut = [key for key in ends if key in behind]
    if behind <= set(cut) or not cut:
        raise GraphError.of("G122", node=node_id, name=node.name)
    kept = [key for key in ends if key not in cut] + [cut[0]]
    edge = Edge(source=node_id, source_port=ports[0].name, target=cut[0], target_port="input")
    edges = (*(e for e in graph.edges if e.target != cut[0]), edge)
    used = ancestors(graph, ends)
    rewired = replace(graph, edges=edges)
    needed = ancestors(rewired, kept) | set(kept)
    gone = (behind | used) - needed - {k for k in graph.nodes if graph.nodes[k].type in _KEPT}
    return _without(rewired, gone | set(cut[1:]))


def _without(graph: Graph, gone: frozenset[str]) -> Graph:
    nodes = {key: node for key, node in graph.nodes.items() if key not in gone}
    edges = tuple(e for e in graph.edges if e.source not in gone and e.target not in gone)
    return replace(graph, nodes=with_owners(graph, nodes, set(gone)), edges=edges)


def _dissolve(ids: tuple[str, ...], graph: Graph) -> Graph:
    for node_id in ids:
        node = present_node(node_id, graph)
        if not can_be_bypassed(graph, node):
            raise GraphError.of("G094", node=node_id, name=node.name)
    return without(graph, set(ids))


def _replace(edit: ReplaceNode, graph: Graph) -> Graph:
    node = present_node(edit.id, graph)
    old_entry, entry = entry_of(graph, node), type_entry(graph, edit.type_key)
    if entry is None or not entry.is_node() or old_entry is None:
        raise GraphError(unknown_type(graph, replace(node, type=edit.type_key)))
    params = _kept_params(node, entry)
    ports = (entry.inputs, entry.output_ports(params))
    if not (ports[0] or not old_entry.inputs) or not ports[1]:
        raise GraphError.of("G126", node=edit.id, type=entry.label or entry.key, name=node.name)
    new = Node(
        id=node.id,
        type=edit.type_key,
        name=node.name,
        params=params,
        position=node.position,
        pinned=node.pinned,
        color=node.color,
    )
    after = _without_users(graph, node)
    inputs = _ports_by_name(old_entry.inputs, ports[0])
    outputs = _ports_by_name(output_ports(graph, node), ports[1])
    edges = [
        moved
        for edge in after.edges
        if (moved := _moved(edge, node.id, inputs, outputs)) is not None
    ]
    return replace(after, nodes={**after.nodes, node.id: new}, edges=tuple(edges))


def _without_users(graph: Graph, node: Node) -> Graph:
    """Return the graph where those that shared the node's weights have weights of their own."""
    nodes = with_owners(graph, dict(graph.nodes), {node.id})
    return replace(graph, nodes=nodes)


def _kept_params(node: Node, entry: Entry) -> dict[str, Value]:
    params = entry.initial_params()
    for name, value in node.params.items():
        spec = entry.param(name)
        if spec is not None and check_value(spec, value) is None:
            params[name] = value
    return params


def _ports_by_name(old_ports: tuple[PortSpec, ...], after: tuple[PortSpec, ...]) -> dict[str, str]:
    """Return what each port is called after: the same name where there is one, else by place."""
    names = [port.name for port in after]
    ports: dict[str, str] = {}
    for index, port in enumerate(old_ports):
        if port.name in names:
            ports[port.name] = port.name
        elif index < len(after):
            ports[port.name] = names[index]
    return ports


def _moved(
    edge: Edge, node_id: str, inputs: dict[str, str], outputs: dict[str, str]
) -> Edge | None:
    if edge.target == node_id:
        name, dot, number = edge.target_port.partition(".")
        port = inputs.get(edge.target_port, inputs.get(name))
        if port is None:
            return None
        is_same = port == name and dot
        edge = replace(edge, target_port=f"{port}.{number}" if is_same else port)
    if edge.source == node_id:
        port = outputs.get(edge.source_port)
        return None if port is None else replace(edge, source_port=port)
    return edge
