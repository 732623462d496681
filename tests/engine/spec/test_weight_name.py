"""Weights follow layers that are renamed, or moved into blocks and out of them."""

import msgspec
import pytest
import torch
from msgspec.structs import replace

from engine.graph.edit.block_edits import GroupNodes, UngroupNode
from engine.graph.edit.edits import Batch, EditBlock, RemoveNodes, RenameNode, apply
from engine.graph.edit.lora import AddLora, RemoveLora
from engine.graph.expand import expand
from engine.model.module import to_module
from engine.spec.codec import from_document, to_document
from engine.spec.run import ParameterGroup
from engine.spec.weight_name import follow_names, names_in_file, with_current_names
from tests.tiny_run import RANDOM_LAYERS, iris_graph, iris_spec

SPEC = iris_spec(weights="weights/start.safetensors")


def followed(graph, spec, *edits):
    for edit in edits:
        after = apply(edit, graph)
        spec = follow_names(spec, graph, after, edit)
        graph = after
    return graph, spec


def assert_same_weights(graph, spec, original):
    """Every layer begins with the weights that it had in the original."""
    source, model = to_module(original).state_dict(), to_module(graph)
    taken = with_current_names(source, spec.renamed)
    assert taken.keys() == model.state_dict().keys()
    model.load_state_dict(taken)
    names = {node.id: path for path, node in expand(graph).graph.nodes.items()}
    assert names
    features = torch.randn(5, 4)
    other = to_module(original)
    other.load_state_dict(source)
    assert torch.equal(model.eval()(features), other.eval()(features))


@pytest.fixture
def graph():
    return iris_graph(*RANDOM_LAYERS)


@pytest.mark.row("S122")
def test_that_a_renamed_layer_begins_with_what_the_file_has_under_its_old_name(graph):
    after, spec = followed(graph, SPEC, RenameNode(id="hidden", name="body"))
    assert spec.renamed == {"body": "hidden"}
    assert_same_weights(after, spec, graph)
    assert from_document(to_document(spec)) == spec
    back, spec = followed(after, spec, RenameNode(id="hidden", name="hidden"))
    assert (back, spec) == (graph, SPEC)


def test_that_layers_keep_their_weights_into_a_block_through_a_rename_and_out_again(graph):
    inside, spec = followed(
        graph,
        SPEC,
        GroupNodes(ids=("hidden", "act", "norm"), name="Part"),
        EditBlock(block="Part", edit=RenameNode(id="norm", name="batch")),
    )
    assert set(spec.renamed.values()) == {"hidden", "norm", "act"}
    assert_same_weights(inside, spec, graph)
    (use,) = [node.id for node in inside.nodes.values() if node.type == "block.Part"]
    out, spec = followed(inside, spec, UngroupNode(id=use))
    assert_same_weights(out, spec, graph)
    assert spec.renamed == {"batch": "norm"}


def test_that_layers_keep_their_weights_into_low_rank_blocks_and_out_again(graph):
    spec = replace(SPEC, groups=(ParameterGroup(match="hidden"),))
    renamed, first = followed(graph, spec, RenameNode(id="head", name="top"))
    inside, spec = followed(renamed, first, AddLora(places=("hidden", "head"), rank=2))
    assert spec.renamed == {"hidden.base_layer": "hidden", "top.base_layer": "head"}
    assert spec.groups == first.groups
    taken = with_current_names(to_module(graph).state_dict(), spec.renamed)
    pairs = {name for name in to_module(inside).state_dict() if "lora" in name}
    assert taken.keys() | pairs == to_module(inside).state_dict().keys()
    out, spec = followed(inside, spec, RemoveLora(places=("hidden", "head")))
    assert spec == first
    assert_same_weights(out, spec, graph)


def test_that_a_file_with_and_one_without_low_rank_blocks_fit_the_model_that_has_some(graph):
    inside = apply(AddLora(places=("hidden",), rank=2), graph)
    names = names_in_file(iris_spec(), inside)
    expected = to_module(inside).state_dict().keys()
    assert with_current_names(dict.fromkeys(expected), names).keys() == expected
    plain = with_current_names(to_module(graph).state_dict(), names)
    assert plain.keys() == {name for name in expected if "lora" not in name}


def test_that_two_layers_that_swap_their_names_keep_their_weights(graph):
    swap = Batch(
        edits=(
            RenameNode(id="hidden", name="spare"),
            RenameNode(id="head", name="hidden"),
            RenameNode(id="hidden", name="head"),
        )
    )
    after, spec = followed(graph, SPEC, swap)
    assert spec.renamed == {"hidden": "head", "head": "hidden"}
    assert_same_weights(after, spec, graph)


def test_that_nothing_is_kept_in_mind_without_a_file_or_for_other_edits(graph):
    _, spec = followed(graph, iris_spec(), RenameNode(id="hidden", name="body"))
    assert spec.renamed == {}
    _, spec = followed(graph, SPEC, RemoveNodes(ids=("hidden",)))
    assert spec is SPEC


def test_that_a_new_layer_does_not_take_the_weights_of_a_renamed_one():
    weights = {"fc.weight": 1, "fc2.weight": 2, "body.fc.weight": 3}
    renamed = {"old": "fc", "encoder": "body"}
    assert with_current_names(weights, renamed) == {
        "old.weight": 1,
        "fc2.weight": 2,
        "encoder.fc.weight": 3,
    }


def test_that_a_document_is_as_before_where_nothing_was_renamed():
    assert "renamed" not in to_document(msgspec.structs.replace(SPEC, renamed={}))["run"]


def grouped(*matches):
    return iris_spec(groups=tuple(ParameterGroup(match=match) for match in matches))


def matches(spec):
    return [group.match for group in spec.groups]


@pytest.mark.row("S170")
def test_that_parameter_groups_follow_renamed_layers(graph):
    spec = grouped("hidden, *.bias", "norm.weight", "elsewhere")
    _, after = followed(graph, spec, RenameNode(id="hidden", name="stem"))
    assert matches(after) == ["stem, *.bias", "norm.weight", "elsewhere"]
    _, after = followed(graph, spec, RenameNode(id="norm", name="next"))
    assert matches(after) == ["hidden, *.bias", "next.weight", "elsewhere"]
    assert not after.renamed


def test_that_parameter_groups_follow_layers_into_a_block_its_name_and_out_again(graph):
    spec = grouped("hidden", "norm.*")
    group = GroupNodes(ids=("hidden", "act", "norm"), name="Body")
    block, inside = followed(graph, spec, group)
    assert matches(inside) == ["body.hidden", "body.norm.*"]
    block, renamed = followed(block, grouped("body"), RenameNode(id="body", name="trunk"))
    assert matches(renamed) == ["trunk"]
    _, out = followed(block, renamed, UngroupNode(id="body"))
    assert matches(out) == ["hidden, act, norm"]
