"""The line at the bottom: where the run computes."""

import msgspec
import pytest
from PySide6.QtWidgets import QLabel, QToolButton

from engine.runs.folder import RunFolder
from engine.runs.record.state import RunState, RunStatus
from studio.project.project import ProjectController
from studio.session.run_follower import RunUpdate
from studio.window.status_bar import StatusView
from tests.named_parts import part

LEFT = ("status.problems", "status.trust")


@pytest.mark.parametrize(("threads", "shown"), [(3, "CPU, 3 threads"), (1, "CPU, 1 thread")])
def test_that_device_and_threads_of_a_run_are_shown_while_it_goes_on(opened, qtbot, threads, shown):
    session = opened.session
    folder = RunFolder.create(session.project.path, session.graph, session.spec, "first")
    state = RunState(status=RunStatus.RUNNING, device="cpu", threads=threads)
    update = RunUpdate(folder=folder, state=state, curves={}, starts=1)
    label = part(opened.window, "status.device")
    session.follow(update)
    qtbot.waitUntil(lambda: label.text() == shown)
    opened.window.show_workspace("train")
    details = part(opened.window, "train.details")
    qtbot.waitUntil(lambda: shown in details.text())
    over = msgspec.structs.replace(state, status=RunStatus.FINISHED)
    session.follow(RunUpdate(folder=folder, state=over, curves={}, starts=1))
    qtbot.waitUntil(lambda: label.text() == "CPU")


def test_that_a_message_and_the_number_of_problems_do_not_lie_over_each_other(opened, qtbot):
    status = opened.window.status
    buttons = {name: opened.window.findChild(QToolButton, name) for name in LEFT}
    status.showMessage("Undone: Move")
    status.set_restricted(is_restricted=True)
    status.set_view(StatusView(problems="1 problem"))
    assert not any(button.isVisible() for button in buttons.values())
    status.clearMessage()
    qtbot.waitUntil(lambda: all(button.isVisible() for button in buttons.values()))
    status.set_restricted(is_restricted=False)
    assert not buttons["status.trust"].isVisible()


def test_that_a_hint_of_the_canvas_gives_way_to_the_problems_by_itself(opened, qtbot, monkeypatch):
    monkeypatch.setattr("studio.window.status_bar._SHOWN_MS", 50)
    problems = opened.window.findChild(QToolButton, "status.problems")
    opened.bench.model_page.canvas.select(())
    opened.bench.model_page.canvas.begin_rename()
    assert opened.window.status.currentMessage()
    qtbot.waitUntil(lambda: not opened.window.status.currentMessage() and problems.isVisible())


def test_that_the_cost_of_watching_is_not_taken_for_the_progress_of_the_run(opened, qtbot):
    session = opened.session
    folder = RunFolder.create(session.project.path, session.graph, session.spec, "first")
    state = RunState(status=RunStatus.RUNNING, watching=0.031)
    session.follow(RunUpdate(folder=folder, state=state, curves={}, starts=1))
    qtbot.waitUntil(lambda: part(opened.window, "status.watching").text() == "monitoring 3.1%")


def test_that_nothing_of_a_closed_project_stays_in_the_status_bar(opened, qtbot):
    status = opened.window.status
    qtbot.waitUntil(lambda: bool(status.findChild(QLabel, "status.parameters").text()))
    opened.context[ProjectController].close()
    qtbot.waitUntil(lambda: not status.findChild(QLabel, "status.parameters").text())
    assert not opened.window.findChild(QToolButton, "status.problems").isVisible()
