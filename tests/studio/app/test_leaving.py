"""Leaving while a run goes on: keep, stop, stay. Ending by a signal. Crashes leave a report."""

import dataclasses
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec
import pytest
from PySide6.QtWidgets import QAbstractButton, QDialog

from engine.events import RunStarted, Stop
from engine.graph.edit.edits import AddNode
from engine.graph.model import Node
from engine.project import Project
from engine.runs.folder import CommandReader, RunFolder
from engine.runs.process.run_lock import RunLock
from engine.runs.record.journal import RunJournal
from engine.runs.record.state import RunStatus
from studio.app.signals import end_run_in_process
from studio.process.crash import CrashRecorder

ROOT = Path(__file__).parents[3]


@pytest.fixture
def running(opened, qtbot):
    """Return the program following a run whose worker is played by a sleeping process."""
    session = opened.session
    folder = RunFolder.create(session.project.path, session.graph, session.spec)
    code = (
        "import sys, time; from pathlib import Path;"
        "from engine.runs.process.run_lock import RunLock;"
        "lease = RunLock(Path(sys.argv[1]), 0); print('ready', flush=True); time.sleep(600)"
    )
    worker = subprocess.Popen(
        [sys.executable, "-c", code, str(folder.path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert worker.stdout.readline() == "ready\n"
    journal = RunJournal(folder.path)
    journal.append(
        RunStarted(
            pid=worker.pid, device="cpu", threads=1, epochs=5, steps_per_epoch=9, parameters=1
        )
    )
    journal.close()
    opened.services.runs.follow(folder)
    qtbot.waitUntil(lambda: opened.services.runs.is_running)
    yield opened, worker, folder
    worker.kill()
    worker.wait()
    worker.stdout.close()


@pytest.mark.fault("F16")
def test_that_staying_leaves_window_and_run_as_they_are(running, qtbot):
    studio, worker, _ = running
    studio.window.close()
    studio.window.findChild(QDialog, "question.running").reject()
    assert studio.window.isVisible()
    assert worker.poll() is None
    assert studio.services.runs.is_running


@pytest.mark.fault("F16")
def test_that_keeping_leaves_the_run_alone(running):
    studio, worker, folder = running
    left = []
    studio.bench.leaving.leave_then(lambda: left.append("left"))
    question = studio.window.findChild(QDialog, "question.running")
    question.findChild(QAbstractButton, "question.running.keep").click()
    assert left == ["left"]
    assert worker.poll() is None
    assert CommandReader(folder.commands_path).poll() == []


@pytest.mark.fault("F16")
def test_that_stopping_asks_the_run_to_stop_and_leaves_when_it_has(running, qtbot):
    studio, worker, folder = running
    left = []
    studio.bench.leaving.leave_then(lambda: left.append("left"))
    question = studio.window.findChild(QDialog, "question.running")
    question.findChild(QAbstractButton, "question.running.stop").click()
    assert isinstance(CommandReader(folder.commands_path).poll()[0], Stop)
    assert left == []
    worker.kill()
    worker.wait()
    qtbot.waitUntil(lambda: left == ["left"])


@pytest.mark.fault("F16")
def test_that_a_run_that_ends_while_it_is_asked_about_needs_no_answer_any_more(running, qtbot):
    studio, worker, _ = running
    left = []
    studio.bench.leaving.leave_then(lambda: left.append("left"))
    worker.kill()
    worker.wait()
    qtbot.waitUntil(lambda: studio.window.findChild(QDialog, "question.ended") is not None)
    qtbot.waitUntil(lambda: studio.window.findChild(QDialog, "question.running") is None)
    assert left == []  # the window does not vanish under the hand
    question = studio.window.findChild(QDialog, "question.ended")
    question.findChild(QAbstractButton, "question.ended.leave").click()
    assert left == ["left"]


@pytest.mark.fault("F13")
def test_that_a_killed_worker_is_told(running, qtbot):
    studio, worker, _ = running
    worker.kill()
    worker.wait()
    qtbot.waitUntil(lambda: studio.window.banner.view is not None)
    assert studio.window.banner.view.key == "run"
    assert studio.session.run.state.status is RunStatus.DIED


def test_that_a_run_that_goes_on_is_followed_when_the_project_is_opened_again(running, qtbot):
    studio, _, folder = running
    path = studio.session.project.path
    studio.bench.project.close()
    assert not studio.services.runs.is_running
    studio.bench.project.open(path)
    qtbot.waitUntil(lambda: studio.services.runs.is_running)
    assert studio.session.run.folder.id == folder.id


@pytest.mark.fault("F17")
def test_that_a_run_in_the_window_is_stopped_with_it_and_any_other_goes_on(running):
    studio, worker, folder = running
    update = studio.session.run
    studio.keep_work()
    assert CommandReader(folder.commands_path).poll() == []
    worker.kill()
    worker.wait()
    lease = RunLock(folder.path, 0)
    state = msgspec.structs.replace(update.state, pid=os.getpid())
    asked = []

    def work():
        commands = CommandReader(folder.commands_path)
        while not (found := commands.poll()):
            time.sleep(0.01)
        time.sleep(0.2)  # as a checkpoint takes
        asked.extend(found)
        lease.release()

    thread = threading.Thread(target=work)
    thread.start()
    end_run_in_process(dataclasses.replace(update, state=state))
    assert asked == [Stop()]
    thread.join()


@pytest.mark.real
@pytest.mark.fault("F17")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_that_a_signal_keeps_unsaved_work_and_ends_with_its_code(project_path, tmp_path, name):
    code = f"""
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
import studio.app.app as app
from engine.graph.edit.edits import AddNode
from engine.graph.model import Node
app.Studio.start_background = lambda self: QTimer.singleShot(100, self, lambda: ready(self))
def ready(studio):
    studio.session.edit(AddNode(node=Node(id="late", type="ReLU", name="late")), "add")
    print("ready", flush=True)
sys.exit(app.main(Path({str(project_path)!r})))
"""
    environment = os.environ | {"XDG_CONFIG_HOME": str(tmp_path), "QT_QPA_PLATFORM": "offscreen"}
    program = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    )
    assert program.stdout.readline() == "ready\n"
    program.send_signal(getattr(signal, name))
    assert program.wait(60) == 128 + getattr(signal, name)
    program.stdout.close()
    (recovery,) = Project.open(project_path).recoveries()
    assert "late" in recovery.graph.nodes


def test_that_an_error_in_a_handler_is_written_down_and_told(tmp_path, capsys):
    recorder = CrashRecorder(tmp_path)
    heard = []
    recorder.on_error = lambda text, path: heard.append(path)
    recorder.start()
    try:
        sys.excepthook(ValueError, ValueError("broken"), None)
    finally:
        recorder.stop()
    assert heard == recorder.reports()
    assert "broken" in heard[0].read_text()
    assert "broken" in capsys.readouterr().err


def test_that_a_fault_of_the_session_before_is_offered_once(tmp_path):
    (tmp_path / "fault.txt").write_text("Fatal Python error: Segmentation fault")
    recorder = CrashRecorder(tmp_path)
    recorder.start()
    assert "Segmentation" in recorder.last_report.read_text()
    recorder.stop()
    again = CrashRecorder(tmp_path)
    again.start()
    assert again.last_report is None
    again.stop()


def test_that_autosave_waits_for_something_to_save(opened):
    state = opened.session.project.state_folder
    opened.bench.project.autosave()
    opened.writer.wait()
    assert not (state / "autosave.json").exists()
    opened.session.edit(AddNode(node=Node(id="a", type="ReLU", name="a")), "add")
    opened.bench.project.autosave()
    opened.writer.wait()
    assert (state / "autosave.json").exists()
