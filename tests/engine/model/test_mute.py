"""What a muted layer gives to the model, to its weights and to its text."""

import pytest
import torch
from msgspec.structs import replace

from engine.graph.code import MODEL_FILE
from engine.graph.edit.block_edits import GroupNodes
from engine.graph.edit.edits import EditBlock, apply
from engine.graph.model import Graph
from engine.graph.node_state.mute import MuteNodes
from engine.model.analysis import analyse
from engine.model.module import to_module
from engine.model.source import to_source
from engine.reader.merge.follow import follow
from engine.shape.propagate import Propagator
from engine.shape.survey import survey
from tests.engine.graph.builder import model


def three() -> Graph:
    return model(
        (4,),
        ("Linear", {"out_features": 5}, "a"),
        ("Linear", {"out_features": 4}, "b"),
        ("Linear", {"out_features": 2}, "c"),
    )


def muted(graph: Graph, *ids: str) -> Graph:
    return apply(MuteNodes(ids=ids), graph)


@pytest.mark.row("P10")
def test_that_a_muted_layer_keeps_its_weights_and_gives_nothing() -> None:
    graph = muted(three(), "b")
    found, plain = analyse(graph), analyse(three())
    assert found.problems == ()
    assert found.nodes == plain.nodes
    module = to_module(graph)
    assert module.state_dict().keys() == to_module(three()).state_dict().keys()
    result = module(torch.randn(3, 4))
    assert torch.equal(result, module.c.bias.expand(3, 2))
    result.sum().backward()
    assert module.b.weight.grad is None
    assert module.c.bias.grad is not None


def test_that_every_used_output_of_a_muted_layer_is_zero() -> None:
    graph = muted(model((6, 4), ("GRU", {"hidden_size": 3, "batch_first": True}, "g")), "g")
    assert torch.count_nonzero(to_module(graph)(torch.randn(2, 6, 4))) == 0


def test_that_a_line_of_the_zeros_is_the_muted_node_s() -> None:
    found = analyse(muted(three(), "b"))
    lines = dict(enumerate(found.source.splitlines(), 1))
    owners = {owner for number, owner in found.lines.items() if "zeros_like" in lines[number]}
    assert owners == {"b"}


def test_that_a_muted_layer_in_a_block_is_so_in_every_use() -> None:
    graph = apply(GroupNodes(ids=("a", "b"), name="Pair"), three())
    silent = apply(EditBlock(block="Pair", edit=MuteNodes(ids=("b",))), graph)
    module, keys = to_module(silent), to_module(graph).state_dict().keys()
    assert module.state_dict().keys() == keys
    assert torch.equal(module(torch.randn(3, 4)), module.c.bias.expand(3, 2))


def typed(graph: Graph, text: str) -> Graph:
    return follow(text, graph, survey(graph, Propagator()).resolved, to_source(graph))


def test_that_text_of_a_muted_layer_is_read_as_one() -> None:
    graph = muted(three(), "b")
    text = to_source(graph)
    after = typed(graph, text + "\n# seen\n")
    assert after.nodes["b"].muted
    assert set(after.nodes) == set(graph.nodes)
    assert set(after.edges) == set(graph.edges)
    assert to_source(after) == text + "\n# seen\n"


def test_that_a_variable_of_the_zeros_may_be_called_as_one_likes() -> None:
    graph = muted(three(), "b")
    text = to_source(graph).replace("b_muted", "nothing")
    after = typed(graph, text)
    assert after.nodes["b"].muted
    assert to_source(after) == text


def test_that_taking_the_zeros_out_of_the_text_ends_muting() -> None:
    graph = muted(three(), "b")
    text = to_source(graph).replace("torch.zeros_like(b)", "b")
    after = typed(graph, text)
    assert not after.nodes["b"].muted
    assert set(after.edges) == set(graph.edges)


def test_that_reading_the_layer_beside_the_zeros_makes_them_a_node() -> None:
    graph = muted(three(), "b")
    after = typed(graph, to_source(graph).replace("self.c(b_muted)", "self.c(b_muted + b)"))
    assert not after.nodes["b"].muted
    assert "zeros_like" in {node.type for node in after.nodes.values()}
    assert all("." not in node_id for node_id in after.nodes)
    assert analyse(after).problems == ()


def test_that_muting_on_the_canvas_changes_one_line_of_an_own_text() -> None:
    text = to_source(three()).replace("    def forward", "    # mine\n    def forward")
    graph = replace(three(), code={MODEL_FILE: text})
    source = to_source(muted(graph, "b"))
    assert "# mine" in source
    assert "torch.zeros_like(b)" in source
    assert to_source(graph) == text
