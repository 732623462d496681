"""What might mend a problem, as edits; :mod:`engine.model.repair` tries whether each helps."""

import pytest

from engine.diagnostics import Diagnostic
from engine.graph.analysis import Analysis
from engine.graph.edit.edits import SetParam, apply
from engine.graph.model import Graph, Node
from engine.graph.repair.proposals import proposals

FC = Node(id="fc", type="Linear", name="fc", params={"in_features": 9, "out_features": 3})
GRAPH = Graph(nodes={"fc": FC})


def edits(problem: Diagnostic, graph: Graph = GRAPH) -> list[object]:
    return [fix.edit for fix in proposals(problem, graph, Analysis())]


@pytest.mark.row("P04")
def test_that_a_size_that_does_not_fit_is_offered_to_be_inferred():
    first = edits(Diagnostic(code="S003", node="fc", field="in_features"))[0]
    assert first == SetParam(id="fc", name="in_features", value="auto")
    assert apply(first, GRAPH).nodes["fc"].params["in_features"] == "auto"


@pytest.mark.row("P04")
def test_that_a_layer_with_too_few_outputs_is_offered_the_number_of_classes():
    problem = Diagnostic(code="R035", node="fc", field="out_features", params={"classes": 10})
    assert edits(problem) == [SetParam(id="fc", name="out_features", value=10)]


@pytest.mark.parametrize(
    "problem",
    [
        Diagnostic(code="S001", node="fc"),
        Diagnostic(code="S003", node="gone", field="in_features"),
        Diagnostic(code="S003", node="fc", field="out_features"),
        Diagnostic(code="S003", node="fc/inside", field="in_features"),
        Diagnostic(code="R011", field="optimizer.lr"),
    ],
)
def test_that_nothing_is_offered_where_nothing_is_known_to_help(problem):
    assert edits(problem) == []


def test_that_what_is_inferred_already_is_not_offered_again():
    graph = apply(SetParam(id="fc", name="in_features", value="auto"), GRAPH)
    assert edits(Diagnostic(code="S003", node="fc", field="in_features"), graph) == []
