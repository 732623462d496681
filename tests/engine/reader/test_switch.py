"""Switches that are typed: ``nn.ModuleDict`` in the text is a switch on the canvas."""

import pytest

from engine.graph.block import block_of
from engine.graph.edit.edits import EditBlock, RenameNode, SetParam, apply
from engine.graph.edit.switch import ChooseBranch, Switch, switch_of
from engine.graph.model import Graph
from engine.model.analysis import analyse
from engine.model.source import to_source
from engine.reader.merge.follow import follow
from engine.shape.propagate import Propagator
from engine.shape.survey import survey
from tests.engine.graph.builder import model

TEXT = """import torch
from torch import nn


class Tail(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 5)
        self.b = nn.Linear(5, 3)

    def forward(self, x):
        return self.b(self.a(x))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.choice = nn.ModuleDict({  # one at a time
            "small": nn.Linear(8, 3),
            "deep": Tail(),
            "plain": nn.Sequential(nn.Linear(8, 2), nn.ReLU()),
        })

    def forward(self, x):
        x = self.first(x)  # the body
        return self.choice["small"](x)
"""


def typed(text: str, graph: Graph | None = None) -> Graph:
    graph = graph or model((4,), ("Linear", {"out_features": 8}, "first"))
    return follow(text, graph, survey(graph, Propagator()).resolved, to_source(graph))


def switch(graph: Graph) -> Switch:
    block = block_of(graph, graph.nodes["choice"])
    assert block is not None
    found = switch_of(graph, block)
    assert found is not None
    return found


@pytest.mark.row("S072", "N03")
def test_that_a_typed_module_dict_is_a_switch_and_the_text_stays() -> None:
    graph = typed(TEXT)
    assert analyse(graph).problems == ()
    assert [node.name for node in switch(graph).branches] == ["small", "deep", "plain"]
    assert switch(graph).active.name == "small"
    assert to_source(graph) == TEXT


@pytest.mark.parametrize("key", ["deep", "plain"])
def test_that_another_key_chooses_another_branch(key: str) -> None:
    text = TEXT.replace('["small"]', f'["{key}"]')
    graph = typed(text, typed(TEXT))
    assert switch(graph).active.name == key
    assert [node.name for node in switch(graph).branches] == ["small", "deep", "plain"]
    assert to_source(graph) == text


def test_that_a_branch_that_does_not_compute_is_followed_too() -> None:
    text = TEXT.replace("nn.Linear(5, 3)", "nn.Linear(5, 7)").replace("(8, 2)", "(8, 6)")
    graph = typed(text, typed(TEXT))
    assert graph.blocks["Tail"].nodes["b"].params["out_features"] == 7
    assert to_source(graph) == text
    assert analyse(graph).nodes["choice/deep/b"].parameters == 5 * 7 + 7


def test_that_branches_are_added_and_taken_away_by_typing() -> None:
    more = TEXT.replace('"deep": Tail(),', '"wide": nn.Linear(8, 9),')
    graph = typed(more, typed(TEXT))
    assert [node.name for node in switch(graph).branches] == ["small", "plain", "wide"]
    assert "Tail" not in graph.blocks
    assert to_source(graph) == more


def test_that_choosing_on_the_canvas_is_written_into_the_typed_text() -> None:
    graph = typed(TEXT)
    deep = next(node.id for node in switch(graph).branches if node.name == "deep")
    name = graph.nodes["choice"].type.removeprefix("block.")
    after = apply(ChooseBranch(block=name, branch=deep), graph)
    assert 'self.choice["deep"](x)' in to_source(after)
    assert "x = self.first(x)  # the body" in to_source(after)


def test_that_another_active_branch_changes_the_call_and_no_other_line() -> None:
    text = TEXT.replace('            "deep"', '            # slower, better\n            "deep"')
    text = text.replace("nn.Linear(8, 3),", "nn.Linear(8, 3),  # fast")
    graph = typed(text)
    other = apply(ChooseBranch(block=graph.nodes["choice"].type[6:], branch="plain"), graph)
    found = to_source(other)
    assert found == text.replace(
        '        return self.choice["small"](x)\n',
        '        choice = self.choice["plain"](x)\n        return choice\n',
    )
    renamed = apply(RenameNode(id="first", name="body"), other)
    assert to_source(renamed) == found.replace("self.first", "self.body")


@pytest.mark.parametrize(
    ("block", "layer", "written"),
    [
        ("Choice", "small", "nn.Linear(8, 3, bias=False)"),
        ("Plain", "0", "nn.Linear(8, 2, bias=False)"),
    ],
)
def test_that_a_changed_branch_is_written_anew_and_comments_elsewhere_stay(
    block: str, layer: str, written: str
) -> None:
    edit = SetParam(id=layer, name="bias", value=False)
    found = to_source(apply(EditBlock(block=block, edit=edit), typed(TEXT)))
    assert written in found
    assert "x = self.first(x)  # the body" in found


@pytest.mark.row("S072", "N03")
@pytest.mark.parametrize(
    "returned",
    ['self.choice["small"](x) + self.choice["other"](x)', 'self.choice["other"](x + x)[:, :3]'],
)
def test_that_two_parts_of_a_dictionary_are_layers_with_their_keys(returned: str) -> None:
    text = TEXT.replace('"deep": Tail()', '"other": nn.Linear(8, 3)').replace(
        'return self.choice["small"](x)', f"x = self.choice['plain'](x)\n        return {returned}"
    )
    text = text.replace("nn.Linear(8, 2), nn.ReLU()", "nn.Linear(8, 8), nn.ReLU()")
    graph = typed(text)
    assert [p for p in analyse(graph).problems if p.severity == "error"] == []
    assert {"choice.other", "choice.plain"} < {node.name for node in graph.nodes.values()}
    assert to_source(graph) == text
