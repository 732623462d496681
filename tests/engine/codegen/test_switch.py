"""Switches: nn.ModuleDict with one branch that computes; every branch keeps its weights."""

import pytest
import torch
from msgspec.structs import replace

from engine.graph.check import check
from engine.graph.codec import from_document, to_document
from engine.graph.edit.block_edits import GroupNodes, MakeUnique, SetRepeat, UngroupNode
from engine.graph.edit.edits import Connect, Disconnect, EditBlock, GraphError, RenameNode, apply
from engine.graph.edit.switch import ChooseBranch, MakeSwitch, new_switch, switch_of
from engine.graph.model import BlockStyle, Edge, Graph
from engine.model.analysis import analyse
from engine.model.module import to_module
from engine.model.source import generate_whole, to_source
from engine.shape.propagate import Propagator
from engine.shape.survey import survey
from tests.engine.graph.builder import add, model


def switched() -> Graph:
    """Return x -> Linear(8) -> switch of small (Linear 3) and large (two layers, 5) -> output."""
    graph = model((4,), ("Linear", {"out_features": 8}), ("Linear", {"out_features": 3}))
    graph = apply(RenameNode(id="linear2", name="small"), graph)
    graph, first = add(graph, "Linear", "wide", out_features=6)
    graph, second = add(graph, "Linear", "narrow", out_features=5)
    for source, target in (("linear", first.id), (first.id, second.id)):
        edge = Edge(source=source, source_port="output", target=target, target_port="input")
        graph = apply(Connect(edge=edge), graph)
    graph = apply(GroupNodes(ids=(first.id, second.id), name="Large"), graph)
    return apply(MakeSwitch(ids=("linear2", "large"), name="Choice"), graph)


@pytest.mark.row("S072")
def test_that_a_switch_is_a_module_dict_called_by_key() -> None:
    graph = switched()
    assert check(graph) == ()
    source = to_source(graph)
    assert "self.choice = nn.ModuleDict(" in source
    assert 'self.choice["small"](linear)' in source
    assert "class Choice" not in source
    module = to_module(graph)
    assert {key.partition(".weight")[0] for key in module.state_dict() if "weight" in key} == {
        "linear",
        "choice.small",
        "choice.large.wide",
        "choice.large.narrow",
    }
    assert module(torch.zeros(2, 4)).shape == (2, 3)


def test_that_another_branch_changes_shapes_and_the_key_and_keeps_the_weights() -> None:
    graph = switched()
    other = apply(ChooseBranch(block="Choice", branch="large"), graph)
    assert 'self.choice["large"](linear)' in to_source(other)
    before, after = to_module(graph), to_module(other)
    assert before.state_dict().keys() == after.state_dict().keys()
    after.load_state_dict(before.state_dict())
    x = torch.randn(2, 4)
    expected = before.choice["large"](before.linear(x))
    assert torch.equal(after(x), expected)
    report = analyse(other).nodes["choice"]
    assert next(iter(report.outputs.values())).shape[-1] == 5
    assert report.parameters == analyse(graph).nodes["choice"].parameters
    assert apply(ChooseBranch(block="Choice", branch="linear2"), other) == graph


def test_that_a_switch_comes_back_from_the_document_and_unpacks() -> None:
    graph = switched()
    assert from_document(to_document(graph)) == graph
    assert to_document(graph)["blocks"]["Choice"]["style"] == "switch"
    unpacked = apply(UngroupNode(id="choice"), graph)
    assert {"linear2", "large"} <= unpacked.nodes.keys()
    assert to_module(unpacked)(torch.zeros(2, 4)).shape == (2, 3)


