"""Playing a recorded backward pass, in the window and as plain values."""

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt

from engine.graph.edit.edits import apply
from engine.graph.model import Edge, Graph, Node
from engine.graph.node_state.freezing import FreezeNodes
from engine.runs.folder import RunFolder
from engine.runs.record.autograd_graph import (
    AutogradGraph,
    AutogradNode,
    BackwardCall,
    CutPart,
    Reading,
)
from studio.inspect.graph.backward import Playback, reading_text
from studio.inspect.graph.colour import Colouring, coloured
from studio.inspect.graph.details import present_details
from studio.inspect.graph.presenter import (
    AutogradView,
    Zoom,
    part_of_cut,
    place_of_cut,
    present_autograd,
)
from tests.engine.graph.builder import model
from tests.studio.inspect.graph.test_autograd import (  # noqa: F401 - fixtures
    cells,
    keep,
    page,
    run,
    shown,
    started,
    tell,
)


def diamond() -> AutogradGraph:
    """Return a loss whose gradient comes to a leaf over two ways."""
    nodes = tuple(
        AutogradNode(id=key, name=name)
        for key, name in (("0", "Sum"), ("1", "Mul"), ("2", "Exp"), ("3", "AccumulateGrad"))
    )
    calls = tuple(
        BackwardCall(id=key, start_s=0.0, took_s=1e-5, arrived=(Reading(2.0),)) for key in "0123"
    )
    edges = (("0", "1", 0), ("0", "2", 0), ("1", "3", 0), ("2", "3", 0))
    return AutogradGraph(nodes=nodes, edges=edges, roots=("0",), calls=calls)


def view_of(graph: AutogradGraph) -> AutogradView:
    return present_autograd(graph, Graph(), Zoom.FUNCTIONS)


def queue_at(position: int) -> list[tuple[str, ...]]:
    graph = diamond()
    rows = Playback(graph).moment(position, view_of(graph)).queue.rows
    return [tuple(map(str, row.cells)) for row in rows]


@pytest.mark.row("S051")
def test_that_a_function_is_ready_when_all_its_gradients_have_arrived() -> None:
    assert queue_at(0) == [("Sum", "ready", "0/0")]
    assert queue_at(1) == [("Mul", "ready", "1/1"), ("Exp", "ready", "1/1")]
    assert queue_at(2) == [("Exp", "ready", "1/1"), ("AccumulateGrad", "waiting", "1/2")]
    assert queue_at(3) == [("AccumulateGrad", "ready", "2/2")]
    assert queue_at(4) == []


def test_that_nodes_are_marked_as_run_ready_and_waiting_by_text_and_colour() -> None:
    graph = diamond()
    marks = Playback(graph).moment(2, view_of(graph)).marks
    assert {key: (mark.badge, mark.color) for key, mark in marks.items()} == {
        "f0": ("✓", "green"),
        "f1": ("▶ 2", "blue"),
        "f2": ("ready", "yellow"),
        "f3": ("1/2", "gray"),  # that of its category would stand for a state
    }


def test_that_a_group_tells_how_many_of_its_functions_have_run() -> None:
    graph = diamond()
    view = AutogradView(members={"all": ("0", "1", "2", "3")})
    assert Playback(graph).moment(3, view).marks["all"].badge == "▶ 3/4"


def test_that_small_gradients_are_shown_with_their_numbers() -> None:
    assert reading_text(Reading(5.0, (3.0, -4.0))) == "norm 5  [3, -4]"
    assert reading_text(None) == "none"


def test_that_a_norm_that_is_not_finite_is_marked_as_an_error() -> None:
    graph = diamond()
    calls = (
        *graph.calls[:3],
        BackwardCall(id="3", start_s=0, took_s=0, arrived=(Reading(float("inf")),)),
    )
    broken = AutogradGraph(nodes=graph.nodes, edges=graph.edges, roots=("0",), calls=calls)
    view, _ = coloured(view_of(broken), broken, Colouring.NORM)
    found = {node.id: (node.severity, node.badge) for node in view.canvas.nodes}
    assert found["f3"] == ("error", "inf")
    assert found["f0"] == (None, "2")


def test_that_the_least_values_share_the_lowest_colour() -> None:
    graph = diamond()
    norms = (1e-9, 1.0, 100.0, 100.0)
    calls = tuple(
        BackwardCall(id=call.id, start_s=0, took_s=0, arrived=(Reading(norm),))
        for call, norm in zip(graph.calls, norms, strict=True)
    )
    wide = AutogradGraph(nodes=graph.nodes, edges=graph.edges, roots=("0",), calls=calls)
    view, legend = coloured(view_of(wide), wide, Colouring.NORM)
    assert [node.color for node in view.canvas.nodes] == ["heat0", "heat2", "heat5", "heat5"]
    assert legend is not None
    assert (legend.low, legend.high) == ("≤ 0.01", "100")


