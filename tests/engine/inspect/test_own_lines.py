"""Functions that the user's own code makes know the file and the line there."""

from collections.abc import Iterator

import pytest
import torch

from engine.custom.source_module import load_source
from engine.custom.trust import set_trust
from engine.graph.model import Edge, Graph, Node
from engine.inspect.autograd import capture
from engine.inspect.node_path import NodePaths
from engine.inspect.origin import watched
from engine.model.module import to_module
from engine.model.source import generate_whole

LAYERS = """import torch
from torch import nn
from tools import softened


class Wave(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.fc = nn.Linear(width, width)

    def turn(self, x):
        return self.fc(x).sin()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return softened(self.turn(x))
"""
TOOLS = """def softened(x):
    return x.tanh()
"""


@pytest.fixture(name="graph")
def _graph() -> Iterator[Graph]:
    nodes = [
        Node(id="x", type="Input", name="x", params={"shape": (4,)}),
        Node(id="wave", type="code.layers.Wave", name="wave", params={"width": 4}),
        Node(id="act", type="relu", name="act"),
        Node(id="y", type="Output", name="y"),
    ]
    wires = [("x", "wave", "x"), ("wave", "act", "input"), ("act", "y", "input")]
    made = Graph(
        nodes={node.id: node for node in nodes},
        edges=tuple(
            Edge(source=source, source_port="output", target=target, target_port=port)
            for source, target, port in wires
        ),
        code={"layers.py": LAYERS, "tools.py": TOOLS},
    )
    set_trust(made.code, trusted=True)
    yield made
    set_trust(made.code, trusted=False)


@pytest.mark.row("N01")
def test_that_a_function_of_own_code_knows_its_file_and_the_line_there(graph: Graph) -> None:
    model = to_module(graph)
    with watched(model):
        output = model(torch.ones(2, 4))
    nodes = capture(output, model, NodePaths.of(graph)).nodes
    made = {node.name: node for node in nodes if not node.parameter}
    for name, text in (
        ("TanhBackward0", "tools.py: return x.tanh()"),
        ("SinBackward0", "layers.py: return self.fc(x).sin()"),
        ("AddmmBackward0", "layers.py: return self.fc(x).sin()"),
    ):
        node = made[name]
        line = graph.code[node.file].splitlines()[node.line - 1].strip()
        assert (f"{node.file}: {line}", node.place) == (text, "wave")
    source = generate_whole(graph).source.splitlines()
    relu = made["ReluBackward0"]
    assert (relu.file, relu.place) == ("", "act")
    assert "relu" in source[relu.line - 1]
    files = {node.parameter: node.file for node in nodes if node.parameter}
    assert files == {"wave.fc.weight": "layers.py", "wave.fc.bias": "layers.py"}


def test_that_the_line_is_that_of_the_function_that_forward_calls() -> None:
    model = load_source(LAYERS.replace("from tools import softened", TOOLS)).Wave(4)
    with watched(model):
        output = model(torch.ones(2, 4))
    made = {node.name: node.line for node in capture(output, model).nodes}
    assert (made["TanhBackward0"], made["SinBackward0"]) == (4, 14)
