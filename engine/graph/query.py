"""Questions about a graph; none of them changes it."""

from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from engine.catalog.spec import Entry, PortSpec, Value
from engine.diagnostics import Diagnostic
from engine.graph.block import entry_of, type_entry
from engine.graph.index import index_of
from engine.graph.memory import Memory
from engine.graph.model import Edge, Graph, Node
from engine.graph.naming import default_name, free_name, id_of

if TYPE_CHECKING:
    import networkx as nx


INPUT = "Input"
OUTPUT = "Output"


def input_ports(graph: Graph, node: Node) -> tuple[PortSpec, ...]:
    """Return the input ports as they are drawn.

    A variadic port becomes ``name.0``, ``name.1`` and so on, with a free one at the end. A
    placeholder has the ports that its wires name.
    """
    return wired_inputs(entry_of(graph, node), incoming(graph, node.id))


def wired_inputs(entry: Entry | None, edges: Iterable[Edge]) -> tuple[PortSpec, ...]:
    """Return the input ports of an entry's node where these wires end."""
    names = list(dict.fromkeys(edge.target_port for edge in edges))
    if entry is None:
        return tuple(PortSpec(name=name, required=False) for name in names)
    ports: list[PortSpec] = []
    for port in entry.inputs:
        ports.extend(_numbered(port, names) if port.variadic else [port])
    return tuple(ports)


def _numbered(port: PortSpec, names: Iterable[str]) -> list[PortSpec]:
    numbers = [variadic_index(name, port.name) for name in names]
    count = max([index for index in numbers if index is not None], default=0) + 2
    return [
        PortSpec(name=f"{port.name}.{index}", required=port.required and index < 1, help=port.help)
        for index in range(count)
    ]


def variadic_index(port: str, name: str) -> int | None:
    """Return ``2`` for the port ``tensors.2`` of the variadic input ``tensors``."""
    prefix, _, digits = port.rpartition(".")
    if prefix != name or not (digits.isascii() and digits.isdigit() and len(digits) < 4):
        return None
    return int(digits) if digits == str(int(digits)) else None


def output_ports(graph: Graph, node: Node) -> tuple[PortSpec, ...]:
    """Return the output ports as they are drawn; a placeholder has those that its wires name."""
    entry = entry_of(graph, node)
    if entry is not None:
        return entry.output_ports(node.params)
    names = dict.fromkeys(edge.source_port for edge in outgoing(graph, node.id))
    return tuple(PortSpec(name=name) for name in names)


def incoming(graph: Graph, node_id: str) -> tuple[Edge, ...]:
    """Return the wires that end at a node."""
    return index_of(graph).by_target.get(node_id, ())


def outgoing(graph: Graph, node_id: str) -> tuple[Edge, ...]:
    """Return the wires that begin at a node."""
    return index_of(graph).by_source.get(node_id, ())


def incoming_by_node(graph: Graph) -> dict[str, tuple[Edge, ...]]:
    """Return the wires that end at each node (every node has its entry)."""
    by_target = index_of(graph).by_target
    return {node_id: by_target.get(node_id, ()) for node_id in graph.nodes}


def order(graph: Graph) -> tuple[str, ...]:
    """Return the node ids, sources before targets, otherwise as they were made.

    Nodes on a cycle and what hangs below them are left out.
    """
    if len(graph.nodes) > _LARGE:
        return _like_lately(graph)
    return _orders.recall((graph.nodes, graph.edges), lambda: _like_lately(graph))


_LARGE = 300  # what is kept stays in memory: insides of blocks, not whole models
_orders = Memory[tuple[str, ...]](1_000)


class _Order(NamedTuple):
    nodes: tuple[str, ...]
    edges: tuple[Edge, ...]
    ordered: tuple[str, ...]


_lately: deque[_Order] = deque(maxlen=4)


def _like_lately(graph: Graph) -> tuple[str, ...]:
    """Return the order; most edits change neither nodes nor wires, and to compare them is quick."""
    nodes = tuple(graph.nodes)
    for recent in tuple(_lately):
        if recent.nodes == nodes and recent.edges == graph.edges:
            return recent.ordered
    ordered = _ordered(graph)
    _lately.append(_Order(nodes, graph.edges, ordered))
    return ordered


def _ordered(graph: Graph) -> tuple[str, ...]:
    import networkx as nx  # noqa: PLC0415 - takes 0.4 s, the window draws first

    digraph = _digraph(graph)
    places = {node_id: index for index, node_id in enumerate(graph.nodes)}
    ordered: list[str] = []
    try:
        ordered.extend(nx.lexicographical_topological_sort(digraph, key=places.__getitem__))
    except nx.NetworkXUnfeasible:
        return tuple(ordered)
    return tuple(ordered)


