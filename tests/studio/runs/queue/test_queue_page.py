"""The queue and the runs of all projects by hand."""

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QSpinBox

from engine.diagnostics import Diagnostic
from engine.events import Stop
from engine.project import Project
from engine.runs.folder import CommandReader, RunFolder
from engine.runs.follow import declare_died
from engine.runs.process.run_lock import RunLock, WorkerTag
from engine.runs.queue import QueueEntry, RunQueue
from engine.runs.record.state import RunState
from studio.app import app
from studio.runs.projects.page import ProjectsPage
from studio.runs.queue import controller
from studio.runs.queue.page import QueuePage


def press(page, qtbot, name: str) -> None:
    qtbot.mouseClick(page.findChild(QPushButton, name), Qt.MouseButton.LeftButton)


@pytest.fixture
def asked(monkeypatch) -> list[int]:
    """Return how many entries there were each time the queue was to be worked off."""
    seen: list[int] = []
    monkeypatch.setattr(controller, "work_off", lambda queue: seen.append(len(queue.entries())))
    return seen


@pytest.fixture
def queue(opened) -> RunQueue:
    return RunQueue(opened.settings.folder / "queue")


@pytest.fixture
def page(opened, asked, qtbot) -> QueuePage:
    opened.bench.actions.action("action.run.queue").trigger()
    qtbot.waitUntil(lambda: bool(asked))
    return opened.window.findChild(QueuePage)


def rows(page) -> list[str]:
    return [row.id for row in page.table.model.table.rows]


def test_that_models_are_added_reordered_and_taken_out(page, queue, asked, qtbot):
    for count in (1, 2, 3):
        press(page, qtbot, "queue.add")
        qtbot.waitUntil(lambda count=count: len(rows(page)) == count)
    qtbot.waitUntil(lambda: asked[-1] == 3)
    page.table.select_ids(["entry-0003"])
    press(page, qtbot, "queue.up")
    qtbot.waitUntil(lambda: rows(page) == ["entry-0001", "entry-0003", "entry-0002"])
    press(page, qtbot, "queue.remove")
    qtbot.waitUntil(lambda: rows(page) == ["entry-0001", "entry-0002"])
    assert [entry.id for entry in queue.entries()] == ["entry-0001", "entry-0002"]


def test_that_the_table_has_the_focus_when_an_entry_was_removed(page, qtbot):
    for count in (1, 2, 3):
        press(page, qtbot, "queue.add")
        qtbot.waitUntil(lambda count=count: len(rows(page)) == count)
    page.table.select_ids(["entry-0002"])
    button = page.findChild(QPushButton, "queue.remove")
    button.setFocus()
    press(page, qtbot, "queue.remove")
    qtbot.waitUntil(lambda: len(rows(page)) == 2)
    qtbot.waitUntil(lambda: not button.isEnabled())
    qtbot.waitUntil(lambda: page.window().focusWidget() is not button)
    assert page.window().focusWidget() is page.table.table


def test_that_the_queue_is_paused_and_widened_on_disk(page, queue, qtbot):
    press(page, qtbot, "queue.pause")
    qtbot.waitUntil(lambda: queue.settings().is_paused)
    button = page.findChild(QPushButton, "queue.pause")
    qtbot.waitUntil(lambda: button.text() == "Continue")
    page.findChild(QSpinBox, "queue.parallel").setValue(3)
    qtbot.waitUntil(lambda: queue.settings().parallel == 3)
    press(page, qtbot, "queue.pause")
    qtbot.waitUntil(lambda: not queue.settings().is_paused)


def test_that_what_was_added_elsewhere_is_found_when_the_page_is_looked_at(
    page, opened, queue, qtbot
):
    opened.window.show_workspace("model")
    queue.add(opened.session.project.path, opened.session.graph, opened.session.spec)
    opened.window.show_workspace("runs")
    qtbot.waitUntil(lambda: len(rows(page)) == 1)


def test_that_what_still_waits_goes_on_when_the_page_is_looked_at(
    page, opened, queue, asked, qtbot
):
    queue.add(opened.session.project.path, opened.session.graph, opened.session.spec)
    opened.window.show_workspace("model")
    assert 1 not in asked  # nobody is at it: whoever was has ended
    opened.window.show_workspace("runs")
    qtbot.waitUntil(lambda: asked[-1] == 1)


