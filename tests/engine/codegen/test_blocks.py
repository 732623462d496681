import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from engine.catalog.spec import Value
from engine.graph.edit.block_edits import (
    DescribeBlock,
    GroupNodes,
    MakeUnique,
    SetRepeat,
    ShareModule,
)
from engine.graph.edit.edits import AddNode, EditBlock, RemoveNodes, SetParam, apply
from engine.graph.error import GraphError
from engine.graph.model import BlockStyle, Graph
from engine.graph.query import make_node
from engine.model.analysis import analyse
from engine.model.module import to_module
from engine.model.source import generate_whole, to_source
from tests.engine.graph.builder import add, model, wire

CONV: dict[str, Value] = {"out_channels": 4, "kernel_size": 3, "padding": 1}
INNER = ("conv1", "norm1", "act", "conv2", "total", "flat", "head")


def residual() -> Graph:
    graph = model(
        (4, 8, 8),
        ("Conv2d", CONV, "conv1"),
        ("BatchNorm2d", {}, "norm1"),
        ("ReLU", {}, "act"),
        ("Conv2d", CONV, "conv2"),
        ("add", {}, "total"),
        ("Flatten", {}, "flat"),
        ("Linear", {"out_features": 3}, "head"),
    )
    return wire(graph, "x", "total.other")


def group(graph: Graph, name: str, *ids: str, style: BlockStyle = BlockStyle.CLASS) -> Graph:
    graph = apply(GroupNodes(ids=ids, name=name), graph)
    return apply(DescribeBlock(name=name, style=style), graph)


def copy_weights(source: nn.Module, target: nn.Module) -> None:
    values = list(source.state_dict().values())
    keys = list(target.state_dict())
    assert len(values) == len(keys)
    target.load_state_dict(dict(zip(keys, values, strict=True)))


@given(first=st.sets(st.sampled_from(INNER), min_size=1), style=st.sampled_from(list(BlockStyle)))
@settings(deadline=None, max_examples=25)
def test_that_a_grouped_model_computes_the_same(first: set[str], style: BlockStyle) -> None:
    graph = residual()
    try:
        grouped = group(graph, "Part", *first, style=style)
    except GraphError:
        return
    assert analyse(grouped).parameters == analyse(graph).parameters
    flat, nested = to_module(graph), to_module(grouped)
    ours = {key.removeprefix("part."): value for key, value in nested.state_dict().items()}
    assert set(ours) == set(flat.state_dict())
    nested.load_state_dict(
        {key: flat.state_dict()[key.removeprefix("part.")] for key in nested.state_dict()}
    )
    x = torch.randn(5, 4, 8, 8)
    assert torch.equal(flat(x), nested(x))


@pytest.mark.row("S073")
def test_that_blocks_inside_blocks_are_classes_of_their_own() -> None:
    graph = group(residual(), "Inner", "conv1", "norm1", "act")
    graph = group(graph, "Outer", "inner", "conv2", "total")
    source = to_source(graph)
    assert source.index("class Inner") < source.index("class Outer") < source.index("class Model")
    assert "outer.inner.conv1.weight" in to_module(graph).state_dict()


@pytest.mark.row("S071")
def test_that_repeats_with_weights_of_their_own_are_a_module_list() -> None:
    graph = group(residual(), "Residual", *INNER[:5])
    graph = apply(SetRepeat(id="residual", repeat=3), graph)
    source = to_source(graph)
    assert "self.residual = nn.ModuleList(Residual() for _ in range(3))" in source
    assert "for layer in self.residual:" in source
    module = to_module(graph)
    assert "residual.2.conv2.bias" in module.state_dict()
    counted = sum(parameter.numel() for parameter in module.parameters())
    assert analyse(graph).parameters == counted
    assert analyse(graph).nodes["residual"].parameters == 3 * (2 * (4 * 4 * 9 + 4) + 8)


def test_that_tied_repeats_have_one_set_of_weights() -> None:
    graph = group(residual(), "Residual", *INNER[:5])
    graph = apply(SetRepeat(id="residual", repeat=3, tied=True), graph)
    module = to_module(graph)
    assert "for _ in range(3):" in to_source(graph)
    assert analyse(graph).parameters == sum(p.numel() for p in module.parameters())
    once = to_module(apply(SetRepeat(id="residual", repeat=1), graph))
    once.load_state_dict(module.state_dict())
    assert once.state_dict().keys() == module.state_dict().keys()


def test_that_a_size_which_differs_between_uses_is_an_argument_of_the_class() -> None:
    graph = model(
        (3, 8, 8), ("Conv2d", {**CONV, "in_channels": "auto"}, "conv"), ("ReLU", {}, "act")
    )
    graph = group(graph, "ConvBlock", "conv", "act")
    graph = apply(SetRepeat(id="conv_block", repeat=3), graph)
    source = to_source(graph)
    assert "def __init__(self, in_channels):" in source
    assert source.count("ConvBlock(in_channels=4)") == 2
    assert to_module(graph)(torch.zeros(2, 3, 8, 8)).shape == (2, 4, 8, 8)


