"""The report of runs, asked for in the window."""

import pytest
from PySide6.QtWidgets import QFileDialog, QLabel, QPushButton

from engine.diagnostics import DiagnosticError
from engine.events import EpochDone
from engine.project import Project
from engine.query.results.request import Examine, ExamineStep
from engine.runs.folder import RunFolder
from engine.runs.record.journal import RunJournal
from studio.runs.table.page import RunsWorkspace

pytestmark = pytest.mark.real


@pytest.fixture
def project_path(tmp_path):
    project = Project.create(tmp_path / "digits", "digits-mlp")
    for name in ("first", "<b>second</b>"):
        folder = RunFolder.create(project.path, project.graph, project.spec, name)
        journal = RunJournal(folder.path)
        journal.extend("train.loss", [1], [0.5])
        journal.append(EpochDone(epoch=1, step=1, metrics={"train.loss": 0.5}))
        journal.close()
    return project.path


@pytest.fixture
def chosen(opened, qtbot) -> None:
    """Choose two runs in the table and open the dialog of their report."""
    opened.window.show_workspace("runs")
    page = opened.window.findChild(RunsWorkspace)
    qtbot.waitUntil(lambda: len(page.table.selected_ids()) == 1)
    page.table.select_ids(["run-0001", "run-0002"])
    opened.window.findChild(QPushButton, "runs.report").click()


def part(opened, kind, name):
    return opened.window.findChild(kind, f"dialog.report.{name}")


def save(opened, file) -> None:
    part(opened, QPushButton, "start").click()
    dialog = opened.window.findChild(QFileDialog, "dialog.save_report")
    dialog.fileSelected.emit(str(file))
    dialog.reject()


@pytest.mark.usefixtures("chosen")
@pytest.mark.parametrize("name", ["r.html", "r.pdf"])
def test_that_the_selected_runs_are_reported_in_one_file(opened, host, tmp_path, qtbot, name):
    host.own[Examine] = DiagnosticError.of("K015", run="run-0001")
    save(opened, tmp_path / name)
    note = part(opened, QLabel, "note")
    qtbot.waitUntil(lambda: str(tmp_path / name) in note.text())
    content = (tmp_path / name).read_bytes()
    assert content.startswith(b"%PDF" if name.endswith("pdf") else b"<!DOCTYPE html>")
    assert b"<b>second" not in content
    assert "run-0001" in note.text().split("\n", 1)[1]  # what the report lacks, and why
    assert part(opened, QPushButton, "start").isEnabled()


def test_that_a_canceled_report_is_not_written(opened, host, chosen, tmp_path, qtbot):
    host.is_holding = True
    save(opened, tmp_path / "r.html")
    assert not part(opened, QPushButton, "start").isEnabled()
    part(opened, QPushButton, "cancel").click()
    host.is_holding = False
    for request, future in host.held:
        if isinstance(request, Examine):
            future.set_result(ExamineStep(checkpoint="a", sha256="b", done=1, total=2))
    qtbot.wait(50)
    assert "Nothing" in part(opened, QLabel, "note").text()
    assert not (tmp_path / "r.html").exists()


def test_that_a_folder_that_is_not_there_is_said_in_the_dialog(
    opened, host, chosen, tmp_path, qtbot
):
    host.own[Examine] = DiagnosticError.of("K015", run="run-0001")
    save(opened, tmp_path / "nowhere" / "r.html")
    note = part(opened, QLabel, "note")
    qtbot.waitUntil(lambda: "nowhere" in note.text() and "Saved" not in note.text())
    assert not (tmp_path / "nowhere").exists()
