"""Muted nodes: zeros go on in the place of what they compute."""

import pytest

from engine.graph.check import check
from engine.graph.codec import from_document, to_document
from engine.graph.comparison import diff
from engine.graph.edit.edits import apply
from engine.graph.error import GraphError
from engine.graph.model import Graph
from engine.graph.node_state.bypass import BypassNodes, active
from engine.graph.node_state.mute import MuteNodes, without_zeros
from tests.engine.graph.builder import model


def chain() -> Graph:
    return model((4,), ("ReLU", {}, "a"), ("Dropout", {}, "b"), ("Tanh", {}, "c"))


def mute(graph: Graph, *ids: str, on: bool = True) -> Graph:
    return apply(MuteNodes(ids=ids, muted=on), graph)


@pytest.mark.row("P10")
def test_that_zeros_stand_behind_a_muted_node_when_it_is_computed() -> None:
    graph = mute(chain(), "b")
    computed = active(graph)
    (zeros,) = set(computed.nodes) - set(graph.nodes)
    assert computed.nodes[zeros].type == "zeros_like"
    assert {(e.source, e.target) for e in computed.edges} == {
        ("x", "a"),
        ("a", "b"),
        ("b", zeros),
        (zeros, "c"),
        ("c", "output"),
    }
    assert check(graph) == ()


def test_that_the_document_is_found_again_in_what_is_computed() -> None:
    graph = mute(chain(), "a", "b")
    computed = active(graph)
    nodes, edges = without_zeros(computed.nodes, computed.edges)
    assert nodes == graph.nodes
    assert set(edges) == set(graph.edges)


def test_that_a_node_is_muted_or_skipped_but_not_both() -> None:
    skipped = apply(BypassNodes(ids=("b",)), mute(chain(), "b"))
    assert (skipped.nodes["b"].bypassed, skipped.nodes["b"].muted) == (True, False)
    muted = mute(skipped, "b")
    assert (muted.nodes["b"].bypassed, muted.nodes["b"].muted) == (False, True)
    assert mute(muted, "b", on=False) == chain()


def test_that_an_output_cannot_be_muted() -> None:
    with pytest.raises(GraphError) as caught:
        mute(chain(), "output")
    assert caught.value.problems[0].code == "G130"


def test_that_the_document_keeps_it_and_a_diff_tells_it() -> None:
    graph = mute(chain(), "b")
    assert from_document(to_document(graph)) == graph
    assert diff(chain(), graph).changed == ("b",)
