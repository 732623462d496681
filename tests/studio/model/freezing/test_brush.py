"""The freeze brush in the whole window: strokes over nodes, paints and their rates."""

import msgspec
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QToolButton

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.query.memory.request import EstimateFreezing, FreezingReport, StepCost
from engine.spec.phase_painting import PHASE
from engine.spec.run import Choice, PhaseSpec
from widgets.common.toast import ToastStack

CTRL_ALT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def canvas(opened, qtbot):
    opened.window.show_workspace("model")
    opened.window.activateWindow()
    canvas = opened.window.page("model").canvas
    qtbot.waitUntil(lambda: canvas.isVisible() and bool(canvas.scene.nodes))
    canvas.setFocus()
    return canvas


@pytest.fixture
def bar(opened, canvas, qtbot):
    """Return the bar of paints, called for by its keys."""
    QTest.keyClick(canvas, Qt.Key.Key_F, CTRL_ALT)
    bar = opened.window.page("model").brush
    qtbot.waitUntil(bar.isVisible)
    return bar


def place(canvas, name):
    return canvas.viewport.to_pixel(canvas.scene.nodes[name].rect().center()).toPoint()


def stroke(canvas, *names):
    """Draw over nodes with the left button down."""
    places = [place(canvas, name) for name in names]
    QTest.mousePress(canvas, LEFT, pos=places[0])
    for at in (*places, places[-1] + QPoint(2, 2)):
        QTest.mouseMove(canvas, at)
    QTest.mouseRelease(canvas, LEFT, pos=places[-1])


def choose(bar, qtbot, key):
    button = bar.findChild(QToolButton, f"brush.paint.{key}")
    qtbot.mouseClick(button, LEFT)


@pytest.mark.row("N10")
def test_that_a_stroke_freezes_what_it_goes_over_in_one_step_and_says_what_is_saved(
    opened, canvas, bar, qtbot
):
    summary = bar.findChild(QLabel, "brush.summary")
    before = opened.session.level
    stroke(canvas, "hidden1", "hidden2")
    nodes = opened.session.level.nodes
    assert {key for key, node in nodes.items() if node.frozen} >= {"hidden1", "hidden2"}
    assert opened.session.undo_label == "Paint layers"
    assert "parameters trainable" in summary.text()
    qtbot.waitUntil(lambda: canvas.scene.nodes["hidden1"].view.subtitle == "Frozen")
    opened.session.undo()
    assert opened.session.level == before


@pytest.mark.row("N10")
def test_that_the_bar_says_what_memory_and_computing_a_stroke_saves(
    opened, canvas, bar, host, qtbot
):
    plain = host.analysis

    def analysis(graph):
        frozen = 10 * sum(node.frozen for node in graph.nodes.values())
        return msgspec.structs.replace(plain(graph), frozen=frozen)

    host.analysis = analysis
    whole = StepCost(flops=1000, memory=3_000_000)
    host.own[EstimateFreezing] = FreezingReport(
        step=StepCost(flops=640, memory=1_000_000), unfrozen=whole
    )
    summary = bar.findChild(QLabel, "brush.summary")
    stroke(canvas, "hidden1")
    qtbot.waitUntil(lambda: "saves 2.0 MB of memory and 36% of computation" in summary.text())
    host.own[EstimateFreezing] = DiagnosticError(Diagnostic(code="A012"))
    stroke(canvas, "hidden2")
    qtbot.waitUntil(lambda: "optimizer state" in summary.text())
    opened.session.undo()
    opened.session.undo()
    qtbot.waitUntil(lambda: "saved" not in summary.text())


@pytest.mark.row("N10", "S170")
def test_that_a_new_group_takes_layers_and_its_own_rate_and_the_canvas_shows_both(
    opened, canvas, bar, qtbot
):
    choose(bar, qtbot, 1)
    stroke(canvas, "hidden1")
    assert [group.match for group in opened.session.spec.groups] == ["hidden1"]
    assert bar.rate.isVisible()
    bar.rate.setFocus()
    bar.rate.selectAll()
    qtbot.keyClicks(bar.rate, "0.5")
    qtbot.keyClick(bar.rate, Qt.Key.Key_Return)
    assert opened.session.spec.groups[0].params == {"lr": 0.5}
    qtbot.waitUntil(lambda: canvas.scene.nodes["hidden1"].view.subtitle == "Group 1: 0.5")
    choose(bar, qtbot, 0)
    stroke(canvas, "hidden1")
    assert opened.session.spec.groups == ()


def test_that_the_selection_is_painted_without_the_mouse_and_escape_puts_the_brush_down(
    opened, canvas, bar, qtbot
):
    action = opened.bench.actions.action("action.model.brush")
    assert action.isChecked()
    canvas.select(("hidden1",))
    button = bar.findChild(QToolButton, "brush.selection")
    assert button.isEnabled()
    button.setFocus()
    qtbot.keyClick(button, Qt.Key.Key_Space)
    assert opened.session.level.nodes["hidden1"].frozen
    canvas.setFocus()
    qtbot.keyClick(canvas, Qt.Key.Key_Escape)
    assert bar.isHidden()
    assert not action.isChecked()
    assert "Frozen" not in canvas.scene.nodes["hidden1"].view.subtitle
    stroke(canvas, "hidden2")
    assert not opened.session.level.nodes["hidden2"].frozen


def test_that_what_has_no_weights_takes_no_paint_and_the_window_says_so(opened, canvas, bar):
    before = opened.session.document
    name = next(node.id for node in before.graph.nodes.values() if node.type == "ReLU")
    stroke(canvas, name)
    assert opened.session.document == before
    assert "no weights" in opened.window.findChild(ToastStack).toasts[-1].view.text


@pytest.mark.row("S171", "N10")
def test_that_a_stroke_chooses_the_layers_of_a_phase_and_the_canvas_shows_them(
    opened, canvas, bar, qtbot
):
    session = opened.session
    phase = PhaseSpec(name="tail", optimizer=Choice(type="SGD", params={"lr": 0.25}))
    session.change(session.graph, msgspec.structs.replace(session.spec, phases=(phase,)), "phase")
    choose(bar, qtbot, PHASE + 1)
    assert bar.rate.value() == 0.25
    stroke(canvas, "hidden2")
    assert [each.match for each in session.spec.phases] == ["hidden2"]
    qtbot.waitUntil(lambda: canvas.scene.nodes["hidden2"].view.subtitle == "tail")
    assert canvas.scene.nodes["hidden1"].view.subtitle == "Phase 1"
    choose(bar, qtbot, PHASE)
    before = session.document
    stroke(canvas, "hidden2")
    assert session.document == before  # the phase would have nothing left
    assert "tail" in opened.window.findChild(ToastStack).toasts[-1].view.text
    stroke(canvas, "hidden1")
    choose(bar, qtbot, 0)
    qtbot.waitUntil(lambda: "tail" not in canvas.scene.nodes["hidden2"].view.subtitle)
