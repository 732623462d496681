"""Position of a single new node, and the edit that puts one into an edge."""

from collections.abc import Mapping

from msgspec.structs import replace

from engine.graph.edit.edits import AddNode, Batch, Connect, Disconnect, Edit, MoveNodes
from engine.graph.layout.layered import DEFAULT_SIZE, GAP_ROW, GAP_X, GAP_Y, Position, Size
from engine.graph.model import Edge, Graph, Node
from engine.graph.query import incoming, input_ports, outgoing, output_ports

_LEAST_GAP = 40.0  # between a node in a wire and the nodes at its ends
_ENDLESS = float("inf")


def place_after(
    graph: Graph, source: str, sizes: Mapping[str, Size], size: Size, room_width: float
) -> Position:
    """Return a free place for a node of a size to the right of another, or below what is there;
    at the beginning of a new row where the row would be wider than ``room_width``.
    """
    x, y = graph.nodes[source].position
    width, height = sizes.get(source, DEFAULT_SIZE)
    row = [node.position[0] for node in graph.nodes.values() if abs(node.position[1] - y) < height]
    position = (x + width + GAP_X, y)
    if position[0] + size[0] - min(row) > room_width:
        position = (min(row), y + height + GAP_ROW)
    return free_place(graph, position, sizes, size)


def free_place(graph: Graph, position: Position, sizes: Mapping[str, Size], size: Size) -> Position:
    """Return a place for a node of a size, or the next one below it where nothing lies."""
    while below := [
        node.position[1] + sizes.get(node_id, DEFAULT_SIZE)[1] + GAP_Y
        for node_id, node in graph.nodes.items()
        if _is_near(position, size, node.position, sizes.get(node_id, DEFAULT_SIZE))
    ]:
        position = (position[0], max(below))
    return position


def insert_into(
    graph: Graph, node: Node, edge: Edge, sizes: Mapping[str, Size], size: Size
) -> Batch | None:
    """Return the edit that puts a new node into a wire, by its first input and output; nothing
    where it has none. What stands to the right in its row makes room, unless it is pinned.
    """
    wires = _wires_through(graph, node, edge)
    if not wires:
        return None
    node, moved = _make_room(graph, node, edge, sizes, size)
    moves = (MoveNodes(positions=moved),) if moved else ()
    return Batch(edits=(AddNode(node=node), *wires, *moves))


def insert_behind(
    graph: Graph, node: Node, output: tuple[str, str], sizes: Mapping[str, Size], size: Size
) -> Batch:
    """Return the edit that puts a new node behind an output, given as node and port: all wires that
    came from there come from the first output of the new node, which has one input at least.
    """
    source, port = output
    inputs, outputs = input_ports(graph, node), output_ports(graph, node)
    edges = [edge for edge in outgoing(graph, source) if edge.source_port == port]
    if not edges:
        node = replace(node, position=place_after(graph, source, sizes, size, _ENDLESS))
        edge = Edge(source=source, source_port=port, target=node.id, target_port=inputs[0].name)
        return Batch(edits=(AddNode(node=node), Connect(edge=edge)))
    first = insert_into(graph, node, edges[0], sizes, size)
    assert first is not None
    others = tuple(
        Connect(edge=replace(edge, source=node.id, source_port=outputs[0].name))
        for edge in edges[1:]
    )
    return Batch(edits=(first, *others))


def move_into(
    graph: Graph, node_id: str, position: Position, edge: Edge, sizes: Mapping[str, Size]
) -> Batch | None:
    """Return the edit that moves a node without wires into a wire; nothing where it has wires or
    no input or output. What stands to the right in the row makes room, unless it is pinned.
    """
    node = replace(graph.nodes[node_id], position=position)
    wires = _wires_through(graph, node, edge)
    if not wires or incoming(graph, node_id) or outgoing(graph, node_id):
        return None
    others = {key: other for key, other in graph.nodes.items() if key != node_id}
    rest = replace(graph, nodes=others)
    node, moved = _make_room(rest, node, edge, sizes, sizes.get(node_id, DEFAULT_SIZE))
    return Batch(edits=(*wires, MoveNodes(positions={**moved, node_id: node.position})))


def _wires_through(graph: Graph, node: Node, edge: Edge) -> tuple[Edit, ...]:
    """Return the edits that lead a wire through the first input and output of a node."""
    grown = replace(graph, nodes={**graph.nodes, node.id: node})
    inputs, outputs = input_ports(grown, node), output_ports(grown, node)
    if not inputs or not outputs:
        return ()
    first = replace(edge, target=node.id, target_port=inputs[0].name)
    second = replace(edge, source=node.id, source_port=outputs[0].name)
    return (Disconnect(edges=(edge,)), Connect(edge=first), Connect(edge=second))


def _make_room(
    graph: Graph, node: Node, edge: Edge, sizes: Mapping[str, Size], size: Size
) -> tuple[Node, dict[str, Position]]:
    """Return the node where it lies well, and the new places of those that give way."""
    source, target = graph.nodes[edge.source], graph.nodes[edge.target]
    end = source.position[0] + sizes.get(edge.source, DEFAULT_SIZE)[0]
    x, y = node.position
    if target.position[0] <= end:  # the wire runs back: there is nothing in its row
        return replace(node, position=place_after(graph, edge.source, sizes, size, _ENDLESS)), {}
    x = max(x, end + _LEAST_GAP)
    if x + size[0] + _LEAST_GAP <= target.position[0]:
        return replace(node, position=(x, y)), {}
    highest, lowest = sorted((source.position[1], target.position[1]))
    x = end + GAP_X
    shift = x + size[0] + GAP_X - target.position[0]
    moved = {
        node_id: (other.position[0] + shift, other.position[1])
        for node_id, other in graph.nodes.items()
        if other.position[0] >= target.position[0]
        and highest - size[1] < other.position[1] < lowest + size[1] + GAP_Y
    }
    if any(graph.nodes[node_id].pinned for node_id in moved):
        return replace(node, position=place_after(graph, edge.source, sizes, size, _ENDLESS)), {}
    return replace(node, position=(x, source.position[1])), moved


def _is_near(a: Position, size_a: Size, b: Position, size_b: Size) -> bool:
    """Return whether two nodes lie over each other, or nearly."""
    gap = GAP_Y / 2
    is_apart_x = a[0] + size_a[0] + gap <= b[0] or b[0] + size_b[0] + gap <= a[0]
    is_apart_y = a[1] + size_a[1] + gap <= b[1] or b[1] + size_b[1] + gap <= a[1]
    return not (is_apart_x or is_apart_y)


def first_fit(graph: Graph, node: Node, other: str, port: str, is_output: bool) -> Edge | None:
    """Return the wire from a port of another node to the first port of a new one, or to that port
    from the first output of the new one; nothing where it has none.
    """
    if is_output:
        inputs = input_ports(graph, node)
        ports = (other, port, node.id, inputs[0].name) if inputs else None
    else:
        outputs = output_ports(graph, node)
        ports = (node.id, outputs[0].name, other, port) if outputs else None
    if ports is None:
        return None
    source, source_port, target, target_port = ports
    return Edge(source=source, source_port=source_port, target=target, target_port=target_port)