def test_that_an_entry_that_cannot_begin_says_why(page, opened, queue, qtbot):
    session = opened.session
    entry = queue.add(session.project.path, session.graph, session.spec)
    queue.write(msgspec.structs.replace(entry, problem=Diagnostic(code="R030")))
    press(page, qtbot, "queue.add")
    qtbot.waitUntil(lambda: len(rows(page)) == 2)
    assert "No loss is selected" in page.table.model.table.rows[0].cells[3]


def test_that_what_waits_goes_on_when_the_window_starts(studio, monkeypatch, qtbot):
    seen: list[int] = []
    monkeypatch.setattr(app, "work_off", lambda queue: seen.append(len(queue.entries())))
    queue = RunQueue(studio.settings.folder / "queue")
    project = Project.create(studio.settings.folder / "p", "iris-mlp")
    queue.add(project.path, project.graph, project.spec)
    studio.show(None)  # the welcome page, without a look at the queue
    qtbot.waitUntil(lambda: seen == [1])


def add_training(opened, queue) -> tuple[QueueEntry, RunFolder]:
    session = opened.session
    entry = queue.add(session.project.path, session.graph, session.spec, "fold 4")
    folder = RunFolder.create(session.project.path, session.graph, session.spec, "fold 4")
    queue.write(msgspec.structs.replace(entry, run=folder.id))
    return queue.entries()[0], folder


def test_that_a_run_in_progress_that_is_taken_out_is_stopped_and_told(page, opened, queue, qtbot):
    _, folder = add_training(opened, queue)
    opened.window.show_workspace("model")
    opened.window.show_workspace("runs")
    qtbot.waitUntil(lambda: len(rows(page)) == 1)
    page.table.select_ids(rows(page))
    press(page, qtbot, "queue.remove")
    qtbot.waitUntil(lambda: rows(page) == [])
    assert CommandReader(folder.commands_path).poll() == [Stop()]
    assert "Stopping fold 4" in opened.notifications.lines[-1].text


def test_that_a_run_that_ended_early_says_why_and_is_tried_again(page, opened, queue, qtbot):
    entry, folder = add_training(opened, queue)
    declare_died(folder, WorkerTag(pid=1, created=0.0), RunState())
    queue.write(msgspec.structs.replace(entry, problem=Diagnostic(code="R561")))
    opened.window.show_workspace("model")
    opened.window.show_workspace("runs")
    qtbot.waitUntil(lambda: len(rows(page)) == 1)
    assert "ended before it was finished" in page.findChild(QLabel, "queue.note").text()
    page.table.select_ids(rows(page))
    press(page, qtbot, "queue.retry")
    qtbot.waitUntil(lambda: page.table.model.table.rows[0].cells[3] == "waiting")
    assert queue.has_work()
    assert not page.findChild(QLabel, "queue.note").isVisible()


@pytest.fixture
def elsewhere(studio, tmp_path):
    """Return a run of another project that was used lately."""
    project = Project.create(tmp_path / "other", "iris-mlp")
    studio.settings.add_recent(project.path)
    return RunFolder.create(project.path, project.graph, project.spec, "far away")


@pytest.mark.row("N28")
def test_that_a_run_of_another_project_is_shown_stopped_and_opened(opened, elsewhere, qtbot):
    opened.bench.actions.action("action.run.projects").trigger()
    page = opened.window.findChild(ProjectsPage)
    key = str(elsewhere.path)
    qtbot.waitUntil(lambda: key in rows(page))
    lease = RunLock(elsewhere.path, 0)  # a worker without a window
    press(page, qtbot, "projects.refresh")
    qtbot.waitUntil(lambda: page.table.model.table.rows[0].icon == "play")
    page.table.select_ids([key])
    press(page, qtbot, "projects.stop")
    assert CommandReader(elsewhere.commands_path).poll() == [Stop()]
    press(page, qtbot, "projects.open")
    qtbot.waitUntil(lambda: opened.session.project.path == elsewhere.project)
    qtbot.waitUntil(lambda: opened.session.run is not None)
    qtbot.waitUntil(lambda: opened.window.workspace == "train")
    assert opened.session.run.folder.id == elsewhere.id
    opened.services.runs.unfollow()
    lease.release()
