"""Alignment of chosen nodes, and arrangement of a whole graph with its frames and notes."""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from engine.graph.edit.annotation import DEFAULT_SIZE as FRAMED_SIZE
from engine.graph.edit.annotation import following, inside
from engine.graph.layout.layered import DEFAULT_SIZE, GAP_Y, Position, Size, arrange
from engine.graph.model import Annotation, AnnotationKind, Graph


class Line(StrEnum):
    """What of the nodes is put in line."""

    LEFT = "left"
    CENTER = "center"  # the middles, one below the other
    RIGHT = "right"
    TOP = "top"
    MIDDLE = "middle"  # the middles, side by side
    BOTTOM = "bottom"


_SHARES = {Line.CENTER: 0.5, Line.RIGHT: 1.0, Line.MIDDLE: 0.5, Line.BOTTOM: 1.0}


def align(
    graph: Graph, ids: tuple[str, ...], sizes: Mapping[str, Size], line: Line
) -> dict[str, Position]:
    """Return the new positions of nodes that are put in line.

    Pinned nodes stay and the others come to them; without one the outermost gives the line, or the
    middle of all. Nodes that would come to lie over each other are put one after the other.
    """
    axis = 0 if line in (Line.LEFT, Line.CENTER, Line.RIGHT) else 1
    share = _SHARES.get(line, 0.0)
    fixed = [node_id for node_id in ids if graph.nodes[node_id].pinned]
    spans = [_span(graph, node_id, sizes, axis) for node_id in fixed or ids]
    low, high = min(span[0] for span in spans), max(span[1] for span in spans)
    center = low + (high - low) * share
    taken = [_span(graph, node_id, sizes, 1 - axis) for node_id in fixed]
    free = [node_id for node_id in ids if node_id not in set(fixed)]
    positions: dict[str, Position] = {}
    for node_id in sorted(free, key=lambda key: graph.nodes[key].position[1 - axis]):
        size = sizes.get(node_id, DEFAULT_SIZE)
        start, end = _span(graph, node_id, sizes, 1 - axis)
        other = _beside(start, end - start, taken)
        taken.append((other, other + end - start))
        coordinate = center - size[axis] * share
        positions[node_id] = (coordinate, other) if axis == 0 else (other, coordinate)
    return positions


def distribute(
    graph: Graph, ids: tuple[str, ...], sizes: Mapping[str, Size], *, across: bool
) -> dict[str, Position]:
    """Return the new positions of nodes with equal gaps, side by side or one below the other.

    The first and the last stay where they are, and so do pinned nodes.
    """
    axis = 0 if across else 1
    row = sorted(ids, key=lambda key: graph.nodes[key].position[axis])
    spans = [_span(graph, node_id, sizes, axis) for node_id in row]
    length = sum(end - start for start, end in spans)
    gap = (spans[-1][1] - spans[0][0] - length) / max(len(row) - 1, 1)
    positions: dict[str, Position] = {}
    coordinate = spans[0][0]
    for node_id, (start, end) in zip(row, spans, strict=True):
        x, y = graph.nodes[node_id].position
        if not graph.nodes[node_id].pinned:
            positions[node_id] = (coordinate, y) if across else (x, coordinate)
        coordinate += end - start + gap
    return positions


def _span(graph: Graph, node_id: str, sizes: Mapping[str, Size], axis: int) -> tuple[float, float]:
    start = graph.nodes[node_id].position[axis]
    return start, start + sizes.get(node_id, DEFAULT_SIZE)[axis]


def _beside(start: float, length: float, taken: list[tuple[float, float]]) -> float:
    """Return the next place from ``start`` on where nothing lies."""
    while hit := [end for low, end in taken if low < start + length and start < end]:
        start = max(hit) + GAP_Y
    return start


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
        key: (*positions.get(key, node.position), *sizes.get(key, FRAMED_SIZE))
        for key, node in graph.nodes.items()
    }
    frames = {**graph.annotations, **{each.id: each for each in changed}}
    return {
        frame.id: frozenset(inside(frame, rects))
        for frame in frames.values()
        if frame.kind is AnnotationKind.FRAME
    }
