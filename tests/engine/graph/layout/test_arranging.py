"""A graph that is laid out anew keeps in its frames what was in them."""

from msgspec.structs import replace

from engine.graph.edit.annotation import DEFAULT_SIZE, frame_around, inside
from engine.graph.layout.aligning import arranged
from engine.graph.layout.layered import arrange
from engine.graph.model import Annotation, AnnotationKind, Graph
from tests.engine.graph.builder import model

NARROW = (3 * DEFAULT_SIZE[0], 900.0)


def rects(graph: Graph) -> dict[str, tuple[float, float, float, float]]:
    return {key: (*node.position, *DEFAULT_SIZE) for key, node in graph.nodes.items()}


def framed(*held: str) -> Graph:
    graph = model((4,), ("ReLU", {}, "a"), ("Tanh", {}, "b"), ("ReLU", {}, "c"))
    places = arrange(graph, {})
    nodes = {key: replace(node, position=places[key]) for key, node in graph.nodes.items()}
    graph = replace(graph, nodes=nodes)
    position, size = frame_around([rects(graph)[key] for key in held])
    frame = Annotation(id="frame.1", kind=AnnotationKind.FRAME, position=position, size=size)
    return replace(graph, annotations={frame.id: frame})


def test_that_a_frame_over_two_rows_does_not_take_others_in() -> None:
    graph = framed("a", "b")
    rows = {place[1] for place in arrange(graph, {}, NARROW).values()}
    assert len(rows) > 1  # a narrow window has rows
    places, annotations = arranged(graph, {}, NARROW)
    nodes = {key: replace(node, position=places[key]) for key, node in graph.nodes.items()}
    frame = annotations[0] if annotations else graph.annotations["frame.1"]
    assert set(inside(frame, rects(replace(graph, nodes=nodes)))) == {"a", "b"}


def test_that_a_graph_without_frames_lies_in_rows() -> None:
    graph = replace(framed("a", "b"), annotations={})
    assert arranged(graph, {}, NARROW) == (arrange(graph, {}, NARROW), ())
