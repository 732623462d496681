import pytest

from engine.graph.analysis import Analysis, NodeReport, TensorType
from engine.graph.edit.block_edits import GroupNodes
from engine.graph.edit.edits import apply
from engine.graph.finding import find_nodes
from engine.graph.model import Graph, Node
from tests.engine.graph.builder import model


def no_words(_graph: Graph, _node: Node) -> tuple[str, ...]:
    return ()


@pytest.fixture
def graph() -> Graph:
    return model(
        (3, 8, 8),
        ("Conv2d", {"out_channels": 16, "kernel_size": 3}, "stem"),
        ("ReLU", {}, "relu"),
        ("ReLU", {}, "last"),
    )


def shapes(**found: tuple[int | str, ...]) -> Analysis:
    return Analysis(
        nodes={
            place.replace("__", "/"): NodeReport(
                outputs={"output": TensorType(shape=shape, dtype="float32")}
            )
            for place, shape in found.items()
        }
    )


def test_that_nodes_are_found_by_name_and_by_type(graph: Graph) -> None:
    assert find_nodes(graph, Analysis(), "STEM", no_words) == ("stem",)
    assert find_nodes(graph, Analysis(), "relu", no_words) == ("relu", "last")
    assert find_nodes(graph, Analysis(), "relu last", no_words) == ("last",)
    assert find_nodes(graph, Analysis(), "  ", no_words) == ()


@pytest.mark.parametrize("text", ["16x8x8", "16×8×8", "N,16,8", "n*16"])
def test_that_nodes_are_found_by_shape(graph: Graph, text: str) -> None:
    analysis = shapes(stem=("N", 16, 8, 8), relu=("N", 160, 8, 8))
    assert find_nodes(graph, analysis, text, no_words) == ("stem",)


def test_that_a_part_of_a_size_is_not_that_size(graph: Graph) -> None:
    assert find_nodes(graph, shapes(relu=("N", 160)), "16", no_words) == ()


def test_that_words_of_the_caller_are_looked_through(graph: Graph) -> None:
    def words(_graph: Graph, node: Node) -> tuple[str, ...]:
        return ("卷积",) if node.type == "Conv2d" else ()

    assert find_nodes(graph, Analysis(), "卷积", words) == ("stem",)


def test_that_the_inside_of_a_block_is_found_once_and_where_one_is(graph: Graph) -> None:
    graph = apply(GroupNodes(ids=("stem", "relu"), name="Stem"), graph)
    (use,) = [node for node in graph.nodes.values() if node.type == "block.Stem"]
    second = Node(id="second", type="block.Stem", name="second")
    graph = Graph(nodes={**graph.nodes, "second": second}, edges=graph.edges, blocks=graph.blocks)
    assert find_nodes(graph, Analysis(), "conv", no_words) == (f"{use.id}/stem",)
    assert find_nodes(graph, Analysis(), "conv", no_words, ("second",)) == ("second/stem",)
