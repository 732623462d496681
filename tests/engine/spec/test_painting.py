"""Layers painted frozen, trained or into groups of parameters."""

import pytest
from msgspec.structs import replace

from engine.diagnostics import DiagnosticError
from engine.graph.edit.block_edits import GroupNodes, SetRepeat
from engine.graph.edit.edits import apply
from engine.model.module import to_module
from engine.spec.group import group_of
from engine.spec.module_pattern import module_pattern
from engine.spec.painting import (
    FROZEN,
    REST,
    group_of_module,
    paintable,
    painted,
    rate_of,
)
from engine.spec.phase import members, phase_list
from engine.spec.phase_painting import PHASE, phase_of_module
from engine.spec.run import ParameterGroup, PhaseSpec
from tests.tiny_run import iris_graph, iris_spec, node

SQUARE = node("Linear", "square", out_features=8)
INSIDE = ("square", "wide")


def nested(*outside):
    """Return layers with a block around two of them."""
    graph = iris_graph(SQUARE, node("Linear", "wide", out_features=6), *outside)
    return apply(GroupNodes(ids=("square", "wide"), name="part"), graph)


def id_of(graph, name):
    return next(node.id for node in graph.nodes.values() if node.name == name)


def groups_of(graph, spec):
    """Return the group of each parameter, as the optimizer sees it."""
    names = [name for name, _ in to_module(graph).named_parameters()]
    return {name: group_of(spec.groups, name) for name in names}


@pytest.mark.row("N10")
def test_that_a_layer_painted_frozen_is_not_trained_and_painted_with_the_rest_is_again():
    start = nested()
    ids = (id_of(start, "part"),)
    graph, spec = painted(start, iris_spec(), (), ids, FROZEN)
    still = {n for n, weight in to_module(graph).named_parameters() if not weight.requires_grad}
    assert still == {f"part.{at}.{own}" for at in INSIDE for own in ("weight", "bias")}
    assert painted(graph, spec, (), ids, REST) == (start, iris_spec())


@pytest.mark.row("N10", "S170")
def test_that_a_new_group_learns_at_a_tenth_and_a_layer_is_in_one_group_only():
    graph = nested()
    _, spec = painted(graph, iris_spec(), (), ("hidden", "head"), 1)
    assert spec.groups == (ParameterGroup(match="hidden, head", params={"lr": 0.001}),)
    assert [rate_of(spec, group) for group in (REST, 1)] == [0.01, 0.001]
    _, spec = painted(graph, spec, (), ("head",), 2)
    assert [group.match for group in spec.groups] == ["hidden", "head"]
    assert group_of_module(graph, spec, ("head",)) == 2
    _, spec = painted(graph, spec, (), ("hidden",), 2)
    assert [group.match for group in spec.groups] == ["head, hidden"]


def test_that_a_layer_painted_out_of_a_block_leaves_the_rest_of_the_block_where_it_was():
    graph = nested()
    part = id_of(graph, "part")
    _, spec = painted(graph, iris_spec(), (), (part,), 1)
    before = groups_of(graph, spec)
    _, spec = painted(graph, spec, (part,), ("wide",), 2)
    after = groups_of(graph, spec)
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {f"part.{INSIDE[1]}.weight", f"part.{INSIDE[1]}.bias"}
    assert {after[name] for name in changed} == {2}


def test_that_patterns_of_the_users_own_with_a_star_stay():
    graph, known = iris_graph(), ParameterGroup(match="*.bias")
    spec = iris_spec(groups=(known,))
    _, spec = painted(graph, spec, (), ("hidden",), 2)
    assert [group.match for group in spec.groups] == ["*.bias", "hidden"]
    assert spec.groups[0] == known


def test_that_a_layer_inside_of_a_repeated_block_is_named_for_all_copies():
    graph = apply(GroupNodes(ids=("square", "act"), name="part"), iris_graph(SQUARE))
    use = id_of(graph, "part")
    graph = apply(SetRepeat(id=use, repeat=3), graph)
    assert module_pattern(graph, (use, "square")) == "part.*.square.*"
    _, spec = painted(graph, iris_spec(), (use,), ("square",), 1)
    inside = {name for name, group in groups_of(graph, spec).items() if group == 1}
    assert inside == {f"part.{i}.square.{own}" for i in range(3) for own in ("weight", "bias")}
    assert group_of_module(graph, spec, (use, "square")) == 1
    assert painted(graph, spec, (use,), ("square",), REST)[1].groups == ()


def test_that_only_what_has_weights_can_be_painted():
    assert paintable(iris_graph(), ("features", "hidden", "act", "gone")) == ("hidden",)


def phases_of(graph, spec):
    """Return the number of the phase that trains each parameter, as a run takes them."""
    axes = {name: weight.dim() for name, weight in to_module(graph).named_parameters()}
    trained = members(phase_list(spec), axes)
    return {name: [at for at, own in enumerate(trained) if name in own] for name in axes}


@pytest.mark.row("S171")
def test_that_a_layer_painted_into_a_phase_is_trained_by_that_phase_alone():
    start = nested()
    spec = replace(iris_spec(), phases=(PhaseSpec(),))
    part = (id_of(start, "part"),)
    graph, spec = painted(start, spec, (), part, PHASE + 1)
    assert {n for n, at in phases_of(graph, spec).items() if at == [1]} == {
        f"part.{at}.{own}" for at in INSIDE for own in ("weight", "bias")
    }
    assert phase_of_module(graph, spec, part) == 1
    inner = next(node.id for node in block_level(graph).values() if node.name == "wide")
    graph, spec = painted(graph, spec, part, (inner,), PHASE)
    found = phases_of(graph, spec)
    assert [found[f"part.{name}.weight"] for name in INSIDE] == [[1], [0]]
    with pytest.raises(DiagnosticError) as caught:
        painted(graph, spec, part, (id_in(graph, "square"),), PHASE)
    assert [problem.code for problem in caught.value.problems] == ["R578"]


@pytest.mark.row("S171")
def test_that_a_frozen_layer_painted_into_a_phase_is_trained_by_it():
    start = nested()
    spec = replace(iris_spec(), phases=(PhaseSpec(match="part.wide"),))
    part = (id_of(start, "part"),)
    frozen, _ = painted(start, spec, (), part, FROZEN)
    graph, spec = painted(frozen, spec, (), part, PHASE + 1)
    assert all(weight.requires_grad for weight in to_module(graph).parameters())
    assert phases_of(graph, spec)["part.square.bias"] == [1]


def block_level(graph):
    (block,) = graph.blocks.values()
    return block.nodes


def id_in(graph, name):
    return next(node.id for node in block_level(graph).values() if node.name == name)
