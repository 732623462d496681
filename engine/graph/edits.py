"""Every change of a graph, as data. ``apply`` makes the new graph or says why not.

An edit never changes the graph it is given, so undo is keeping the old value.
"""

import math
from typing import assert_never

import msgspec
from msgspec.structs import replace

from engine.catalog.spec import Value
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.check import param_problem, unknown_type
from engine.graph.index import carry_index
from engine.graph.model import Edge, Graph, Node
from engine.graph.naming import free_name, is_node_id, name_problem
from engine.graph.query import entry_of, incoming, link_problem


class GraphError(DiagnosticError):
    """An edit that the graph does not allow; the graph is as it was."""


class AddNode(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Put a node on the canvas (``query.make_node`` makes one with a free id and name)."""

    node: Node


class RemoveNodes(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Take nodes away, and every wire at them."""

    ids: tuple[str, ...]


class MoveNodes(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Give nodes new positions, in scene units."""

    positions: dict[str, tuple[float, float]]


class RenameNode(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Give a node another name; its id and its wires stay."""

    id: str
    name: str


class SetParam(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Set a parameter of a node. Setting it to its default takes it out of the document."""

    id: str
    name: str
    value: Value


class Connect(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Draw a wire; one that already ends at that input is replaced."""

    edge: Edge


class Disconnect(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Take wires away."""

    edges: tuple[Edge, ...]


class InsertFragment(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Put copies of nodes and the wires between them into the graph, shifted by ``offset``.

    Ids and names that are taken get the next free number.
    """

    fragment: Graph
    offset: tuple[float, float] = (0.0, 0.0)


class ReplaceGraph(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Take another graph in place of the whole one."""

    graph: Graph


class Batch(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Several edits as one: all of them or none."""

    edits: tuple["Edit", ...]


Edit = (
    AddNode
    | RemoveNodes
    | MoveNodes
    | RenameNode
    | SetParam
    | Connect
    | Disconnect
    | InsertFragment
    | ReplaceGraph
    | Batch
)


def apply(edit: Edit, graph: Graph) -> Graph:  # noqa: PLR0911 - one case an edit
    """Return the graph after an edit; the one given is untouched. Raises :class:`GraphError`."""
    match edit:
        case AddNode():
            return _add(edit.node, graph)
        case RemoveNodes():
            return _remove(edit.ids, graph)
        case MoveNodes():
            return _move(edit.positions, graph)
        case RenameNode():
            return _rename(edit.id, edit.name, graph)
        case SetParam():
            return _set_param(edit, graph)
        case Connect():
            return _connect(edit.edge, graph)
        case Disconnect():
            return _disconnect(edit.edges, graph)
        case InsertFragment():
            return insert_fragment(graph, edit.fragment, edit.offset)[0]
        case ReplaceGraph():
            return edit.graph
        case Batch():
            for part in edit.edits:
                graph = apply(part, graph)
            return graph
        case _:
            assert_never(edit)


def _add(node: Node, graph: Graph) -> Graph:
    if node.id in graph.nodes or not is_node_id(node.id):
        raise GraphError(Diagnostic(code="G006", node=node.id, params={"id": node.id}))
    _check_name(node.id, node.name, graph)
    _check_position(node.id, node.position)
    return _with_nodes(graph, {**graph.nodes, node.id: node})


def _remove(ids: tuple[str, ...], graph: Graph) -> Graph:
    gone = set(ids)
    for node_id in ids:
        _node(node_id, graph)
    return Graph(
        nodes={node_id: node for node_id, node in graph.nodes.items() if node_id not in gone},
        edges=tuple(
            edge for edge in graph.edges if edge.source not in gone and edge.target not in gone
        ),
    )


def _move(positions: dict[str, tuple[float, float]], graph: Graph) -> Graph:
    nodes = graph.nodes.copy()
    for node_id, position in positions.items():
        _check_position(node_id, position)
        nodes[node_id] = replace(_node(node_id, graph), position=position)
    return _with_nodes(graph, nodes)


def _rename(node_id: str, name: str, graph: Graph) -> Graph:
    node = _node(node_id, graph)
    _check_name(node_id, name, graph)
    return _with_nodes(graph, {**graph.nodes, node_id: replace(node, name=name)})


def _set_param(edit: SetParam, graph: Graph) -> Graph:
    node = _node(edit.id, graph)
    entry = entry_of(node)
    if entry is None:
        raise GraphError(unknown_type(node))
    problem = param_problem(node, entry, edit.name, edit.value)
    if problem is not None:
        raise GraphError(problem)
    spec = entry.param(edit.name)
    assert spec is not None
    values = {name: value for name, value in node.params.items() if name != edit.name}
    if spec.required or not _is_same(edit.value, spec.default):
        values[edit.name] = edit.value
    return _with_nodes(graph, {**graph.nodes, edit.id: replace(node, params=values)})


def _is_same(value: Value, other: Value) -> bool:
    return type(value) is type(other) and value == other


def _connect(edge: Edge, graph: Graph) -> Graph:
    problem = link_problem(graph, edge)
    if problem is not None:
        raise GraphError(problem)
    gone = [e for e in incoming(graph, edge.target) if e.target_port == edge.target_port]
    kept = graph.edges
    for other in gone:  # the index holds the very wires of the graph
        place = list(map(id, kept)).index(id(other))
        kept = (*kept[:place], *kept[place + 1 :])
    after = Graph(nodes=graph.nodes, edges=(*kept, edge))
    carry_index(graph, after, gone, edge)
    return after


def _disconnect(edges: tuple[Edge, ...], graph: Graph) -> Graph:
    gone = set(edges)
    missing = gone.difference(graph.edges)
    if missing:
        raise GraphError(Diagnostic(code="G014", node=min(missing).target))
    return Graph(nodes=graph.nodes, edges=tuple(e for e in graph.edges if e not in gone))


def insert_fragment(
    graph: Graph, fragment: Graph, offset: tuple[float, float] = (0.0, 0.0)
) -> tuple[Graph, dict[str, str]]:
    """Return the graph with copies of the fragment's nodes, and the new ids by the old ones."""
    nodes = graph.nodes.copy()
    names = {node.name for node in nodes.values()}
    renamed: dict[str, str] = {}
    for node in fragment.nodes.values():
        name = free_name(node.name, names)
        problem = name_problem(name, node.id)
        if problem is not None:
            raise GraphError(problem)
        node_id = free_name(node.id if name == node.name else name, nodes)
        position = (node.position[0] + offset[0], node.position[1] + offset[1])
        _check_position(node.id, position)
        nodes[node_id] = replace(node, id=node_id, name=name, position=position)
        names.add(name)
        renamed[node.id] = node_id
    copied = {
        (renamed[edge.target], edge.target_port): replace(
            edge, source=renamed[edge.source], target=renamed[edge.target]
        )
        for edge in fragment.edges
        if edge.source in renamed and edge.target in renamed
    }
    return Graph(nodes=nodes, edges=(*graph.edges, *copied.values())), renamed


def _with_nodes(graph: Graph, nodes: dict[str, Node]) -> Graph:
    return Graph(nodes=nodes, edges=graph.edges)


def _node(node_id: str, graph: Graph) -> Node:
    node = graph.nodes.get(node_id)
    if node is None:
        raise GraphError(Diagnostic(code="G007", params={"id": node_id}))
    return node


def _check_name(node_id: str, name: str, graph: Graph) -> None:
    problem = name_problem(name, node_id)
    if problem is None and name in _other_names(node_id, graph):
        problem = Diagnostic(code="G004", node=node_id, field="name", params={"name": name})
    if problem is not None:
        raise GraphError(problem)


def _other_names(node_id: str, graph: Graph) -> list[str]:
    return [node.name for node in graph.nodes.values() if node.id != node_id]


def _check_position(node_id: str, position: tuple[float, float]) -> None:
    if not all(math.isfinite(value) for value in position):
        raise GraphError(Diagnostic(code="G045", node=node_id))