def test_that_sizes_pass_through_blocks_around_blocks() -> None:
    graph = model(
        (3, 8, 8), ("Conv2d", {**CONV, "in_channels": "auto"}, "conv"), ("ReLU", {}, "act")
    )
    graph = group(graph, "Inner", "conv")
    graph = group(graph, "Outer", "inner", "act")
    graph = apply(SetRepeat(id="outer", repeat=2), graph)
    module = to_module(graph)
    assert module.state_dict()["outer.0.inner.conv.weight"].shape == (4, 3, 3, 3)
    assert module.state_dict()["outer.1.inner.conv.weight"].shape == (4, 4, 3, 3)
    assert module(torch.zeros(2, 3, 8, 8)).shape == (2, 4, 8, 8)


def test_that_a_shared_module_is_made_once_and_called_twice() -> None:
    graph = model(
        (4,), ("Linear", {"out_features": 4}, "a"), ("ReLU", {}, "act"), ("Linear", {}, "b")
    )
    graph = apply(ShareModule(id="b", source="a"), graph)
    source = to_source(graph)
    assert source.count("nn.Linear") == 1
    assert source.count("self.a(") == 2
    assert analyse(graph).parameters == 20
    assert sum(p.numel() for p in to_module(graph).parameters()) == 20


def test_that_weights_which_would_need_two_sizes_are_found_at_the_node() -> None:
    graph = model((4,), ("Linear", {"out_features": 5}, "a"), ("Linear", {}, "b"))
    graph = apply(ShareModule(id="b", source="a"), graph)
    problem = next(p for p in analyse(graph).problems if p.code == "S031")
    assert problem.node == "b"
    assert problem.params["size"] == 5
    assert problem.params["other"] == 4


def test_that_a_mistake_inside_a_block_is_told_once_at_its_path() -> None:
    graph = group(residual(), "Residual", *INNER[:5])
    graph = apply(SetRepeat(id="residual", repeat=3), graph)
    wrong = SetParam(id="conv2", name="in_channels", value=7)
    graph = apply(EditBlock(block="Residual", edit=wrong), graph)
    errors = [p for p in analyse(graph).problems if p.severity == "error"]
    assert [problem.node for problem in errors] == ["residual/conv2"]
    assert errors[0].params["name"] == "conv2"


def test_that_lines_inside_a_block_lead_to_its_nodes() -> None:
    graph = group(residual(), "Residual", *INNER[:5])
    generated = generate_whole(graph)
    lines = generated.source.splitlines()
    owners = {lines[number - 1].strip(): path for number, path in generated.lines.items()}
    assert owners["act = self.act(norm1)"] == "residual/act"
    assert owners["flat = self.flat(residual)"] == "flat"


def test_that_a_block_with_two_outputs_gives_a_tuple() -> None:
    graph = wire(residual(), "act", "total.other")
    graph = group(graph, "Two", "conv1", "norm1", "act", "conv2")
    source = to_source(graph)
    assert "return conv2, act" in source or "return act, conv2" in source
    assert to_module(graph)(torch.zeros(2, 4, 8, 8)).shape == (2, 3)


def test_that_one_use_can_be_made_unique_and_changed_alone() -> None:
    graph = group(residual(), "Residual", *INNER[:5])
    node = make_node(graph, "block.Residual")
    graph = apply(AddNode(node=node), graph)
    graph = apply(MakeUnique(id=node.id, name="Other"), graph)
    changed = apply(EditBlock(block="Other", edit=RemoveNodes(ids=("act",))), graph)
    assert "act" in changed.blocks["Residual"].nodes
    assert "act" not in changed.blocks["Other"].nodes


def test_that_an_unfinished_block_leaves_the_rest_of_the_code_visible() -> None:
    graph = group(residual(), "Residual", *INNER[:5])
    graph, node = add(graph, "block.Residual")
    empty = apply(EditBlock(block="Residual", edit=RemoveNodes(ids=("total",))), graph)
    analysis = analyse(empty)
    assert not analysis.is_ok()
    assert "class Residual" not in analysis.source
    assert node.id in analysis.nodes


def test_that_a_chain_of_a_thousand_empty_blocks_is_looked_at() -> None:
    graph = group(model((4,), ("ReLU", {}, "act")), "Pass", "act")
    inside = graph.blocks["Pass"].nodes
    ends = [node.id for node in inside.values() if node.type != "ReLU"]
    graph = apply(EditBlock(block="Pass", edit=RemoveNodes(ids=("act",))), graph)
    graph = Graph(
        nodes=graph.nodes,
        edges=graph.edges,
        blocks={"Pass": type(graph.blocks["Pass"])(
            nodes=graph.blocks["Pass"].nodes,
            edges=wire(Graph(nodes=graph.blocks["Pass"].nodes), ends[0], ends[1]).edges,
        )},
    )  # fmt: skip
    graph = apply(SetRepeat(id="pass_", repeat=1000), graph)
    assert not analyse(graph).is_ok() or analyse(graph).nodes["output"].outputs


def test_that_weights_that_would_need_two_sizes_are_told_beside_a_warning() -> None:
    graph = model((5, 6), ("GRU", {"hidden_size": 3}, "gru"))
    graph = apply(SetRepeat(id="gru", repeat=2, tied=True), graph)
    assert {problem.code for problem in analyse(graph).problems} == {"S023", "S031"}
