"""The user's trust goes with every question to the host, with runs, and with nothing else."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton

from engine.query.evaluation.request import Evaluate
from engine.query.gradient.request import CheckGradient, GradientDifference, GradientReport
from engine.query.model.request import Analyse, Check
from engine.runs.folder import RunFolder


@pytest.fixture
def layer(opened, qtbot):
    """Return the id of a node of own code, selected."""
    opened.bench.actions.action("action.code.new_weights").trigger()
    opened.bench.palette.add_requested.emit("code.weights.MyLinear")
    (node,) = [n.id for n in opened.session.graph.nodes.values() if n.type.startswith("code.")]
    opened.bench.model.show_node(node)
    qtbot.waitUntil(lambda: opened.session.selection == (node,))
    return node


def asked(host, kind):
    return [request for request in host.requests if isinstance(request, kind)]


@pytest.mark.fault("S03")
def test_that_questions_carry_trust_only_as_long_as_it_is_given(opened, host, layer, qtbot):
    assert asked(host, Analyse)[-1].trusted
    qtbot.waitUntil(lambda: asked(host, Check)[-1].graph.code != {})
    assert asked(host, Check)[-1].trusted
    opened.bench.actions.action("action.code.withdraw").trigger()
    assert not asked(host, Analyse)[-1].trusted
    opened.trust.agree(opened.session.project.path, opened.session.graph.code)
    assert asked(host, Analyse)[-1].trusted


def test_that_code_of_a_run_is_trusted_when_its_run_was_started_here(opened, host, layer):
    graph, project = opened.session.graph, opened.session.project.path
    folder = RunFolder.create(project, graph, opened.session.spec, None)
    question = Evaluate(run_folder=str(folder.path), checkpoint="best", split="test")
    opened.trust.withdraw(project)
    opened.services.host.request(question)
    assert not asked(host, Evaluate)[-1].trusted
    opened.trust.agree(project, graph.code)
    opened.trust.note_run(graph.code)
    opened.trust.withdraw(project)
    opened.services.host.request(question)
    assert asked(host, Evaluate)[-1].trusted
    assert opened.trust.covers_resume(project, folder.id)
    assert not opened.trust.covers_resume(project, "no-such-run")


def answer_gradient(host, report):
    before = host.answer

    def answer(request, future):
        if isinstance(request, CheckGradient):
            future.set_result(report)
        else:
            before(request, future)

    host.answer = answer


def test_that_the_button_checks_gradients_and_says_what_fits(opened, host, layer, qtbot):
    answer_gradient(host, GradientReport(passed=True, checked=("x", "weight")))
    button = opened.bench.inspector.findChild(QPushButton, "inspector.own.check")
    qtbot.waitUntil(button.isVisible)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    label = opened.bench.inspector.findChild(QLabel, "inspector.own.answer")
    qtbot.waitUntil(lambda: "x, weight" in label.text())
    (question,) = asked(host, CheckGradient)
    assert question.place == layer
    assert question.trusted
    opened.bench.model.rename(layer, "other")
    qtbot.waitUntil(lambda: label.text() == "")


def test_that_a_wrong_gradient_is_told_in_numbers(opened, host, layer, qtbot):
    wrong = GradientDifference(
        of="output", by="x", output_index=3, input_index=5, given=1.25, expected=2.5
    )
    answer_gradient(host, GradientReport(passed=False, checked=("x", "b"), differences=(wrong,)))
    opened.bench.actions.action("action.code.gradients").trigger()
    label = opened.bench.inspector.findChild(QLabel, "inspector.own.answer")
    qtbot.waitUntil(lambda: "1.25" in label.text())
    assert "∂output[3]/∂x[5]" in label.text()
    assert "2.5" in label.text()
    assert label.text().endswith("The gradients with respect to b match.")


@pytest.mark.nightly
def test_that_other_nodes_have_no_gradient_to_check(opened, host, layer, qtbot):
    other = next(n.id for n in opened.session.graph.nodes.values() if n.id != layer)
    opened.bench.model.show_node(other)
    button = opened.bench.inspector.findChild(QPushButton, "inspector.own.check")
    qtbot.waitUntil(lambda: not button.isVisible())
    assert not opened.bench.actions.action("action.code.gradients").isEnabled()
