import pytest
import torch
from torch import nn

from engine.catalog.spec import Value
from engine.graph.edit.block_edits import DescribeBlock, GroupNodes, SetRepeat
from engine.graph.edit.edits import EditBlock, apply
from engine.graph.model import BlockStyle, Graph
from engine.inspect.autograd import capture
from engine.inspect.node_path import NodePaths
from engine.inspect.origin import watched
from engine.model.module import to_module
from engine.model.source import generate_whole
from tests.engine.graph.builder import model
from tests.engine.inspect.test_autograd import example, first
from tests.resources.test_templates import NAMES, document_of

CONV: dict[str, Value] = {"out_channels": 4, "kernel_size": 3, "padding": 1}


def places_of(graph: Graph) -> dict[str, set[str]]:
    """Return the names of the Functions by the path of their node."""
    module = to_module(graph)
    with watched(module):
        output = first(module(*example(graph)))
    node_paths = NodePaths(graph, generate_whole(graph).lines)
    found: dict[str, set[str]] = {}
    for node in capture(output, module, node_paths).nodes:
        if node.parameter:  # a leaf is where it is read
            assert node.place in found or not node.place
            assert node.line
        else:
            found.setdefault(node.place, set()).add(node.name)
    return found


def network() -> Graph:
    return model(
        (4, 8, 8),
        ("Conv2d", CONV, "conv"),
        ("BatchNorm2d", {}, "norm"),
        ("ReLU", {}, "act"),
        ("Flatten", {}, "flat"),
        ("Linear", {"out_features": 3}, "head"),
        ("softmax", {"dim": 1}, "share"),
    )


def test_that_layers_and_operators_are_found() -> None:
    found = places_of(network())
    assert found["conv"] == {"ConvolutionBackward0"}
    assert "AddmmBackward0" in found["head"]
    assert found["share"] == {"SoftmaxBackward0"}


@pytest.mark.parametrize("style", BlockStyle)
def test_that_nodes_inside_blocks_are_found_by_their_path(style: BlockStyle) -> None:
    graph = apply(GroupNodes(ids=("conv", "norm", "act"), name="Outer"), network())
    graph = apply(
        EditBlock(block="Outer", edit=GroupNodes(ids=("conv", "norm"), name="Inner")), graph
    )
    graph = apply(DescribeBlock(name="Inner", style=style), graph)
    graph = apply(SetRepeat(id="outer", repeat=2), graph)
    found = places_of(graph)
    assert found["outer/inner/conv"] == {"ConvolutionBackward0"}
    assert found["outer/inner/norm"] == {"NativeBatchNormBackward0"}
    assert found["outer/act"] == {"ReluBackward0"}


@pytest.mark.parametrize("name", NAMES)
def test_that_every_function_of_a_template_has_its_node(name: str) -> None:
    graph = document_of(name).graph
    found = places_of(graph)
    assert found
    assert "" not in found


def test_that_a_module_that_we_did_not_write_has_layers_but_no_places() -> None:
    module = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    with watched(module):
        output = module(torch.ones(1, 2))
    assert {node.layer for node in capture(output, module).nodes} == {"0", "1"}
