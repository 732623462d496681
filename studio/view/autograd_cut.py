"""Cuts of autograd on the canvas: paths over which no gradient flows."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from engine.graph.block import SEPARATOR
from engine.graph.model import Graph, Node
from engine.graph.node_state.freezing import can_be_frozen, weights_owner
from engine.graph.query import OUTPUT, order

DETACH = "detach"


@dataclass(frozen=True, kw_only=True)
class Cut:
    """The nodes of the canvas, outside of blocks, from which no gradient goes further back and
    that hold weights or lie after some. ``edges`` lead from a node that the gradient reaches to
    one that it does not; ``inner`` between two that it does not reach, as it would flow; ``back``
    from one that it does not reach to one that it reaches another way.
    """

    nodes: tuple[str, ...] = ()
    edges: tuple[tuple[str, str], ...] = ()
    inner: tuple[tuple[str, str], ...] = ()
    back: tuple[tuple[str, str], ...] = ()


def find_cut(model: Graph, places: Iterable[str], unreached: Iterable[str] | None = None) -> Cut:
    """Return what the gradient does not reach, from the places of the Functions that there are.
    Who holds weights is told by the names of the parameters that no Function reads; where these
    are not known, by what could hold some.
    """
    reached = {place.partition(SEPARATOR)[0] for place in places if place}
    if not reached:  # a model that is not from the canvas
        return Cut()
    known = None if unreached is None else {name.partition(".")[0] for name in unreached}
    alive: set[str] = set()
    learned: set[str] = set()  # nodes without a gradient that would have one
    sources: dict[str, list[str]] = {}
    for edge in model.edges:
        sources.setdefault(edge.target, []).append(edge.source)
    for key in order(model):
        node = model.nodes[key]
        before = sources.get(key, [])
        is_cut = node.type == DETACH
        if key in reached or (not is_cut and any(each in alive for each in before)):
            alive.add(key)
        elif is_cut or _learns(model, node, known) or any(each in learned for each in before):
            learned.add(key)
    needed = {
        (edge.target, edge.source)
        for edge in model.edges
        if edge.source in learned and model.nodes[edge.target].type != OUTPUT
    }
    return Cut(
        nodes=tuple(key for key in model.nodes if key in learned),
        edges=tuple(sorted(pair for pair in needed if pair[0] in alive)),
        inner=tuple(sorted(pair for pair in needed if pair[0] in learned)),
        back=tuple(
            sorted(
                (edge.target, edge.source)
                for edge in model.edges
                if edge.target in learned and edge.source in alive
            )
        ),
    )


def _learns(model: Graph, node: Node, known: Collection[str] | None) -> bool:
    """Return whether a node that no gradient reaches holds weights."""
    return can_be_frozen(model, node) if known is None else weights_owner(model, node).name in known
