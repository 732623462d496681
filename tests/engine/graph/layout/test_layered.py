import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.graph.edit.edits import MoveNodes, PinNodes, apply
from engine.graph.layout.layered import DEFAULT_SIZE, Position, arrange
from engine.graph.model import Edge, Graph, Node
from tests.engine.graph.builder import model

_PLACES = st.floats(-2000, 4000)


def tangled(count: int, seed: int) -> Graph:
    generator = random.Random(seed)
    nodes = {f"n{i}": Node(id=f"n{i}", type="ReLU", name=f"n{i}") for i in range(count)}
    edges = tuple(
        Edge(
            source=f"n{generator.randrange(max(0, i - 12), i)}",
            source_port="output",
            target=f"n{i}",
            target_port=f"input{port}",
        )
        for i in range(1, count)
        for port in range(generator.choice([1, 1, 2]))
    )
    return Graph(nodes=nodes, edges=edges)


def overlaps(positions: dict[str, Position]) -> int:
    width, height = DEFAULT_SIZE
    places = list(positions.values())
    return sum(
        abs(a[0] - b[0]) < width - 1e-6 and abs(a[1] - b[1]) < height - 1e-6
        for i, a in enumerate(places)
        for b in places[:i]
    )


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_that_no_nodes_overlap_and_wires_lead_to_the_right(seed: int) -> None:
    graph = tangled(150, seed)
    positions = arrange(graph, {})
    assert positions.keys() == graph.nodes.keys()
    assert overlaps(positions) == 0
    for edge in graph.edges:
        assert positions[edge.source][0] < positions[edge.target][0]


def test_that_a_chain_is_a_straight_line_without_gaps() -> None:
    positions = arrange(model((4,), ("ReLU", {}), ("Tanh", {})), {})
    assert len({y for _, y in positions.values()}) == 1
    assert len({x for x, _ in positions.values()}) == 4


@pytest.mark.parametrize("count", [4, 12, 16, 30, 200])
def test_that_a_chain_too_long_for_the_room_goes_on_in_further_rows(count: int) -> None:
    graph = model((4,), *[("ReLU", {})] * (count - 2))
    sizes = dict.fromkeys(graph.nodes, (180.0, 48.0))
    positions = arrange(graph, sizes, room=(955.0, 534.0))
    rows: dict[float, list[float]] = {}
    for x, y in positions.values():
        rows.setdefault(y, []).append(x)
    assert list(rows) == sorted(rows)
    assert all(row == sorted(row) and row[0] == 0.0 for row in rows.values())
    width = max(row[-1] for row in rows.values()) + 180
    height = max(rows) + 48
    if count <= 16:
        assert width <= 955
        assert height <= 534
    elif count == 200:
        assert 1.2 < width / height < 4


def test_that_a_row_is_broken_where_one_wire_passes() -> None:
    """A skip from n1 over n2 and n3 to n4: the row ends before or after it."""
    names = [f"n{i}" for i in range(8)]
    nodes = {name: Node(id=name, type="ReLU", name=name) for name in names}
    pairs = [*pairwise(names), ("n1", "n4"), ("n4", "n7")]
    edges = tuple(
        Edge(source=a, source_port="output", target=b, target_port=f"i{n}")
        for n, (a, b) in enumerate(pairs)
    )
    sizes = dict.fromkeys(nodes, (180.0, 48.0))
    positions = arrange(Graph(nodes=nodes, edges=edges), sizes, room=(1400.0, 600.0))
    starts = [name for name in names if positions[name][0] == 0.0]
    assert starts == ["n0", "n4"]


@given(st.sets(st.integers(0, 39)), st.booleans())
@settings(deadline=None, max_examples=40)
def test_that_an_arranged_graph_stays_as_it_is_whatever_is_pinned(
    pins: set[int], has_room: bool
) -> None:
    room = (900.0, 600.0) if has_room else None
    graph = model((4,), *[("ReLU", {})] * 38)
    before = arrange(graph, {}, room=room)
    pinned = [key for number, key in enumerate(graph.nodes) if number in pins]
    graph = apply(PinNodes(ids=tuple(pinned)), apply(MoveNodes(positions=before), graph))
    after = arrange(graph, {}, room=room)
    assert after.keys() == graph.nodes.keys() - set(pinned)
    for key, (x, y) in after.items():
        assert (x, y) == pytest.approx(before[key])