def find_cycle(graph: Graph) -> tuple[str, ...]:
    """Return the ids of the nodes of one cycle in the order of the wires, or nothing."""
    if len(order(graph)) == len(graph.nodes):
        return ()  # its order is mostly known already

    import networkx as nx  # noqa: PLC0415 - takes 0.4 s, the window draws first

    try:
        return tuple(str(edge[0]) for edge in nx.find_cycle(_digraph(graph)))
    except nx.NetworkXNoCycle:
        return ()


def ancestors(graph: Graph, ids: Iterable[str]) -> frozenset[str]:
    """Return the nodes that the given ones depend on, these included."""
    return index_of(graph).ancestors(ids) & graph.nodes.keys()


def dependents(graph: Graph, ids: Iterable[str]) -> frozenset[str]:
    """Return the nodes that depend on the given ones, these included."""
    return index_of(graph).dependents(ids) & graph.nodes.keys()


def without_stray_wires(graph: Graph) -> Graph:
    """Return a level of a model without the wires that have an end that does not exist (G021):
    whoever computes with a model has none of them.
    """
    edges = tuple(e for e in graph.edges if e.source in graph.nodes and e.target in graph.nodes)
    return graph if len(edges) == len(graph.edges) else replace(graph, edges=edges)


def unique_name(graph: Graph, base: str) -> str:
    """Return ``base``, or ``base`` with the next number that no node is called."""
    return free_name(base, {node.name for node in graph.nodes.values()})


def make_node(
    graph: Graph,
    key: str,
    position: tuple[float, float] = (0.0, 0.0),
    params: dict[str, Value] | None = None,
    name: str = "",
) -> Node:
    """Return a new node of a type, with an id and a name that are free in the graph.

    Without ``params`` it starts with what the catalogue suggests.
    """
    called = name or default_name(key.rpartition(".")[2])
    name = unique_name(graph, called)
    return Node(
        id=free_name(id_of(name), graph.nodes),
        type=key,
        name=name,
        params=_initial_params(graph, key) if params is None else params,
        position=position,
    )


def _initial_params(graph: Graph, key: str) -> dict[str, Value]:
    entry = type_entry(graph, key)
    return {} if entry is None else entry.initial_params()


def link_problem(graph: Graph, edge: Edge) -> Diagnostic | None:
    """Return why a wire may not be drawn. A wire that is already at the input is no obstacle."""
    source, target = graph.nodes.get(edge.source), graph.nodes.get(edge.target)
    if source is None or target is None:
        missing = edge.source if source is None else edge.target
        return Diagnostic(code="G007", params={"id": missing})
    if source is target:
        return Diagnostic(code="G012", node=edge.target, params={"name": target.name})
    if all(port.name != edge.source_port for port in output_ports(graph, source)):
        return port_problem("G010", source, edge.source_port)
    if all(port.name != edge.target_port for port in input_ports(graph, target)):
        return port_problem("G011", target, edge.target_port)
    is_joined = any(wire.source == edge.source for wire in incoming(graph, edge.target))
    if not is_joined and index_of(graph).has_path(edge.target, edge.source):
        return Diagnostic.of("G013", node=edge.target, source=source.name, target=target.name)
    return None


def port_problem(code: str, node: Node, port: str) -> Diagnostic:
    """Return the finding that a node has no such port (``G010`` output, ``G011`` input)."""
    return Diagnostic(code=code, node=node.id, params={"name": node.name, "port": port[:100]})


def landing_inputs(graph: Graph, source: str) -> frozenset[tuple[str, str]]:
    """Return the inputs, as (node id, port), where a wire from a node may land."""
    closed = ancestors(graph, [source])
    return frozenset(
        (node.id, port.name)
        for node in graph.nodes.values()
        if node.id not in closed
        for port in input_ports(graph, node)
    )


def landing_outputs(graph: Graph, target: str) -> frozenset[tuple[str, str]]:
    """Return the outputs, as (node id, port), from where a wire to a node may come."""
    closed = dependents(graph, [target])
    return frozenset(
        (node.id, port.name)
        for node in graph.nodes.values()
        if node.id not in closed
        for port in output_ports(graph, node)
    )


def _digraph(graph: Graph) -> "nx.DiGraph[str]":
    import networkx as nx  # noqa: PLC0415 - takes 0.4 s, the window draws first

    digraph: nx.DiGraph[str] = nx.DiGraph()
    digraph.add_nodes_from(graph.nodes)
    digraph.add_edges_from(
        (edge.source, edge.target)
        for edge in graph.edges
        if edge.source in graph.nodes and edge.target in graph.nodes
    )
    return digraph
