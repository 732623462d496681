"""The Inspect workspace: a captured graph in the window, in step with the canvas."""

import threading

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QPoint, Qt, QTimer
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QComboBox, QFileDialog, QToolTip

from engine.events import CaptureGraph, GraphCaptured, RunEnded, RunStarted, StepDone
from engine.graph.edit.block_edits import GroupNodes
from engine.graph.edit.edits import apply
from engine.graph.model import Graph
from engine.runs.folder import CommandReader, RunFolder
from engine.runs.record.autograd_graph import (
    AutogradGraph,
    AutogradNode,
    BackwardCall,
    Reading,
    SavedValue,
    TensorMeta,
)
from engine.runs.record.graph_files import write_graph
from engine.runs.record.journal import RunJournal
from studio.inspect.graph.controller import AutogradController
from studio.inspect.graph.details import present_details
from studio.inspect.graph.page import GraphPage
from studio.inspect.graph.presenter import LOSS, Zoom, find_nodes, present_autograd
from tests.each import for_each
from tests.engine.graph.builder import model
from tests.named_parts import part_of_kind
from widgets.canvas.minimap import Minimap
from widgets.canvas.navigation import zoom_to
from widgets.canvas.scene import Scene
from widgets.canvas.view_model import CanvasView, NodeView


def layers(graph: Graph) -> list[str]:
    return [node.id for node in graph.nodes.values() if node.type == "Linear"]


def captured(graph: Graph) -> AutogradGraph:
    """Return the loss, then a Function with a weight for each layer."""
    names = layers(graph)[::-1]
    nodes = [AutogradNode(id="0", name="NllLossBackward0", outputs=(TensorMeta((), "float32"),))]
    edges: list[tuple[str, str, int]] = []
    last = "0"
    for name in names:
        weight = SavedValue(
            name="mat2",
            tensor=TensorMeta((4, 3), "float32"),
            size=48,
            version=2,
            expected=2,
            storage=len(nodes),
        )
        function = AutogradNode(
            id=f"{name}-f",
            name="AddmmBackward0",
            place=name,
            layer=name,
            sequence=len(nodes),
            outputs=(TensorMeta((2, 4), "float32"),),
            saved=(weight,),
        )
        leaf = AutogradNode(
            id=f"{name}-w",
            name="AccumulateGrad",
            parameter=f"{name}.weight",
            outputs=(TensorMeta((4, 3), "float32"),),
        )
        nodes += [function, leaf]
        edges += [(last, function.id, 0), (function.id, leaf.id, 0)]
        last = function.id
    calls = tuple(
        BackwardCall(
            id=node.id,
            start_s=number * 1e-4,
            took_s=10.0**-number,
            arrived=(Reading(10.0**number, (10.0**number,)),),
        )
        for number, node in enumerate(nodes)
    )
    return AutogradGraph(nodes=tuple(nodes), edges=tuple(edges), roots=("0",), calls=calls)


def tell(run: RunFolder, *events) -> None:
    journal = RunJournal(run.path)
    for event in events:
        journal.append(event)
    journal.commit()
    journal.close()


def started() -> RunStarted:
    return RunStarted(pid=1, device="cpu", threads=1, epochs=2, steps_per_epoch=3, parameters=5)


def keep(run: RunFolder, step: int) -> GraphCaptured:
    graph = captured(run.document.graph)
    path = write_graph(run.artefacts, step, graph)
    file = path.relative_to(run.artefacts).as_posix()
    return GraphCaptured(step=step, file=file, functions=len(graph.nodes), edges=len(graph.edges))


@pytest.fixture
def run(opened) -> RunFolder:
    session = opened.session
    folder = RunFolder.create(session.project.path, session.graph, session.spec, "first")
    tell(
        folder,
        started(),
        keep(folder, 1),
        keep(folder, 7),
        RunEnded(reason="stopped", step=9, epoch=1),
    )
    return folder