def test_that_a_switch_can_be_repeated_and_used_twice() -> None:
    graph = model((4,), ("Linear", {"out_features": 4}), ("Linear", {"out_features": 4}))
    graph, _ = add(graph, "Identity", "skip")
    edge = Edge(source="linear", source_port="output", target="skip", target_port="input")
    graph = apply(Connect(edge=edge), graph)
    graph = apply(MakeSwitch(ids=("linear2", "skip"), name="Choice"), graph)
    graph = apply(SetRepeat(id="choice", repeat=3), graph)
    source = to_source(graph)
    assert 'layer["linear2"](' in source
    module = to_module(graph)
    assert len([key for key in module.state_dict() if key.startswith("choice.")]) == 6
    assert module(torch.zeros(2, 4)).shape == (2, 4)
    apart = apply(MakeUnique(id="choice", name="Other"), graph)
    apart = apply(ChooseBranch(block="Other", branch="skip"), apart)
    assert 'layer["skip"](' in to_source(apart)


def test_that_what_is_no_switch_any_more_is_written_as_a_class() -> None:
    graph = switched()
    renamed = apply(EditBlock(block="Choice", edit=RenameNode(id="linear2", name="keys")), graph)
    assert switch_of(renamed, renamed.blocks["Choice"]) is None
    source = to_source(renamed)
    assert "class Choice(nn.Module)" in source
    module = to_module(renamed)
    assert "choice.large.wide.weight" in module.state_dict()
    assert module(torch.zeros(2, 4)).shape == (2, 3)
    with pytest.raises(GraphError):
        apply(ChooseBranch(block="Choice", branch="large"), renamed)


def test_that_what_cannot_be_a_branch_is_said() -> None:
    graph = model((4,), ("Linear", {"out_features": 8}), ("ReLU", {}), ("Linear", {}))
    for ids, code in (
        (("linear",), "G109"),
        (("linear", "relu"), "G111"),
        (("linear", "x"), "G110"),
    ):
        with pytest.raises(GraphError) as error:
            apply(MakeSwitch(ids=ids, name="Choice"), graph)
        assert error.value.problems[0].code == code
    with pytest.raises(GraphError):
        apply(ChooseBranch(block="None", branch="x"), graph)


def test_that_the_new_switch_of_the_palette_computes() -> None:
    block = new_switch()
    graph = replace(model((4,), ("ReLU", {})), blocks={"Switch": block})
    assert switch_of(graph, block) is not None
    assert block.style is BlockStyle.SWITCH
    graph, node = add(graph, "block.Switch")
    edges = [e for e in graph.edges if e.target == "output"]
    graph = apply(Disconnect(edges=tuple(edges)), graph)
    for source, port, target, inlet in (
        ("relu", "output", node.id, "x"),
        (node.id, "output", "output", "input"),
    ):
        edge = Edge(source=source, source_port=port, target=target, target_port=inlet)
        graph = apply(Connect(edge=edge), graph)
    assert check(graph) == ()
    assert torch.equal(to_module(graph)(torch.ones(1, 4)), torch.ones(1, 4))


def text_of(graph: Graph) -> tuple[str, str, Graph]:
    """Return what the canvas writes, the same with a comment, and the graph that has this text."""
    source = to_source(graph)
    text = source.replace("    def forward", "    # mine\n    def forward")
    return source, text, followed(graph, text, source)


def followed(graph: Graph, text: str, shown: str) -> Graph:
    from engine.reader.merge.follow import follow

    return follow(text, graph, survey(graph, Propagator()).resolved, shown)


def test_that_a_text_with_a_switch_is_followed_and_keeps_its_comments() -> None:
    graph = switched()
    source, text, after = text_of(graph)
    assert replace(after, code={}) == graph
    assert generate_whole(after).source == text
    other = followed(graph, text.replace('["small"]', '["large"]'), source)
    assert replace(other, code={}) == apply(ChooseBranch(block="Choice", branch="large"), graph)
    wider = followed(graph, text.replace("Linear(8, 3)", "Linear(8, 7)"), source)
    assert wider.blocks["Choice"].nodes["linear2"].params == {"out_features": 7}


def test_that_a_choice_on_the_canvas_is_written_into_the_text() -> None:
    _, text, after = text_of(switched())
    chosen = generate_whole(apply(ChooseBranch(block="Choice", branch="large"), after)).source
    assert 'self.choice["large"](linear)' in chosen
    assert 'self.choice["small"]' not in chosen
    assert text.partition("choice = self.choice[")[0] in chosen  # with its comment
