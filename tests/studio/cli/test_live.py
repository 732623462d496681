"""Values of a run that are set from the command line, and a run that is repeated there."""

from argparse import Namespace

import pytest

from engine.events import KnobChanged, RunEnded, RunStarted, SetValue
from engine.project import Project
from engine.project.document import ProjectDocument
from engine.runs.folder import CommandReader, RunFolder
from engine.runs.record.journal import RunJournal
from engine.spec.live import LiveChange
from studio.cli.live_command import repeat, set_values
from studio.cli.parser import UsageError
from tests.tiny_run import RANDOM_LAYERS, iris_graph, iris_spec

STARTED = RunStarted(pid=1, device="cpu", threads=1, epochs=3, steps_per_epoch=4, parameters=10)


@pytest.fixture
def project(tmp_path):
    document = ProjectDocument(graph=iris_graph(*RANDOM_LAYERS), spec=iris_spec())
    return Project.create_from(tmp_path / "flowers", document)


@pytest.fixture
def run(project):
    return RunFolder.create(project.path, project.graph, project.spec)


def set_all(project, *values):
    return set_values(Namespace(project=str(project.path), run="latest", values=list(values)))


def test_that_values_are_told_to_the_run_in_the_kind_that_they_are_of(project, run, monkeypatch):
    monkeypatch.setattr(RunFolder, "is_alive", lambda _: True)
    values = ("optimizer.lr=0.5", "optimizer.betas=0.5, 0.9", "model.drop.p=0")
    others = ("model.head.frozen=yes", "clip.kind=norm", "early_stopping.patience=3")
    assert set_all(project, *values, *others) == 0
    assert CommandReader(run.commands_path).poll() == [
        SetValue(name="optimizer.lr", value=0.5),
        SetValue(name="optimizer.betas", value=(0.5, 0.9)),
        SetValue(name="model.drop.p", value=0.0),
        SetValue(name="model.head.frozen", value=True),
        SetValue(name="clip.kind", value="norm"),
        SetValue(name="early_stopping.patience", value=3.0),
    ]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("data.batch_size=8", "cannot be changed while a run goes on"),
        ("optimizer.lr=fast", "fast"),
        ("model.drop.p=2", "from 0 to 1"),
        ("model.head.frozen=maybe", "true or false"),
        ("optimizer.lr", "KEY=VALUE"),
    ],
)
def test_that_what_cannot_be_set_is_said_and_nothing_is_told(
    project, run, monkeypatch, value, reason
):
    monkeypatch.setattr(RunFolder, "is_alive", lambda _: True)
    with pytest.raises(UsageError, match=reason):
        set_all(project, "optimizer.weight_decay=0.1", value)
    assert CommandReader(run.commands_path).poll() == []


def test_that_a_run_that_is_over_is_not_told_anything(project, run):
    with pytest.raises(UsageError, match="does not train"):
        set_all(project, "optimizer.lr=0.1")


@pytest.mark.usefixtures("run")
def test_that_a_run_is_repeated_with_its_changes_and_what_a_technique_did_is_not(
    project, run, monkeypatch
):
    journal = RunJournal(run.path)
    for event in (
        STARTED,
        KnobChanged(step=4, epoch=1, name="optimizer.lr", value=0.5, before=0.1),
        KnobChanged(step=8, epoch=2, name="epochs", value=2.0, origin="technique"),
        RunEnded(reason="finished", step=8, epoch=2),
    ):
        journal.append(event)
    journal.close()
    started = {}

    def start_run(path, graph, spec, name, **others):
        started.update(others, spec=spec, graph=graph, name=name)

    monkeypatch.setattr("engine.runtime.start_run", start_run)
    options = Namespace(
        replay="latest", resume=None, on="", quiet=True, json=False, name="again", trust=False
    )
    interrupts = type("Held", (), {"hold": lambda _: None})()
    repeat(project, options, [], standby=None, interrupts=interrupts)
    assert started["changes"] == (LiveChange(step=4, epoch=1, name="optimizer.lr", value=0.5),)
    assert (started["spec"], started["name"]) == (run.document.spec, "again")
    with pytest.raises(UsageError, match="epochs"):
        repeat(project, options, [("epochs", "3")], standby=None, interrupts=interrupts)
