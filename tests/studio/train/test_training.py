"""The Train workspace with a run that is told from outside: what can be done when."""

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import SetValue
from engine.graph.edit.edits import RemoveNodes, apply
from engine.query.rate.request import ExplainExtension, Extension
from engine.runs.folder import RunFolder
from engine.runs.record.state import CheckpointInfo, RunState, RunStatus
from engine.spec.fields import get_value
from engine.spec.run import Choice
from studio.session.run_follower import RunUpdate
from tests.each import for_each
from tests.studio.played_run import follow as follow_played
from widgets.plots.curve_chart import CurveChart

LAST = CheckpointInfo(file="last.ckpt", sha256="", step=40, epoch=20)


@pytest.fixture
def follow(opened):
    """Return a function that shows a run in the state it is given."""
    session = opened.session
    folder = RunFolder.create(session.project.path, session.graph, session.spec, "first")
    opened.window.show_workspace("train")
    follow_played(opened, folder)

    def show(**state) -> None:
        curves = {"lr": (np.array([1, 2]), np.array([0.1, 0.05]))}
        update = RunUpdate(folder=folder, state=RunState(**state), curves=curves, starts=1)
        session.follow(update)

    return show


@pytest.fixture
def resumed(monkeypatch) -> list:
    from studio.run_control.controller import RunController

    asked: list = []

    def resume(_self, run="", checkpoint="latest", length=0) -> None:
        asked.append((run, checkpoint, length))

    monkeypatch.setattr(RunController, "resume", resume)
    return asked


def shown_steps(chart: CurveChart) -> list[int]:
    """Return the steps of the points that a chart has, as it exports them."""
    return [int(float(line.split(",")[2])) for line in chart.csv_bytes().decode().split()[1:]]


def test_that_a_curve_that_was_thinned_is_shown_anew(opened, follow, qtbot):
    follow(status=RunStatus.RUNNING)
    chart = opened.window.findChild(CurveChart, "chart.loss")
    folder = opened.session.run.folder
    for revisions, steps in ((0, [1, 2, 3, 4, 5, 6]), (1, [2, 4, 6]), (1, [2, 4, 6, 7])):
        curves = {"train.loss": (np.array(steps), np.array(steps) / 7)}
        opened.session.follow(
            RunUpdate(folder=folder, state=RunState(), curves=curves, starts=1, revisions=revisions)
        )
        qtbot.waitUntil(lambda wanted=steps: shown_steps(chart) == wanted)


def test_that_a_finished_run_can_be_trained_on_for_as_many_epochs_again(
    opened, follow, resumed, qtbot
):
    opened.services.editor.set("epochs", "20")
    follow(status=RunStatus.FINISHED, epoch=20, epochs=20, checkpoints=(LAST,))
    button = opened.window.findChild(QAbstractButton, "train.resume")
    qtbot.waitUntil(lambda: button.isVisible() and button.text() == "Continue training")
    assert "40" in button.toolTip()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert resumed == [("", "latest", 40)]


def test_that_the_button_tells_what_the_schedule_does_beyond_the_planned_epochs(
    opened, host, qtbot
):
    asked: list[tuple[str, int, int]] = []

    def explain(request: ExplainExtension) -> Extension:
        asked.append((request.spec.scheduler.type, request.steps_per_epoch, request.steps))
        told = Diagnostic.of("R442", steps=80, last="0.001", rate="0.125")
        return Extension(problem=told)

    host.own[ExplainExtension] = explain
    session = opened.session
    opened.services.editor.set("epochs", "20")
    spec = msgspec.structs.replace(session.spec, scheduler=Choice(type="CosineAnnealingLR"))
    folder = RunFolder.create(session.project.path, session.graph, spec, "cosine")
    opened.window.show_workspace("train")
    state = RunState(
        status=RunStatus.FINISHED, epoch=20, epochs=20, steps_per_epoch=4, checkpoints=(LAST,)
    )
    watch = follow_played(opened, folder)
    watch.tell(RunUpdate(folder=folder, state=state, curves={}, starts=1))
    button = opened.window.findChild(QAbstractButton, "train.resume")
    qtbot.waitUntil(lambda: "0.125" in button.toolTip())
    assert "40" in button.toolTip()
    assert asked == [("CosineAnnealingLR", 4, 160)]


def test_that_more_epochs_in_the_recipe_are_what_a_finished_run_is_trained_to(
    opened, follow, resumed
):
    follow(status=RunStatus.FINISHED, epoch=20, epochs=20, checkpoints=(LAST,))
    opened.services.editor.set("epochs", "25")
    opened.bench.update_actions()
    opened.bench.actions.action("action.run.resume").trigger()
    assert resumed == [("", "latest", 25)]


def test_that_a_stopped_run_is_resumed_as_it_was(opened, follow, resumed, qtbot):
    follow(status=RunStatus.STOPPED, epoch=2, epochs=20, checkpoints=(LAST,))
    button = opened.window.findChild(QAbstractButton, "train.resume")
    qtbot.waitUntil(lambda: button.isVisible() and button.text() == "Resume")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert resumed == [("", "latest", 0)]


