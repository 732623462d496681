from msgspec.structs import replace

from engine.graph.edit.edits import MoveNodes, PinNodes, apply
from engine.graph.insert.placing import (
    free_place,
    insert_behind,
    insert_into,
    move_into,
    place_after,
)
from engine.graph.layout.layered import Position
from engine.graph.model import Edge, Graph
from engine.graph.query import find_cycle, make_node, order
from tests.engine.graph.builder import add, model, wire

SIZE = (180.0, 48.0)


def row(*names: str) -> tuple[Graph, dict[str, Position]]:
    graph = model((4,), *[("ReLU", {}, name) for name in names])
    nodes = {
        key: replace(node, position=(280.0 * index, 0.0))
        for index, (key, node) in enumerate(graph.nodes.items())
    }
    return Graph(nodes=nodes, edges=graph.edges), dict.fromkeys(nodes, SIZE)


def overlaps(graph: Graph) -> int:
    places = [node.position for node in graph.nodes.values()]
    return sum(
        abs(a[0] - b[0]) < SIZE[0] and abs(a[1] - b[1]) < SIZE[1]
        for i, a in enumerate(places)
        for b in places[:i]
    )


def between(source: str, target: str) -> Edge:
    return Edge(source=source, source_port="output", target=target, target_port="input")


def test_that_a_node_goes_into_a_wire_and_the_row_makes_room() -> None:
    graph, sizes = row("a", "b", "c")
    node = make_node(graph, "Tanh", position=(500.0, 10.0))
    edit = insert_into(graph, node, between("a", "b"), sizes, SIZE)
    assert edit is not None
    after = apply(edit, graph)
    assert order(after) == ("x", "a", node.id, "b", "c", "output")
    assert between("a", "b") not in after.edges
    assert overlaps(after) == 0
    assert [after.nodes[key].position[1] for key in after.nodes] == [0.0] * 6
    assert after.nodes["a"].position == graph.nodes["a"].position


def test_that_a_pinned_node_does_not_make_room() -> None:
    graph, sizes = row("a", "b")
    graph = apply(PinNodes(ids=("b",)), graph)
    edit = insert_into(graph, make_node(graph, "Tanh"), between("a", "b"), sizes, SIZE)
    assert edit is not None
    after = apply(edit, graph)
    assert {key: after.nodes[key].position for key in graph.nodes} == {
        key: node.position for key, node in graph.nodes.items()
    }
    assert overlaps(after) == 0
    assert order(after) == ("x", "a", "tanh", "b", "output")


def test_that_a_node_without_wires_moves_into_a_wire() -> None:
    graph, sizes = row("a", "b")
    graph, _ = add(graph, "Tanh", "free")
    graph = apply(MoveNodes(positions={"free": (0.0, 700.0)}), graph)
    edit = move_into(graph, "free", (300.0, 5.0), between("a", "b"), sizes | {"free": SIZE})
    assert edit is not None
    after = apply(edit, graph)
    assert order(after) == ("x", "a", "free", "b", "output")
    assert overlaps(after) == 0
    assert len(after.edges) == len(graph.edges) + 1


def test_that_a_node_with_wires_or_without_ports_does_not_move_into_a_wire() -> None:
    graph, sizes = row("a", "b")
    graph, _ = add(graph, "Input", "other")
    assert move_into(graph, "b", (0.0, 0.0), between("x", "a"), sizes) is None
    assert move_into(graph, "other", (0.0, 0.0), between("x", "a"), sizes) is None


def test_that_nothing_moves_where_there_is_room() -> None:
    graph, sizes = row("a")
    graph = apply(MoveNodes(positions={"output": (900.0, 0.0)}), graph)
    node = make_node(graph, "Tanh", position=(560.0, 4.0))
    edit = insert_into(graph, node, between("a", "output"), sizes, SIZE)
    assert edit is not None
    after = apply(edit, graph)
    assert after.nodes[node.id].position == (560.0, 4.0)
    assert after.nodes["output"].position == (900.0, 0.0)


def test_that_a_node_in_a_wire_that_runs_back_lies_behind_its_source() -> None:
    graph, sizes = row("a")
    graph = apply(MoveNodes(positions={"output": (0.0, 96.0)}), graph)
    node = make_node(graph, "Tanh", position=(200.0, 70.0))
    edit = insert_into(graph, node, between("a", "output"), sizes, SIZE)
    assert edit is not None
    after = apply(edit, graph)
    assert after.nodes[node.id].position == (560.0, 0.0)
    assert overlaps(after) == 0


def test_that_a_node_without_inputs_or_outputs_cannot_go_into_a_wire() -> None:
    graph, sizes = row("a")
    for key in ("Input", "Output"):
        node = make_node(graph, key)
        assert insert_into(graph, node, between("a", "output"), sizes, SIZE) is None


def test_that_a_node_into_a_join_keeps_the_other_wire() -> None:
    graph, sizes = row("a")
    graph, _ = add(graph, "add", "sum")
    graph = wire(wire(graph, "a", "sum.input"), "x", "sum.other")
    sizes["sum"] = SIZE
    edge = Edge(source="x", source_port="output", target="sum", target_port="other")
    edit = insert_into(graph, make_node(graph, "Tanh"), edge, sizes, SIZE)
    assert edit is not None
    after = apply(edit, graph)
    assert Edge(source="a", source_port="output", target="sum", target_port="input") in after.edges
    assert Edge(source="tanh", source_port="output", target="sum", target_port="other") in (
        after.edges
    )
    assert not find_cycle(after)


def test_that_a_new_node_goes_to_the_right_then_below_then_into_a_new_row() -> None:
    graph, sizes = row("a")
    assert place_after(graph, "output", sizes, SIZE, 2000.0) == (840.0, 0.0)
    assert place_after(graph, "a", sizes, SIZE, 2000.0) == (560.0, 80.0)
    assert place_after(graph, "output", sizes, SIZE, 800.0) == (0.0, 96.0)


def test_that_a_node_is_put_below_what_lies_there() -> None:
    graph, sizes = row("a", "b")
    x, y = graph.nodes["a"].position
    assert free_place(graph, (x, y + 500.0), sizes, SIZE) == (x, y + 500.0)
    node = replace(make_node(graph, "Tanh"), position=free_place(graph, (x, y), sizes, SIZE))
    after = Graph(nodes={**graph.nodes, node.id: node}, edges=graph.edges)
    assert node.position[0] == x
    assert overlaps(after) == 0


def test_that_a_node_behind_an_output_takes_over_all_its_wires() -> None:
    graph, sizes = row("a", "b")
    graph, _ = add(graph, "Tanh", "other")
    graph = wire(graph, "a", "other")
    node = make_node(graph, "contiguous")
    after = apply(insert_behind(graph, node, ("a", "output"), sizes, SIZE), graph)
    leads = {(edge.source, edge.target) for edge in after.edges}
    assert {("a", node.id), (node.id, "b"), (node.id, "other")} <= leads
    assert len(leads) == len(graph.edges) + 1
    alone = make_node(after, "contiguous")
    last = apply(insert_behind(after, alone, ("other", "output"), sizes, SIZE), after)
    assert between("other", alone.id) in last.edges
