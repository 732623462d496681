import pytest

from engine.graph.codec import from_document, to_document
from engine.graph.edit.edits import (
    AddNode,
    Batch,
    Connect,
    Disconnect,
    GraphError,
    InsertFragment,
    MoveNodes,
    PinNodes,
    RemoveNodes,
    RenameNode,
    ReplaceGraph,
    SetParam,
    apply,
    insert_fragment,
)
from engine.graph.model import Edge, Graph, Node
from engine.graph.query import make_node
from tests.engine.graph.builder import add, chain, model, wire


def code(error: pytest.ExceptionInfo[GraphError]) -> str:
    return error.value.problems[0].code


def edge(source: str, target: str, port: str = "input") -> Edge:
    return Edge(source=source, source_port="output", target=target, target_port=port)


def test_that_an_edit_leaves_the_old_graph_as_it_was() -> None:
    before = model((4,), ("ReLU", {}))
    nodes, edges = dict(before.nodes), before.edges
    after = apply(RemoveNodes(ids=("relu",)), before)
    assert before.nodes == nodes
    assert before.edges is edges
    assert "relu" not in after.nodes


def test_that_removing_a_node_removes_its_wires() -> None:
    after = apply(RemoveNodes(ids=("relu",)), model((4,), ("ReLU", {})))
    assert after.edges == ()
    assert list(after.nodes) == ["x", "output"]


def test_that_removing_an_unknown_node_is_refused() -> None:
    with pytest.raises(GraphError) as error:
        apply(RemoveNodes(ids=("nobody",)), Graph())
    assert code(error) == "G007"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("", "G001"),
        ("two words", "G001"),
        ("1st", "G001"),
        ("_private", "G001"),
        ("__init__", "G001"),
        ("ﬁ", "G001"),
        ("x;import os", "G001"),
        ("class", "G002"),
        ("None", "G002"),
        ("forward", "G003"),
        ("type", "G003"),
        ("x", "G004"),
        ("a" * 101, "G005"),
    ],
)
def test_that_a_name_that_cannot_be_an_attribute_is_refused(name: str, expected: str) -> None:
    with pytest.raises(GraphError) as error:
        apply(RenameNode(id="relu", name=name), model((4,), ("ReLU", {})))
    assert code(error) == expected


@pytest.mark.parametrize("name", ["conv1", "match", "卷积1", "a" * 100, "relu", "list"])
def test_that_a_usable_name_is_taken(name: str) -> None:
    after = apply(RenameNode(id="relu", name=name), model((4,), ("ReLU", {})))
    assert after.nodes["relu"].name == name


def test_that_a_parameter_set_to_its_default_leaves_the_document() -> None:
    graph = model((4,), ("Dropout", {}))
    changed = apply(SetParam(id="dropout", name="p", value=0.25), graph)
    assert changed.nodes["dropout"].params == {"p": 0.25}
    assert apply(SetParam(id="dropout", name="p", value=0.5), changed) == graph


@pytest.mark.parametrize(
    ("name", "value"),
    [("p", 1.5), ("p", "much"), ("p", None), ("rate", 0.5), ("inplace", 1), ("p", float("nan"))],
)
def test_that_a_value_the_catalogue_refuses_is_refused(name: str, value: object) -> None:
    with pytest.raises(GraphError) as error:
        apply(SetParam(id="dropout", name=name, value=value), model((4,), ("Dropout", {})))  # pyright: ignore[reportArgumentType]
    assert error.value.problems[0].node == "dropout"
    assert error.value.problems[0].field == name


def test_that_a_second_wire_into_an_input_replaces_the_first() -> None:
    graph, _ = add(model((4,), ("ReLU", {})), "Input", "y", shape=(4,))
    after = apply(Connect(edge=edge("y", "relu")), graph)
    assert [e.source for e in after.edges if e.target == "relu"] == ["y"]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (edge("relu", "relu"), "G012"),
        (edge("tanh", "relu"), "G013"),
        (edge("output", "relu"), "G010"),
        (edge("relu", "tanh", "other"), "G011"),
        (edge("nobody", "tanh"), "G007"),
    ],
)
def test_that_a_wire_that_cannot_be_is_refused(wanted: Edge, expected: str) -> None:
    with pytest.raises(GraphError) as error:
        apply(Connect(edge=wanted), model((4,), ("ReLU", {}), ("Tanh", {})))
    assert code(error) == expected


