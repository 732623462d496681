"""Edits of samples: each is a step of undo with words of its own."""

import pytest
from msgspec.structs import replace

from engine.spec.data_edits import DataEdits, SampleEdit
from engine.spec.run import Choice, DataSpec, RunSpec
from studio.session.data_editor import DataEditor
from studio.session.session import Document, Session


@pytest.fixture(name="session")
def _session() -> Session:
    session = Session()
    session.open(None, Document(spec=RunSpec(data=DataSpec(source=Choice(type="iris")))))
    return session


def samples(session: Session) -> dict[str, SampleEdit]:
    return session.spec.data.edits.samples


def test_that_each_edit_is_a_step_that_undo_names_and_takes_back(session: Session):
    editor = DataEditor(session)
    steps = (
        (lambda: editor.exclude(["1", "2"]), "Exclude 2 samples"),
        (lambda: editor.relabel(["2"], "setosa"), "Relabel 1 sample"),
        (lambda: editor.move(["3"], "test"), "Move 1 sample"),
        (lambda: editor.tag(["3", "4"], "odd"), "Tag 2 samples"),
        (lambda: editor.include(["1"]), "Include 1 sample"),
        (lambda: editor.tag(["4"], "odd", is_set=False), "Remove tag of 1 sample"),
        (lambda: editor.revert(["2"]), "Reset 1 sample"),
        (editor.reset, "Reset 1 edit of samples"),
    )
    states = [samples(session)]
    for act, label in steps:
        act()
        assert session.undo_label == label
        assert samples(session) != states[-1]
        states.append(samples(session))
    assert samples(session) == {}
    for state in reversed(states[:-1]):
        session.undo()
        assert samples(session) == state
    for state in states[1:]:
        session.redo()
        assert samples(session) == state


def test_that_an_edit_that_changes_nothing_is_no_step(session: Session):
    DataEditor(session).include(["1"])
    assert not session.can_undo


def test_that_the_class_that_a_sample_has_is_no_edit_and_takes_another_back(session: Session):
    editor = DataEditor(session)
    own = {"1": "setosa", "2": "wine"}
    editor.relabel(["1"], "setosa", own)
    assert not session.can_undo
    editor.relabel(["1", "2"], "setosa", own)
    assert editor.edits.samples == {"2": SampleEdit(label="setosa")}
    editor.relabel(["1", "2"], "wine", own)
    assert editor.edits.samples == {"1": SampleEdit(label="wine")}


def test_that_the_first_edit_of_other_data_takes_the_place_of_those_that_do_not_hold(session):
    editor = DataEditor(session)
    editor.exclude(["1"])
    data = replace(session.spec.data, source=Choice(type="wine"))
    session.change(session.graph, replace(session.spec, data=data), "Change data")
    assert editor.edits == DataEdits(source="wine")
    assert samples(session) == {"1": SampleEdit(excluded=True)}
    editor.exclude(["5"])
    assert samples(session) == {"5": SampleEdit(excluded=True)}
    session.undo()
    session.undo()
    assert editor.edits.samples == {"1": SampleEdit(excluded=True)}