@pytest.fixture
def page(opened, run, qtbot) -> GraphPage:
    """Return the Inspect workspace, in front, with a graph."""
    opened.window.show_workspace("inspect")
    found = opened.window.findChild(GraphPage)
    opened.services.runs.follow(run)
    qtbot.waitUntil(lambda: bool(found.graph.scene.nodes))
    return found


def click(page: GraphPage, node: str, qtbot, *, twice: bool = False) -> None:
    item = page.graph.scene.nodes[node]
    place = page.graph.viewport.pixel_rect(item.rect()).center()
    pixel = QPoint(round(place.x()), round(place.y()))
    qtbot.mouseClick(page.graph, Qt.MouseButton.LeftButton, pos=pixel)
    if twice:
        qtbot.mouseDClick(page.graph, Qt.MouseButton.LeftButton, pos=pixel)


def cells(page: GraphPage) -> dict[str, str]:
    return {str(row.cells[0]): str(row.cells[1]) for row in page.details.model.table.rows}


def test_that_without_a_run_the_page_offers_to_train_and_capture(opened, qtbot):
    opened.window.show_workspace("inspect")
    page = opened.window.findChild(GraphPage)
    qtbot.waitUntil(page.empty.isVisible)
    assert page.empty.button.text() == "Train and capture step"
    assert not page.graph.isVisible()


def test_that_what_is_asked_for_is_not_offered_again_while_its_run_waits(
    opened, qtbot, monkeypatch
):
    opened.window.show_workspace("inspect")
    page = opened.window.findChild(GraphPage)
    qtbot.waitUntil(page.empty.isVisible)
    monkeypatch.setattr("studio.run_control.controller.RunController.is_waiting", True)
    monkeypatch.setattr("studio.run_control.controller.RunController.start", lambda _: None)
    qtbot.mouseClick(page.empty.button, Qt.MouseButton.LeftButton)
    opened.session.run_changed.emit()
    assert not page.empty.button.isVisible()


@pytest.mark.row("N01", "S039", "S042")
def test_that_a_captured_graph_is_shown_with_every_function(page, run):
    graph = captured(run.document.graph)
    assert len(page.graph.scene.nodes) == len(graph.nodes)
    assert len(page.graph.scene.wires) == len(graph.edges)
    assert "Functions" in page.summary.text()
    assert page.zoom.currentData() == "functions"
    assert [page.steps.itemText(i) for i in range(page.steps.count())] == ["Step 7", "Step 1"]


def test_that_the_graph_of_another_run_is_shown_whole(page, opened, run, qtbot):
    zoom_to(page.graph, 3.0)
    session = opened.session
    other = RunFolder.create(session.project.path, session.graph, session.spec, "second")
    tell(other, started(), keep(other, 2), RunEnded(reason="stopped", step=2, epoch=1))
    opened.services.runs.follow(other)
    qtbot.waitUntil(lambda: page.steps.itemText(0) == "Step 2")
    qtbot.waitUntil(lambda: page.graph.viewport.scale < 3.0)
    seen = page.graph.viewport.scene_rect(page.graph.rect())
    assert seen.contains(page.graph.scene.bounds())


def test_that_another_picture_is_laid_out_outside_of_qts_thread(page, qtbot, monkeypatch):
    laid: list[bool] = []
    made = Scene.of

    def noted(view: CanvasView) -> Scene:
        if any(node.id == LOSS for node in view.nodes):  # no other canvas of the window
            laid.append(threading.current_thread() is threading.main_thread())
        return made(view)

    monkeypatch.setattr(Scene, "of", noted)
    choose(page.zoom, "blocks")
    qtbot.waitUntil(lambda: LOSS in page.graph.scene.nodes)
    choose(page.colour, "memory")  # the same picture in other colours
    qtbot.waitUntil(page.legend.isVisible)
    assert laid == [False]


