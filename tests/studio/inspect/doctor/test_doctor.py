"""The doctor in the window; the host is played by canned answers."""

import math

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.graph.edit.edits import RenameNode
from engine.query.doctor.proposals import doctor_proposals
from engine.query.doctor.request import (
    BatchCurve,
    CheckUp,
    CheckUpReport,
    ProposeRepairs,
    RuleResult,
)
from engine.query.model.request import Repair, Repairs
from studio.inspect.doctor.page import DoctorPage
from studio.inspect.doctor.presenter import present_batch
from studio.inspect.workspace import InspectWorkspace
from widgets.tables.repair_button import RepairButton

CURVE = BatchCurve(losses=(2.3, 1.0), expected=2.3)


def mended(request: ProposeRepairs) -> Repairs:
    """Return what would mend, untried: that needs torch."""
    found = [doctor_proposals(p, request.graph, request.spec) for p in request.problems]
    return Repairs(fixes=tuple(found))


def examined(request: CheckUp) -> CheckUpReport:
    """Return a report of dead units, where the model has a ReLU."""
    nodes = [n.id for n in request.graph.nodes.values() if n.type == "ReLU"]
    params = {"name": "act", "silent": 9, "total": 16}
    dead = [
        Diagnostic(code="H001", severity=Severity.WARNING, node=node, params=params)
        for node in nodes[:1]
    ]
    rules = (RuleResult(rule="dead_relu", problems=tuple(dead)), RuleResult(rule="leakage"))
    return CheckUpReport(rules=rules, curves=(CURVE,), nothing=("imbalance",), samples_per_s=1e4)


@pytest.fixture
def host(host):
    host.own |= {ProposeRepairs: mended, CheckUp: examined}
    return host


@pytest.fixture
def page(opened) -> DoctorPage:
    opened.window.show_workspace("inspect")
    opened.window.findChild(InspectWorkspace).show_page("doctor")
    return opened.window.findChild(DoctorPage)


@pytest.mark.row("N15", "N16")
def test_that_one_button_examines_and_a_finding_leads_to_its_node(page, opened, qtbot):
    qtbot.mouseClick(page.empty.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(page.findings.isVisible)
    assert "no leaks between splits" in page.passed.text()
    assert "Not applicable: class balance." in page.passed.text()
    assert "10,000 samples" in page.passed.text()
    rows = page.findings.list
    place = rows.visualRect(rows.model().index(0, 0)).center()
    qtbot.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert opened.window.workspace == "inspect"  # what mends it is to be seen first
    place = rows.visualRect(rows.model().index(0, 0)).center()
    qtbot.mouseDClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    node = next(n.id for n in opened.session.graph.nodes.values() if n.type == "ReLU")
    assert opened.window.workspace == "model"
    assert opened.bench.model_page.canvas.selected_nodes() == (node,)


@pytest.mark.row("N15")
def test_that_a_finding_is_mended_by_one_click_examined_again_and_undone(page, opened, host, qtbot):
    session = opened.session
    before = session.graph
    dead = [n.id for n in before.nodes.values() if n.type == "ReLU"]
    qtbot.mouseClick(page.examine, Qt.MouseButton.LeftButton)
    button = page.findings.findChild(RepairButton)
    page.findings.list.setFocus()
    qtbot.waitUntil(page.findings.isVisible)
    page.findings.select(0)
    qtbot.waitUntil(button.isVisible)
    assert "LeakyReLU" in button.text()
    assert not page.trying.isVisible()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert session.graph.nodes[dead[0]].type == "LeakyReLU"
    assert "LeakyReLU" in session.undo_label
    asked = [request for request in host.requests if isinstance(request, CheckUp)]
    assert asked[-1].graph == session.graph
    undo = opened.window.findChild(QAction, "action.edit.undo")
    inspect = opened.window.page("inspect")
    inspect.show_page("lab")  # which has nothing to do with the model
    assert not undo.isEnabled()
    inspect.show_page("doctor")
    assert undo.isEnabled()
    QTest.keyClick(page, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert session.graph == before


@pytest.mark.row("N15")
def test_that_what_is_wrong_without_an_examination_stands_in_the_list_too(
    page, opened, host, qtbot
):
    session = opened.session
    act = next(n.id for n in session.graph.nodes.values() if n.type == "ReLU")
    soft = Diagnostic(code="R043", severity=Severity.WARNING, node=act)
    host.own[Repair] = lambda request: Repairs(fixes=tuple(mending for _ in request.problems))
    dead = Diagnostic(code="H001", severity=Severity.WARNING, node=act)
    mending = doctor_proposals(dead, session.graph, session.spec)
    qtbot.mouseClick(page.examine, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(page.findings.isVisible)
    assert page.findings.list.model().rowCount() == 1
    qtbot.waitUntil(lambda: session.findings.is_checked)
    session.find(other_problems=(soft,))
    assert page.findings.list.model().rowCount() == 2
    page.findings.list.setFocus()
    page.findings.select(1)
    button = page.findings.findChild(RepairButton)
    qtbot.waitUntil(button.isVisible)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert session.can_undo


def test_that_only_the_model_on_the_canvas_is_mended(page, opened, host, qtbot):
    host.is_holding = True
    qtbot.mouseClick(page.examine, Qt.MouseButton.LeftButton)
    node = next(iter(opened.session.graph.nodes.values()))
    opened.session.edit(RenameNode(id=node.id, name="other"), "rename")
    host.is_holding = False
    for request, future in host.held:
        host.answer(request, future)
    qtbot.waitUntil(page.findings.isVisible)
    assert not [request for request in host.requests if isinstance(request, ProposeRepairs)]


def test_that_a_model_that_cannot_be_trained_says_why(page, opened, host, qtbot):
    host.own[CheckUp] = DiagnosticError(Diagnostic(code="R113", field="losses.0.loss"))
    qtbot.mouseClick(page.examine, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(page.findings.isVisible)
    assert "Fix these problems first" in page.passed.text()
    page.findings.problem_activated.emit(0)
    assert opened.window.workspace == "train"


@pytest.mark.parametrize(
    ("losses", "expected", "is_log"),
    [
        ((2.5, 6e17, 16.0), 2.3, True),
        ((2.5, 6e17, math.nan), None, True),
        ((2.5, 1.0, 1e-6), 2.3, False),  # learned by heart, as it should be
        ((2.5, 6e17, 0.0), 2.3, False),
        ((2.5, 6e17, 16.0), 0.0, False),
        ((), 2.3, False),
    ],
)
def test_that_a_loss_that_shoots_up_is_drawn_over_powers_of_ten(losses, expected, is_log):
    curve = BatchCurve(losses=losses, expected=expected)
    view = present_batch(CheckUpReport(rules=(), curves=(curve,), samples_per_s=1.0))
    assert view.is_log == is_log
    level = () if expected is None else (expected, expected)
    heights = [np.log10(one) if is_log else one for one in (losses, level)]
    for line, wanted in zip(view.lines, heights, strict=False):
        assert line.y == pytest.approx(wanted, nan_ok=True)
    assert len(view.lines) == (2 if losses and expected is not None else bool(losses))


def test_that_each_phase_has_a_line_of_its_own():
    curves = (
        BatchCurve(name="discriminator", losses=(1.4, 0.2)),
        BatchCurve(name="generator", losses=(0.7, 0.1), expected=0.7),
    )
    view = present_batch(CheckUpReport(rules=(), curves=curves))
    assert [line.label for line in view.lines] == [
        "discriminator",
        "generator",
        "generator: guessing (0.7)",
    ]
    assert len({line.name for line in view.lines}) == len({line.color for line in view.lines}) == 3
