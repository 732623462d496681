"""State of the Search page alone: which search is shown, its form, and what can be done with it."""

from dataclasses import replace

import pytest

from engine.project import Project
from engine.runs.search import SearchFolder, SearchState, SearchStatus
from engine.spec.search import SearchSpec, parse_dimension
from studio.runs.search.state import NEW, first_state


@pytest.fixture
def folder(tmp_path) -> SearchFolder:
    project = Project.create(tmp_path / "digits", "digits-mlp")
    space = (parse_dimension("optimizer.lr=1e-4..1e-1:log"),)
    return SearchFolder.create(
        project.path, project.graph, project.spec, SearchSpec(space=space, mode="max")
    )


def read(folder, status: SearchStatus, total: int = 3):
    state = first_state(folder.project, SearchSpec())
    return state.read({folder.id: (folder, SearchState(status=status, total=total))})


def test_that_a_search_that_goes_on_is_shown_and_one_that_is_over_is_not(folder):
    assert read(folder, SearchStatus.RUNNING).chosen == folder.id
    assert read(folder, SearchStatus.STOPPED).chosen == NEW


def test_that_reading_what_has_not_changed_leaves_the_state_as_it_is(folder):
    state = read(folder, SearchStatus.RUNNING)
    same = SearchState(status=SearchStatus.RUNNING, total=3)
    assert state.read({folder.id: (folder, same)}) is state
    grown = SearchState(status=SearchStatus.RUNNING, total=4)
    assert state.read({folder.id: (folder, grown)}).searches[folder.id][1] is grown
    assert state.read({}).searches == {}


def test_that_the_form_shows_the_search_that_is_chosen(folder):
    state = read(folder, SearchStatus.RUNNING)
    assert (state.form.mode, state.trials) == ("max", 3)


def test_that_a_finished_search_goes_on_only_with_more_trials(folder):
    state = read(folder, SearchStatus.FINISHED).choose(folder.id)
    assert (state.more, "pause" in state.possible) == (0, False)
    state = replace(state, form=SearchSpec(trials=7))
    assert (state.more, "pause" in state.possible) == (7, True)


def test_that_a_series_that_a_run_does_not_measure_is_replaced_for_a_new_search_only(folder):
    state = first_state(folder.project, SearchSpec(monitor="validation.loss"))
    assert state.offer_monitors(("train.loss",), "validation.accuracy").form.monitor == "train.loss"
    shown = read(folder, SearchStatus.RUNNING)
    assert shown.offer_monitors(("train.loss",), "train.loss").form.monitor == "validation.loss"
