"""Freezing parts of a model, as edits of the graph."""

import pytest

from engine.graph import codec
from engine.graph.block import PREFIX
from engine.graph.edit.block_edits import GroupNodes, ShareModule
from engine.graph.edit.edits import AddNode, EditBlock, RemoveNodes, apply
from engine.graph.error import GraphError
from engine.graph.expand import expand
from engine.graph.model import Graph, Node
from engine.graph.node_state.freezing import FreezeNodes, can_be_frozen


def graph_of(*types):
    graph = Graph()
    for index, type_ in enumerate(types):
        node = Node(id=f"n{index}", type=type_, name=f"name{index}")
        graph = apply(AddNode(node=node), graph)
    return graph


@pytest.mark.row("S048")
def test_that_a_layer_is_frozen_and_trained_again():
    graph = graph_of("Linear")
    frozen = apply(FreezeNodes(ids=("n0",)), graph)
    assert frozen.nodes["n0"].frozen
    assert apply(FreezeNodes(ids=("n0",), frozen=False), frozen) == graph


def test_that_a_frozen_layer_is_frozen_in_the_document_and_read_again():
    graph = apply(FreezeNodes(ids=("n0",)), graph_of("Linear", "ReLU"))
    document = codec.to_document(graph)
    assert str(document).count("frozen") == 1
    assert codec.from_document(document) == graph


def test_that_what_has_no_weights_is_left_alone_and_alone_is_refused():
    graph = graph_of("Linear", "ReLU")
    frozen = apply(FreezeNodes(ids=("n0", "n1")), graph)
    assert [node.frozen for node in frozen.nodes.values()] == [True, False]
    with pytest.raises(GraphError) as caught:
        apply(FreezeNodes(ids=("n1",)), graph)
    assert [problem.code for problem in caught.value.problems] == ["G120"]


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        ("BatchNorm2d", True),
        ("LSTM", True),
        ("MultiheadAttention", True),
        ("Parameter", True),
        ("Buffer", False),
        ("Dropout", False),
        ("add", False),
        ("Input", False),
    ],
)
def test_that_only_what_has_weights_can_be_frozen(type_, expected):
    graph = graph_of(type_)
    assert can_be_frozen(graph, graph.nodes["n0"]) is expected


def test_that_a_frozen_use_of_a_block_freezes_all_in_it_and_no_other_use():
    graph = apply(GroupNodes(ids=("n0", "n1"), name="Part"), graph_of("Linear", "ReLU"))
    (use,) = graph.nodes.values()
    graph = apply(AddNode(node=Node(id="again", type=PREFIX + "Part", name="again")), graph)
    flat = expand(apply(FreezeNodes(ids=(use.id,)), graph)).graph.nodes
    assert flat[f"{use.id}/n0"].frozen
    assert not flat["again/n0"].frozen


def test_that_a_layer_frozen_inside_a_block_is_frozen_at_every_use():
    graph = apply(GroupNodes(ids=("n0", "n1"), name="Part"), graph_of("Linear", "ReLU"))
    graph = apply(AddNode(node=Node(id="again", type=PREFIX + "Part", name="again")), graph)
    graph = apply(EditBlock(block="Part", edit=FreezeNodes(ids=("n0",))), graph)
    flat = expand(graph).graph.nodes
    assert all(node.frozen for path, node in flat.items() if path.endswith("/n0"))


def test_that_freezing_a_layer_that_uses_the_weights_of_another_freezes_those():
    graph = apply(ShareModule(id="n1", source="n0"), graph_of("Linear", "Linear"))
    frozen = apply(FreezeNodes(ids=("n1",)), graph)
    assert [node.frozen for node in frozen.nodes.values()] == [True, False]
    assert all(node.frozen for node in expand(frozen).graph.nodes.values())
    alone = apply(ShareModule(id="n1"), frozen)
    assert alone.nodes["n1"].frozen


def test_that_the_heir_of_shared_weights_is_frozen_as_their_owner_was():
    graph = apply(ShareModule(id="n1", source="n0"), graph_of("Linear", "Linear"))
    frozen = apply(FreezeNodes(ids=("n0",)), graph)
    assert apply(RemoveNodes(ids=("n0",)), frozen).nodes["n1"].frozen
