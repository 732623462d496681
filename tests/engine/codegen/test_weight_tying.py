"""Weights that two modules have together: they count once, and go with their modules."""

import pytest

from engine.custom.trust import set_trust
from engine.graph.edit.edits import Connect, Edge, RemoveNodes, RenameNode, SetParam, apply
from engine.graph.model import Graph
from engine.model.analysis import Analyser
from engine.model.module import to_module
from engine.reader.merge.follow import follow

TEXT = """\
import torch
from torch import Tensor, nn


class Pair(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.second = nn.Linear(4, 4)
        self.second.weight = self.first.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.second(self.first(x))


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(10, 4)
        self.pairs = nn.Sequential(Pair(), Pair())
        self.head = nn.Linear(4, 10)
        self.head.weight = self.words.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.pairs(self.words(x)))
"""
COUNT = 10 * 4 + 2 * (4 * 4 + 4 + 4) + 10
ANALYSER = Analyser()


@pytest.fixture
def graph() -> Graph:
    found = follow(TEXT, Graph(), {}, "")
    for name, value in (("shape", (5,)), ("dtype", "int64")):
        found = apply(SetParam(id="x", name=name, value=value), found)
    set_trust(found.code, trusted=True)
    return found


def test_that_weights_shared_by_assignment_count_once(graph: Graph) -> None:
    found = ANALYSER.analyse(graph)
    built = to_module(graph)
    assert found.problems == ()
    assert found.parameters == COUNT == sum(p.numel() for p in built.parameters())
    counts = {name: report.parameters for name, report in found.nodes.items()}
    assert counts["words"] == 40
    assert counts["head"] == 10
    assert counts["pairs"] == 2 * (4 * 4 + 4 + 4)


def test_that_shared_weights_follow_names_and_go_with_their_layer(graph: Graph) -> None:
    renamed = apply(RenameNode(id="words", name="tokens"), graph)
    found = ANALYSER.analyse(renamed)
    assert "self.head.weight = self.tokens.weight\n" in found.source
    assert found.parameters == COUNT
    (end,) = (i for i, node in graph.nodes.items() if node.type == "Output")
    short = apply(RemoveNodes(ids=("head",)), graph)
    edge = Edge(source="pairs", source_port="output", target=end, target_port="input")
    found = ANALYSER.analyse(apply(Connect(edge=edge), short))
    assert "self.head" not in found.source
    assert "self.second.weight = self.first.weight\n" in found.source


def test_that_a_shared_weight_of_another_shape_is_told(graph: Graph) -> None:
    wide = apply(SetParam(id="head", name="out_features", value=12), graph)
    (problem,) = ANALYSER.analyse(wide).problems
    assert (problem.code, problem.node) == ("S047", "head")
    assert problem.params["source"] == "words"
    assert (problem.params["shape"], problem.params["other"]) == ("12 × 4", "10 × 4")
