from engine.graph.comparison import diff
from engine.graph.edit.edits import Batch, Connect, MoveNodes, RemoveNodes, RenameNode, apply
from engine.graph.index import index_of
from engine.graph.model import Edge, Graph
from engine.graph.query import (
    ancestors,
    dependents,
    find_cycle,
    incoming,
    input_ports,
    landing_inputs,
    landing_outputs,
    link_problem,
    order,
    outgoing,
    output_ports,
    unique_name,
)
from tests.engine.graph.builder import add, chain, model, wire


def branched() -> Graph:
    graph = model((4,), ("ReLU", {}, "a"), ("ReLU", {}, "b"))
    graph, _ = add(graph, "add", "sum1")
    return wire(wire(graph, "b", "sum1.input"), "x", "sum1.other")


def test_that_the_order_follows_the_wires_and_else_the_making() -> None:
    assert order(branched()) == ("x", "a", "b", "output", "sum1")


def test_that_nodes_on_a_cycle_have_no_order() -> None:
    graph = chain(("ReLU", {}, "a"), ("ReLU", {}, "b"), ("ReLU", {}, "c"))
    back = Edge(source="c", source_port="output", target="b", target_port="input")
    looped = Graph(nodes=graph.nodes, edges=(*graph.edges, back))
    assert order(looped) == ("a",)
    assert set(find_cycle(looped)) == {"b", "c"}
    assert find_cycle(graph) == ()


def test_that_ancestors_and_dependents_include_the_asked() -> None:
    assert ancestors(branched(), ["b"]) == {"x", "a", "b"}
    assert dependents(branched(), ["b"]) == {"b", "output", "sum1"}


def test_that_the_ports_follow_the_parameters() -> None:
    graph = model((4,), ("MaxPool2d", {"kernel_size": 2, "return_indices": True}, "pool"))
    assert len(output_ports(graph, graph.nodes["pool"])) == 2
    graph, node = add(graph, "cat", "joined")
    assert [port.name for port in input_ports(graph, node)] == ["tensors.0", "tensors.1"]


def test_that_where_a_wire_may_land_agrees_with_what_is_refused() -> None:
    graph = branched()
    allowed = landing_inputs(graph, "a")
    for node in graph.nodes.values():
        for port in input_ports(graph, node):
            edge = Edge(source="a", source_port="output", target=node.id, target_port=port.name)
            assert ((node.id, port.name) in allowed) == (link_problem(graph, edge) is None)
    assert {node for node, _ in landing_outputs(graph, "a")} == {"x"}


def test_that_a_free_name_counts_on() -> None:
    assert unique_name(branched(), "a") == "a2"
    assert unique_name(branched(), "sum1") == "sum2"
    assert unique_name(branched(), "new") == "new"


def test_that_a_difference_tells_moved_from_changed() -> None:
    graph = branched()
    moved = apply(MoveNodes(positions={"a": (1.0, 2.0)}), graph)
    assert diff(graph, moved).is_only_movement()
    assert diff(graph, graph).is_empty()
    after = apply(Batch(edits=(RenameNode(id="a", name="act"), RemoveNodes(ids=("sum1",)))), moved)
    found = diff(graph, after)
    assert (found.changed, found.removed, len(found.edges_removed)) == (("a",), ("sum1",), 2)


def test_that_the_carried_index_agrees_with_a_fresh_one() -> None:
    graph = branched()
    other = Edge(source="a", source_port="output", target="sum1", target_port="other")
    after = apply(Connect(edge=other), graph)
    for node_id in after.nodes:
        fresh = Graph(nodes=after.nodes, edges=(*after.edges,))
        expected = tuple(edge for edge in after.edges if edge.target == node_id)
        assert incoming(after, node_id) == expected
        assert outgoing(after, node_id) == outgoing(fresh, node_id)
        for goal in after.nodes:
            reached = goal in dependents(after, [node_id])
            assert index_of(after).has_path(node_id, goal) == reached