@pytest.mark.row("S225")
def test_that_nodes_show_the_forward_value_or_the_gradient_as_chosen() -> None:
    graph = diamond()
    values = ((40.0,), (8.0,), (), (5.0, 12.0))
    nodes = tuple(
        replace(node, values=(Reading(13.0 if len(few) > 1 else 40.0, few),))
        for node, few in zip(graph.nodes, values, strict=True)
    )
    told = replace(graph, nodes=nodes)
    badges = {
        colouring: [node.badge for node in coloured(view_of(told), told, colouring)[0].canvas.nodes]
        for colouring in (Colouring.VALUE, Colouring.NORM)
    }
    assert badges[Colouring.VALUE] == ["40", "8", "40", "5, 12"]
    assert badges[Colouring.NORM] == ["2", "2", "2", "2"]


def network() -> Graph:
    return model(
        (4,),
        ("Linear", {"out_features": 3}, "first"),
        ("ReLU", {}, "act"),
        ("Linear", {"out_features": 2}, "head"),
    )


def of_head(graph: Graph) -> dict[str, tuple[str, str]]:
    captured = AutogradGraph(
        nodes=(AutogradNode(id="0", name="AddmmBackward0", place="head", sequence=1),),
        edges=(),
        roots=("0",),
    )
    view = present_autograd(captured, graph, Zoom.LAYERS)
    return {
        f"{wire.source} {wire.target}": (wire.label, wire.severity or "")
        for wire in view.canvas.wires
    }


@pytest.mark.row("S048", "N10")
def test_that_a_frozen_beginning_is_grey_beyond_a_cut() -> None:
    graph = apply(FreezeNodes(ids=("first",)), network())
    wires = of_head(graph)
    assert wires["head cut:act"] == ("✂ no gradient", "hint")
    assert wires["cut:act cut:first"] == ("", "")


@pytest.mark.row("N01")
def test_that_a_cut_begins_at_the_function_that_reads_what_has_no_gradient() -> None:
    nodes = (
        AutogradNode(id="0", name="AddmmBackward0", place="head", sequence=2, constants=1),
        AutogradNode(id="1", name="TBackward0", place="head", sequence=1),
    )
    captured = AutogradGraph(
        nodes=nodes, edges=(("0", "1", 0),), roots=("0",), unreached=("first.weight",)
    )
    view = present_autograd(captured, network(), Zoom.FUNCTIONS).canvas
    assert [wire.source for wire in view.wires if wire.target == "cut:act"] == ["f0"]


@pytest.mark.row("N01")
def test_that_a_beginning_without_weights_is_not_beyond_a_cut() -> None:
    captured = AutogradGraph(
        nodes=(AutogradNode(id="0", name="AddmmBackward0", place="head", sequence=1),),
        edges=(),
        roots=("0",),
        unreached=(),
    )
    assert not present_autograd(captured, network(), Zoom.LAYERS).canvas.wires
    held = replace(captured, unreached=("first.weight",))
    assert len(present_autograd(held, network(), Zoom.LAYERS).canvas.wires) == 2


@pytest.mark.row("S047")
def test_that_a_detach_is_a_cut_where_the_canvas_goes_on() -> None:
    graph = network()
    before = next(edge for edge in graph.edges if edge.target == "head")
    stop = Node(id="stop", type="detach", name="stop")
    wires_around = (
        replace(before, target="stop", target_port="input"),
        replace(before, source="stop", source_port="output"),
    )
    edges = (*(edge for edge in graph.edges if edge != before), *wires_around)
    kept = replace(graph, nodes=graph.nodes | {"stop": stop}, edges=edges)
    wires = of_head(kept)
    assert wires["head cut:stop"] == ("✂ no gradient", "hint")
    assert "cut:stop cut:act" in wires
    unread = Edge(source="head", source_port="output", target="aside", target_port="input")
    aside = Node(id="aside", type="detach", name="aside")
    nodes = kept.nodes | {"aside": aside}
    wires = of_head(replace(kept, nodes=nodes, edges=(*kept.edges, unread)))
    assert wires["cut:aside head"] == ("✂ no gradient", "hint")


