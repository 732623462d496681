"""What is frozen, in the class that is written and in what is counted."""

import pytest
import torch
from torch import nn

from engine.graph.block import PREFIX
from engine.graph.edit.block_edits import GroupNodes, SetRepeat
from engine.graph.edit.edits import AddNode, Batch, Connect, EditBlock, apply
from engine.graph.model import Edge, Graph, Node
from engine.graph.node_state.freezing import FreezeNodes
from engine.model.analysis import analyse
from engine.model.module import to_module
from engine.model.source import generate_whole

LAYERS = (
    ("Input", {"shape": (3, 8, 8)}),
    ("Conv2d", {"out_channels": 3, "kernel_size": 3, "padding": 1}),
    ("BatchNorm2d", {}),
    ("ReLU", {}),
    ("Dropout", {}),
    ("Flatten", {}),
    ("Linear", {"out_features": 5}),
    ("Output", {}),
)


def chain(layers=LAYERS):
    graph = Graph()
    for index, (type_, params) in enumerate(layers):
        node = Node(id=f"n{index}", type=type_, name=type_.lower(), params=params)
        graph = apply(AddNode(node=node), graph)
        if index:
            wire = (f"n{index - 1}", "output", f"n{index}", "input")
            ports = ("source", "source_port", "target", "target_port")
            edge = Edge(**dict(zip(ports, wire, strict=True)))
            graph = apply(Connect(edge=edge), graph)
    return graph


def still(model):
    return [name for name, weight in model.named_parameters() if not weight.requires_grad]


def statistics(model):
    return {name: value.clone() for name, value in model.named_buffers()}


def moved(model, before):
    """Return the buffers that a forward pass in training changes."""
    model(torch.randn(4, 3, 8, 8))
    after = statistics(model)
    return [name for name in after if not torch.equal(before[name], after[name])]


@pytest.mark.row("S120")
def test_that_frozen_layers_are_written_in_plain_pytorch():
    graph = apply(FreezeNodes(ids=("n1", "n2")), chain())
    generated = generate_whole(graph)
    source = generated.source
    assert "        self.conv2d.requires_grad_(False)\n" in source
    assert "        self.batchnorm2d.requires_grad_(False)\n        self.train()\n" in source
    assert (
        "    def train(self, mode=True):\n"
        "        super().train(mode)\n"
        "        self.batchnorm2d.eval()\n"
        "        return self\n"
    ) in source
    lines = source.splitlines()
    assert generated.lines[lines.index("        self.conv2d.requires_grad_(False)") + 1] == "n1"
    assert generated.lines[lines.index("        self.batchnorm2d.eval()") + 1] == "n2"


@pytest.mark.row("S120")
def test_that_frozen_batch_norms_stay_in_eval_across_train():
    model = to_module(apply(FreezeNodes(ids=("n1", "n2")), chain()))
    assert still(model) == [
        "conv2d.weight",
        "conv2d.bias",
        "batchnorm2d.weight",
        "batchnorm2d.bias",
    ]
    assert moved(model, statistics(model)) == []  # before any call of train() as well
    assert moved(model.eval().train(), statistics(model)) == []
    assert model.dropout.training


def test_that_without_frozen_layers_nothing_is_written():
    source = generate_whole(chain()).source
    assert "requires_grad" not in source
    assert "def train" not in source


def test_that_without_batch_norms_train_is_left_alone():
    source = generate_whole(apply(FreezeNodes(ids=("n6",)), chain())).source
    assert "self.linear.requires_grad_(False)" in source
    assert "train" not in source


@pytest.mark.parametrize("style", ["class", "sequential"])
def test_that_a_frozen_block_keeps_its_batch_norms_and_lets_its_dropout_drop(style):
    ids = ("n1", "n2", "n3", "n4") if style == "sequential" else ("n1", "n2", "n3", "n4", "n5")
    graph = apply(GroupNodes(ids=ids, name="Part"), chain())
    (use,) = [node.id for node in graph.nodes.values() if node.type == PREFIX + "Part"]
    model = to_module(apply(FreezeNodes(ids=(use,)), graph))
    assert len(still(model)) == 4
    model.train()
    assert moved(model, statistics(model)) == []
    (dropout,) = [module for module in model.modules() if isinstance(module, nn.Dropout)]
    assert dropout.training


def test_that_one_layer_inside_repeated_sequential_copies_is_frozen_in_each():
    graph = apply(GroupNodes(ids=("n1", "n2", "n3"), name="Part"), chain())
    (use,) = [node.id for node in graph.nodes.values() if node.type == PREFIX + "Part"]
    freeze = EditBlock(block="Part", edit=FreezeNodes(ids=("n2",)))
    graph = apply(Batch(edits=(freeze, SetRepeat(id=use, repeat=3))), graph)
    model = to_module(graph)
    assert len(still(model)) == 6
    assert moved(model, statistics(model)) == []


def test_that_frozen_parameters_are_counted():
    graph = apply(FreezeNodes(ids=("n1", "n2")), chain())
    found = analyse(graph)
    conv, norm, linear = 3 * 3 * 9 + 3, 6, 192 * 5 + 5
    assert (found.parameters, found.frozen) == (conv + norm + linear, conv + norm)
    assert found.nodes["n1"].frozen == conv
    assert found.nodes["n6"].frozen == 0


def test_that_the_parameters_of_a_frozen_block_are_counted_at_its_use():
    graph = apply(GroupNodes(ids=("n1", "n2"), name="Part"), chain())
    (use,) = [node.id for node in graph.nodes.values() if node.type == PREFIX + "Part"]
    found = analyse(apply(FreezeNodes(ids=(use,)), graph))
    assert found.nodes[use].frozen == found.nodes[use].parameters == found.frozen > 0