@for_each("text", ["abc", "nan", "-1", "1e400", "", "1,5"])
def test_that_a_wrong_live_value_is_refused_beside_its_field(
    opened, follow, monkeypatch, qtbot, text
):
    sent: list = []
    monkeypatch.setattr(RunFolder, "send", lambda _self, command: sent.append(command))
    follow(status=RunStatus.PAUSED, step=2, epochs=20, pid=1)
    edit = opened.window.findChild(QLineEdit, "train.live.optimizer.lr")
    qtbot.waitUntil(edit.isVisible)
    error = opened.window.findChild(QLabel, "train.live.error")
    error.clear()
    edit.setFocus()
    edit.selectAll()
    qtbot.keyClick(edit, Qt.Key.Key_Delete)
    qtbot.keyClicks(edit, text)
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert error.text()
    assert sent == []


def test_that_a_live_value_goes_to_the_run(opened, follow, monkeypatch, qtbot):
    sent: list = []
    monkeypatch.setattr(RunFolder, "send", lambda _self, command: sent.append(command))
    follow(status=RunStatus.RUNNING, step=2, epochs=20, pid=1)
    edit = opened.window.findChild(QLineEdit, "train.live.optimizer.lr")
    qtbot.waitUntil(edit.isVisible)
    assert edit.text() == "0.05"
    edit.setFocus()
    edit.selectAll()
    qtbot.keyClicks(edit, "0.5")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert sent == [SetValue(name="optimizer.lr", value=0.5)]


def test_that_live_values_are_only_there_while_a_run_goes_on(opened, follow, qtbot):
    live = opened.window.page("train").live
    follow(status=RunStatus.RUNNING, step=2, epochs=20, pid=1)
    qtbot.waitUntil(live.isVisible)
    follow(status=RunStatus.STOPPED, step=2, epochs=20)
    qtbot.waitUntil(lambda: not live.isVisible())


def test_that_nothing_is_trained_while_a_field_holds_what_cannot_be_taken(opened, qtbot):
    runs, editor = opened.services.runs, opened.services.editor
    assert runs.can_start
    editor.set("optimizer.lr", "1e6")
    assert "1000000" in runs.refusal()
    start = opened.bench.actions.action("action.run.start")
    qtbot.waitUntil(lambda: not start.isEnabled())
    editor.set("optimizer.lr", "0.01")
    assert runs.can_start


def test_that_a_refused_text_is_forgotten_with_its_field(opened):
    editor = opened.services.editor
    editor.set("optimizer", "SGD")
    editor.set("optimizer.momentum", "x")
    assert editor.rejections()
    editor.set("optimizer", "Adam")
    assert editor.rejections() == ()


def resumptions(monkeypatch) -> list[dict]:
    """Return what runs are asked to go on with; none of them begins."""
    asked: list[dict] = []

    def refuse(*_, **named) -> None:
        asked.append(named)
        raise DiagnosticError.of("R161", project="it")

    monkeypatch.setattr("studio.run_control.controller.resume_run", refuse)
    return asked


@pytest.mark.fault("F22")
def test_that_a_run_that_failed_is_resumed_with_the_smaller_rate_of_the_recipe(
    opened, follow, monkeypatch, qtbot
):
    asked = resumptions(monkeypatch)
    for status, rate in ((RunStatus.FAILED, 0.0002), (RunStatus.STOPPED, 0.0)):
        follow(status=status, step=2, epochs=20, checkpoints=(LAST,))
        opened.services.editor.set("optimizer.lr", "0.0002")
        opened.services.runs.go_on()
        qtbot.waitUntil(lambda: bool(asked))
        assert asked.pop()["learning_rate"] == rate
        qtbot.waitUntil(lambda: not opened.services.runs.is_starting)


@pytest.mark.fault("F22")
def test_that_a_run_that_goes_on_lists_what_the_project_has_otherwise(
    opened, follow, monkeypatch, qtbot
):
    asked = resumptions(monkeypatch)

    def told_on_resume() -> str:
        before = len(opened.notifications.lines)
        opened.services.runs.go_on()
        qtbot.waitUntil(lambda: bool(asked))
        asked.clear()
        qtbot.waitUntil(lambda: not opened.services.runs.is_starting)
        return "\n".join(line.text for line in opened.notifications.lines[before:])

    follow(status=RunStatus.STOPPED, step=2, epochs=20, checkpoints=(LAST,))
    own = opened.session.run.folder.document.spec
    assert "continues" not in told_on_resume(), "nothing was changed"
    opened.services.editor.set("optimizer.lr", "0.0002")
    opened.services.editor.set("data.batch_size", "7")
    told = told_on_resume()
    assert f"optimizer.lr: {get_value(own, 'optimizer.lr')} → 0.0002" in told
    assert f"data.batch_size: {own.data.batch_size} → 7" in told
    assert "another model" not in told
    session = opened.session
    node = next(
        each for each in session.graph.nodes.values() if each.type not in ("Input", "Output")
    )
    changed = RemoveNodes(ids=(node.id,))
    session.change(apply(changed, session.graph), session.spec, "remove")
    assert "another model" in told_on_resume()
