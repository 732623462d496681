"""Copied nodes on another level."""

import pytest

from engine.graph.block import body
from engine.graph.check import check
from engine.graph.codec import from_text, to_text
from engine.graph.edit.block_edits import GroupNodes, UngroupNode
from engine.graph.edit.edits import EditBlock, InsertFragment, RenameNode, apply
from engine.graph.edit.tapping import tap_output
from engine.graph.error import GraphError
from engine.graph.insert.fragment import fitted
from engine.graph.model import BlockStyle, Edge, Graph, Node


def row(*types: str) -> Graph:
    nodes = {f"n{i}": Node(id=f"n{i}", type=key, name=f"n{i}") for i, key in enumerate(types)}
    edges = tuple(
        Edge(source=f"n{i}", source_port="output", target=f"n{i + 1}", target_port="input")
        for i in range(len(types) - 1)
    )
    return Graph(nodes=nodes, edges=edges)


@pytest.mark.parametrize(
    ("kinds", "is_inside", "expected"),
    [
        (("Input", "ReLU", "Output"), True, ["BlockInput", "ReLU", "BlockOutput"]),
        (("BlockInput", "ReLU", "BlockOutput"), False, ["Input", "ReLU", "Output"]),
        (("Input", "Output"), False, ["Input", "Output"]),
        (("BlockInput", "BlockOutput"), True, ["BlockInput", "BlockOutput"]),
    ],
)
def test_that_inputs_and_outputs_are_those_of_their_level(kinds, is_inside, expected):
    graph = row(*kinds)
    found = fitted(graph, is_inside=is_inside)
    assert [node.type for node in found.nodes.values()] == expected
    assert found.edges == graph.edges


def test_that_numbered_layers_get_names_when_they_leave_a_sequential():
    graph = apply(GroupNodes(ids=("n1", "n2"), name="Pair"), row("Input", "ReLU", "Tanh", "Output"))
    assert graph.blocks["Pair"].style is BlockStyle.SEQUENTIAL
    for number, node in enumerate(("n1", "n2")):
        edit = RenameNode(id=node, name=str(number))
        graph = apply(EditBlock(block="Pair", edit=edit), graph)
    after = apply(UngroupNode(id="pair"), graph)
    assert [node.name for node in after.nodes.values()] == ["n0", "relu", "tanh", "n3"]
    assert not [problem for problem in check(after) if problem.code == "G001"]


def test_that_a_copy_of_a_numbered_layer_gets_a_name_outside_of_its_sequential():
    graph = apply(GroupNodes(ids=("n1", "n2"), name="Pair"), row("Input", "ReLU", "Tanh", "Output"))
    graph = apply(EditBlock(block="Pair", edit=RenameNode(id="n1", name="0")), graph)
    copied = from_text(to_text(body(graph, graph.blocks["Pair"]), ["n1"]))
    after = apply(InsertFragment(fragment=copied, offset=(5.0, 5.0)), graph)
    assert [node.name for node in after.nodes.values()][-1] == "relu"
    inside = apply(EditBlock(block="Pair", edit=InsertFragment(fragment=copied)), graph)
    assert sorted(node.name for node in inside.blocks["Pair"].nodes.values())[:2] == ["0", "1"]


def test_that_a_tapped_sequential_with_numbers_inside_another_says_why_it_stays():
    graph = apply(GroupNodes(ids=("n1", "n2"), name="Pair"), row("Input", "ReLU", "Tanh", "Output"))
    graph = apply(GroupNodes(ids=("pair",), name="Outer"), graph)
    for number, node in enumerate(("n1", "n2")):
        edit = RenameNode(id=node, name=str(number))
        graph = apply(EditBlock(block="Pair", edit=edit), graph)
    with pytest.raises(GraphError) as refused:
        tap_output(apply(RenameNode(id="outer", name="outer.0"), graph), "outer/pair/n1")
    assert [problem.code for problem in refused.value.problems] == ["G083"]
