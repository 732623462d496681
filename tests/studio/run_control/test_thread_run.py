"""A run on a thread of the window: the same run, in a process that stays usable."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CODE = """
import sys, time
from pathlib import Path
sys.path.insert(0, "tests/studio")
from PySide6.QtWidgets import QApplication, QDialog
from engine.project import Project
from engine.runtime import Standby
from engine.runs.process.run_lock import read_tag
from engine.runs.record.state import RunStatus
from studio.run_control.forced_end import end_worker
from studio.app.app import build_app
from studio.process.settings import SettingsStore
import conftest
from tests.window_parts import Bench

def until(is_done, limit=240):
    deadline = time.monotonic() + limit
    while not is_done():
        assert time.monotonic() < deadline, is_done
        app.processEvents()
        time.sleep(0.002)

Standby.prepare = lambda self: None
app = QApplication([])
home = Path(sys.argv[1])
settings = SettingsStore(home / "settings")
settings.change(language="en")
studio = build_app(app, settings=settings, host=conftest.FakeHost())
studio.bench = Bench(studio)
Project.create(home / "iris", "iris-mlp")
studio.show(home / "iris")
studio.start_background()
until(lambda: studio.session.findings.is_checked)
for name, value in (("mode", "thread"), ("epochs", "100000"), ("device", "cpu")):
    studio.services.editor.set(name, value)
until(lambda: studio.session.findings.is_checked)
assert "torch" not in sys.modules
runs = studio.services.runs
def status():
    return studio.session.run.state.status if studio.session.run else None

def trigger(verb):
    studio.bench.update_actions()
    studio.bench.actions.action(f"action.run.{verb}").trigger()

trigger("start")
until(lambda: status() is RunStatus.RUNNING and studio.session.run.state.step > 3)
assert "torch" in sys.modules and runs.is_in_window
assert sys.getswitchinterval() < 0.001
assert any("window's process" in line.text for line in studio.notifications.lines)
trigger("pause")
until(lambda: status() is RunStatus.PAUSED)
studio.window.show_workspace("model")
studio.bench.model.select_all()
trigger("pause")
until(lambda: status() is RunStatus.RUNNING)
end_worker(read_tag(studio.session.run.folder.path), is_last=True)  # is no process to kill
left = []
studio.bench.leaving.leave_then(lambda: left.append(1)) if not studio.session.is_modified else (
    studio.bench.project.save(), studio.bench.leaving.leave_then(lambda: left.append(1)))
question = studio.window.findChild(QDialog, "question.running")
names = {button.objectName() for button in question.findChildren(object)}
assert "question.running.keep" not in names
from PySide6.QtWidgets import QAbstractButton
question.findChild(QAbstractButton, "question.running.stop").click()
until(lambda: left)
assert status() is RunStatus.STOPPED and studio.session.run.state.checkpoints
studio.quit()
print("done")
"""


@pytest.mark.real
@pytest.mark.timeout(300)  # the window loads torch, perhaps on a busy machine
def test_that_a_run_in_the_window_starts_pauses_and_stops_and_the_window_lives(tmp_path):
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(tmp_path)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert done.stdout.splitlines()[-1:] == ["done"], done.stderr
