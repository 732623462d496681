import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.graph.block import body, can_be_sequential
from engine.graph.check import check
from engine.graph.codec import from_document, from_text, to_document, to_text
from engine.graph.edit.block_edits import (
    DescribeBlock,
    GroupNodes,
    SetRepeat,
    ShareModule,
    UngroupNode,
)
from engine.graph.edit.edits import EditBlock, InsertFragment, RemoveNodes, RenameNode, apply
from engine.graph.error import GraphError
from engine.graph.model import BlockStyle, Graph
from tests.engine.graph.builder import model, wire


def residual() -> Graph:
    graph = model(
        (4, 8, 8),
        ("Conv2d", {"out_channels": 4, "kernel_size": 3, "padding": 1}, "conv1"),
        ("BatchNorm2d", {}, "norm1"),
        ("ReLU", {}, "act"),
        ("Conv2d", {"out_channels": 4, "kernel_size": 3, "padding": 1}, "conv2"),
        ("add", {}, "total"),
        ("Flatten", {}, "flat"),
        ("Linear", {"out_features": 3}, "head"),
    )
    return wire(graph, "x", "total.other")


INNER = ("conv1", "norm1", "act", "conv2", "total", "flat", "head")


@pytest.mark.row("P09")
def test_that_a_group_has_a_port_for_each_value_that_crosses_its_border() -> None:
    graph = apply(GroupNodes(ids=INNER[:5], name="Residual"), residual())
    assert list(graph.nodes) == ["x", "residual", "flat", "head", "output"]
    inside = graph.blocks["Residual"]
    kinds = [node.type for node in inside.nodes.values()]
    assert kinds.count("BlockInput") == 1
    assert kinds.count("BlockOutput") == 1
    assert inside.style is BlockStyle.CLASS  # a residual connection is no chain
    assert check(graph) == ()


@pytest.mark.row("S070")
def test_that_a_chain_of_layers_becomes_a_sequential() -> None:
    graph = apply(GroupNodes(ids=("conv1", "norm1", "act"), name="Stem"), residual())
    assert graph.blocks["Stem"].style is BlockStyle.SEQUENTIAL
    operators = apply(GroupNodes(ids=("conv2", "total"), name="Sum"), residual())
    assert not can_be_sequential(operators, operators.blocks["Sum"])


@pytest.mark.row("S070")
def test_that_a_block_is_written_only_in_a_way_that_can_hold_its_names() -> None:
    listed = apply(RenameNode(id="norm1", name="norms.1"), residual())
    grouped = apply(GroupNodes(ids=("conv1", "norm1"), name="Stem"), listed)
    assert grouped.blocks["Stem"].style is BlockStyle.CLASS
    with pytest.raises(GraphError) as refused:
        apply(DescribeBlock(name="Stem", style=BlockStyle.SEQUENTIAL), grouped)
    assert [problem.code for problem in refused.value.problems] == ["G082"]

    grouped = apply(GroupNodes(ids=("conv1", "norm1"), name="Stem"), residual())
    numbered = apply(EditBlock(block="Stem", edit=RenameNode(id="norm1", name="1")), grouped)
    assert check(numbered) == ()
    with pytest.raises(GraphError) as refused:
        apply(DescribeBlock(name="Stem", style=BlockStyle.CLASS), numbered)
    assert [problem.code for problem in refused.value.problems] == ["G083"]


@given(chosen=st.sets(st.sampled_from(INNER), min_size=1))
@settings(deadline=None, max_examples=60)
def test_that_unpacking_a_group_gives_back_the_graph(chosen: set[str]) -> None:
    graph = residual()
    edit = GroupNodes(ids=tuple(chosen), name="Part")
    places = [INNER.index(name) for name in chosen]
    if max(places) - min(places) >= len(places):  # the selection has a hole
        with pytest.raises(GraphError):
            apply(edit, graph)
        return
    grouped = apply(edit, graph)
    assert check(grouped) == ()
    assert from_document(to_document(grouped)) == grouped
    use = next(node for node in grouped.nodes.values() if node.type == "block.Part")
    again = apply(UngroupNode(id=use.id), grouped)
    assert again.nodes == graph.nodes
    assert set(again.edges) == set(graph.edges)
    assert again.blocks == {}


def test_that_a_selection_with_a_hole_is_refused_with_the_node_in_between() -> None:
    with pytest.raises(GraphError) as error:
        apply(GroupNodes(ids=("conv1", "act"), name="Part"), residual())
    assert error.value.problems[0].code == "G056"
    assert error.value.problems[0].params == {"name": "norm1"}


@pytest.mark.parametrize(
    ("ids", "name", "code"),
    [
        ((), "Part", "G050"),
        (("conv1",), "two words", "G057"),
        (("conv1",), "Model", "G058"),
        (("x", "conv1"), "Part", "G054"),
        (("nobody",), "Part", "G050"),
    ],
)
def test_that_a_bad_group_is_refused(ids: tuple[str, ...], name: str, code: str) -> None:
    with pytest.raises(GraphError) as error:
        apply(GroupNodes(ids=ids, name=name), residual())
    assert error.value.problems[0].code == code


