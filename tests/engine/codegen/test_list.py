"""Names such as ``layers.0`` put layers into a list of modules."""

import pytest
import torch

from engine.diagnostics import sentence
from engine.graph.check import check
from engine.graph.edit.block_edits import SetRepeat
from engine.graph.edit.edits import apply
from engine.graph.model import Graph
from engine.graph.naming import name_problem
from engine.model.analysis import analyse
from engine.model.module import to_module
from engine.model.source import generate, to_source
from tests.engine.graph.builder import Spec, add, model, wire


def linear(name: str) -> Spec:
    return ("Linear", {"out_features": 4}, name)


def codes(graph: Graph) -> list[str]:
    return [problem.code for problem in check(graph)]


@pytest.mark.row("S071")
def test_that_numbered_names_make_a_module_list() -> None:
    graph = model((4,), linear("layers.0"), ("ReLU", {}), linear("layers.1"), linear("head"))
    assert codes(graph) == []
    source = to_source(graph)
    assert (
        "        self.layers = nn.ModuleList(\n"
        "            [\n"
        "                nn.Linear(4, 4),\n"
        "                nn.Linear(4, 4),\n"
        "            ]\n"
        "        )\n"
    ) in source
    assert "        layers_0 = self.layers[0](x)\n" in source
    module = to_module(graph)
    assert list(module.state_dict())[:2] == ["layers.0.weight", "layers.0.bias"]
    assert type(module.layers) is torch.nn.ModuleList
    assert module(torch.zeros(2, 4)).shape == (2, 4)


def test_that_the_order_in_the_list_is_that_of_the_numbers() -> None:
    graph = model((4,), ("Linear", {"out_features": 6}, "layers.1"), linear("layers.0"))
    state = to_module(graph).state_dict()
    assert {name: tuple(value.shape) for name, value in state.items() if "weight" in name} == {
        "layers.0.weight": (4, 6),
        "layers.1.weight": (6, 4),
    }


@pytest.mark.row("S072")
def test_that_a_list_with_a_gap_keeps_its_numbers() -> None:
    graph = model((4,), linear("blocks.1"), linear("blocks.10"), linear("blocks.3"))
    source = to_source(graph)
    assert "nn.ModuleDict(" in source
    assert 'self.blocks["10"](' in source
    keys = [name for name in to_module(graph).state_dict() if "weight" in name]
    assert keys == ["blocks.1.weight", "blocks.3.weight", "blocks.10.weight"]


def test_that_each_line_of_a_list_is_of_its_node() -> None:
    graph = model((4,), linear("layers.0"), linear("layers.1"))
    analysis = analyse(graph)
    lines = analysis.source.splitlines()
    owners = [analysis.lines.get(n) for n, text in enumerate(lines, 1) if "nn.Linear(" in text]
    assert owners == ["layers_0", "layers_1"]


def test_that_a_repeated_layer_can_be_in_a_list() -> None:
    graph = model((4,), linear("layers.0"), linear("layers.1"))
    graph = apply(SetRepeat(id="layers_1", repeat=2), graph)
    assert "for layer in self.layers[1]:" in to_source(graph)
    assert "layers.1.1.weight" in to_module(graph).state_dict()


def test_that_only_layers_can_be_in_a_list() -> None:
    graph = model((4,), ("relu", {}, "layers.0"), linear("fc"))
    (problem,) = check(graph)
    assert (problem.code, problem.node, problem.field) == ("G080", "layers_0", "name")
    assert "{" not in sentence(problem)
    assert "layers_0 = F.relu(x)" in generate(graph).source


def test_that_a_list_cannot_be_called_like_a_node() -> None:
    graph = model((4,), linear("layers"), linear("layers.0"))
    assert codes(graph) == ["G081"]
    source = analyse(graph).source
    assert "self.layers_0 = " in source
    assert "self.layers = nn.Linear" in source


def test_that_copies_of_names_in_a_list_get_the_next_number() -> None:
    graph = model((4,), linear("layers.0"))
    graph, node = add(graph, "Linear", "layers.0", out_features=4)
    assert (node.name, node.id) == ("layers.1", "layers_1")
    assert codes(wire(wire(graph, "layers_0", "layers_1"), "layers_1", "output")) == []


@pytest.mark.parametrize(
    "name",
    ["a.b.c", "a.items", "a.b c", "a.01", "a.", ".0", "1.0", "a.0.1", "class.0", "a .0", "to.0"],
)
def test_that_other_dots_are_no_names(name: str) -> None:
    assert name_problem(name) is not None


def test_that_a_chain_takes_no_names_of_lists() -> None:
    assert name_problem("a.0", is_sequential=True) is not None


def test_that_a_repeated_layer_is_written_once_the_sizes_of_all_copies_are_known() -> None:
    graph = model((4,), ("Linear", {"out_features": 6}, "layer"))
    node = next(each.id for each in graph.nodes.values() if each.name == "layer")
    graph = apply(SetRepeat(id=node, repeat=2), graph)
    first = {node: {"in_features": 4}}
    assert not generate(graph, first).is_complete
    assert "auto" not in generate(graph, first).source
    whole = generate(graph, first | {f"{node}[1]": {"in_features": 6}})
    assert whole.is_complete
    assert "nn.Linear(6, 6)" in whole.source
