"""Where a single new node goes, and the edit that puts one into a wire."""

from collections.abc import Mapping

from msgspec.structs import replace

from engine.graph.edits import AddNode, Batch, Connect, Disconnect, Edit, MoveNodes
from engine.graph.layout import DEFAULT_SIZE, GAP_ROW, GAP_X, GAP_Y, Position, Size
from engine.graph.model import Edge, Graph, Node
from engine.graph.query import input_ports, output_ports

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
    place = (x + width + GAP_X, y)
    if place[0] + size[0] - min(row) > room_width:
        place = (min(row), y + height + GAP_ROW)
    while below := [
        node.position[1] + sizes.get(node_id, DEFAULT_SIZE)[1] + GAP_Y
        for node_id, node in graph.nodes.items()
        if _is_near(place, size, node.position, sizes.get(node_id, DEFAULT_SIZE))
    ]:
        place = (place[0], max(below))
    return place


def insert_into(
    graph: Graph, node: Node, edge: Edge, sizes: Mapping[str, Size], size: Size
) -> Batch | None:
    """Return the edit that puts a new node into a wire, by its first input and output; nothing
    where it has none. What stands to the right in its row makes room.
    """
    grown = Graph(nodes={**graph.nodes, node.id: node}, edges=graph.edges)
    inputs, outputs = input_ports(grown, node), output_ports(grown, node)
    if not inputs or not outputs:
        return None
    node, moved = _make_room(graph, node, edge, sizes, size)
    edits: list[Edit] = [
        AddNode(node=node),
        Disconnect(edges=(edge,)),
        Connect(
            edge=Edge(
                source=edge.source,
                source_port=edge.source_port,
                target=node.id,
                target_port=inputs[0].name,
            )
        ),
        Connect(
            edge=Edge(
                source=node.id,
                source_port=outputs[0].name,
                target=edge.target,
                target_port=edge.target_port,
            )
        ),
    ]
    if moved:
        edits.append(MoveNodes(positions=moved))
    return Batch(edits=tuple(edits))


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
    return replace(node, position=(x, source.position[1])), moved


def _is_near(a: Position, size_a: Size, b: Position, size_b: Size) -> bool:
    """Return whether two nodes lie over each other, or nearly."""
    gap = GAP_Y / 2
    is_apart_x = a[0] + size_a[0] + gap <= b[0] or b[0] + size_b[0] + gap <= a[0]
    is_apart_y = a[1] + size_a[1] + gap <= b[1] or b[1] + size_b[1] + gap <= a[1]
    return not (is_apart_x or is_apart_y)
