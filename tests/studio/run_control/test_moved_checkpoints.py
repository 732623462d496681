"""A run that waits because its checkpoints cannot be written: another folder is offered at once."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog

from engine.diagnostics import Diagnostic
from engine.events import MoveCheckpoints, Resume, RunEvent, StateChanged, Warned
from engine.runs.folder import CommandReader, RunFolder
from engine.runs.record.state import RunState, RunStatus
from engine.runs.record.store import StoredEvent
from studio.session.run_follower import RunUpdate
from tests.studio.played_run import follow

ACTIONS = ["Choose another folder…", "Try again"]


@pytest.fixture
def run(opened) -> RunFolder:
    """Return a run that is followed."""
    session = opened.session
    return RunFolder.create(session.project.path, session.graph, session.spec, "first")


@pytest.fixture
def see(opened, run):
    """Return a function that lets the program see the run in a state, with news."""
    watch = follow(opened, run)

    def tell(status: RunStatus, *events: RunEvent) -> None:
        state = RunState(status=status, step=2, epochs=20, pid=1)
        stored = tuple(StoredEvent(number, event) for number, event in enumerate(events))
        watch.tell(RunUpdate(folder=run, state=state, curves={}, starts=1, events=stored))

    return tell


def full(folder: Path) -> Warned:
    """Return what a run warns of whose disk is full."""
    params = {"file": "step-2.ckpt", "folder": str(folder)}
    return Warned(problem=Diagnostic(code="P002", params=params), step=2)


def press(opened, title: str) -> None:
    view = opened.window.banner.view
    next(act for text, act in view.actions if text == title)()


def sent(run: RunFolder) -> list:
    return list(CommandReader(run.commands_path, 0).poll())


@pytest.fixture
def chosen(monkeypatch) -> list[str]:
    """Return what the user chooses, in order; nothing at first."""
    folders: list[str] = []
    monkeypatch.setattr(
        QFileDialog, "getExistingDirectory", lambda *_: folders.pop(0) if folders else ""
    )
    return folders


@pytest.mark.fault("F05", "F07")
def test_that_a_run_whose_disk_is_full_goes_on_with_another_folder(
    opened, run: RunFolder, see, chosen: list[str], tmp_path: Path
) -> None:
    see(RunStatus.RUNNING)
    see(RunStatus.RUNNING, full(run.checkpoints))
    see(RunStatus.PAUSED, StateChanged(state="paused", step=2))
    view = opened.window.banner.view
    assert [text for text, _ in view.actions] == ACTIONS
    assert str(run.checkpoints) in view.text
    assert "by itself" in view.text
    lines = (line for line in opened.notifications.lines if line.source != "run")
    assert not any(str(run.checkpoints) in line.text for line in lines)
    press(opened, ACTIONS[0])
    assert sent(run) == []  # none was chosen
    chosen.append(str(tmp_path))
    press(opened, ACTIONS[0])
    assert sent(run) == [MoveCheckpoints(folder=str(tmp_path)), Resume()]
    see(RunStatus.RUNNING, StateChanged(state="running", step=2))
    assert opened.window.banner.view is None
    see(RunStatus.PAUSED, StateChanged(state="paused", step=4))
    assert opened.window.banner.view is None  # it waits because the user said so


@pytest.mark.fault("F05")
def test_that_another_try_is_offered_too(opened, run: RunFolder, see) -> None:
    see(RunStatus.PAUSED, full(run.checkpoints), StateChanged(state="paused", step=2))
    press(opened, ACTIONS[1])
    assert sent(run) == [Resume()]


def test_that_no_folder_is_offered_for_what_is_not_about_checkpoints(
    opened, run: RunFolder, see
) -> None:
    see(RunStatus.PAUSED, full(run.artefacts), StateChanged(state="paused", step=2))
    assert opened.window.banner.view is None
