"""A Flatten between convolutions and a linear layer, where a new wire leaves it out."""

from collections.abc import Iterator, Mapping

from engine.catalog.spec import AUTO
from engine.graph.block import entry_of
from engine.graph.edits import Batch, Edit, apply
from engine.graph.layout import Position, Size
from engine.graph.model import Edge, Graph, Node
from engine.graph.placing import insert_into
from engine.graph.query import incoming, make_node

_KEEPING = frozenset(
    {
        "Activation",
        "Activation function",
        "Dropout",
        "Normalization",
        "Pooling",
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
    for edge in tuple(_without_flatten(graph, after)):
        node = make_node(after, "Flatten", _between(after, edge))
        more = insert_into(after, node, edge, sizes, size)
        if more is not None:
            after = apply(more, after)
            edits.append(more)
    return Batch(edits=tuple(edits)) if len(edits) > 1 else edit


def _without_flatten(before: Graph, after: Graph) -> Iterator[Edge]:
    for edge in after.edges:
        was_so = any(_needs_flatten(before, other) for other in incoming(before, edge.target))
        if not was_so and _needs_flatten(after, edge):
            yield edge


def _between(graph: Graph, edge: Edge) -> Position:
    ends = graph.nodes[edge.source].position, graph.nodes[edge.target].position
    return (ends[0][0] + ends[1][0]) / 2, (ends[0][1] + ends[1][1]) / 2


def _needs_flatten(graph: Graph, edge: Edge) -> bool:
    target = graph.nodes[edge.target]
    is_open = target.type == "Linear" and target.params.get("in_features", AUTO) == AUTO
    return is_open and _has_places(graph, graph.nodes[edge.source])


def _has_places(graph: Graph, node: Node) -> bool:
    """Return whether a convolution made what a node gives, with nothing but layers in between
    that keep its axes.
    """
    entry = entry_of(graph, node)
    while entry is not None and entry.category in _KEEPING:
        edges = incoming(graph, node.id)
        if len(edges) != 1:
            return False
        node = graph.nodes[edges[0].source]
        entry = entry_of(graph, node)
    return entry is not None and entry.category == "Convolution"
