"""A Flatten between convolutions and a linear layer, where a new wire leaves it out."""

from collections.abc import Mapping

from engine.catalog.spec import AUTO
from engine.graph.block import BLOCK_INPUT, block_of, body, entry_of
from engine.graph.edit.edits import Batch, Edit, apply
from engine.graph.insert.placing import insert_into
from engine.graph.layout.layered import Position, Size
from engine.graph.model import Edge, Graph
from engine.graph.query import incoming, make_node, without_stray_wires

_KEEPING = frozenset(
    {
        "Activation",
        "Activation function",
        "Arithmetic",
        "Dropout",
        "Join and split",
        "Normalization",
        "Padding",
        "Pooling",
        "Resampling",
        "Resize and pool",
    }
)
"""Categories of what leaves the channels of an image or a sequence where they are."""


def flattened(edit: Edit, graph: Graph, sizes: Mapping[str, Size], size: Size) -> Edit:
    """Return the edit with a Flatten in each wire from convolutions to a Linear that comes of it.

    Convolutions give channels, then places; a Linear that is to infer its size would take the last
    axis of places for its features, which is hardly ever meant; where one took them before the
    edit, that is left to it. ``sizes`` are those of the nodes on the canvas, ``size`` that of a new
    one. Raises ``GraphError`` as ``apply`` does.
    """
    after, edits = apply(edit, graph), [edit]
    for edge in _without_flatten(graph, after):
        node = make_node(after, "Flatten", _between(after, edge))
        more = insert_into(after, node, edge, sizes, size)
        if more is not None:
            after = apply(more, after)
            edits.append(more)
    return Batch(edits=tuple(edits)) if len(edits) > 1 else edit


def _without_flatten(previous: Graph, after: Graph) -> list[Edge]:
    """Return the wires that lack one and did not before: only what is not the very same is new."""
    wires = set(map(id, previous.edges))
    nodes = {key for key, node in after.nodes.items() if node is not previous.nodes.get(key)}
    changed = (
        edge
        for edge in without_stray_wires(after).edges
        if id(edge) not in wires or edge.source in nodes or edge.target in nodes
    )
    lacking = [edge for edge in changed if _needs_flatten(after, edge)]
    return [
        edge
        for edge in lacking
        if not any(_needs_flatten(previous, other) for other in incoming(previous, edge.target))
    ]


def _between(graph: Graph, edge: Edge) -> Position:
    ends = graph.nodes[edge.source].position, graph.nodes[edge.target].position
    return (ends[0][0] + ends[1][0]) / 2, (ends[0][1] + ends[1][1]) / 2


def _needs_flatten(graph: Graph, edge: Edge) -> bool:
    target = graph.nodes[edge.target]
    is_open = target.type == "Linear" and target.params.get("in_features", AUTO) == AUTO
    return is_open and _has_places(graph, edge)


def _has_places(graph: Graph, edge: Edge) -> bool:
    """Return whether a convolution made what a wire brings, with nothing but layers in between
    that keep its axes, in blocks or not.
    """
    seen: set[tuple[str, ...]] = set()
    waiting: list[tuple[tuple[tuple[Graph, str], ...], Graph, Edge]] = [((), graph, edge)]
    while waiting:
        outer, inside, wire = waiting.pop()
        node = inside.nodes.get(wire.source)
        if node is None:
            continue
        port = (*(use for _, use in outer), node.id, wire.source_port)
        if port in seen:
            continue
        seen.add(port)
        block, entry = block_of(inside, node), entry_of(inside, node)
        if node.type == BLOCK_INPUT and outer:
            around, use = outer[-1]
            arriving = [one for one in incoming(around, use) if one.target_port == node.id]
            waiting += [(outer[:-1], around, one) for one in arriving]
        elif block is not None:
            within, path = body(inside, block), (*outer, (inside, node.id))
            waiting += [(path, within, one) for one in incoming(within, wire.source_port)]
        elif entry is not None and entry.category == "Convolution":
            return True
        elif entry is not None and entry.category in _KEEPING:
            waiting += [(outer, inside, one) for one in incoming(inside, node.id)]
    return False