@pytest.mark.row("S046", "S047", "N01")
def test_that_a_line_that_takes_values_out_of_the_graph_is_a_cut_between_functions() -> None:
    nodes = (
        AutogradNode(id="0", name="AddmmBackward0", place="head", sequence=2),
        AutogradNode(id="1", name="SubBackward0", place="act", sequence=1),
        AutogradNode(id="2", name="AddmmBackward0", place="first", sequence=0),
    )
    inside = CutPart(kind="no_grad", line=9, place="act", sources=("2",), readers=("1",))
    unread = CutPart(kind="detach", place="act", sources=("2",))
    captured = AutogradGraph(
        nodes=nodes,
        edges=(("0", "1", 0), ("1", "2", 0)),
        roots=("0",),
        cuts=(inside, unread),
    )
    text = "✂ no gradient"
    for zoom, ends in ((Zoom.FUNCTIONS, ("f1", "f2")), (Zoom.LAYERS, ("act", "first"))):
        view = present_autograd(captured, network(), zoom).canvas
        cuts = {(w.source, w.target): w.severity for w in view.wires if w.label == text}
        assert set(cuts) == {(ends[0], "part:0"), ("part:0", ends[1]), ("part:1", ends[1])}
        assert set(cuts.values()) == {"hint"}
        shown_cuts = {node.id: node.title for node in view.nodes if node.id.startswith("part:")}
        assert shown_cuts == {"part:0": "no_grad", "part:1": "detach"}
    assert place_of_cut("part:0", captured) == "act"
    told = present_details(captured, (), network(), "act").rows
    assert next(row.cells[1] for row in told) == "act"
    part = part_of_cut("part:0", captured)
    told = present_details(captured, (), network(), "act", part).rows
    assert [row.cells[1] for row in told][:3] == ["no_grad", "line 9", "act"]


def press(qtbot, button) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


@pytest.mark.row("N02", "S051")
def test_that_the_backward_pass_is_stepped_and_scrubbed_in_the_window(page, qtbot):  # noqa: F811
    bar = page.playback
    count = bar.scrubber.maximum()
    assert count == len(page.graph.scene.nodes)
    assert not page.queue.isVisible()
    press(qtbot, bar.forward)
    qtbot.waitUntil(lambda: shown(page)["f0"].badge == "▶ 1")
    assert page.queue.isVisible()
    assert page.graph.selected_nodes() == ("f0",)
    assert "NllLossBackward0" in bar.now.text()
    assert cells(page)["Incoming gradient"] == "norm 1  [1]"
    bar.scrubber.setValue(count)
    qtbot.waitUntil(lambda: shown(page)["f0"].badge == "✓")
    assert page.queue.model.rowCount() == 0
    press(qtbot, bar.back)
    qtbot.waitUntil(lambda: page.queue.model.rowCount() == 1)
    assert bar.scrubber.value() == count - 1
    press(qtbot, bar.close_button)
    qtbot.waitUntil(lambda: shown(page)["f0"].badge == "")
    assert not page.queue.isVisible()


@pytest.mark.row("N02")
def test_that_no_scale_stands_over_the_colours_of_a_pass(page, qtbot):  # noqa: F811
    page.colour.setCurrentIndex(page.colour.findData("norm"))
    qtbot.waitUntil(page.legend.isVisible)
    press(qtbot, page.playback.forward)
    qtbot.waitUntil(lambda: shown(page)["f0"].color == "blue")
    assert not page.legend.isVisible()
    assert not page.colour.isEnabled()
    press(qtbot, page.playback.close_button)
    qtbot.waitUntil(page.legend.isVisible)
    assert page.colour.isEnabled()


@pytest.mark.row("N02")
def test_that_playing_goes_through_all_calls_and_rests_at_the_end(page, qtbot):  # noqa: F811
    bar = page.playback
    bar.speed.setCurrentIndex(bar.speed.count() - 1)
    press(qtbot, bar.play)
    assert bar.play.text() == "Pause"
    qtbot.waitUntil(lambda: bar.scrubber.value() == bar.scrubber.maximum())
    qtbot.waitUntil(lambda: bar.play.text() == "Play backward")
    press(qtbot, bar.play)  # from the beginning
    press(qtbot, bar.play)
    assert bar.scrubber.value() < bar.scrubber.maximum()


@pytest.mark.row("N02")
def test_that_a_graph_that_comes_meanwhile_waits_until_the_pass_is_closed(
    page,  # noqa: F811
    run,  # noqa: F811
    opened,
    qtbot,
):
    bar = page.playback
    press(qtbot, bar.forward)
    qtbot.waitUntil(lambda: "NllLossBackward0" in bar.now.text())
    tell(run, keep(run, 8))
    opened.services.runs.follow(run)
    qtbot.waitUntil(lambda: opened.session.run.state.graph.step == 8)
    assert page.steps.currentText() == "Step 7"
    press(qtbot, bar.close_button)
    qtbot.waitUntil(lambda: page.steps.currentText() == "Step 8")
    press(qtbot, bar.forward)
    session = opened.session
    other = RunFolder.create(session.project.path, session.graph, session.spec, "second")
    tell(other, started())
    opened.services.runs.follow(other)
    qtbot.waitUntil(page.empty.isVisible)
    assert bar.scrubber.value() == 0
