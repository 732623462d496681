"""The dialog in which a run is served; the process is played."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QComboBox, QDialog, QLabel, QLineEdit, QPushButton

from engine.diagnostics import Diagnostic
from engine.events import CheckpointSaved
from engine.runs.folder import RunFolder
from engine.runs.record.journal import RunJournal
from engine.runtime.service import (
    ServiceFailed,
    ServiceLine,
    ServiceServed,
    ServiceStage,
    ServiceStarted,
)
from studio.export.service.controller import ServeController
from tests.studio.fake_job import FakeJobs
from widgets.tables.table_view import TableView

JOBS = FakeJobs()
URL = "http://127.0.0.1:8000/"


@pytest.fixture
def folder(opened):
    """Return a run with one checkpoint."""
    project = opened.session.project
    made = RunFolder.create(project.path, project.graph, project.spec, "first")
    saved = CheckpointSaved(file="step-1.ckpt", sha256="0" * 64, step=1, epoch=1, tags=("last",))
    journal = RunJournal(made.path)
    journal.append(saved)
    journal.close()
    return made


@pytest.fixture
def dialog(opened, folder, qtbot, monkeypatch):
    JOBS.clear()
    opened.bench.actions.action("action.file.serve").trigger()
    for controller in opened.window.findChildren(ServeController):
        monkeypatch.setattr(controller, "_make_job", JOBS)
    found = opened.window.findChild(QDialog, "dialog.serve")
    qtbot.waitUntil(lambda: part(found, QComboBox, "run").count() == 1)
    return found


def part(dialog, kind, name):
    return dialog.findChild(kind, f"dialog.serve.{name}")


def press(dialog, qtbot, name):
    qtbot.mouseClick(part(dialog, QPushButton, name), Qt.MouseButton.LeftButton)


def test_that_a_run_is_served_until_it_is_stopped(dialog, folder, qtbot, monkeypatch):
    opened_urls = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened_urls.append(url.toString()))
    note, address = part(dialog, QLabel, "note"), part(dialog, QLineEdit, "address")
    press(dialog, qtbot, "start")
    job = JOBS[-1]
    assert (job.request.run_folder, job.request.host) == (str(folder.path), "127.0.0.1")
    job.tell(ServiceStage(stage="start"))
    qtbot.waitUntil(lambda: "Starting" in note.text())
    assert not part(dialog, QPushButton, "open").isEnabled()
    job.tell(ServiceStarted(url=URL, checkpoint="step-1.ckpt"))
    qtbot.waitUntil(lambda: address.text() == URL)
    press(dialog, qtbot, "open")
    assert opened_urls == [URL]
    lines = [
        ServiceLine(at=1.0, path=path, status=status, ms=2.5, client="127.0.0.1")
        for path, status in (("/predict", 200), ("/x", 404))
    ]
    job.tell(ServiceServed(requests=1234, failed=1, lines=tuple(lines)))
    model = dialog.findChild(TableView).table.model()
    qtbot.waitUntil(lambda: model.rowCount() == 2)
    assert "1,234 requests, 1 of them refused" in note.text()
    assert model.index(0, 1).data() == "/x"
    press(dialog, qtbot, "cancel")
    assert job.is_cancelled
    assert (note.text(), address.text()) == ("Stopped.", "")
    press(dialog, qtbot, "start")
    assert len(JOBS) == 2
    dialog.accept()
    assert JOBS[-1].is_cancelled


def test_that_a_service_that_ends_says_why(dialog, qtbot):
    press(dialog, qtbot, "start")
    problem = Diagnostic(code="X055", params={"reason": "MemoryError"})
    JOBS[-1].tell(ServiceFailed(problems=(problem,)))
    note = part(dialog, QLabel, "note")
    qtbot.waitUntil(lambda: "MemoryError" in note.text())
    assert part(dialog, QPushButton, "start").isEnabled()
