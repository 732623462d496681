"""Groups of parameters as fields of the specification, and which parameter is in which."""

import pytest

from engine.diagnostics import DiagnosticError
from engine.graph.edit.edits import apply
from engine.graph.node_state.freezing import FreezeNodes
from engine.graph.node_state.mute import MuteNodes
from engine.model.analysis import analyse
from engine.spec.codec import from_document, to_document
from engine.spec.fields import field_names, get_value, set_text
from engine.spec.group import fits, group_of
from engine.spec.run import ParameterGroup, RunSpec
from engine.spec.validate import validate
from tests.tiny_run import iris_graph, iris_spec


def with_texts(spec, *texts):
    for name, text in texts:
        spec = set_text(spec, name, text)
    return spec


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("fc", "fc.weight", True),
        ("fc", "fc2.weight", False),
        ("fc.", "fc.bias", True),
        ("layer1.0", "layer1.0.conv.weight", True),
        ("layer1.0", "layer1.01.conv.weight", False),
        ("*.bias", "layer1.0.bias", True),
        ("*.bias", "fc.weight", False),
        ("cls_token", "cls_token", True),
    ],
)
def test_that_a_pattern_is_the_beginning_of_a_name_or_has_a_star(pattern, name, expected):
    assert fits(pattern, name) is expected


def test_that_a_parameter_is_in_the_first_group_that_names_it():
    groups = (ParameterGroup(match="*.bias"), ParameterGroup(match="conv1, layer1"))
    names = ("layer1.0.bias", "layer1.0.weight", "conv1.weight", "fc.weight")
    assert [group_of(groups, name) for name in names] == [1, 2, 2, 0]


@pytest.mark.row("S170")
def test_that_a_group_is_added_set_and_removed_by_name():
    spec = iris_spec()
    assert "groups.0.match" in field_names(spec)
    spec = with_texts(spec, ("groups.0.match", " head，hidden "), ("groups.0.lr", "0.5"))
    assert spec.groups == (ParameterGroup(match="head, hidden", params={"lr": 0.5}),)
    assert get_value(spec, "groups.0.weight_decay") == "auto"
    assert "groups.1.match" in field_names(spec)
    assert from_document(to_document(spec)) == spec
    assert with_texts(spec, ("groups.0.lr", "auto")).groups[0].params == {}
    assert with_texts(spec, ("groups.0.match", "")) == iris_spec()


def test_that_a_document_without_groups_is_as_it_was_before_there_were_any():
    assert "groups" not in to_document(RunSpec())["run"]


@pytest.mark.parametrize(
    ("name", "text"), [("groups.0.lr", "-1"), ("groups.0.lr", "fast"), ("groups.0.foreach", "true")]
)
def test_that_a_setting_of_a_group_is_checked_as_that_of_the_optimizer(name, text):
    spec = set_text(iris_spec(), "groups.0.match", "head")
    with pytest.raises(DiagnosticError):
        set_text(spec, name, text)


def test_that_another_optimizer_leaves_out_what_it_does_not_have():
    spec = with_texts(
        iris_spec(),
        ("groups.0.match", "head"),
        ("groups.0.betas", "0.8, 0.9"),
        ("groups.0.lr", "0.5"),
        ("optimizer", "SGD"),
    )
    assert spec.groups[0].params == {"lr": 0.5}


def codes(spec, graph):
    return [problem.code for problem in validate(spec, graph, analyse(graph), None)]


def test_that_a_pattern_without_a_parameter_and_an_optimizer_without_groups_are_found():
    graph = iris_graph()
    assert codes(set_text(iris_spec(), "groups.0.match", "head, hidden.weight"), graph) == []
    assert codes(set_text(iris_spec(), "groups.0.match", "tail"), graph) == ["R056"]
    assert codes(set_text(iris_spec(), "groups.0.match", "act"), graph) == []  # not known here
    chosen = with_texts(iris_spec(), ("groups.0.match", "head"), ("optimizer", "LBFGS"))
    assert "R059" in codes(chosen, graph)


def test_that_a_model_that_is_frozen_throughout_is_a_problem():
    graph = apply(FreezeNodes(ids=("hidden",)), iris_graph())
    assert codes(iris_spec(), graph) == []
    frozen = apply(FreezeNodes(ids=("head",)), graph)
    assert codes(iris_spec(), frozen) == ["R058"]


def test_that_a_model_whose_last_layer_is_muted_is_a_problem():
    assert codes(iris_spec(), apply(MuteNodes(ids=("hidden",)), iris_graph())) == []
    assert codes(iris_spec(), apply(MuteNodes(ids=("head",)), iris_graph())) == ["R077"]
