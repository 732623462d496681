"""The page of the memory of a step: estimated, measured in a run, shown at the nodes."""

import re

import pytest
from PySide6.QtCore import Qt

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import MeasureMemory, MemoryMeasured, RunStarted
from engine.graph.edit.edits import SetParam, apply
from engine.graph.memory_report import MemoryReport, MemoryRow
from engine.graph.model import Graph
from engine.query.memory.request import EstimateMemory
from engine.runs.folder import CommandReader, RunFolder
from studio.inspect.memory.controller import MemoryController
from studio.inspect.memory.page import MemoryPage
from studio.inspect.memory.presenter import memory_text
from studio.view.bars import bars_of
from tests.studio.inspect.conftest import put_together
from tests.studio.inspect.graph.test_autograd import tell
from tests.tiny_run import chain, node


def report(graph: Graph, saved: int) -> MemoryReport:
    """Return a report with a row for each linear layer, each larger than the one before."""
    names = [node.id for node in graph.nodes.values() if node.type == "Linear"]
    rows = [
        MemoryRow(place=name, name=name, parameters=1000, gradients=1000, saved=saved * (at + 1))
        for at, name in enumerate(names)
    ]
    return MemoryReport(rows=tuple(rows), batch=500)


@pytest.fixture
def page(bench, host, qtbot) -> MemoryPage:
    host.own[EstimateMemory] = lambda asked: report(asked.graph, 10_000)
    made = MemoryPage()
    put_together(made, qtbot)
    MemoryController(bench, made, canvas=bench.canvas, show_node=bench.shown_nodes.append)
    made.show()
    return made


@pytest.mark.row("N12", "S294")
def test_that_the_memory_is_estimated_when_the_page_is_seen(page, bench, qtbot):
    layers = report(bench.session.graph, 1).rows
    qtbot.waitUntil(lambda: page.table.model.rowCount() == len(layers))
    assert page.table.model.table.rows[0].cells[-1] == 12_000
    assert "Fits in" in page.summary.text()
    assert "The tensors of a step need" in page.summary.text()
    shares = re.findall(r"[\d.]+", page.shares.accessibleDescription())
    assert sum(map(float, shares)) == pytest.approx(100, abs=0.1)
    page.limit.setValue(0.001)
    page.limit.setValue(0.00002)
    assert "Fits in" in page.summary.text()  # a thousandth of a gigabyte is the least
    assert page.summary.isVisible()


def test_that_a_model_with_an_error_says_why_its_memory_is_not_known(page, bench, qtbot):
    qtbot.waitUntil(lambda: page.table.model.rowCount() > 0)
    session = bench.session
    head = next(n for n in session.graph.nodes.values() if n.type == "Linear")
    told = {"name": head.name, "type": "Linear", "shapes": "N×4", "reason": "no"}
    edited = apply(SetParam(id=head.id, name="bias", value=False), session.graph)
    session.change(edited, session.spec, "edit")
    wrong = Diagnostic(code="S001", node=head.id, params=told)
    session.find(other_problems=(wrong,), is_checked=True)
    qtbot.waitUntil(lambda: page.table.model.rowCount() == 0)
    assert head.name in page.summary.text()
    mended = apply(SetParam(id=head.id, name="bias", value=True), edited)
    session.change(mended, session.spec, "mend")
    session.find(other_problems=(), is_checked=True)
    qtbot.waitUntil(lambda: page.table.model.rowCount() > 0)
    assert "Fits in" in page.summary.text()


@pytest.mark.row("N12")
def test_that_the_node_is_named_at_which_the_memory_would_be_full(page, bench, host, qtbot):
    qtbot.waitUntil(lambda: page.table.model.rowCount() > 0)
    host.own[EstimateMemory] = lambda asked: report(asked.graph, 900_000)
    qtbot.mouseClick(page.buttons["estimate"], Qt.MouseButton.LeftButton)
    page.limit.setValue(0.001)
    second = report(bench.session.graph, 1).rows[1].place
    qtbot.waitUntil(lambda: f"run out at {second}" in page.summary.text())
    assert [row.icon for row in page.table.model.table.rows] == ["", "warning", ""]