def test_that_a_click_on_a_function_tells_what_it_keeps_and_selects_its_node(page, opened, qtbot):
    name = layers(opened.session.graph)[0]
    click(page, f"f{name}-f", qtbot)
    told = cells(page)
    assert told["Function"] == "AddmmBackward0"
    assert told["_saved_mat2"].startswith("4×3 float32")
    assert "version 2" in told["_saved_mat2"]
    assert f"AccumulateGrad ({name}.weight), 0  4×3 float32" in told["next_functions"]
    assert told["Vector-Jacobian product"].startswith("∂b = β·ΣG")
    assert told["Second backward pass"].startswith("works")
    assert opened.bench.model_page.canvas.selected_nodes() == (name,)


@pytest.mark.row("N01")
def test_that_an_edge_tells_the_number_of_the_output_its_shape_and_dtype() -> None:
    twice = AutogradNode(id="a", name="AddBackward0", outputs=(TensorMeta((2,), "float64"),))
    parts = tuple(TensorMeta((2, size), "float64") for size in (3, 4))
    split = AutogradNode(id="b", name="SplitBackward0", outputs=parts)
    weight = AutogradNode(id="c", name="AccumulateGrad", outputs=(TensorMeta((2, 7), "float64"),))
    edges = (("a", "b", 1), ("a", "b", 0), ("b", "c", 0))
    graph = AutogradGraph(nodes=(twice, split, weight), edges=edges, roots=("a",))
    wires = present_autograd(graph, Graph(), Zoom.FUNCTIONS).canvas.wires
    assert [(wire.label, wire.detail) for wire in wires] == [
        ("1: 2×4", "float64, output 0, 1 of forward"),
        ("2×7", "float64, output 0 of forward"),
    ]


@pytest.mark.row("S043", "S050")
def test_that_a_function_that_backward_fails_at_is_marked() -> None:
    saved = SavedValue(name="self", tensor=TensorMeta((2,), "float32"), version=1)
    nodes = (
        AutogradNode(id="0", name="ExpBackward0", saved=(saved,)),
        AutogradNode(id="1", name="MulBackward0", is_freed=True),
        AutogradNode(id="2", name="AccumulateGrad"),
    )
    failed = AutogradGraph(nodes=nodes, edges=(("0", "1", 0), ("1", "2", 0)), roots=("0",))
    over = replace(failed, calls=(BackwardCall(id="0", start_s=0.0, took_s=0.0),))
    for graph, marks in ((failed, ["error", "warning", None]), (over, ["error", None, None])):
        shown = present_autograd(graph, Graph(), Zoom.FUNCTIONS).canvas.nodes
        assert [node.severity for node in shown] == marks
        assert all(bool(node.problem) == bool(node.severity) for node in shown)


@pytest.mark.row("N01")
def test_that_details_tell_the_loss_the_file_of_own_code_and_what_a_hook_keeps() -> None:
    packed = SavedValue(name="self", text="_Holder", is_packed=True)
    nodes = (
        AutogradNode(id="0", name="NllLossBackward0"),
        AutogradNode(id="1", name="SinBackward0", file="layers.py", line=11, saved=(packed,)),
    )
    graph = AutogradGraph(nodes=nodes, edges=(("0", "1", 0),), roots=("0",))
    told = [
        {row.cells[0]: row.cells[1] for row in present_details(graph, [key], Graph()).rows}
        for key in ("0", "1")
    ]
    assert told[0]["Node"] == "Loss"
    assert told[1]["Line of code"] == "layers.py:11"
    assert "Node" not in told[1]
    by_hook = "_Holder, saved by a hook that returns the tensor during backward"
    assert told[1]["_saved_self"] == by_hook


