"""A run that was asked to stop and does not come to it."""

import signal
import subprocess
import sys
from collections.abc import Generator

import msgspec
import pytest
from PySide6.QtCore import QObject

from engine.files import atomic_write
from engine.graph.model import Graph
from engine.runs.folder import RunFolder
from engine.runs.process.run_lock import WorkerTag, process_start
from engine.runtime.job import child
from engine.spec.run import RunSpec
from studio.run_control import forced_end
from studio.run_control.forced_end import ForcedEnd
from studio.window.notifications import Notifications
from tests.tiny_run import PATIENCE_S

PATIENCE_MS = round(1000 * PATIENCE_S)
pytestmark = pytest.mark.real


@pytest.fixture
def busy() -> Generator[subprocess.Popen[bytes]]:
    """Return a process that stays in its step."""
    with subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"]) as process:
        yield process
        process.kill()


@pytest.fixture
def run(busy, tmp_path) -> RunFolder:
    folder = RunFolder.create(tmp_path, Graph(), RunSpec())
    tag = WorkerTag(pid=busy.pid, created=process_start(busy.pid))
    atomic_write(folder.path / "worker.json", msgspec.json.encode(tag))
    return folder


@pytest.fixture(autouse=True)
def at_once(monkeypatch) -> None:
    for module in (child, forced_end):
        monkeypatch.setattr(module, "TERMINATE_S", 0.0)
    monkeypatch.setattr(child, "KILL_S", 0.0)


class Screen:
    """Keeps the buttons of what it is told."""

    def __init__(self) -> None:
        self.acts = []

    def show_message(self, text: str, severity: str, action) -> None:
        """Note what may be done."""
        self.acts.append(action[1])

    def add_log(self, lines) -> None:
        """Nothing of the log is looked at."""


def test_that_a_slow_step_is_waited_for_unless_the_user_ends_it(run, busy, qapp, qtbot) -> None:
    notifications = Notifications(lambda: "en")
    notifications.attach(screen := Screen())
    parent = QObject()
    ForcedEnd(parent, notifications).await_stop(run, 30.0, lambda: True)
    qtbot.waitUntil(lambda: bool(screen.acts), timeout=PATIENCE_MS)
    assert busy.poll() is None
    screen.acts[0]()
    assert busy.wait(PATIENCE_S) == -signal.SIGKILL


def test_that_a_step_that_hangs_is_ended_and_nothing_is_told(run, busy, qapp, qtbot) -> None:
    notifications = Notifications(lambda: "en")
    parent = QObject()
    ForcedEnd(parent, notifications).await_stop(run, 0.0, lambda: True)
    qtbot.waitUntil(lambda: busy.poll() is not None, timeout=PATIENCE_MS)
    assert not notifications.lines
