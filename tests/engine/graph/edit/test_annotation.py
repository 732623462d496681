"""Frames and notes in the document: every edit keeps them, and none of them touches the model."""

import msgspec
import pytest
from msgspec.structs import replace

from engine.diagnostics import DiagnosticError
from engine.graph.codec import cut_out, from_document, from_text, to_document, to_text
from engine.graph.edit.annotation import (
    LONGEST_TEXT,
    AddAnnotations,
    ChangeAnnotations,
    CollapseNodes,
    PaintNodes,
    following,
    frame_around,
    free_annotation_id,
    inside,
    place_of_note,
)
from engine.graph.edit.block_edits import GroupNodes, UngroupNode
from engine.graph.edit.edits import (
    EditBlock,
    GraphError,
    InsertFragment,
    MoveNodes,
    RemoveNodes,
    apply,
)
from engine.graph.model import Annotation, AnnotationKind, Graph
from tests.engine.graph.builder import model

FRAME = Annotation(
    id="frame.1",
    kind=AnnotationKind.FRAME,
    text="Stem",
    position=(-20.0, -60.0),
    size=(500.0, 200.0),
    color="blue",
)
NOTE = Annotation(id="note.1", kind=AnnotationKind.NOTE, text="<img src=http://x>\nwhy?")


def annotated() -> Graph:
    graph = model((4,), ("Linear", {"out_features": 3}), ("ReLU", {}))
    return apply(AddAnnotations(annotations=(FRAME, NOTE)), graph)


def test_that_frames_and_notes_come_back_from_the_document_in_their_order() -> None:
    graph = apply(PaintNodes(ids=("relu", "note.1"), color="red"), annotated())
    graph = apply(CollapseNodes(ids=("linear",)), graph)
    document = msgspec.json.decode(msgspec.json.encode(to_document(graph)))
    assert from_document(document) == graph
    assert list(from_document(document).annotations) == ["frame.1", "note.1"]


def test_that_a_graph_without_them_is_written_as_before() -> None:
    graph = model((4,), ("ReLU", {}))
    assert "annotations" not in to_document(graph)
    assert all("color" not in node for node in to_document(graph)["nodes"])


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"id": "a"}, "id"),
        ({"id": "note.1"}, "id"),  # a frame with the id of a note
        ({"size": (0.0, 10.0)}, "size"),
        ({"position": (float("inf"), 0.0)}, "position"),
        ({"color": "url(http://x)"}, "color"),
        ({"text": "x" * (LONGEST_TEXT + 1)}, "text"),
    ],
)
@pytest.mark.fault("B07")
def test_that_a_document_with_an_impossible_frame_is_refused_with_its_path(
    change: dict[str, object], field: str
) -> None:
    part = msgspec.to_builtins(FRAME) | change
    with pytest.raises(DiagnosticError) as error:
        from_document({"annotations": [part]})
    assert error.value.problems[0].params["path"] == f"$.annotations[0].{field}"
    with pytest.raises(GraphError):
        apply(AddAnnotations(annotations=(replace(FRAME, **change),)), Graph())  # type: ignore[arg-type]


def test_that_an_id_twice_in_a_document_becomes_two_notes() -> None:
    part = msgspec.to_builtins(NOTE)
    graph = from_document({"annotations": [part, part]})
    assert list(graph.annotations) == ["note.1", "note.2"]


def test_that_half_a_letter_in_a_note_can_be_saved() -> None:
    graph = apply(ChangeAnnotations(annotations=(replace(NOTE, text="a\ud83d"),)), annotated())
    assert graph.annotations["note.1"].text == "a?"
    msgspec.json.encode(to_document(graph))


def test_that_nodes_and_notes_move_and_go_in_one_edit() -> None:
    graph = apply(MoveNodes(positions={"relu": (1.0, 2.0), "note.1": (3.0, 4.0)}), annotated())
    assert graph.nodes["relu"].position == (1.0, 2.0)
    assert graph.annotations["note.1"].position == (3.0, 4.0)
    graph = apply(RemoveNodes(ids=("relu", "note.1")), graph)
    assert "relu" not in graph.nodes
    assert list(graph.annotations) == ["frame.1"]
    with pytest.raises(GraphError):
        apply(RemoveNodes(ids=("note.1",)), graph)