@pytest.mark.row("S002")
def test_that_a_next_function_in_the_details_leads_there(page, opened, qtbot):
    name = layers(opened.session.graph)[0]
    click(page, f"f{name}-f", qtbot)
    row = next(row.id for row in page.details.model.table.rows if row.cells[0] == "next_functions")
    page.details.row_activated.emit(row)
    assert page.graph.selected_nodes() == (f"f{name}-w",)
    assert cells(page)["Parameter"] == f"{name}.weight"


def shown(page: GraphPage) -> dict[str, NodeView]:
    return {key: item.view for key, item in page.graph.scene.nodes.items()}


@pytest.mark.row("N01")
def test_that_colours_tell_norm_time_and_memory_with_a_scale(page, opened, qtbot):
    last = layers(opened.session.graph)[-1]
    choose(page.colour, "norm")
    qtbot.waitUntil(lambda: shown(page)["f0"].color == "heat0")
    assert shown(page)["f0"].badge == "1"
    assert "Gradient norm: 1" in shown(page)["f0"].badge_detail
    assert page.legend.isVisible()
    assert page.legend.accessibleName().startswith("Gradient norm: ≤ 100 – ")
    choose(page.colour, "time")
    qtbot.waitUntil(lambda: shown(page)["f0"].color == "heat5")
    assert shown(page)["f0"].badge == "1e+03 ms"
    choose(page.colour, "memory")
    qtbot.waitUntil(lambda: shown(page)[f"f{last}-f"].badge == "48 B")
    assert shown(page)[f"f{last}-f"].color == "heat5"
    assert shown(page)["f0"].color == "gray"  # it keeps nothing
    choose(page.colour, "none")
    qtbot.waitUntil(lambda: not page.legend.isVisible())


def choose(combo: QComboBox, value: object) -> None:
    combo.setCurrentIndex(combo.findData(value))


def test_that_seconds_between_captures_can_be_chosen(page):
    choose(page.every, 10)
    controller = page.findChild(AutogradController)
    assert 10_000 in [timer.interval() for timer in controller.findChildren(QTimer)]


@for_each("kind", ["svg", "png", "pdf", "dot", "json"])
def test_that_the_graph_is_exported_as_picture_and_as_text(page, opened, qtbot, tmp_path, kind):
    qtbot.mouseClick(page.export, Qt.MouseButton.LeftButton)
    dialog = opened.window.findChild(QFileDialog, "dialog.save_graph")
    dialog.fileSelected.emit(str(tmp_path / f"graph.{kind}"))
    dialog.close()
    content = (tmp_path / f"graph.{kind}").read_bytes()
    begins = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF", "dot": b"digraph", "json": b"{"}
    assert content.startswith(begins[kind])
    if kind in {"dot", "json"}:
        assert content.count(b"AccumulateGrad") == len(layers(opened.session.graph))


def test_that_a_file_of_another_kind_is_not_written(page, opened, qtbot, tmp_path):
    qtbot.mouseClick(page.export, Qt.MouseButton.LeftButton)
    dialog = opened.window.findChild(QFileDialog, "dialog.save_graph")
    dialog.fileSelected.emit(str(tmp_path / "graph.txt"))
    dialog.close()
    assert any(".dot or .json" in line.text for line in opened.notifications.lines)
    assert not (tmp_path / "graph.txt").exists()


def test_that_a_map_shows_where_one_is_in_a_large_graph(page):
    assert not part_of_kind(page.graph, Minimap).isVisible()
    zoom_to(page.graph, 2.0)
    assert part_of_kind(page.graph, Minimap).isVisible()


def test_that_the_tip_at_a_port_is_that_of_its_node(page, monkeypatch):
    tips: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _place, text, _widget: tips.append(text))
    item = page.graph.scene.nodes["f0"]
    pixel = page.graph.viewport.to_pixel(item.port_point("gradient", is_output=True)).toPoint()
    event = QHelpEvent(QEvent.Type.ToolTip, pixel, page.graph.mapToGlobal(pixel))
    QApplication.sendEvent(page.graph, event)
    assert "NllLossBackward0" in tips[0]
    assert "connect" not in tips[0]