@pytest.mark.row("N12")
def test_that_bars_are_shown_at_the_nodes_and_taken_away(page, bench, qtbot):
    canvas = bench.canvas
    qtbot.waitUntil(lambda: page.table.model.rowCount() > 0)
    page.on_canvas.setChecked(True)
    largest = report(bench.session.graph, 1).rows[-1].place
    assert canvas.look.bars[largest][0] == 1.0
    page.on_canvas.setChecked(False)
    assert not canvas.look.bars


@pytest.mark.row("N12")
def test_that_a_step_of_the_run_is_measured_and_stands_beside_the_estimate(
    opened, host, qtbot, monkeypatch
):
    monkeypatch.setattr("studio.run_control.controller.RunController.is_running", True)
    host.own[EstimateMemory] = lambda asked: report(asked.graph, 10_000)
    opened.bench.actions.action("action.inspect.memory").trigger()
    page, session = opened.window.findChild(MemoryPage), opened.session
    run = RunFolder.create(session.project.path, session.graph, session.spec, "live")
    tell(run, RunStarted(pid=1, device="cpu", threads=1, epochs=2, steps_per_epoch=3, parameters=5))
    opened.services.runs.follow(run)
    qtbot.waitUntil(lambda: session.run is not None)
    qtbot.mouseClick(page.buttons["measure"], Qt.MouseButton.LeftButton)
    assert MeasureMemory() in CommandReader(run.commands_path).poll()
    tell(run, MemoryMeasured(step=2, report=report(session.graph, 20_000)))
    qtbot.waitUntil(lambda: "Measured" in page.summary.text())
    assert page.table.model.table.rows[0].cells[-2:] == (12_000, 22_000)


def test_that_why_there_is_no_estimate_is_said(page, host, qtbot):
    qtbot.waitUntil(lambda: page.table.model.rowCount() > 0)
    problem = Diagnostic(code="A012", params={"reason": "nonzero"})
    host.own[EstimateMemory] = DiagnosticError(problem)
    qtbot.mouseClick(page.buttons["estimate"], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "meta tensors" in page.summary.text())
    assert page.table.model.rowCount() == 0


def test_that_a_block_has_the_sum_of_what_is_in_it() -> None:
    values = {"a": 1000, "block/x": 2000, "block/y": 2000}
    assert bars_of(values, ()) == {"a": (0.25, "1 kB"), "block": (1.0, "4 kB")}
    assert set(bars_of(values, ("block",))) == {"x", "y"}


@pytest.mark.row("S295")
@pytest.mark.parametrize(
    ("layer", "row", "told"),
    [
        ("Linear", {"parameters": 10**8, "gradients": 10**8, "optimizer": 2 * 10**8}, "4 times"),
        ("LSTM", {"parameters": 10**6, "saved": 10**8}, "every time step"),
        ("Linear", {"parameters": 10**4, "saved": 10**8}, ""),  # the batch, not the weights
        ("Linear", {"parameters": 10**4}, ""),  # most, and nothing to speak of
    ],
)
def test_that_a_large_linear_and_long_sequences_are_named_as_the_cause(qapp, layer, row, told):
    graph = chain(node("Input", "x"), node(layer, "wide"), node("Output", "y"))
    report = MemoryReport(rows=(MemoryRow(place="wide", name="wide", **row),))
    text = memory_text(report, None, graph, 10**12)
    assert ("wide needs the most" in text) == bool(told)
    assert told in text


def test_that_no_memory_is_named_before_that_of_the_machine_is_known(qtbot):
    page = MemoryPage()
    qtbot.addWidget(page)
    assert page.limit.text() == "Loading PyTorch…"
