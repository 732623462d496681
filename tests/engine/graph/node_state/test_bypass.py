import pytest
from msgspec.structs import replace

from engine.graph.check import check
from engine.graph.codec import from_document, to_document
from engine.graph.comparison import diff
from engine.graph.edit.block_edits import GroupNodes, ShareModule
from engine.graph.edit.edits import Connect, EditBlock, apply
from engine.graph.error import GraphError
from engine.graph.expand import expand
from engine.graph.model import Edge, Graph
from engine.graph.node_state.bypass import BypassNodes, active
from tests.engine.graph.builder import add, model, wire


def chain() -> Graph:
    return model((4,), ("ReLU", {}, "a"), ("Dropout", {}, "b"), ("Tanh", {}, "c"))


def skip(graph: Graph, *ids: str, on: bool = True) -> Graph:
    return apply(BypassNodes(ids=ids, bypassed=on), graph)


def wires(graph: Graph) -> set[tuple[str, str]]:
    return {(edge.source, edge.target) for edge in graph.edges}


@pytest.mark.row("P10")
def test_that_what_arrives_at_a_skipped_node_goes_on() -> None:
    graph = skip(chain(), "b")
    assert wires(active(graph)) == {("x", "a"), ("a", "c"), ("c", "output")}
    assert "b" in graph.nodes
    assert check(graph) == ()
    assert set(expand(graph).graph.nodes) == {"x", "a", "c", "output"}


def test_that_several_skipped_nodes_in_a_row_are_passed() -> None:
    assert wires(active(skip(chain(), "a", "b", "c"))) == {("x", "output")}


def test_that_not_skipping_any_more_gives_the_graph_back() -> None:
    graph = chain()
    assert skip(skip(graph, "b"), "b", on=False) == graph
    assert active(graph) is graph


def test_that_the_first_input_of_several_goes_on() -> None:
    graph, _ = add(chain(), "add", "sum")
    graph = wire(wire(graph, "a", "sum.input"), "c", "sum.other")
    edge = Edge(source="sum", source_port="output", target="output", target_port="input")
    graph = apply(Connect(edge=edge), graph)
    assert ("a", "output") in wires(active(skip(graph, "sum")))


def test_that_an_unwired_skipped_node_leaves_the_next_without_input() -> None:
    graph = chain()
    graph = replace(graph, edges=tuple(edge for edge in graph.edges if edge.target != "b"))
    assert "c" in [problem.node for problem in check(skip(graph, "b"))]


@pytest.mark.parametrize("node_id", ["x", "output"])
def test_that_inputs_and_outputs_cannot_be_skipped(node_id: str) -> None:
    with pytest.raises(GraphError) as caught:
        skip(chain(), node_id)
    assert caught.value.problems[0].code == "G094"


def test_that_a_node_inside_a_block_is_skipped_in_every_use() -> None:
    graph = apply(GroupNodes(ids=("a", "b"), name="Pair"), chain())
    graph = apply(EditBlock(block="Pair", edit=BypassNodes(ids=("b",))), graph)
    assert not any(key.endswith("/b") for key in expand(graph).graph.nodes)
    assert any(key.endswith("/a") for key in expand(graph).graph.nodes)


def test_that_shared_weights_stay_with_the_one_that_is_left() -> None:
    graph = model((4,), ("Linear", {"out_features": 4}, "a"), ("Linear", {"out_features": 4}, "b"))
    graph = apply(ShareModule(id="b", source="a"), graph)
    left = active(skip(graph, "a")).nodes["b"]
    assert left.shares == ""
    assert left.params["out_features"] == 4


def test_that_the_document_keeps_it_and_a_diff_tells_it() -> None:
    graph = skip(chain(), "b")
    assert from_document(to_document(graph)) == graph
    assert diff(chain(), graph).changed == ("b",)
