"""Phases of a recipe in the form of Train."""

import msgspec

from engine.spec.run import PhaseSpec
from studio.view.phase import phase_fields_of
from studio.view.recipe import RecipeState, present_train_form
from tests.tiny_gan import gan_graph, gan_spec
from tests.tiny_run import iris_graph, iris_spec


def groups_of(spec, graph):
    form = present_train_form(RecipeState(spec=spec, graph=graph))
    return {group.name: group for group in form.groups if group.name.startswith("phase")}


def test_that_one_phase_is_offered_a_second_one_and_has_no_settings() -> None:
    (add,) = groups_of(iris_spec(), iris_graph()).values()
    assert [(view.name, view.label) for view in add.fields] == [("phases.0.optimizer", "Add phase")]
    assert "Muon" in dict(add.fields[0].choices)


def test_that_each_phase_has_its_settings_under_its_name() -> None:
    groups = groups_of(gan_spec(), gan_graph())
    titles = [group.title for group in groups.values()]
    assert titles == ["Phase 1 · discriminator", "Phase 2 · generator", ""]
    first, second = ([view.name for view in groups[f"phase{index}"].fields] for index in range(2))
    assert first == list(phase_fields_of(gan_spec(), 0))
    assert {"phases.0.steps", "phases.0.losses", "phases.0.optimizer.lr"} <= set(second)
    assert groups["phase0"].fields[0].browse


def test_that_loss_terms_are_asked_for_where_there_are_several() -> None:
    spec = iris_spec(phases=(PhaseSpec(match="head"),))
    names = [view.name for view in groups_of(spec, iris_graph())["phase1"].fields]
    assert "phases.0.losses" not in names
    twice = msgspec.structs.replace(spec, losses=spec.losses * 2)
    names = [view.name for view in groups_of(twice, iris_graph())["phase1"].fields]
    assert "phases.0.losses" in names
