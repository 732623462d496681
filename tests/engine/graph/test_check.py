import pytest

from engine.diagnostics import sentence
from engine.graph.check import check
from engine.graph.codec import from_document
from engine.graph.edit.edits import RemoveNodes, apply
from engine.graph.model import Edge, Graph, Node
from tests.engine.graph.builder import add, chain, model, wire


def codes(graph: Graph) -> set[str]:
    return {problem.code for problem in check(graph)}


def node(node_id: str, key: str = "ReLU", name: str = "", **params: object) -> dict[str, object]:
    return {"id": node_id, "type": key, "name": name or node_id, "params": params}


X, Y, OUT = node("x", "Input", shape=[4]), node("y", "Input", shape=[4]), node("out", "Output")


def test_that_a_sound_model_has_no_problem() -> None:
    assert check(model((1, 8, 8), ("Flatten", {}), ("Linear", {"out_features": 3}))) == ()


@pytest.mark.fault("B08")
@pytest.mark.parametrize(
    ("nodes", "edges", "code", "faulty"),
    [
        ([], [], "G030", None),
        ([node("a"), node("b")], ["a.output -> b.input", "b.output -> a.input"], "G020", "a"),
        ([X, OUT, node("a")], ["a.output -> a.input"], "G012", "a"),
        ([X, OUT], ["ghost.output -> out.input"], "G021", "out"),
        ([X, OUT], ["x.output -> ghost.input"], "G021", "x"),
        ([X, OUT, node("a", "Dream")], ["x.output -> out.input"], "G022", "a"),
        ([X, Y, OUT], ["x.output -> out.input", "y.output -> out.input"], "G027", "out"),
        ([X, OUT], ["x.banana -> out.input"], "G010", "x"),
        ([X, OUT], ["x.output -> out.banana"], "G011", "out"),
        ([X, OUT], [], "G033", "out"),
        ([X], [], "G024", None),
        ([OUT], [], "G025", None),
        ([X, OUT, node("a", "Output", "out")], [], "G004", "a"),
        ([X, OUT, node("a", name="x;import os")], [], "G001", "a"),
        ([X, OUT, node("a", name="class")], [], "G002", "a"),
        ([X, OUT, node("a", name="forward")], [], "G003", "a"),
        ([X, OUT, node("a", name="a" * 10_000)], [], "G005", "a"),
        ([X, OUT, node("a", "Dropout", p=1.5)], [], "C004", "a"),
        ([X, OUT, node("a", "Dropout", banana=1)], [], "C011", "a"),
        ([X, OUT, node("a", "Linear")], [], "C001", "a"),
        ([X, OUT, node("a", "add")], ["x.output -> a.input"], "G031", "a"),
        ([X, OUT, node("a", "Bilinear", out_features=2)], ["x.output -> a.input1"], "G023", "a"),
        ([X, node("a", "LSTM", hidden_size=2)], ["x.output -> a.input", "x.output -> a.h_0"],
         "G029", "a"),
    ],
)  # fmt: skip
def test_that_a_faulty_document_opens_with_a_mark_on_the_node(
    nodes: list[dict[str, object]], edges: list[str], code: str, faulty: str | None
) -> None:
    graph = from_document({"nodes": nodes, "edges": edges})
    found = [p for p in check(graph) if p.code == code and p.severity == "error"]
    assert faulty in {p.node for p in found}, check(graph)
    for language in ("en", "zh_CN"):
        assert not any("{" in sentence(problem, language) for problem in found)


def test_that_a_node_that_leads_nowhere_is_only_a_warning() -> None:
    graph, _ = add(model((4,), ("ReLU", {})), "Tanh", "loose")
    graph = wire(graph, "x", "loose")
    assert [(p.code, p.severity, p.node) for p in check(graph)] == [("G026", "warning", "loose")]


def test_that_a_layer_without_any_wire_is_only_a_warning() -> None:
    graph, _ = add(model((4,), ("ReLU", {})), "Bilinear", "loose", out_features=2)
    assert [(p.code, p.severity, p.node) for p in check(graph)] == [("G026", "warning", "loose")]


def test_that_an_operator_takes_a_number_in_place_of_a_second_wire() -> None:
    assert check(model((4,), ("add", {"other": 1.0}))) == ()


def test_that_an_input_that_leads_to_no_output_is_told() -> None:
    graph = apply(RemoveNodes(ids=("relu",)), model((4,), ("ReLU", {})))
    assert codes(graph) == {"G033", "G026"}


@pytest.mark.fault("B08")
def test_that_a_large_graph_is_checked() -> None:
    count = 20_000
    nodes = {f"n{i}": Node(id=f"n{i}", type="ReLU", name=f"n{i}") for i in range(count)}
    edges = tuple(
        Edge(source=f"n{i - 1}", source_port="output", target=f"n{i}", target_port="input")
        for i in range(1, count)
    )
    assert "G024" in codes(Graph(nodes=nodes, edges=edges))


def test_that_a_cycle_names_its_nodes_in_order() -> None:
    graph = chain(("ReLU", {}, "a"), ("ReLU", {}, "b"), ("ReLU", {}, "c"))
    back = Edge(source="c", source_port="output", target="a", target_port="input")
    found = check(Graph(nodes=graph.nodes, edges=(*graph.edges, back)))
    cycle = [p for p in found if p.code == "G020"]
    assert {p.node for p in cycle} == {"a", "b", "c"}
    assert cycle[0].params["nodes"] in ("a → b → c", "b → c → a", "c → a → b")