def test_that_disconnecting_takes_exactly_that_wire() -> None:
    graph = model((4,), ("ReLU", {}))
    after = apply(Disconnect(edges=(graph.edges[0],)), graph)
    assert after.edges == graph.edges[1:]
    with pytest.raises(GraphError):
        apply(Disconnect(edges=(graph.edges[0],)), after)


def test_that_a_variadic_input_offers_one_free_port_more() -> None:
    graph, _ = add(chain(("Input", {"shape": (4,)}, "x")), "cat", "joined")
    for number in range(3):
        graph = wire(graph, "x", f"joined.tensors.{number}")
    assert len(graph.edges) == 3
    with pytest.raises(GraphError):
        wire(graph, "x", "joined.tensors.9")


def test_that_pasting_keeps_the_wires_and_finds_free_names() -> None:
    graph = model((4,), ("Linear", {"out_features": 3}, "fc1"), ("ReLU", {}))
    fragment = apply(RemoveNodes(ids=("x", "output")), graph)
    after = apply(InsertFragment(fragment=fragment, offset=(10.0, 20.0)), graph)
    assert list(after.nodes)[4:] == ["fc2", "relu2"]
    assert edge("fc2", "relu2") in after.edges
    assert after.nodes["fc2"].params == {"out_features": 3}
    assert after.nodes["fc2"].position == (10.0, 20.0)


def test_that_a_pasted_layer_of_a_list_has_an_id_that_a_project_can_keep() -> None:
    graph = model((4,), ("ReLU", {}))
    graph = apply(RenameNode(id="relu", name="layers.0"), graph)
    after = apply(InsertFragment(fragment=apply(RemoveNodes(ids=("x", "output")), graph)), graph)
    assert "layers.1" in {node.name for node in after.nodes.values()}
    assert from_document(to_document(after)) == after


def test_that_a_batch_is_all_or_nothing() -> None:
    graph = model((4,), ("ReLU", {}))
    bad = Batch(edits=(RenameNode(id="relu", name="act"), RenameNode(id="relu", name="x")))
    with pytest.raises(GraphError):
        apply(bad, graph)
    assert graph.nodes["relu"].name == "relu"
    assert apply(Batch(edits=(ReplaceGraph(graph=Graph()),)), graph) == Graph()


@pytest.mark.parametrize("position", [(float("inf"), 0.0), (0.0, float("nan"))])
def test_that_a_position_is_finite(position: tuple[float, float]) -> None:
    with pytest.raises(GraphError) as error:
        apply(MoveNodes(positions={"x": position}), model((4,)))
    assert code(error) == "G045"


def test_that_an_id_that_a_document_could_not_hold_is_refused() -> None:
    with pytest.raises(GraphError) as error:
        apply(AddNode(node=Node(id="a b", type="ReLU", name="a")), Graph())
    assert code(error) == "G006"


def test_that_an_edit_of_a_large_graph_keeps_all_that_it_does_not_touch() -> None:
    nodes = {f"n{i}": Node(id=f"n{i}", type="ReLU", name=f"n{i}") for i in range(2000)}
    graph = Graph(nodes=nodes, edges=tuple(edge(f"n{i - 1}", f"n{i}") for i in range(1, 2000)))
    for edit in (
        MoveNodes(positions={"n7": (7.0, 1.0)}),
        SetParam(id="n7", name="inplace", value=True),
        RenameNode(id="n7", name="act7"),
        Connect(edge=edge("n6", "n7")),
    ):
        edited = apply(edit, graph)
        assert {key for key, node in edited.nodes.items() if node is not graph.nodes[key]} <= {"n7"}
        before = set(map(id, graph.edges))
        assert sum(id(one) not in before for one in edited.edges) <= 1


def test_that_a_new_node_has_a_free_name_and_what_the_catalogue_suggests() -> None:
    graph, first = add(Graph(), "Conv2d")
    second = make_node(graph, "Conv2d")
    assert (first.name, second.name) == ("conv", "conv2")
    assert second.params["in_channels"] == "auto"


def test_that_copies_are_not_pinned() -> None:
    graph = apply(PinNodes(ids=("relu",)), model((4,), ("ReLU", {})))
    assert graph.nodes["relu"].pinned
    copied, renamed = insert_fragment(graph, graph, (5.0, 5.0))
    assert not copied.nodes[renamed["relu"]].pinned
    assert copied.nodes["relu"].pinned
    with pytest.raises(GraphError):
        apply(PinNodes(ids=("nobody",)), graph)
