"""The marks on the curve of the loss follow the record of a real run, whatever is done with it."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
CODE = """
import os, sys, time
from pathlib import Path
sys.path.insert(0, "tests/studio")
from PySide6.QtWidgets import QApplication
from engine.events import SetValue
from engine.project import Project
from engine.runtime import Standby
from engine.runs.record.state import RunStatus
from studio.app.app import build_app
from studio.process.settings import SettingsStore
import conftest

def until(is_done, limit=240):
    deadline = time.monotonic() + limit
    while not is_done():
        if time.monotonic() > deadline:
            print(f"{stage}: {marks()}, recorded {recorded()}", flush=True)
            os._exit(1)  # the run goes on in a thread
        app.processEvents()
        time.sleep(0.002)

Standby.prepare = lambda self: None
app = QApplication([])
home = Path(sys.argv[1])
patience = float(sys.argv[2])
settings = SettingsStore(home / "settings")
settings.change(language="en")
studio = build_app(app, settings=settings, host=conftest.FakeHost())
Project.create(home / "iris", "iris-mlp")
studio.show(home / "iris")
studio.start_background()
stage = "opened"
until(lambda: studio.session.findings.is_checked)
for name, value in (("mode", "thread"), ("epochs", "100000"), ("device", "cpu"),
                    ("optimizer.lr", "0.0001")):  # small: the loss falls for long
    studio.services.editor.set(name, value)
until(lambda: studio.session.findings.is_checked)
studio.window.show_workspace("train")
studio.window.show()
chart = studio.window.page("train").loss_chart
runs = studio.services.runs

def state():
    return studio.session.run.state if studio.session.run else None

def marks(kind="best"):
    return [mark.step for mark in chart._marks.marks if mark.kind == kind]

def recorded():
    return state().best.step if state() and state().best else None

def expect(text):
    global stage
    stage = text
    until(lambda: marks() == [recorded()], patience)

runs.start()
stage = "started"
until(lambda: recorded() is not None)
first = recorded()
until(lambda: recorded() > first)
expect("during the run")
runs.toggle_pause()
until(lambda: state().status is RunStatus.PAUSED)
expect("paused")
runs.send(SetValue(name="optimizer.lr", value=0.0002))
runs.toggle_pause()
stage = "set by hand"
until(lambda: state().knobs)
until(lambda: marks("knob") == [knob.step for knob in state().knobs], patience)
seen = recorded()
until(lambda: recorded() > seen)
runs.stop()
until(lambda: state().status is RunStatus.STOPPED)
expect("stopped")
runs.resume()
until(lambda: state().status is RunStatus.RUNNING)
seen = recorded()
until(lambda: recorded() > seen)
runs.send(SetValue(name="epochs", value=float(state().epoch + 30)))
until(lambda: state().status is RunStatus.FINISHED)
expect("finished")
seen = recorded()
runs.resume(length=state().epochs + 100000)
until(lambda: recorded() > seen)
expect("trained on")
runs.stop()
until(lambda: state().status is RunStatus.STOPPED)
expect("trained on and stopped")
studio.quit()
print("done")
"""


@pytest.mark.real
@pytest.mark.timeout(900)
def test_that_the_marks_of_the_loss_follow_the_record_of_a_run(tmp_path, plain_python):
    done = plain_python.run(str(tmp_path), "60", code=CODE, folder=ROOT, path=[ROOT])
    assert done.stdout == "done\n", done.stdout + done.stderr