def test_that_a_node_chosen_on_the_canvas_is_chosen_in_the_graph(page, opened):
    name = layers(opened.session.graph)[1]
    opened.bench.model_page.canvas.select((name,))
    assert page.graph.selected_nodes() == (f"f{name}-f", f"f{name}-w")


def test_that_another_zoom_shows_the_whole_graph_whatever_is_chosen(page, opened, qtbot):
    name = layers(opened.session.graph)[-1]
    opened.bench.model_page.canvas.select((name,))
    page.zoom.setCurrentIndex(page.zoom.findData("layers"))
    graph = page.graph
    qtbot.waitUntil(lambda: graph.selected_nodes() == (name,))
    assert graph.viewport.scene_rect(graph.rect()).contains(graph.scene.bounds())


def test_that_layers_are_groups_that_open_and_close(page, opened, qtbot):
    name = layers(opened.session.graph)[0]
    page.zoom.setCurrentIndex(page.zoom.findData("layers"))
    qtbot.waitUntil(lambda: set(page.graph.scene.nodes) == {LOSS, *layers(opened.session.graph)})
    click(page, name, qtbot, twice=True)
    qtbot.waitUntil(lambda: f"f{name}-w" in page.graph.scene.nodes)
    assert name not in page.graph.scene.nodes
    page.graph.node_activated.emit(f"f{name}-w")
    qtbot.waitUntil(lambda: name in page.graph.scene.nodes)


def test_that_the_search_lights_up_what_fits_and_enter_goes_through_it(page, opened, qtbot):
    name = layers(opened.session.graph)[0]
    qtbot.keyClicks(page.search, f"{name}.weight")
    assert page.graph.look.matches == frozenset({f"f{name}-w"})
    qtbot.keyClick(page.search, Qt.Key.Key_Return)
    assert page.graph.selected_nodes() == (f"f{name}-w",)
    page.search.clear()
    assert page.graph.look.matches is None


def test_that_an_earlier_step_can_be_chosen_and_stays(page, opened, run, qtbot):
    page.step_chosen.emit(page.steps.itemData(1))
    opened.session.run_changed.emit()  # as with every event of a run
    qtbot.waitUntil(lambda: page.steps.currentText() == "Step 1")
    opened.session.run_changed.emit()
    assert page.steps.currentText() == "Step 1"


def test_that_capturing_asks_the_run_for_its_next_step(opened, qtbot, monkeypatch):
    session = opened.session
    run = RunFolder.create(session.project.path, session.graph, session.spec, "live")
    tell(run, started())
    monkeypatch.setattr("studio.run_control.controller.RunController.is_running", True)
    opened.window.show_workspace("inspect")
    page = opened.window.findChild(GraphPage)
    opened.services.runs.follow(run)
    qtbot.waitUntil(lambda: session.run is not None)
    assert page.empty.button.text() == "Capture step"
    qtbot.mouseClick(page.empty.button, Qt.MouseButton.LeftButton)
    assert CaptureGraph() in CommandReader(run.commands_path).poll()
    assert not page.empty.button.isVisible()  # what it offered is under way
    tell(run, keep(run, 4))
    qtbot.waitUntil(lambda: bool(page.graph.scene.nodes))
    assert page.steps.currentText() == "Step 4"


def test_that_a_broken_file_is_told_and_the_graph_before_stays(page, run, opened, qtbot):
    before = set(page.graph.scene.nodes)
    broken = run.artefacts / "autograd" / "000000001.graph"
    broken.write_bytes(b"\x00")
    page.step_chosen.emit(str(broken))
    qtbot.waitUntil(
        lambda: any("000000001.graph" in line.text for line in opened.notifications.lines)
    )
    assert set(page.graph.scene.nodes) == before


