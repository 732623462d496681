"""Phases of a recipe: when they are at work, what is theirs, and what is refused."""

import msgspec
import pytest

from engine.graph.edit.edits import RenameNode, apply
from engine.model.analysis import analyse
from engine.spec.codec import from_document, to_document
from engine.spec.fields import set_text
from engine.spec.output import MODEL_OUTPUT
from engine.spec.phase import (
    members,
    phase_list,
    phase_of_step,
    phases_at,
    steps_of,
    terms_at,
    turns,
)
from engine.spec.phase_edit import can_move, moved, with_copy, without_phase
from engine.spec.run import Choice, LossTerm, ParameterGroup, PhaseRule, PhaseSpec, RunSpec
from engine.spec.technique import AveragingSpec, DistillationSpec
from engine.spec.validate import validate
from engine.spec.weight_name import follow_names
from tests.tiny_gan import gan_graph, gan_spec
from tests.tiny_run import CROSS_ENTROPY, iris_graph, iris_spec

TURNS = (PhaseRule(steps=2), PhaseRule(steps=1), PhaseRule(), PhaseRule(start=1, end=3))


def test_that_phases_take_turns_beside_those_of_every_step() -> None:
    assert [phases_at(TURNS, 0, step) for step in range(4)] == [(0, 2), (0, 2), (1, 2), (0, 2)]
    assert phases_at(TURNS, 1, 5) == (1, 2, 3)
    assert phases_at(TURNS, 3, 6) == (0, 2)


