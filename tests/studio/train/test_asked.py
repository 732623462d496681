"""A checkpoint and an evaluation that are asked for in the window, and their marks."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton

from engine.diagnostics import Diagnostic
from engine.events import Evaluate, Evaluated, SaveCheckpoint
from engine.runs.folder import CommandReader, RunFolder
from engine.runs.record.state import CheckpointInfo, RunState, RunStatus
from engine.spec.run import RunSpec
from engine.spec.technique import UnfreezingSpec
from studio.session.run_follower import RunUpdate
from studio.view.curve import present_marks
from tests.studio.played_run import follow

ASKED = CheckpointInfo(file="a.ckpt", sha256="", step=7, epoch=1, tags=("asked",))


@pytest.mark.parametrize(
    ("name", "command"), [("checkpoint", SaveCheckpoint()), ("evaluate", Evaluate())]
)
def test_that_a_run_that_trains_is_asked_by_a_button_and_a_command(opened, qtbot, name, command):
    session = opened.session
    folder = RunFolder.create(session.project.path, session.graph, session.spec, "first")
    opened.window.show_workspace("train")
    button = opened.window.findChild(QToolButton, f"train.{name}")
    action = opened.bench.actions.action(f"action.run.{name}")
    assert not button.isVisible()
    assert not action.isEnabled()
    state = RunState(status=RunStatus.RUNNING, steps_per_epoch=4, epochs=9)
    follow(opened, folder).tell(RunUpdate(folder=folder, state=state, curves={}, starts=1))
    qtbot.waitUntil(lambda: button.isVisible() and action.isEnabled())
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    action.trigger()
    assert CommandReader(folder.commands_path).poll() == [command, command]


def test_that_both_are_marked_on_the_curves(qapp):
    state = RunState(
        checkpoints=(ASKED, CheckpointInfo(file="b.ckpt", sha256="", step=9, epoch=1)),
        evaluations=(Evaluated(step=5, metrics={"validation.loss": 0.5}),),
    )
    marks = [(mark.step, mark.text) for mark in present_marks(state, RunSpec())]
    assert marks == [(5, "evaluated by hand"), (7, "checkpoint saved by hand")]


def test_that_epochs_that_unfreeze_are_marked_once_they_are_reached(qapp):
    spec = RunSpec(unfreezing=UnfreezingSpec(schedule="head=1, a=3, b=3, c=9"))
    state = RunState(step=20, steps_per_epoch=4)
    marks = [(mark.step, mark.text) for mark in present_marks(state, spec)]
    assert marks == [(8, "unfrozen: a, b")]


def test_that_steps_that_were_not_finite_are_marked_as_far_as_the_run_came(qapp):
    def warned(code, **params):
        return Diagnostic(code=code, params=params)

    warnings = (
        warned("R476", step=3, loss="nan"),
        warned("R479", step=9, to=7, rate="0.1"),
        warned("R482", step=12, to=7, rate="0.05"),
        warned("R476", step=20, loss="nan"),
        warned("R476", step="no number"),
    )
    marks = [
        (mark.step, mark.text)
        for mark in present_marks(RunState(step=11, warnings=warnings), RunSpec())
    ]
    assert marks == [(3, "step left out"), (7, "went back from step 12")]
