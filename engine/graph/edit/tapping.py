"""What a layer gives as a further output of the model, led out of the blocks that it is in."""

from msgspec.structs import replace

from engine.graph.block import (
    BLOCK_OUTPUT,
    SEPARATOR,
    block_name,
    block_of,
    body,
    chain,
    name_refusal,
)
from engine.graph.edit.grouping import ungroup
from engine.graph.edit.inward import opened
from engine.graph.error import GraphError, present_node
from engine.graph.model import BlockStyle, Edge, Graph, Node
from engine.graph.naming import free_name, is_number, name_problem, sanitized_name
from engine.graph.node_state.freezing import weights_owner
from engine.graph.query import OUTPUT, outgoing, output_ports

_STEP = 90.0
Port = tuple[str, str]


def tap_output(graph: Graph, node_path: str, name: str = "") -> Graph:
    """Return the graph with one more output; the same where that value is an output already.

    Raises :class:`GraphError` where the value cannot be led out.
    """
    graph, port, called = _led_out(graph, node_path.split(SEPARATOR))
    if any(reader.type == OUTPUT for reader in _readers(graph, port)):
        return graph
    return _with_end(_unwritten(graph, port), port, OUTPUT, name or f"{called}_out")[0]


def _led_out(graph: Graph, parts: list[str]) -> tuple[Graph, Port, str]:
    """Return the level with the value at a port of one of its nodes, and what it is called."""
    node = present_node(parts[0], graph)
    if len(parts) == 1:
        ports = output_ports(graph, node)
        if not ports:
            raise GraphError.of("G121", node=node.id, name=node.name)
        return graph, (node.id, ports[0].name), sanitized_name(node.name.replace(".", "_"))
    if _is_numbered(graph, node):
        graph, renamed = _laid_open(graph, node)
        return _led_out(graph, [renamed[parts[1]], *parts[2:]])
    graph, block = opened(graph, node)
    inside, port, called = _led_out(body(graph, block), parts[1:])
    inside, end = _ended(inside, port, called)
    changed = replace(block, nodes=inside.nodes, edges=inside.edges, style=BlockStyle.CLASS)
    name = block_name(graph.nodes[node.id])
    refusal = name_refusal(name, changed, changed.style)
    if refusal is not None:
        raise GraphError(refusal)
    return replace(graph, blocks={**inside.blocks, name: changed}), (node.id, end), called


def _ended(inside: Graph, port: Port, called: str) -> tuple[Graph, str]:
    """Return the inside of a block with an output for a value; one that is there is used."""
    for reader in _readers(inside, port):
        if reader.type == BLOCK_OUTPUT:
            return inside, reader.id
    return _with_end(_unwritten(inside, port), port, BLOCK_OUTPUT, f"{called}_out")


def _unwritten(graph: Graph, port: Port) -> Graph:
    """Return the level where no layer writes into a value in place: it is an output now."""
    nodes = dict(graph.nodes)
    for reader in _readers(graph, port):
        owner = weights_owner(graph, reader)
        if owner.params.get("inplace") is True:
            params = {name: value for name, value in owner.params.items() if name != "inplace"}
            nodes[owner.id] = replace(owner, params=params)
    return replace(graph, nodes=nodes)


def _readers(graph: Graph, port: Port) -> list[Node]:
    return [
        graph.nodes[edge.target]
        for edge in outgoing(graph, port[0])
        if edge.source_port == port[1] and edge.target in graph.nodes
    ]


def _with_end(graph: Graph, port: Port, kind: str, name: str) -> tuple[Graph, str]:
    ends = [node for node in graph.nodes.values() if node.type == kind]
    x = max((node.position[0] for node in ends), default=graph.nodes[port[0]].position[0] + 260)
    y = max((node.position[1] for node in ends), default=0.0) + _STEP
    called = free_name(name, {node.name for node in graph.nodes.values()})
    end = Node(id=free_name(called, graph.nodes), type=kind, name=called, position=(x, y))
    edge = Edge(source=port[0], source_port=port[1], target=end.id, target_port="input")
    nodes = {**graph.nodes, end.id: end}
    return replace(graph, nodes=nodes, edges=(*graph.edges, edge)), end.id


def _is_numbered(graph: Graph, use: Node) -> bool:
    """Return whether a use is an ``nn.Sequential`` with numbers for names, which can be laid open
    as the list of its layers: their names in the ``state_dict`` stay.
    """
    block = block_of(graph, use)
    if block is None or block.style is not BlockStyle.SEQUENTIAL or use.repeat > 1:
        return False
    layers = chain(block) or []
    numbers = [node.name for node in layers]
    is_word = name_problem(use.name) is None and "." not in use.name
    is_level_class = graph.style is BlockStyle.CLASS
    return is_word and is_level_class and bool(numbers) and all(map(is_number, numbers))


def _laid_open(graph: Graph, use: Node) -> tuple[Graph, dict[str, str]]:
    """Return the level with the layers of a chain in the place of its use, called ``features.0``
    and so on, and their ids by those inside.
    """
    block = block_of(graph, use)
    assert block is not None
    layers = {node.id: node for node in chain(block) or []}
    opened_graph, new = ungroup(graph, use.id)
    inner = [key for key in block.nodes if key in layers]
    renamed = dict(zip(inner, new, strict=True))
    nodes = dict(opened_graph.nodes)
    for key, node_id in renamed.items():
        nodes[node_id] = replace(nodes[node_id], name=f"{use.name}.{layers[key].name}")
        if use.frozen:
            nodes[node_id] = replace(nodes[node_id], frozen=True)
    return replace(opened_graph, nodes=nodes), renamed