def test_that_a_block_cannot_be_put_into_itself() -> None:
    graph = apply(GroupNodes(ids=("act",), name="Part"), residual())
    text = to_text(graph, ["part"])
    with pytest.raises(GraphError) as error:
        apply(EditBlock(block="Part", edit=InsertFragment(fragment=from_text(text))), graph)
    assert error.value.problems[0].code == "G059"


def test_that_removing_a_port_inside_takes_the_wires_at_all_uses_away() -> None:
    graph = apply(GroupNodes(ids=("act",), name="Part"), residual())
    port = next(n.id for n in graph.blocks["Part"].nodes.values() if n.type == "BlockInput")
    after = apply(EditBlock(block="Part", edit=RemoveNodes(ids=(port,))), graph)
    assert not [edge for edge in after.edges if edge.target == "part"]
    assert [edge for edge in after.edges if edge.source == "part"]


def test_that_renaming_a_port_keeps_its_wires() -> None:
    graph = apply(GroupNodes(ids=("act",), name="Part"), residual())
    port = next(n.id for n in graph.blocks["Part"].nodes.values() if n.type == "BlockInput")
    after = apply(EditBlock(block="Part", edit=RenameNode(id=port, name="image")), graph)
    assert after.edges == graph.edges
    assert check(after) == ()


def test_that_a_pasted_use_brings_its_block_along() -> None:
    graph = apply(GroupNodes(ids=INNER[:5], name="Residual"), residual())
    text = to_text(graph, ["residual"])
    pasted = apply(InsertFragment(fragment=from_text(text)), Graph())
    assert pasted.blocks == graph.blocks
    twice = apply(InsertFragment(fragment=from_text(text)), graph)
    assert twice.blocks == graph.blocks
    assert "residual2" in twice.nodes


def test_that_another_block_of_the_same_name_gets_a_new_one() -> None:
    graph = apply(GroupNodes(ids=("act",), name="Part"), residual())
    other = apply(GroupNodes(ids=("head",), name="Part"), residual())
    mixed = apply(InsertFragment(fragment=from_text(to_text(other, ["part"]))), graph)
    assert set(mixed.blocks) == {"Part", "Part2"}
    assert mixed.nodes["part2"].type == "block.Part2"


def test_that_the_weights_of_a_removed_node_go_to_the_first_that_shared_them() -> None:
    graph = model((4,), ("Linear", {"out_features": 4}, "a"), ("Linear", {}, "b"))
    graph = apply(ShareModule(id="b", source="a"), graph)
    assert graph.nodes["b"].shares == "a"
    after = apply(RemoveNodes(ids=("a",)), graph)
    assert after.nodes["b"].shares == ""
    assert after.nodes["b"].params == {"out_features": 4}


def test_that_operators_which_have_no_weights_cannot_share_them() -> None:
    graph = model((4,), ("softmax", {"dim": 1}, "a"), ("softmax", {"dim": 1}, "b"))
    with pytest.raises(GraphError) as error:
        apply(ShareModule(id="b", source="a"), graph)
    assert error.value.problems[0].code == "G062"


@pytest.mark.parametrize("repeat", [0, -1, 1001])
def test_that_a_senseless_number_of_repeats_is_refused(repeat: int) -> None:
    with pytest.raises(GraphError) as error:
        apply(SetRepeat(id="conv2", repeat=repeat), residual())
    assert error.value.problems[0].code == "G061"


def test_that_an_operator_cannot_be_repeated() -> None:
    with pytest.raises(GraphError) as error:
        apply(SetRepeat(id="total", repeat=2), residual())
    assert error.value.problems[0].code == "G060"


def test_that_the_inside_of_a_sequential_takes_numbers_as_names() -> None:
    graph = apply(GroupNodes(ids=("conv1", "norm1", "act"), name="Stem"), residual())
    after = apply(EditBlock(block="Stem", edit=RenameNode(id="conv1", name="0")), graph)
    assert body(after, after.blocks["Stem"]).nodes["conv1"].name == "0"
    with pytest.raises(GraphError):
        apply(RenameNode(id="conv2", name="0"), residual())


def test_that_a_number_from_a_sequential_gets_a_name_in_a_block_that_is_a_class() -> None:
    graph = apply(GroupNodes(ids=("conv1", "norm1", "act"), name="Stem"), residual())
    graph = apply(EditBlock(block="Stem", edit=RenameNode(id="conv1", name="0")), graph)
    graph = apply(EditBlock(block="Stem", edit=RenameNode(id="act", name="2")), graph)
    inside = GroupNodes(ids=("conv1", "act"), name="Apart")
    cut = EditBlock(block="Stem", edit=RemoveNodes(ids=("norm1",)))
    after = apply(EditBlock(block="Stem", edit=inside), apply(cut, graph))
    nodes = after.blocks["Apart"].nodes
    assert after.blocks["Apart"].style is BlockStyle.CLASS
    assert (nodes["conv1"].name, nodes["act"].name) == ("conv", "relu")
