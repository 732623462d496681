"""Arrangement of a whole graph, with the frames and notes that go with its nodes."""

from collections.abc import Iterable, Mapping

from engine.graph.edit.annotation import DEFAULT_SIZE, following, inside
from engine.graph.layout.layered import Position, Size, arrange
from engine.graph.model import Annotation, AnnotationKind, Graph


def arranged(
    graph: Graph, sizes: Mapping[str, Size], room: Size | None
) -> tuple[dict[str, Position], tuple[Annotation, ...]]:
    """Return the new places of the nodes, and the frames and notes that change with them.

    As :func:`arrange` does it; all in one row where frames over several rows would close around
    nodes that were not in them.
    """
    positions = arrange(graph, sizes, room)
    around = following(graph, positions, sizes)
    if _held(graph, sizes, positions, around) == _held(graph, sizes, {}, ()):
        return positions, around
    positions = arrange(graph, sizes)
    return positions, following(graph, positions, sizes)


def _held(
    graph: Graph,
    sizes: Mapping[str, Size],
    positions: Mapping[str, Position],
    changed: Iterable[Annotation],
) -> dict[str, frozenset[str]]:
    """Return the nodes in each frame."""
    rects = {
        key: (*positions.get(key, node.position), *sizes.get(key, DEFAULT_SIZE))
        for key, node in graph.nodes.items()
    }
    frames = {**graph.annotations, **{each.id: each for each in changed}}
    return {
        frame.id: frozenset(inside(frame, rects))
        for frame in frames.values()
        if frame.kind is AnnotationKind.FRAME
    }
