"""The inspector tells what stands where in a tensor."""

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QLabel, QPushButton

from engine.graph.model import Edge, Graph
from engine.model.analysis import analyse
from studio.model.inspector.dock import Inspector
from studio.model.inspector.presenter import InspectorView, present_inspector
from studio.session.findings import Findings
from tests.engine.graph.builder import add, model, wire


def facts(graph: Graph, node: str) -> list[tuple[str, str]]:
    view = present_inspector(graph, [node], Findings(analysis=analyse(graph)), "en")
    return list(view.facts)


@pytest.mark.row("S024")
def test_that_the_letters_of_an_einsum_are_told_with_their_sizes():
    graph = model((4, 5), ("einsum", {"equation": "bij,jk->bik"}, "made"))
    graph, _ = add(graph, "Parameter", "w", shape=(5, 6), fill="ones")
    graph = wire(graph, "w", "made.operands.1")
    found = facts(graph, "made")
    assert found[:4] == [
        ("→ operands.0", "N×4×5 float32"),
        ("bij", "b = N, i = 4, j = 5"),
        ("→ operands.1", "5×6 float32"),
        ("jk", "j = 5, k = 6"),
    ]
    assert found[-2:] == [("output →", "N×4×6 float32"), ("bik", "b = N, i = 4, k = 6")]


@pytest.mark.row("S016")
def test_that_the_order_of_a_permute_is_shown_with_the_axes_that_arrive():
    graph = model((4, 5), ("permute", {"dims": (0, 2, 1)}))
    view = present_inspector(graph, ["permute"], Findings(analysis=analyse(graph)), "en")
    (field,) = view.form.groups[0].fields
    assert (field.text, field.axes) == ("0, 2, 1", ("N", "4", "5"))


@pytest.mark.row("S017")
def test_that_what_is_not_contiguous_is_told():
    graph = model((4, 5), ("transpose", {"dim0": 1, "dim1": 2}), ("contiguous", {}))
    assert ("output →", "N×5×4 float32, not contiguous") in facts(graph, "transpose")
    assert ("output →", "N×5×4 float32") in facts(graph, "contiguous")


@pytest.mark.row("S017")
def test_that_contiguous_is_one_click_away_until_it_is_there():
    swap = ("transpose", {"dim0": 1, "dim1": 2})

    def scattered(*specs):
        graph = model((4, 5), swap, *specs)
        found = Findings(analysis=analyse(graph))
        return present_inspector(graph, ["transpose"], found, "en").scattered

    def with_stray_wire():
        graph = model((4, 5), swap, ("contiguous", {}))
        lost = Edge(source="transpose", source_port="output", target="nosuch", target_port="input")
        wires = tuple(edge for edge in graph.edges if edge.source != "transpose")
        graph = replace(graph, edges=(*wires, lost))
        found = Findings(analysis=analyse(graph))
        return present_inspector(graph, ["transpose"], found, "en").scattered

    assert scattered(("relu", {})) == "output"
    assert with_stray_wire() == "output"
    assert scattered(("contiguous", {}), ("relu", {})) == ""


@pytest.mark.row("S017")
def test_that_the_click_puts_contiguous_behind_the_selected_node(opened, qtbot):
    inspector = opened.window.findChild(Inspector, "inspector")
    button = inspector.findChild(QPushButton, "inspector.contiguous")
    assert button.isHidden()
    opened.session.selection = ("relu1",)
    inspector.set_view(InspectorView(key="relu1", scattered="output", is_editable=True))
    assert not button.isHidden()
    button.click()
    sources = {edge.target: edge.source for edge in opened.session.level.edges}
    assert (sources["contiguous"], sources["hidden2"]) == ("relu1", "contiguous")


@pytest.mark.row("S076")
def test_that_buffers_are_counted_apart_from_parameters():
    graph = model((4,), ("mul", {}, "scaled"))
    graph, _ = add(graph, "Buffer", "mask", shape=(4,), fill="ones")
    graph = wire(graph, "mask", "scaled.other")
    assert facts(graph, "mask") == [("output →", "4 float32"), ("Buffers", "4")]


@pytest.mark.row("S068")
@pytest.mark.parametrize(("is_first", "steps"), [(True, "9"), (False, "N")])
def test_that_a_recurrent_layer_tells_what_its_memory_grows_with(is_first, steps):
    graph = model((9, 5), ("LSTM", {"hidden_size": 6, "batch_first": is_first}, "lstm"))
    found = Findings(analysis=analyse(graph))
    assert f"all {steps} time steps" in present_inspector(graph, ["lstm"], found, "en").note
    assert present_inspector(graph, ["lstm"], Findings(), "en").note == ""


@pytest.mark.row("S088")
def test_that_an_input_says_that_the_batch_axis_comes_by_itself(opened, qtbot):
    note = opened.window.findChild(QLabel, "inspector.note")
    canvas = opened.bench.model_page.canvas
    canvas.select(("image",))
    qtbot.waitUntil(lambda: not note.isHidden() and "a batch of size 1" in note.text())
    canvas.select(("relu1",))
    qtbot.waitUntil(note.isHidden)
