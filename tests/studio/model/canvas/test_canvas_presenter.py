"""The graph as the canvas shows it: only what changed is made anew."""

import random

import msgspec
import pytest

from engine.diagnostics import Diagnostic, Severity
from engine.graph.analysis import Analysis, NodeReport, TensorType
from engine.graph.edit.edits import (
    Disconnect,
    MoveNodes,
    RemoveNodes,
    RenameNode,
    SetParam,
    apply,
)
from engine.graph.model import Graph
from engine.graph.node_state.freezing import FreezeNodes
from studio.model.canvas.presenter import CanvasPresenter
from tests.engine.graph.builder import add, model, wire
from widgets.canvas.view_model import CanvasView

pytestmark = pytest.mark.usefixtures("qapp")

GRAPH = model((4,), ("Linear", {"out_features": 3}, "first"), ("ReLU", {}, "second"))


def analysed(graph: Graph, width: int = 3) -> Analysis:
    """Return what an analysis of a graph could have found, as new objects."""
    types = {"output": TensorType(shape=("N", width), dtype="float32")}
    return Analysis(nodes={key: NodeReport(outputs=dict(types)) for key in graph.nodes})


def test_that_an_equal_answer_gives_the_very_same_view():
    presenter = CanvasPresenter()
    view = presenter.present(GRAPH, analysed(GRAPH), (), "en")
    assert presenter.present(GRAPH, analysed(GRAPH), (), "en") is view


def test_that_an_edit_makes_only_the_views_anew_that_it_touches():
    presenter = CanvasPresenter()
    before = presenter.present(GRAPH, analysed(GRAPH), (), "en")
    graph = apply(RenameNode(id="first", name="other"), GRAPH)
    after = presenter.present(graph, analysed(graph), (), "en")
    same = [a is b for a, b in zip(before.nodes, after.nodes, strict=True)]
    assert same == [node != "first" for node in GRAPH.nodes]
    assert before.wires == after.wires
    kept = [a is b for a, b in zip(before.wires, after.wires, strict=True)]
    assert kept == [wire.target != "first" for wire in after.wires]


def test_that_another_language_says_everything_anew():
    presenter = CanvasPresenter()
    english = presenter.present(GRAPH, Analysis(), (), "en")
    chinese = presenter.present(GRAPH, Analysis(), (), "zh_CN")
    assert english.nodes[1].summary != chinese.nodes[1].summary


def test_that_sizes_are_written_with_crosses_and_axes_with_commas():
    kernel = ("MaxPool2d", {"kernel_size": (2, 3)}, "pool")
    graph = model((1, 8, 8), kernel, ("permute", {"dims": (0, 2, 3, 1)}, "turned"))
    nodes = CanvasPresenter().present(graph, Analysis(), (), "en").nodes
    shown = {node.id: node.subtitle for node in nodes}
    assert (shown["pool"], shown["turned"]) == ("MaxPool2d  2×3", "permute  0, 2, 3, 1")


@pytest.mark.parametrize("seed", range(8))
def test_that_what_is_kept_is_what_would_be_made_anew(seed):
    rng, presenter, graph = random.Random(seed), CanvasPresenter(), GRAPH
    earlier = [GRAPH]
    for _ in range(40):
        ids = list(graph.nodes)
        chosen = rng.choice(ids) if ids else ""
        match rng.randrange(7) if ids else 6:
            case 0:
                graph = apply(MoveNodes(positions={chosen: (rng.random(), 1.0)}), graph)
            case 1:
                graph = apply(RemoveNodes(ids=(chosen,)), graph)
            case 2 if graph.edges:
                graph = apply(Disconnect(edges=(rng.choice(graph.edges),)), graph)
            case 3:
                graph, node = add(graph, "ReLU")
                graph = (
                    wire(graph, chosen, node.id) if graph.nodes[chosen].type != "Output" else graph
                )
            case 4 if graph.nodes[chosen].type == "Linear":
                graph = apply(
                    SetParam(id=chosen, name="out_features", value=rng.randrange(1, 9)), graph
                )
            case 5:
                graph = apply(RenameNode(id=chosen, name=f"name_{rng.randrange(10**6)}"), graph)
            case _:
                graph = rng.choice(earlier)
        earlier.append(graph)
        analysis = analysed(graph, rng.randrange(3)) if rng.random() < 0.7 else Analysis()
        problems = tuple(
            Diagnostic(
                code="G023", severity=severity, node=node, params={"name": node, "port": "x"}
            )
            for node, severity in zip(
                rng.sample([*graph.nodes], len(graph.nodes)), Severity, strict=False
            )
        )
        kept = presenter.present(graph, analysis, problems, "en")
        made = CanvasPresenter().present(msgspec.structs.replace(graph), analysis, problems, "en")
        assert kept == made


@pytest.mark.row("S047", "S048")
def test_that_wires_are_cut_into_a_detach_and_behind_frozen_layers_only():
    layers = [("Linear", {"out_features": 3}, name) for name in ("one", "two", "three")]
    graph = model((4,), layers[0], ("detach", {}, "stop"), *layers[1:])
    presenter = CanvasPresenter()
    assert marked(presenter.present(graph, analysed(graph), (), "en")) == {("one", "stop")}
    frozen = apply(FreezeNodes(ids=("two",)), graph)
    view = presenter.present(frozen, analysed(frozen), (), "en")
    assert marked(view) == {("one", "stop"), ("two", "three")}
    cut = next(wire for wire in view.wires if wire.target == "stop")
    assert cut.label == "✂ N×3"
    assert cut.detail == "float32\nNo gradient flows back through this wire."
    again = presenter.present(frozen, analysed(frozen), (), "en")
    assert all(a is b for a, b in zip(view.wires, again.wires, strict=True))
    everything = apply(FreezeNodes(ids=("one", "three")), frozen)
    assert marked(presenter.present(everything, Analysis(), (), "en")) == {("one", "stop")}


@pytest.mark.row("S048")
def test_that_layers_frozen_between_trained_ones_cut_nothing():
    layers = [("Linear", {"out_features": 3}, name) for name in ("one", "two", "three")]
    graph = apply(FreezeNodes(ids=("two",)), model((4,), *layers))
    assert not marked(CanvasPresenter().present(graph, analysed(graph), (), "en"))


def marked(view: CanvasView) -> set[tuple[str, str]]:
    return {(wire.source, wire.target) for wire in view.wires if wire.severity == "hint"}
