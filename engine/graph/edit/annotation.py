"""Edits of frames, notes and the appearance of nodes: what only the reader sees."""

import math
import re
from collections.abc import Collection, Container, Iterable, Mapping
from typing import assert_never

import msgspec
from msgspec.structs import replace

from engine.diagnostics import Diagnostic
from engine.graph.error import GraphError, present_node
from engine.graph.model import Annotation, AnnotationKind, Graph

COLORS = ("red", "orange", "yellow", "green", "teal", "blue", "purple", "pink", "gray")
"""The names of colours that the window knows; another one in a file is kept and looks plain."""

LONGEST_TEXT = 10_000
MOST_ANNOTATIONS = 10_000
_LEAST, _MOST = 20.0, 1_000_000.0  # of width and height, in scene units
_PADDING = (24.0, 48.0, 24.0, 24.0)  # left, top (the title), right, bottom
_NOTE_GAP = 20.0
DEFAULT_SIZE = (180.0, 56.0)
_ID = re.compile(r"(frame|note)\.\d{1,9}")
_COLOR = re.compile(r"[a-z]{0,20}")

Rect = tuple[float, float, float, float]
"""Left, top, width and height, in scene units."""


class AddAnnotations(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Put frames or notes on the canvas, above those that are there."""

    annotations: tuple[Annotation, ...]


class ChangeAnnotations(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Give frames and notes that are there another text, place, size or colour."""

    annotations: tuple[Annotation, ...]


class PaintNodes(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Give nodes, frames and notes a colour; with an empty one the plain look."""

    ids: tuple[str, ...]
    color: str


class CollapseNodes(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Show only the titles of nodes; or all of them again."""

    ids: tuple[str, ...]
    collapsed: bool = True


AnnotationEdit = AddAnnotations | ChangeAnnotations | PaintNodes | CollapseNodes


def apply_annotation_edit(edit: AnnotationEdit, graph: Graph) -> Graph:
    """Return the graph after an edit. Raises :class:`GraphError`."""
    match edit:
        case AddAnnotations():
            return _put(edit.annotations, graph, are_new=True)
        case ChangeAnnotations():
            return _put(edit.annotations, graph, are_new=False)
        case PaintNodes():
            return _paint(edit, graph)
        case CollapseNodes():
            nodes = graph.nodes.copy()
            for node_id in edit.ids:
                nodes[node_id] = replace(present_node(node_id, graph), collapsed=edit.collapsed)
            return replace(graph, nodes=nodes)
        case _:
            assert_never(edit)


def annotation_problem(annotation: Annotation) -> str:
    """Return the name of the field that cannot be as it is (``size``); empty where all is well."""
    match = _ID.fullmatch(annotation.id)
    width, height = annotation.size
    if match is None or match.group(1) != annotation.kind.value:
        return "id"
    if len(annotation.text) > LONGEST_TEXT:
        return "text"
    if not all(math.isfinite(value) for value in annotation.position):
        return "position"
    if not (_LEAST <= width <= _MOST and _LEAST <= height <= _MOST):
        return "size"
    return "" if _COLOR.fullmatch(annotation.color) else "color"


def free_annotation_id(kind: AnnotationKind, taken: Container[str]) -> str:
    """Return the id of the kind with the smallest free number."""
    number = 1
    while f"{kind.value}.{number}" in taken:
        number += 1
    return f"{kind.value}.{number}"


def split_ids(ids: Iterable[str], graph: Graph) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the ids that are frames and notes of a graph, and all others."""
    given = tuple(dict.fromkeys(ids))
    annotation_ids = tuple(key for key in given if key in graph.annotations)
    return annotation_ids, tuple(key for key in given if key not in graph.annotations)


def inside(frame: Annotation, rects: Mapping[str, Rect]) -> tuple[str, ...]:
    """Return what lies in a frame: that whose middle is in it and that is not larger."""
    left, top = frame.position
    width, height = frame.size
    return tuple(
        key
        for key, (x, y, w, h) in rects.items()
        if left <= x + w / 2 <= left + width
        and top <= y + h / 2 <= top + height
        and w <= width
        and h <= height
        and key != frame.id
    )


def frame_around(rects: Collection[Rect]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return position and size of a frame around rectangles, with room for its title."""
    left, top, right, bottom = _PADDING
    x0, y0 = min(r[0] for r in rects) - left, min(r[1] for r in rects) - top
    x1, y1 = max(r[0] + r[2] for r in rects) + right, max(r[1] + r[3] for r in rects) + bottom
    return (x0, y0), (x1 - x0, y1 - y0)


def place_of_note(
    size: tuple[float, float], around: Rect, rects: Collection[Rect]
) -> tuple[float, float]:
    """Return where a note covers none of the rectangles: above or below another, whichever is
    nearer to it.
    """
    (width, height), (left, top, _, anchor_height) = size, around

    def over(y: float) -> list[Rect]:
        return [
            (x0, y0, w, h)
            for x0, y0, w, h in rects
            if x0 < left + width and left < x0 + w and y0 < y + height and y < y0 + h
        ]

    up, down = top - height - _NOTE_GAP, top + anchor_height + _NOTE_GAP
    while hit := over(up):
        up = min(rect[1] for rect in hit) - height - _NOTE_GAP
    while hit := over(down):
        down = max(rect[1] + rect[3] for rect in hit) + _NOTE_GAP
    return (left, up if top - up - height <= down - top - anchor_height else down)


def moved_annotations(
    positions: Mapping[str, tuple[float, float]], graph: Graph
) -> dict[str, Annotation]:
    """Return the frames and notes of a graph, some of them at other places.

    Raises :class:`GraphError` for a place that is none.
    """
    annotations = graph.annotations.copy()
    for key, position in positions.items():
        annotations[key] = _sound(replace(annotations[key], position=position))
    return annotations


def copied_annotations(
    fragment: Graph, graph: Graph, offset: tuple[float, float]
) -> tuple[dict[str, Annotation], dict[str, str]]:
    """Return the frames and notes of a graph with copies of those of another, shifted; and the new
    ids by the old ones. Raises :class:`GraphError` where there would be too many.
    """
    annotations = graph.annotations.copy()
    renamed: dict[str, str] = {}
    for old in fragment.annotations.values():
        new_id = old.id if old.id not in annotations else free_annotation_id(old.kind, annotations)
        position = (old.position[0] + offset[0], old.position[1] + offset[1])
        annotations[new_id] = _sound(replace(old, id=new_id, position=position))
        renamed[old.id] = new_id
    _check_count(annotations)
    return annotations, renamed


def _put(annotations: tuple[Annotation, ...], graph: Graph, *, are_new: bool) -> Graph:
    merged = graph.annotations.copy()
    for annotation in annotations:
        if (annotation.id in graph.annotations) is are_new:
            raise GraphError.of("G103", id=annotation.id[:60])
        merged[annotation.id] = _sound(annotation)
    _check_count(merged)
    return replace(graph, annotations=merged)


def _paint(edit: PaintNodes, graph: Graph) -> Graph:
    if edit.color and edit.color not in COLORS:
        raise GraphError(Diagnostic(code="G104", params={"field": "color"}))
    annotation_ids, others = split_ids(edit.ids, graph)
    nodes, annotations = graph.nodes.copy(), graph.annotations.copy()
    for key in annotation_ids:
        annotations[key] = replace(annotations[key], color=edit.color)
    for key in others:
        nodes[key] = replace(present_node(key, graph), color=edit.color)
    return replace(graph, nodes=nodes, annotations=annotations)


def _sound(annotation: Annotation) -> Annotation:
    text = annotation.text.encode(errors="replace").decode()  # a half of a letter cannot be saved
    (x, y), (width, height) = annotation.position, annotation.size
    annotation = replace(
        annotation,
        text=text,
        position=(float(x), float(y)),  # a file has them so
        size=(float(width), float(height)),
    )
    field = annotation_problem(annotation)
    if field == "text":
        raise GraphError.of("G105", limit=LONGEST_TEXT, count=len(text))
    if field:
        raise GraphError(Diagnostic(code="G104", params={"field": field}))
    return annotation


def _check_count(annotations: Collection[str]) -> None:
    if len(annotations) > MOST_ANNOTATIONS:
        raise GraphError.of("G106", limit=MOST_ANNOTATIONS)


def following(
    graph: Graph,
    positions: Mapping[str, tuple[float, float]],
    sizes: Mapping[str, tuple[float, float]],
) -> tuple[Annotation, ...]:
    """Return the frames and notes that change when nodes are laid out anew: a note goes with the
    node that it is nearest to, a frame closes around what was in it.

    ``sizes`` are widths and heights of nodes; those that are missing count as ``DEFAULT_SIZE``.
    """
    rects = {
        node.id: (*node.position, *sizes.get(node.id, DEFAULT_SIZE))
        for node in graph.nodes.values()
    }
    after = {key: (*positions.get(key, rect[:2]), *rect[2:]) for key, rect in rects.items()}
    moved: dict[str, Annotation] = {}
    for note in graph.annotations.values():
        if note.kind is AnnotationKind.NOTE and rects:
            nearest = min(rects, key=lambda key: _distance(note, rects[key]))
            dx, dy = (after[nearest][axis] - rects[nearest][axis] for axis in (0, 1))
            corner = (note.position[0] + dx, note.position[1] + dy)
            rects[note.id] = (*note.position, *note.size)
            after[note.id] = (*corner, *note.size)
            moved[note.id] = replace(note, position=corner)
    frames = [f for f in graph.annotations.values() if f.kind is AnnotationKind.FRAME]
    for frame in sorted(frames, key=lambda frame: frame.size[0] * frame.size[1]):
        held = inside(frame, rects)
        rects[frame.id] = after[frame.id] = (*frame.position, *frame.size)
        if held:
            position, size = frame_around([after[key] for key in held])
            after[frame.id] = (*position, *size)
            moved[frame.id] = replace(frame, position=position, size=size)
    return tuple(new for key, new in moved.items() if new != graph.annotations[key])


def _distance(note: Annotation, rect: Rect) -> float:
    """Return how far the middles lie apart; squared."""
    dx = note.position[0] + note.size[0] / 2 - rect[0] - rect[2] / 2
    dy = note.position[1] + note.size[1] / 2 - rect[1] - rect[3] / 2
    return dx * dx + dy * dy
