"""Pause, go on and step in quick succession: what was asked last counts, not what is seen yet."""

import pytest

from engine.events import Pause, Resume, Step
from engine.runs.folder import RunFolder
from engine.runs.state import RunState, RunStatus
from studio.run_bridge import RunUpdate


class Told:
    """A watch whose news the test tells."""

    def __init__(self, update: RunUpdate) -> None:
        self.update = update

    def take(self) -> RunUpdate:
        return self.update


@pytest.fixture
def see(opened, monkeypatch):
    """Return a function that lets the program see the run in a state."""
    session, runs = opened.session, opened.services.runs
    folder = RunFolder.create(session.project.path, session.graph, session.spec, "first")
    runs._followed = folder.id

    def tell(status: RunStatus) -> None:
        state = RunState(status=status, step=2, epochs=20, pid=1)
        watch = Told(RunUpdate(folder=folder, state=state, curves={}, starts=1))
        monkeypatch.setattr(runs, "_watch", watch)
        runs._on_arrived()
        monkeypatch.setattr(runs, "_watch", None)

    return tell


@pytest.fixture
def sent(monkeypatch) -> list:
    commands: list = []
    monkeypatch.setattr(RunFolder, "send", lambda _self, command: commands.append(command))
    return commands


def kinds(commands: list) -> list[type]:
    return [type(command) for command in commands]


def test_that_pressing_twice_pauses_and_goes_on_before_anything_is_seen(opened, see, sent):
    see(RunStatus.RUNNING)
    for _ in range(4):
        opened.services.runs.toggle_pause()
    assert kinds(sent) == [Pause, Resume, Pause, Resume]


def test_that_going_on_right_after_a_step_goes_on(opened, see, sent):
    see(RunStatus.PAUSED)
    opened.services.runs.step()
    see(RunStatus.RUNNING)
    opened.services.runs.toggle_pause()
    assert kinds(sent) == [Step, Resume]
    opened.services.runs.toggle_pause()
    assert kinds(sent) == [Step, Resume, Pause]


def test_that_pausing_again_right_after_going_on_pauses(opened, see, sent):
    see(RunStatus.PAUSED)
    opened.services.runs.toggle_pause()
    opened.services.runs.toggle_pause()
    assert kinds(sent) == [Resume, Pause]


def test_that_what_somebody_else_did_is_followed(opened, see, sent):
    see(RunStatus.RUNNING)
    opened.services.runs.toggle_pause()
    see(RunStatus.PAUSED)
    see(RunStatus.RUNNING)
    opened.services.runs.toggle_pause()
    assert kinds(sent) == [Pause, Pause]