@pytest.mark.parametrize("per_epoch", [1, 4, 7])
def test_that_the_steps_of_a_phase_are_those_that_it_takes(per_epoch: int) -> None:
    rules = (*TURNS, PhaseRule(steps=3, start=2, end=5))
    total = 6 * per_epoch - 2  # a run by steps may end within an epoch
    taken = [phases_at(rules, step // per_epoch, step) for step in range(max(total, 5))]
    for index in range(len(rules)):
        assert steps_of(rules, index, len(taken), per_epoch) == sum(index in now for now in taken)


def test_that_a_parameter_is_of_the_phase_that_names_it_and_the_rest_of_the_one_that_does_not() -> (
    None
):
    axes = {"a.weight": 2, "a.bias": 1, "b.weight": 2, "b.bias": 1}
    found = members((PhaseRule(), PhaseRule(parameters="matrices"), PhaseRule(match="b")), axes)
    assert found == ({"a.bias"}, {"a.weight", "b.weight"}, {"b.bias"})
    in_turn = members((PhaseRule(match="a", steps=1), PhaseRule(steps=1)), axes)
    assert in_turn == ({"a.weight", "a.bias"}, set(axes))
    later = members((PhaseRule(match="a", end=2), PhaseRule(start=2)), axes)
    assert later == in_turn


def test_that_the_losses_of_a_step_are_those_of_its_phases() -> None:
    rules = (PhaseRule(losses="3, 1"), PhaseRule(losses="2"), PhaseRule())
    assert terms_at(rules, (0,), 3) == (0, 2)
    assert terms_at(rules, (1, 2), 3) == (0, 1, 2)
    shorter = set_text(gan_spec(), "losses.0.loss", "none")
    assert [rule.losses for rule in phase_list(shorter)] == ["1", "2"]


def test_that_a_recipe_with_one_phase_is_written_as_before() -> None:
    document = to_document(iris_spec())
    assert not {"phase", "phases"} & set(document["run"])
    assert from_document(document) == iris_spec()
    spec = gan_spec()
    assert from_document(msgspec.json.decode(msgspec.json.encode(to_document(spec)))) == spec


def test_that_phases_are_set_by_name_on_the_command_line() -> None:
    spec = iris_spec()
    for name, text in (
        ("phases.0.optimizer", "Muon"),
        ("phases.0.optimizer.lr", "0.05"),
        ("phases.0.parameters", "matrices"),
        ("phases.0.scheduler", "OneCycleLR"),
        ("phase.match", "head，hidden"),
    ):
        spec = set_text(spec, name, text)
    (muon,) = spec.phases
    assert (muon.optimizer.type, muon.optimizer.params["lr"]) == ("Muon", 0.05)
    assert (muon.parameters, muon.scheduler_interval) == ("matrices", "step")
    assert spec.phase.match == "head, hidden"
    assert set_text(spec, "phases.0.optimizer", "none").phases == ()


ADAM = PhaseSpec(match="head")
OTHER = {"input": "model.other"}
REFUSED = {
    "R502": (iris_spec(phase=PhaseRule(losses="2")), "phase.losses"),
    "R503": (iris_spec(phase=PhaseRule(end=1), phases=(PhaseSpec(start=2),)), "phase.start"),
    "R504": (iris_spec(phases=(PhaseSpec(optimizer=Choice(type="LBFGS")),)), "phases.0.optimizer"),
    "R505": (iris_spec(mode="fsdp", phases=(ADAM,)), "mode"),
    "R506": (
        iris_spec(phases=(ADAM,), averaging=AveragingSpec(kind="swa", start=1, swa_lr=0.1)),
        "averaging.swa_lr",
    ),
    "R527": (
        iris_spec(
            losses=(CROSS_ENTROPY, LossTerm(loss=Choice(type=MODEL_OUTPUT), inputs=OTHER)),
            phase=PhaseRule(losses="2"),
            phases=(PhaseSpec(match="head", losses="2"),),
            distillation=DistillationSpec(teacher="run-0001"),
        ),
        "distillation.teacher",
    ),
    "R507": (iris_spec(phases=(PhaseSpec(start=2, end=1),)), "phases.0.end"),
    "R508": (iris_spec(phases=(PhaseSpec(start=9),)), "phases.0.start"),
    "R056": (iris_spec(phases=(PhaseSpec(match="tail"),)), "phases.0.match"),
    "R063": (
        iris_spec(
            phases=(
                PhaseSpec(
                    match="head",
                    optimizer=Choice(type="Adagrad"),
                    scheduler=Choice(type="OneCycleLR", params={"max_lr": 0.1}),
                    scheduler_interval="step",
                ),
            )
        ),
        "phases.0.scheduler.cycle_momentum",
    ),
}


@pytest.mark.parametrize("code", REFUSED)
def test_that_what_does_not_go_together_is_told_at_its_field(code: str) -> None:
    spec, field = REFUSED[code]
    graph = iris_graph()
    found = {each.code: each.field for each in validate(spec, graph, analyse(graph), None)}
    assert found.get(code) == field


def test_that_good_phases_are_not_complained_about() -> None:
    graph = gan_graph()
    assert not validate(gan_spec(), graph, analyse(graph), None)
    muon = PhaseSpec(parameters="matrices", optimizer=Choice(type="Muon"))
    assert not validate(iris_spec(phases=(muon,)), iris_graph(), analyse(iris_graph()), None)


def test_that_phases_are_copied_moved_and_removed() -> None:
    spec = gan_spec()
    turned = moved(spec, 0, 1)
    assert [rule.name for rule in phase_list(turned)] == ["generator", "discriminator"]
    assert turned.optimizer == spec.phases[0].optimizer
    assert moved(turned, 1, -1) == spec
    twice = with_copy(spec, 1)
    assert [rule.match for rule in phase_list(twice)] == ["discriminator", "generator", "generator"]
    assert without_phase(twice, 1).phases[0].match == "generator"
    alone = without_phase(spec, 0)
    assert (alone.phase, alone.phases) == (PhaseRule(), ())
    assert alone.optimizer == spec.phases[0].optimizer
    assert can_move(spec, 1, -1)
    assert not can_move(spec, 1, 1)
    grouped = msgspec.structs.replace(spec, groups=(ParameterGroup(match="a"),))
    assert not can_move(grouped, 1, -1)


def test_that_a_phase_follows_the_name_of_a_block() -> None:
    old, edit = gan_graph(), RenameNode(id="generator", name="artist")
    spec: RunSpec = follow_names(gan_spec(), old, apply(edit, old), edit)
    assert spec.phases[0].match == "artist"


def test_that_a_step_is_told_by_its_phase() -> None:
    spec = gan_spec()
    names = [phase_of_step(spec, step, 6) for step in (1, 2, 3, 4)]
    assert names == ["discriminator", "discriminator", "generator", "discriminator"]
    assert not phase_of_step(iris_spec(), 1, 4)


def test_that_each_combination_of_phases_that_train_together_is_named_once() -> None:
    always = PhaseSpec(match="a")
    two, three = PhaseSpec(match="b", steps=2), PhaseSpec(match="c", steps=3, start=4)
    spec = iris_spec(phase=PhaseRule(match="d", steps=1), phases=(always, two, three), epochs=9)
    found = turns(spec)
    assert [each.phases for each in found] == [(0, 1), (1, 2), (1, 3)]
    for each in found:
        assert phases_at(phase_list(spec), each.epoch, each.step) == each.phases
    short = turns(iris_spec(phase=PhaseRule(steps=1), phases=(two, three), epochs=4))
    assert [each.phases for each in short] == [(0,), (1,)]
    assert [each.phases for each in turns(iris_spec(phases=(always,)))] == [(0, 1)]