def test_that_copies_get_ids_of_their_own_and_are_shifted() -> None:
    graph = annotated()
    fragment = from_text(to_text(graph, ("relu", "frame.1")))
    assert list(fragment.annotations) == ["frame.1"]
    after = apply(InsertFragment(fragment=fragment, offset=(10.0, 20.0)), graph)
    copy = after.annotations["frame.2"]
    assert copy == replace(FRAME, id="frame.2", position=(-10.0, -40.0))
    assert cut_out(graph, ("linear",)).annotations == {}


def test_that_chosen_frames_go_into_a_block_and_come_out_again() -> None:
    graph = annotated()
    grouped = apply(GroupNodes(ids=("linear", "relu", "frame.1"), name="Stem"), graph)
    assert list(grouped.annotations) == ["note.1"]
    assert grouped.blocks["Stem"].annotations == {"frame.1": FRAME}
    edit = EditBlock(block="Stem", edit=AddAnnotations(annotations=(NOTE,)))
    inner = apply(edit, grouped)
    assert list(inner.blocks["Stem"].annotations) == ["frame.1", "note.1"]
    assert list(inner.annotations) == ["note.1"]
    assert from_document(to_document(inner)) == inner
    back = apply(UngroupNode(id="stem"), inner)
    assert {value.text for value in back.annotations.values()} == {"Stem", NOTE.text}
    assert len(back.annotations) == 3
    place, node = back.annotations["frame.1"].position, back.nodes["linear"].position
    before, origin = FRAME.position, graph.nodes["linear"].position
    assert (place[0] - node[0], place[1] - node[1]) == (
        before[0] - origin[0],
        before[1] - origin[1],
    )


def test_that_a_colour_must_be_one_that_the_window_knows() -> None:
    with pytest.raises(GraphError):
        apply(PaintNodes(ids=("relu",), color="#ff0000"), annotated())


def test_that_what_lies_in_a_frame_is_told_by_its_middle() -> None:
    rects = {"in": (0.0, 0.0, 100.0, 50.0), "out": (450.0, 0.0, 100.0, 50.0)}
    assert inside(FRAME, rects) == ("in",)
    position, size = frame_around([rects["in"]])
    around = replace(FRAME, position=position, size=size)
    assert inside(around, rects) == ("in",)


def test_that_frames_and_notes_follow_a_new_layout() -> None:
    graph = apply(MoveNodes(positions={"relu": (200.0, 0.0)}), annotated())
    graph = apply(MoveNodes(positions={"x": (-900.0, 0.0), "output": (900.0, 0.0)}), graph)
    changed = {new.id: new for new in following(graph, {"linear": (0.0, 500.0)}, {})}
    assert changed["note.1"].position == (0.0, 500.0)
    assert changed["frame.1"].position[0] == -24.0
    assert changed["frame.1"].size[1] > 500.0
    assert following(graph, {}, {}) != ()  # it closes around what is in it
    assert following(Graph(annotations={"note.1": NOTE}), {}, {}) == ()


def test_that_ids_are_the_smallest_that_are_free() -> None:
    assert free_annotation_id(AnnotationKind.NOTE, annotated().annotations) == "note.2"


def test_that_a_note_covers_nothing_and_is_as_near_as_it_can_be() -> None:
    rows = [(0.0, 100.0 * row, 180.0, 60.0) for row in range(4)]
    size = (200.0, 90.0)
    assert place_of_note(size, rows[0], rows) == (0.0, -110.0)
    assert place_of_note(size, rows[1], rows) == (0.0, -110.0)
    assert place_of_note(size, rows[3], rows) == (0.0, 380.0)
    assert place_of_note(size, (300.0, 100.0, 180.0, 60.0), rows) == (300.0, -10.0)