@given(st.dictionaries(st.integers(0, 59), st.tuples(_PLACES, _PLACES), max_size=12))
@settings(deadline=None, max_examples=40)
def test_that_what_is_pinned_stays_and_nothing_else_comes_to_lie_on_it(
    places: dict[int, Position],
) -> None:
    moves = {f"n{number}": place for number, place in places.items()}
    graph = apply(MoveNodes(positions=moves), tangled(60, 4))
    graph = apply(PinNodes(ids=tuple(moves)), graph)
    free = arrange(graph, {})
    assert free.keys() == graph.nodes.keys() - moves.keys()
    assert overlaps(free | moves) == overlaps(moves)


def test_that_pins_hold_in_a_large_graph() -> None:
    graph = apply(PinNodes(ids=("n3", "n500")), tangled(1000, 5))
    free = arrange(graph, {})
    assert free.keys() == graph.nodes.keys() - {"n3", "n500"}
    pinned = {name: graph.nodes[name].position for name in ("n3", "n500")}
    assert overlaps(free | pinned) == overlaps(pinned)


def test_that_parallel_branches_do_not_cross() -> None:
    names = ["s", "t", *(f"{branch}{i}" for branch in "abc" for i in range(3))]
    nodes = {name: Node(id=name, type="ReLU", name=name) for name in names}
    pairs = [("s", f"{b}0") for b in "cab"] + [(f"{b}2", "t") for b in "bca"]
    pairs += [(f"{b}{i}", f"{b}{i + 1}") for b in "abc" for i in range(2)]
    edges = tuple(
        Edge(source=a, source_port="output", target=b, target_port=f"i{n}")
        for n, (a, b) in enumerate(pairs)
    )
    positions = arrange(Graph(nodes=nodes, edges=edges), {})
    rows = [[positions[f"{b}{i}"][1] for b in "abc"] for i in range(3)]
    orders = [sorted("abc", key=lambda b, row=row: row["abc".index(b)]) for row in rows]
    assert orders[0] == orders[1] == orders[2]


def test_that_pinned_nodes_stay_and_nothing_lies_on_them() -> None:
    graph = tangled(60, 7)
    positions = arrange(apply(PinNodes(ids=("n0", "n30")), graph), {})
    assert "n0" not in positions
    assert overlaps(positions | {i: graph.nodes[i].position for i in ("n0",)}) == 0


def test_that_sizes_are_respected() -> None:
    graph = model((4,), ("ReLU", {}), ("Tanh", {}))
    positions = arrange(graph, {"relu": (500.0, 300.0)})
    assert positions["tanh"][0] >= positions["relu"][0] + 500


def test_that_a_cycle_and_an_empty_graph_are_arranged() -> None:
    loop = (("a", "b"), ("b", "a"))
    edges = tuple(
        Edge(source=a, source_port="output", target=b, target_port="input") for a, b in loop
    )
    nodes = {name: Node(id=name, type="ReLU", name=name) for name in "ab"}
    assert overlaps(arrange(Graph(nodes=nodes, edges=edges), {})) == 0
    assert arrange(Graph(), {}) == {}


def test_that_a_thousand_nodes_find_places_of_their_own() -> None:
    assert overlaps(arrange(tangled(1000, 5), {})) == 0


def test_that_cards_of_which_each_is_wired_to_all_later_ones_stand_on_one_screen() -> None:
    nodes = {f"n{i}": Node(id=f"n{i}", type="Cat", name=f"n{i}") for i in range(30)}
    edges = tuple(
        Edge(source=f"n{i}", source_port="output", target=f"n{j}", target_port=f"tensors{i}")
        for j in range(30)
        for i in range(j)
    )
    positions = arrange(Graph(nodes=nodes, edges=edges), {}, room=(1400, 800))
    assert overlaps(positions) == 0
    assert max(x for x, _ in positions.values()) < 1400
    assert max(y for _, y in positions.values()) < 800
