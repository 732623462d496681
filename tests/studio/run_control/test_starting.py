"""A run that was asked for and is not there yet: leaving asks about it, and its first words are
told. Nothing trains.
"""

from concurrent.futures import Future
from types import SimpleNamespace

import pytest
from PySide6.QtWidgets import QAbstractButton, QDialog

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.events import RunStarted, Stop, Warned
from engine.runs.folder import CommandReader, RunFolder
from engine.runs.record.state import RunState, RunStatus
from engine.runs.record.store import StoredEvent
from studio.run_control import controller
from studio.session.run_follower import RunUpdate
from tests.studio.played_run import PlayedWatch


class Begun:
    """A run that the window has asked for: its folder is made, its worker has said nothing yet,
    until the test says so.
    """

    def __init__(self, opened, qtbot, monkeypatch) -> None:
        self.opened, self._qtbot = opened, qtbot
        self._watches: list[PlayedWatch] = []
        self._made: Future = Future()
        monkeypatch.setattr(controller, "RunWatch", self._watch)
        session = opened.session
        self.folder = RunFolder.create(session.project.path, session.graph, session.spec, "first")
        opened.services.runs.begin(self._made.result)
        assert opened.services.runs.is_starting

    def _watch(self, folder, parent) -> PlayedWatch:
        self._watches.append(PlayedWatch(folder, parent))
        return self._watches[-1]

    def make(self) -> None:
        """Let the folder be there."""
        self._made.set_result(SimpleNamespace(folder=self.folder, is_alive=lambda: True))
        self._qtbot.waitUntil(lambda: bool(self._watches))

    def fail(self) -> None:
        self._made.set_exception(DiagnosticError.of("K014", split="train"))
        self._qtbot.waitUntil(lambda: not self.opened.services.runs.is_starting)

    def tell(self, status: RunStatus, *events) -> None:
        stored = tuple(StoredEvent(at, event) for at, event in enumerate(events))
        state = RunState(status=status, step=2, epochs=20, pid=1)
        update = RunUpdate(folder=self.folder, state=state, curves={}, starts=1, events=stored)
        self._watches[0].tell(update)

    def leave(self, answer: str) -> list[str]:
        """Ask to leave, and answer the question; what is returned tells when it was left."""
        left: list[str] = []
        self.opened.bench.leaving.leave_then(lambda: left.append("left"))
        question = self.opened.window.findChild(QDialog, "question.running")
        question.findChild(QAbstractButton, f"question.running.{answer}").click()
        return left


@pytest.fixture
def begun(opened, qtbot, monkeypatch):
    played = Begun(opened, qtbot, monkeypatch)
    yield played
    played.opened.services.runs.unfollow()


def settled(qtbot, begun) -> None:
    """Let everything happen that was posted before."""
    done: list[int] = []
    begun.opened.services.handover.run(lambda: None, lambda _: done.append(1))
    qtbot.waitUntil(lambda: bool(done))
    qtbot.wait(1)


@pytest.mark.fault("F16")
def test_that_a_run_that_is_starting_is_kept_as_soon_as_it_is_there(begun, qtbot):
    left = begun.leave("keep")
    assert left == []
    begun.make()
    begun.tell(RunStatus.STARTING)
    qtbot.waitUntil(lambda: left == ["left"])
    assert CommandReader(begun.folder.commands_path).poll() == []


@pytest.mark.fault("F16")
def test_that_a_run_that_is_starting_is_stopped_before_the_window_is_left(begun, qtbot):
    left = begun.leave("stop")
    begun.make()
    begun.tell(RunStatus.STARTING)
    reader = CommandReader(begun.folder.commands_path)
    commands: list = []
    qtbot.waitUntil(lambda: commands.extend(reader.poll()) or bool(commands))
    assert [type(command) for command in commands] == [Stop]
    assert left == []
    begun.tell(RunStatus.STOPPED)
    qtbot.waitUntil(lambda: left == ["left"])


@pytest.mark.fault("F16")
def test_that_why_a_run_does_not_begin_is_to_be_read(begun, qtbot):
    left = begun.leave("keep")
    begun.fail()
    settled(qtbot, begun)
    assert left == []
    assert begun.opened.notifications.lines[-1].level == "error"


@pytest.mark.fault("F16")
def test_that_what_was_to_be_stopped_and_does_not_begin_is_left(begun, qtbot):
    left = begun.leave("stop")
    begun.fail()
    qtbot.waitUntil(lambda: left == ["left"])


@pytest.mark.fault("F16")
def test_that_a_question_about_a_run_that_does_not_begin_goes(begun, qtbot):
    left: list[str] = []
    opened = begun.opened
    opened.bench.leaving.leave_then(lambda: left.append("left"))
    assert opened.window.findChild(QDialog, "question.running") is not None
    begun.fail()
    qtbot.waitUntil(lambda: opened.window.findChild(QDialog, "question.running") is None)
    assert opened.window.findChild(QDialog, "question.ended") is None
    assert left == []


def test_that_the_first_warnings_of_a_run_that_was_begun_here_are_told_once(begun):
    start = RunStarted(pid=1, device="cpu", threads=1, epochs=2, steps_per_epoch=3, parameters=5)
    warning = Diagnostic(code="D573", severity=Severity.WARNING, params={"count": 41})

    def told() -> int:
        lines = begun.opened.notifications.lines
        return sum("41 samples" in line.text for line in lines if line.source != "run")

    begun.make()
    begun.tell(RunStatus.RUNNING, start, Warned(problem=warning))
    assert told() == 1
    begun.tell(RunStatus.RUNNING)
    begun.tell(RunStatus.PAUSED)
    assert told() == 1
