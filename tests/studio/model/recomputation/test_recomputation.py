"""Recomputing activations in the window: the saving first, then a mark that can be undone."""

import pytest
from PySide6.QtWidgets import QDialog, QLabel, QPushButton

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.query.memory.request import EstimateRecomputation, RecomputationReport, StepCost

MUCH = StepCost(flops=1000, memory=3_000_000)


@pytest.fixture
def start(opened, qtbot):
    """Return what gives the command for some nodes and returns its dialog."""

    def given(*ids: str) -> QDialog | None:
        opened.window.show_workspace("model")
        opened.window.page("model").canvas.select(ids)
        opened.bench.actions.action("action.model.recompute").trigger()
        return opened.window.findChild(QDialog, "dialog.recompute")

    return given


def saving(dialog) -> str:
    return dialog.findChild(QLabel, "dialog.recompute.saving").text()


def press(dialog, name):
    dialog.findChild(QPushButton, f"dialog.recompute.{name}").click()


def test_that_the_saving_is_told_and_then_the_node_is_marked(opened, start, host, qtbot):
    host.own[EstimateRecomputation] = RecomputationReport(
        step=MUCH, after=StepCost(flops=1250, memory=1_000_000)
    )
    before = opened.session.level
    dialog = start("hidden1")
    qtbot.waitUntil(lambda: "1.0 MB of memory instead of 3.0 MB, 2.0 MB less" in saving(dialog))
    assert "25% more operations" in saving(dialog)
    assert opened.session.level == before
    press(dialog, "apply")
    assert opened.session.level.nodes["hidden1"].recompute
    canvas = opened.window.page("model").canvas
    qtbot.waitUntil(lambda: canvas.scene.nodes["hidden1"].view.is_recomputed)
    assert opened.bench.actions.action("action.model.recompute").isChecked()
    start("hidden1")  # keeps them again, without a question
    assert opened.session.level == before
    opened.session.undo()
    assert opened.session.level.nodes["hidden1"].recompute


def test_that_nothing_saved_and_nothing_known_are_told(opened, start, host, qtbot):
    host.own[EstimateRecomputation] = RecomputationReport(
        step=MUCH, after=StepCost(flops=1250, memory=3_100_000)
    )
    dialog = start("hidden1")
    qtbot.waitUntil(lambda: "This saves no memory" in saving(dialog))
    press(dialog, "cancel")
    qtbot.waitUntil(lambda: opened.window.findChild(QDialog, "dialog.recompute") is None)
    assert not opened.session.level.nodes["hidden1"].recompute
    host.own[EstimateRecomputation] = DiagnosticError(Diagnostic(code="A012"))
    dialog = start("hidden1", "hidden2")
    qtbot.waitUntil(lambda: "cannot be estimated" in saving(dialog))
    press(dialog, "cancel")


def test_that_what_is_no_layer_is_told_and_not_asked_about(opened, start):
    before = opened.session.level
    name = next(i for i, node in before.nodes.items() if node.type == "Input")
    assert start(name) is None
    assert opened.session.level == before
