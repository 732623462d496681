"""Skipped nodes are neither computed nor written, and have no weights."""

import torch

from engine.graph.edit.block_edits import GroupNodes
from engine.graph.edit.edits import EditBlock, apply
from engine.graph.model import Graph
from engine.graph.node_state.bypass import BypassNodes
from engine.model.analysis import analyse
from engine.model.module import to_module
from tests.engine.graph.builder import model


def three() -> Graph:
    return model(
        (4,),
        ("Linear", {"out_features": 4}, "a"),
        ("Linear", {"out_features": 4}, "b"),
        ("Linear", {"out_features": 2}, "c"),
    )


def test_that_a_skipped_layer_has_no_weights_and_no_line() -> None:
    graph = apply(BypassNodes(ids=("b",)), three())
    found = analyse(graph)
    assert found.problems == ()
    assert found.parameters == 4 * 4 + 4 + 4 * 2 + 2
    module = to_module(graph)
    assert sorted({key.partition(".")[0] for key in module.state_dict()}) == ["a", "c"]
    assert module(torch.ones(3, 4)).shape == (3, 2)


def test_that_shapes_are_told_where_they_do_not_go_on() -> None:
    graph = model(
        (4,),
        ("Linear", {"out_features": 8}, "a"),
        ("Linear", {"in_features": 8, "out_features": 2}, "b"),
    )
    found = analyse(apply(BypassNodes(ids=("a",)), graph))
    assert [problem.node for problem in found.problems] == ["b"]


def test_that_a_block_of_which_all_is_skipped_gives_what_it_gets() -> None:
    graph = apply(GroupNodes(ids=("a", "b"), name="Pair"), three())
    skipped = apply(EditBlock(block="Pair", edit=BypassNodes(ids=("a", "b"))), graph)
    module = to_module(skipped)
    assert sorted({key.partition(".")[0] for key in module.state_dict()}) == ["c"]
    half = apply(EditBlock(block="Pair", edit=BypassNodes(ids=("b",))), graph)
    keys = to_module(half).state_dict()
    assert {key.split(".")[1] for key in keys if key.startswith("pair")} == {"a"}
