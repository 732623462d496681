"""First models on an empty canvas; the host is played by canned answers."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from engine.diagnostics import Diagnostic
from engine.graph.model import Graph
from engine.query.model.request import Repair, Repairs
from engine.spec.first_run import first_models
from tests.studio.conftest import DIGITS
from widgets.canvas.offer import EmptyOffer


@pytest.fixture
def host(host):
    def mend(request: Repair) -> Repairs:
        spec, graph = request.spec, request.graph
        found = (
            tuple(first_models(problem, graph, spec, DIGITS, host.analysis))
            for problem in request.problems
        )
        return Repairs(fixes=tuple(found))

    host.own |= {Repair: mend}
    return host


@pytest.fixture
def offer(opened, host, qtbot):
    """Return what lies on the canvas of a model from which all was taken."""
    opened.window.show_workspace("model")
    canvas = opened.window.page("model").canvas
    offer = canvas.findChild(EmptyOffer)
    assert not offer.isVisible()  # a model is there
    host.problems = (Diagnostic(code="G030"),)
    session = opened.session
    session.change(Graph(), session.spec, "Empty")
    qtbot.waitUntil(offer.isVisible)
    return offer


def test_that_an_empty_canvas_offers_models_for_the_data_as_one_step_of_undo(
    opened, host, offer, qtbot
):
    session = opened.session
    assert [button.text() for button in offer.buttons] == [
        "Add a small model for the chosen data",
        "Add a large model for the chosen data",
    ]
    area = offer.parentWidget().rect()
    assert area.contains(offer.geometry())
    host.problems = ()
    qtbot.mouseClick(offer.buttons[0], Qt.MouseButton.LeftButton)
    assert {"Conv2d", "Input", "Output"} <= {node.type for node in session.graph.nodes.values()}
    (term,) = session.spec.losses
    assert term.inputs == {"input": "model.output", "target": "data.label"}
    assert not offer.isVisible()
    session.undo()
    assert not session.graph.nodes


def test_that_the_data_page_offers_the_small_one_and_a_problem_of_the_data_comes_first(
    opened, host, offer, qtbot
):
    opened.window.show_workspace("data")
    bar = opened.window.page("data").fit
    button = bar.findChild(QPushButton, "data.fit.fix")
    qtbot.waitUntil(button.isVisible)
    assert button.text() == offer.buttons[0].text()
    lost = Diagnostic(code="D020", field="data.source.path", params={"file": "x.csv"})
    host.problems = (Diagnostic(code="G030"), lost)
    opened.services.analyst.ask_again()
    qtbot.waitUntil(lambda: bar.view.problem == lost)
    host.problems = (Diagnostic(code="G030"),)
    opened.services.analyst.ask_again()
    qtbot.waitUntil(lambda: bar.view.problem == host.problems[0])
    qtbot.waitUntil(button.isVisible)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert opened.session.graph.nodes
