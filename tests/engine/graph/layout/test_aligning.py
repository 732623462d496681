import pytest
from msgspec.structs import replace

from engine.graph.layout.aligning import Line, align, distribute
from engine.graph.model import Graph
from tests.engine.graph.builder import model

SIZES = {"a": (100.0, 40.0), "b": (100.0, 60.0), "c": (100.0, 40.0)}
IDS = ("a", "b", "c")


def placed(*places: tuple[float, float], pinned: str = "") -> Graph:
    graph = model((4,), *[("ReLU", {}, name) for name in IDS])
    nodes = dict(graph.nodes)
    for name, place in zip(IDS, places, strict=True):
        nodes[name] = replace(nodes[name], position=place, pinned=name == pinned)
    return replace(graph, nodes=nodes)


@pytest.mark.row("P08")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (Line.LEFT, [(0, 0), (0, 100), (0, 300)]),
        (Line.CENTER, [(100, 0), (100, 100), (100, 300)]),
        (Line.RIGHT, [(200, 0), (200, 100), (200, 300)]),
    ],
)
def test_that_nodes_come_into_one_column(line: Line, expected: list[tuple[float, float]]) -> None:
    graph = placed((0, 0), (200, 100), (50, 300))
    found = align(graph, IDS, SIZES, line)
    assert [found[name] for name in IDS] == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [(Line.TOP, [0, 0, 0]), (Line.MIDDLE, [50, 40, 50]), (Line.BOTTOM, [100, 80, 100])],
)
def test_that_nodes_of_different_heights_come_into_one_row(
    line: Line, expected: list[float]
) -> None:
    graph = placed((0, 0), (200, 50), (400, 100))
    found = align(graph, IDS, SIZES, line)
    assert [found[name][1] for name in IDS] == expected
    assert [found[name][0] for name in IDS] == [0, 200, 400]


def test_that_nodes_never_come_to_lie_over_each_other() -> None:
    found = align(placed((0, 0), (200, 0), (400, 0)), IDS, SIZES, Line.LEFT)
    tops = [found[name][1] for name in IDS]
    assert tops[0] == 0
    assert tops[1] >= 40
    assert tops[2] >= tops[1] + 60


def test_that_a_pinned_node_stays_and_gives_the_line() -> None:
    found = align(placed((0, 0), (200, 100), (50, 300), pinned="c"), IDS, SIZES, Line.LEFT)
    assert found == {"a": (50, 0), "b": (50, 100)}


def test_that_the_gaps_become_equal_and_the_ends_stay() -> None:
    graph = placed((0, 0), (120, 7), (500, 9))
    assert distribute(graph, IDS, SIZES, across=True) == {"a": (0, 0), "b": (250, 7), "c": (500, 9)}
    graph = placed((3, 0), (5, 50), (7, 200))
    found = distribute(graph, IDS, SIZES, across=False)
    assert found == {"a": (3, 0), "b": (5, 90), "c": (7, 200)}


def test_that_a_pinned_node_is_not_distributed() -> None:
    graph = placed((0, 0), (120, 7), (500, 9), pinned="b")
    assert "b" not in distribute(graph, IDS, SIZES, across=True)
