"""Pause, go on and step in quick succession: what was asked last counts, not what is seen yet.
What could not be written was not asked.
"""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import (
    CaptureGraph,
    DebugStep,
    Pause,
    Resume,
    SetValue,
    StateChanged,
    Step,
    Stop,
)
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunState, RunStatus
from engine.runs.record.store import StoredEvent
from studio.session.run_follower import RunUpdate
from tests.studio.played_run import follow


@pytest.fixture
def see(opened):
    """Return a function that lets the program see the run in a state."""
    session = opened.session
    folder = RunFolder.create(session.project.path, session.graph, session.spec, "first")
    watch = follow(opened, folder)

    def tell(status: RunStatus, *changes: str) -> None:
        state = RunState(status=status, step=2, epochs=20, pid=1)
        events = tuple(
            StoredEvent(number, StateChanged(state=change, step=2))
            for number, change in enumerate(changes)
        )
        watch.tell(RunUpdate(folder=folder, state=state, curves={}, starts=1, events=events))

    return tell


@pytest.fixture
def full() -> set:
    """While something is in it, the disk is full and no command can be written."""
    return set()


@pytest.fixture
def sent(monkeypatch, full) -> list:
    commands: list = []

    def send(_self, command):
        if full:
            params = {"file": "commands.jsonl", "folder": "digits"}
            raise DiagnosticError(Diagnostic(code="P002", params=params))
        commands.append(command)

    monkeypatch.setattr(RunFolder, "send", send)
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


def test_that_going_on_that_could_not_be_written_is_asked_again(opened, see, sent, full):
    see(RunStatus.PAUSED)
    full.add("disk")
    opened.services.runs.toggle_pause()
    full.clear()
    opened.services.runs.toggle_pause()
    assert kinds(sent) == [Resume]


def test_that_a_pause_or_a_step_that_could_not_be_written_is_asked_again(opened, see, sent, full):
    see(RunStatus.RUNNING)
    full.add("disk")
    opened.services.runs.toggle_pause()
    full.clear()
    opened.services.runs.toggle_pause()
    see(RunStatus.PAUSED)
    assert kinds(sent) == [Pause]
    opened.services.runs.toggle_pause()
    full.add("disk")
    opened.services.runs.step()
    full.clear()
    opened.services.runs.toggle_pause()  # the run was told to go on, and is not seen to yet
    assert kinds(sent) == [Pause, Resume, Pause]


def test_that_a_run_that_went_on_and_paused_again_before_it_was_seen_is_told_to_go_on(
    opened, see, sent
):
    see(RunStatus.PAUSED)
    opened.services.runs.toggle_pause()
    see(RunStatus.PAUSED, "running", "paused")
    opened.services.runs.toggle_pause()
    assert kinds(sent) == [Resume, Resume]


def test_that_a_stop_that_could_not_be_written_ends_nothing_later(
    opened, see, sent, full, monkeypatch
):
    runs = opened.services.runs
    timers: list[int] = []
    monkeypatch.setattr(
        "studio.run_control.controller.QTimer.singleShot",
        lambda after_ms, *_: timers.append(after_ms) if after_ms else None,  # 0: no deadline
    )
    left: list[str] = []
    see(RunStatus.RUNNING)
    full.add("disk")
    runs.stop_then(lambda: left.append("left"))
    assert timers == []
    full.clear()
    see(RunStatus.FINISHED)
    assert left == []
    see(RunStatus.RUNNING)
    runs.stop_then(lambda: left.append("left"))
    assert kinds(sent) == [Stop]
    see(RunStatus.STOPPED)
    assert left == ["left"]


def test_that_a_run_that_could_not_be_told_to_look_takes_no_step(opened, see, sent, full):
    see(RunStatus.PAUSED)
    full.add("disk")
    assert not opened.services.runs.look(CaptureGraph())
    full.clear()
    assert sent == []
    assert opened.services.runs.look(CaptureGraph())
    assert kinds(sent) == [CaptureGraph, Step]


def test_that_a_run_that_could_not_be_told_where_to_stop_does_not_go_on(
    opened, see, sent, full, monkeypatch
):
    see(RunStatus.PAUSED)
    told: list[RunFolder] = []

    def send(_self, command):
        told.append(command)
        if len(told) == 1:  # a moment later there is room again
            raise DiagnosticError(Diagnostic(code="P002", params={"file": "f", "folder": "d"}))

    monkeypatch.setattr(RunFolder, "send", send)
    opened.services.debugging.step("layer")
    assert kinds(told) == [DebugStep]


def test_that_a_value_that_could_not_be_written_stays_in_its_field(opened, see, sent, full, qtbot):
    opened.window.show_workspace("train")
    see(RunStatus.RUNNING)
    field = opened.window.findChild(QLineEdit, "train.live.optimizer.lr")
    qtbot.waitUntil(field.isVisible)
    full.add("disk")
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "0.25")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert field.text() == "0.25"
    assert field.isModified()  # it is not the value of the run
    full.clear()
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert sent == [SetValue(name="optimizer.lr", value=0.25)]
