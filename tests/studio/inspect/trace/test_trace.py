"""The trace of a forward pass, its controller alone."""

import pytest
from PySide6.QtCore import Qt

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.model import Graph
from engine.query.trace.request import TraceForward, TraceLine, TraceReport
from studio.inspect.trace.controller import TraceController
from studio.inspect.trace.page import TracePage
from tests.studio.inspect.conftest import put_together


def report(graph: Graph) -> TraceReport:
    """Return a line for each linear layer."""
    lines = [
        TraceLine(
            line=20 + at,
            text=f"{node.name} = self.{node.name}(x)",
            place=node.id,
            name=node.name,
            shape=(2, 3),
            dtype="float32",
            device="cpu",
            requires_grad=at > 0,
            function="torch::autograd::Addmm" if at else "",
        )
        for at, node in enumerate(n for n in graph.nodes.values() if n.type == "Linear")
    ]
    return TraceReport(lines=tuple(lines))


@pytest.fixture
def page(bench, host, qtbot) -> TracePage:
    host.own[TraceForward] = lambda asked: report(asked.graph)
    made = TracePage()
    put_together(made, qtbot)
    TraceController(bench, made, canvas=bench.canvas, show_node=bench.shown_nodes.append)
    made.show()
    return made


@pytest.mark.row("S298")
def test_that_every_line_tells_its_tensor_and_leads_to_its_node(page, bench, qtbot):
    qtbot.waitUntil(lambda: page.table.model.rowCount() == 3)
    rows = page.table.model.table.rows
    assert rows[0].cells[3:] == ("2×3", "float32", "cpu", False, "")
    assert rows[1].cells[6:] == (True, "Addmm")
    page.table.row_activated.emit("1")
    assert bench.shown_nodes == [report(bench.session.graph).lines[1].place]


@pytest.mark.row("S298")
def test_that_only_the_lines_of_the_selected_node_are_shown_on_request(page, bench, qtbot):
    qtbot.waitUntil(lambda: page.table.model.rowCount() == 3)
    bench.session.selection = (report(bench.session.graph).lines[2].place,)
    bench.canvas.selection_changed.emit(bench.session.selection)
    qtbot.mouseClick(page.only, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: [row.id for row in page.table.model.table.rows] == ["2"])
    page.only.setChecked(False)
    assert page.table.model.rowCount() == 3


def test_that_a_pass_that_fails_is_told_in_a_sentence(page, host, qtbot):
    qtbot.waitUntil(lambda: page.table.model.rowCount() == 3)
    params = {"line": 7, "reason": "mat1 and mat2 shapes cannot be multiplied"}
    host.own[TraceForward] = DiagnosticError(Diagnostic(code="A030", params=params))
    qtbot.mouseClick(page.again, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "in line 7" in page.summary.text())
    assert page.table.model.rowCount() == 0
