"""The doctor in the window; the host is played by canned answers."""

import pytest
from PySide6.QtCore import Qt

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.runs.checkup import CheckUpReport, RuleResult
from engine.runtime import CheckUp
from studio.workspaces.inspect.doctor import DoctorPage
from studio.workspaces.inspect.page import InspectWorkspace
from tests.studio.conftest import FakeHost


class DoctorHost(FakeHost):
    """Finds dead units, or says that the model cannot be trained."""

    is_broken = False

    def answer(self, request, future) -> None:
        if not isinstance(request, CheckUp):
            super().answer(request, future)
        elif self.is_broken:
            future.set_exception(DiagnosticError(Diagnostic(code="R113", field="losses.0.loss")))
        else:
            node = next(n.id for n in request.graph.nodes.values() if n.type == "Linear")
            dead = Diagnostic(
                code="H001",
                severity=Severity.WARNING,
                node=node,
                params={"name": "act", "silent": 9, "total": 16},
            )
            rules = (
                RuleResult(rule="dead_relu", problems=(dead,)),
                RuleResult(rule="leakage"),
            )
            future.set_result(
                CheckUpReport(rules=rules, losses=(2.3, 1.0), expected=2.3, samples_per_s=1e4)
            )


@pytest.fixture
def host() -> DoctorHost:
    return DoctorHost()


@pytest.fixture
def page(opened) -> DoctorPage:
    opened.window.show_workspace("inspect")
    opened.window.findChild(InspectWorkspace).show_page("doctor")
    return opened.window.findChild(DoctorPage)


@pytest.mark.row("N15", "N16")
def test_that_one_button_examines_and_a_finding_leads_to_its_node(page, opened, qtbot):
    qtbot.mouseClick(page.empty.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(page.findings.isVisible)
    assert "leaks between parts" in page.passed.text()
    assert "10,000 samples" in page.passed.text()
    page.findings.problem_activated.emit(0)
    node = next(n.id for n in opened.session.graph.nodes.values() if n.type == "Linear")
    assert opened.window.workspace == "model"
    assert opened.bench.model_page.canvas.selected_nodes() == (node,)


def test_that_a_model_that_cannot_be_trained_says_why(page, opened, host, qtbot):
    host.is_broken = True
    qtbot.mouseClick(page.examine, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(page.findings.isVisible)
    assert "mended first" in page.passed.text()
    page.findings.problem_activated.emit(0)
    assert opened.window.workspace == "train"
