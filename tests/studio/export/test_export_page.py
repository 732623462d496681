"""Which run the Export workspace offers, and where it writes."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPushButton, QWidget

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import CheckpointSaved
from engine.project import Project
from engine.query.export.request import Export
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.record.journal import RunJournal
from engine.runtime import ExportReport
from studio.runs.table.page import RunsWorkspace
from studio.session.run_follower import RunUpdate
from studio.window.dialog.question import Question
from tests.tiny_run import PATIENCE_S


def saved_run(project: Project, name: str) -> RunFolder:
    """Return a run that has a checkpoint to export."""
    folder = RunFolder.create(project.path, project.graph, project.spec, name)
    saved = CheckpointSaved(file="step-1.ckpt", sha256="0" * 64, step=1, epoch=1, tags=("last",))
    journal = RunJournal(folder.path)
    journal.append(saved)
    journal.close()
    return folder


@pytest.fixture
def project_path(tmp_path):
    """Return a project with two runs."""
    project = Project.create(tmp_path / "digits", "digits-mlp")
    for name in ("first", "second"):
        saved_run(project, name)
    return project.path


@pytest.fixture
def shown(opened, qtbot):
    """Return the program with the Export workspace in front."""
    opened.window.show_workspace("export")
    combo = opened.window.findChild(QComboBox, "export.run")
    qtbot.waitUntil(lambda: combo.count() == 2)
    return opened


def offered(studio) -> str:
    return studio.window.findChild(QComboBox, "export.run").currentText()


def test_that_the_run_that_is_picked_in_the_table_is_the_one_offered(shown, qtbot):
    assert offered(shown) == "second"
    shown.window.show_workspace("runs")
    table = shown.window.findChild(RunsWorkspace).table
    qtbot.waitUntil(lambda: table.table.model().rowCount() == 2)
    table.select_ids([next(shown.session.project.path.glob("runs/*1")).name])
    qtbot.mouseClick(shown.window.findChild(QPushButton, "runs.export"), Qt.MouseButton.LeftButton)
    assert shown.window.workspace == "export"
    assert offered(shown) == "first"


def test_that_a_run_that_is_followed_anew_is_offered(shown, qtbot):
    qtbot.keyClick(shown.window.findChild(QComboBox, "export.run"), Qt.Key.Key_F)
    assert offered(shown) == "first"
    folder = saved_run(shown.session.project, "third")
    update = RunUpdate(folder=folder, state=read_state(folder), curves={}, starts=1)
    shown.session.follow(update)
    assert offered(shown) == "third"


def test_that_a_typed_file_follows_the_format(shown, qtbot):
    line = shown.window.findChild(QLineEdit, "export.path")
    line.selectAll()
    qtbot.keyClicks(line, "mine.pt")
    formats = shown.window.findChild(QComboBox, "export.format")
    formats.setCurrentIndex(formats.findData("safetensors"))
    assert line.text() == "mine.safetensors"


def test_that_another_project_begins_on_the_canvas_and_is_not_written_into_the_last_one(
    shown, qtbot, tmp_path
):
    line = shown.window.findChild(QLineEdit, "export.path")
    line.selectAll()
    qtbot.keyClicks(line, "mine.pt")
    shown.bench.project.create(tmp_path / "next", "iris-mlp")
    assert shown.window.workspace == "model"
    assert line.text() == ""


def test_that_a_copy_is_gone_on_with_where_the_user_is(shown, tmp_path):
    assert shown.bench.project.save_as(tmp_path / "copy")
    assert shown.window.workspace == "export"


class _Taken:
    """Answers an export as the host does where a file stands in its place."""

    def __init__(self, host) -> None:
        self._answer = host.answer
        self.exports: list[Export] = []

    def __call__(self, request, future) -> None:
        if not isinstance(request, Export):
            self._answer(request, future)
            return
        self.exports.append(request)
        if request.overwrite:
            report = ExportReport(
                format=request.format,
                files=(request.output,),
                size_bytes=1,
                largest_difference=0.0,
                batches=2,
            )
            future.set_result(report)
        else:
            taken = Diagnostic(code="X004", params={"file": "model.pt"})
            future.set_exception(DiagnosticError(taken))


def save_to(studio, qtbot, path: str) -> None:
    field = studio.window.findChild(QLineEdit, "export.path")
    field.selectAll()
    qtbot.keyClicks(field, path)
    qtbot.mouseClick(studio.window.findChild(QPushButton, "export.save"), Qt.MouseButton.LeftButton)


@pytest.mark.fault("S06")
def test_that_a_file_that_is_there_is_replaced_only_when_the_user_says_so(shown, host, qtbot):
    host.answer = taken = _Taken(host)
    save_to(shown, qtbot, "/somewhere/model.pt")
    result = shown.window.findChild(QLabel, "export.result")
    for name, words in (("cancel", ""), ("replace", "/somewhere/model.pt")):
        qtbot.waitUntil(lambda: shown.window.findChild(Question) is not None)
        question = shown.window.findChild(Question)
        assert "model.pt" in question.windowTitle()
        button = question.findChild(QPushButton, f"question.overwrite.{name}")
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: shown.window.findChild(Question) is None)
        qtbot.waitUntil(lambda words=words: bool(words) == result.isVisible())
        assert words in result.text()
        if name == "cancel":
            assert [request.overwrite for request in taken.exports] == [False]
            save_to(shown, qtbot, "/somewhere/model.pt")
    assert [request.overwrite for request in taken.exports] == [False, False, True]


def test_that_a_name_without_a_folder_is_written_beside_the_run_and_a_tilde_is_home(
    shown, host, qtbot
):
    host.answer = taken = _Taken(host)
    run = next(shown.session.project.path.glob("runs/*2"))
    for typed, output in (
        ("mine.pt", run / "artefacts" / "mine.pt"),
        ("~/mine.pt", Path.home() / "mine.pt"),
        ("~nobody-of-that-name/mine.pt", run / "artefacts" / "~nobody-of-that-name" / "mine.pt"),
    ):
        save_to(shown, qtbot, typed)
        qtbot.waitUntil(lambda: shown.window.findChild(Question) is not None)
        shown.window.findChild(Question).reject()
        qtbot.waitUntil(lambda: shown.window.findChild(Question) is None)
        assert taken.exports[-1].output == str(output)


def test_that_what_was_written_is_not_said_of_another_format_or_file(shown, qtbot):
    page = shown.window.page("export")
    result = shown.window.findChild(QLabel, "export.result")
    for name, change in (("format", Qt.Key.Key_Down), ("path", Qt.Key.Key_Backspace)):
        page.show_result("Written", is_good=True)
        assert result.isVisible()
        qtbot.keyClick(shown.window.findChild(QWidget, f"export.{name}"), change)
        assert not result.isVisible()


def test_that_the_page_reads_no_checkpoint_while_nobody_sees_it(shown, qtbot):
    page = shown.window.findChild(QWidget, "page.export")
    shown.window.show_workspace("runs")
    folder = saved_run(shown.session.project, "third")
    update = RunUpdate(folder=folder, state=read_state(folder), curves={}, starts=1)
    with qtbot.assertNotEmitted(page.changed):
        shown.session.follow(update)
    shown.window.show_workspace("export")
    assert offered(shown) == "third"


def test_that_what_is_being_written_stays_so_while_choices_change(shown, host, qtbot):
    save = shown.window.findChild(QPushButton, "export.save")
    line = shown.window.findChild(QLineEdit, "export.path")
    qtbot.waitUntil(save.isEnabled)
    asked = []
    host.answer = lambda request, future: asked.append((request, future))
    qtbot.mouseClick(save, Qt.MouseButton.LeftButton)
    assert not save.isEnabled()
    line.selectAll()
    qtbot.keyClicks(line, "another.pt")
    formats = shown.window.findChild(QComboBox, "export.format")
    formats.setCurrentIndex(formats.findData("safetensors"))
    assert not save.isEnabled()
    assert save.text() == "Saving…"


@pytest.mark.real
def test_that_an_export_that_takes_long_tells_its_stage_and_can_be_given_up(shown, qtbot, tmp_path):
    formats = shown.window.findChild(QComboBox, "export.format")
    formats.setCurrentIndex(formats.findData("torch-export"))
    cancel = shown.window.findChild(QPushButton, "export.cancel")
    result = shown.window.findChild(QLabel, "export.result")
    save = shown.window.findChild(QPushButton, "export.save")
    assert not cancel.isVisible()
    save_to(shown, qtbot, str(tmp_path / "model.pt2"))
    assert cancel.isVisible()
    assert not save.isEnabled()
    assert "Loading" in result.text()
    qtbot.mouseClick(cancel, Qt.MouseButton.LeftButton)
    assert "Canceled" in result.text()
    assert not cancel.isVisible()
    assert save.isEnabled()
    save_to(shown, qtbot, str(tmp_path / "model.pt2"))
    qtbot.waitUntil(save.isEnabled, timeout=PATIENCE_S * 1000)  # the run has no such checkpoint
    assert "run-0002" in result.text()
    assert not cancel.isVisible()
    assert not list(tmp_path.glob("*.pt2*"))