@pytest.mark.row("N19")
def test_that_blocks_layers_and_operators_are_three_zooms_of_one_graph() -> None:
    add = "aten::add"
    inside = AutogradNode(id="1", name="AddBackward0", operator=add, place="block/add")
    other = AutogradNode(id="2", name="MulBackward0", place="block/mul")
    graph = AutogradGraph(nodes=(inside, other), edges=(("1", "2", 0),), roots=("1",))
    assert set(present_autograd(graph, Graph(), Zoom.BLOCKS).members) == {"block"}
    assert set(present_autograd(graph, Graph(), Zoom.LAYERS).members) == {"block/add", "block/mul"}
    operators = present_autograd(graph, Graph(), Zoom.FUNCTIONS)
    assert set(operators.members) == {"f1", "f2"}
    assert [(node.title, node.subtitle) for node in operators.canvas.nodes] == [
        ("add", "AddBackward0"), ("Mul", "MulBackward0"),
    ]  # fmt: skip


def test_that_a_block_has_its_own_category_not_that_of_what_ran_last_in_it() -> None:
    layered = model((4,), ("Linear", {"out_features": 3}, "first"), ("ReLU", {}, "act"))
    ids = tuple(node.id for node in layered.nodes.values() if node.type in {"Linear", "ReLU"})
    grouped = apply(GroupNodes(ids=ids, name="Part"), layered)
    block = next(key for key, node in grouped.nodes.items() if node.type == "block.Part")
    inside = AutogradNode(id="1", name="ReluBackward0", place=f"{block}/act")
    other = AutogradNode(id="2", name="AddmmBackward0", place=f"{block}/first")
    graph = AutogradGraph(nodes=(inside, other), edges=(("1", "2", 0),), roots=("1",))
    (view,) = present_autograd(graph, grouped, Zoom.BLOCKS).canvas.nodes
    assert view.category == "Block"
    shown = present_autograd(graph, grouped, Zoom.LAYERS)
    names = {node.title: node.subtitle for node in shown.canvas.nodes}
    assert names == {"act": "part · ReluBackward0", "first": "part · AddmmBackward0"}
    assert find_nodes(shown, graph, grouped, "part/act") == [f"{block}/act"]


def test_that_a_node_of_the_graph_is_found_by_its_title_too() -> None:
    mean = AutogradNode(id="0", name="MeanBackward0")
    graph = AutogradGraph(nodes=(mean,), edges=(), roots=("0",))
    view = present_autograd(graph, Graph(), Zoom.LAYERS)
    assert [node.title for node in view.canvas.nodes] == ["Loss"]
    found = {
        text: find_nodes(view, graph, Graph(), text) for text in (" loss", "mean", "conv", " ")
    }
    assert found == {" loss": [LOSS], "mean": [LOSS], "conv": [], " ": []}


@pytest.mark.row("N23")
def test_that_the_page_says_how_often_live_captures_come_where_the_limit_puts_them_off(
    page, opened, qtbot, monkeypatch
):
    session = opened.session
    run = RunFolder.create(session.project.path, session.graph, session.spec, "dear")
    graph = keep(run, 1)
    tell(run, started(), graph, StepDone(step=1, epoch=0, steps_per_s=5, graph_rest_s=11.4))
    monkeypatch.setattr("studio.run_control.controller.RunController.is_running", True)
    opened.services.runs.follow(run)
    qtbot.waitUntil(lambda: session.run is not None and session.run.state.graph_rest_s > 11)
    assert not page.rest.isVisible()
    page.live.setChecked(True)
    assert page.rest.isVisible()
    assert page.rest.text() == "currently every 12 s"
    page.every.setCurrentIndex(page.every.findData(30))
    assert not page.rest.isVisible()
    tell(run, StepDone(step=2, epoch=0, steps_per_s=5, graph_rest_s=31))
    qtbot.waitUntil(page.rest.isVisible)
    page.live.setChecked(False)
    assert not page.rest.isVisible()
