"""The dialog that writes predictions; the process is played."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QComboBox, QDialog, QLabel, QLineEdit, QProgressBar, QPushButton

from engine.diagnostics import Diagnostic
from engine.events import CheckpointSaved
from engine.query.predicting.request import (
    PredictionDone,
    PredictionFailed,
    PredictionProgress,
    PredictionReport,
)
from engine.runs.folder import RunFolder
from engine.runs.record.journal import RunJournal
from studio.inspect.predict import controller as module
from studio.inspect.predict.controller import PredictController
from tests.studio.fake_job import FakeJobs
from widgets.tables.table_view import TableView

JOBS = FakeJobs()


@pytest.fixture
def checkpoint_run(opened):
    """Return a run with one checkpoint."""
    project = opened.session.project
    folder = RunFolder.create(project.path, project.graph, project.spec, "first")
    saved = CheckpointSaved(file="step-1.ckpt", sha256="0" * 64, step=1, epoch=1, tags=("last",))
    journal = RunJournal(folder.path)
    journal.append(saved)
    journal.close()
    return folder


@pytest.fixture
def dialog(opened, checkpoint_run, qtbot, monkeypatch):
    JOBS.clear()
    opened.bench.actions.action("action.run.predict").trigger()
    for controller in opened.window.findChildren(PredictController):
        monkeypatch.setattr(controller, "_make_job", JOBS)
    found = opened.window.findChild(QDialog, "dialog.predict")
    qtbot.waitUntil(lambda: part(found, QComboBox, "run").count() == 1)
    return found


def part(dialog, kind, name):
    return dialog.findChild(kind, f"dialog.predict.{name}")


def press(dialog, qtbot, name):
    qtbot.mouseClick(part(dialog, QPushButton, name), Qt.MouseButton.LeftButton)


def choose(dialog, name, key):
    combo = part(dialog, QComboBox, name)
    combo.setCurrentIndex(combo.findData(key))


def drop(dialog, path):
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    event = QDropEvent(
        QPointF(5, 5),
        Qt.DropAction.CopyAction,
        mime,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    dialog.dropEvent(event)


def test_that_dropped_data_is_predicted_beside_it_and_the_first_rows_shown(
    dialog, checkpoint_run, qtbot, tmp_path, monkeypatch
):
    assert not part(dialog, QPushButton, "start").isEnabled()
    drop(dialog, tmp_path / "new.csv")
    choose(dialog, "damaged", "skip")
    choose(dialog, "decimal", "comma")
    press(dialog, qtbot, "start")
    request = JOBS[-1].request
    assert (request.run_folder, request.data) == (
        str(checkpoint_run.path),
        str(tmp_path / "new.csv"),
    )
    assert request.output == str(tmp_path / "new_predictions.csv")
    assert (request.checkpoint, request.part, request.on_damaged) == ("last", None, "skip")
    assert request.decimal == "comma"
    assert not part(dialog, QLineEdit, "data").isEnabled()
    JOBS[-1].tell(PredictionProgress(done=250, total=1000))
    qtbot.waitUntil(lambda: part(dialog, QProgressBar, "progress").value() == 250)
    JOBS[-1].tell(
        PredictionReport(
            run="r", checkpoint="c", step=1, output=request.output, samples=1000, skipped=1,
            skips=(Diagnostic.of("D531", row=7, column="age"),),
            columns=("sample", "prediction"), rows=(("2", "cat"),),
        )
    )  # fmt: skip
    JOBS[-1].tell(PredictionDone())
    qtbot.waitUntil(lambda: part(dialog, QPushButton, "start").isEnabled())
    note = part(dialog, QLabel, "note").text()
    assert "1,000" in note
    assert "Row 7" in note
    assert not dialog.findChild(TableView).isHidden()
    shown: list[Path] = []
    monkeypatch.setattr(module, "show_folder", shown.append)
    press(dialog, qtbot, "reveal")
    assert shown == [tmp_path]


def test_that_a_set_of_the_data_needs_no_file_and_cancel_ends_it(dialog, checkpoint_run, qtbot):
    choose(dialog, "source", "validation")
    press(dialog, qtbot, "start")
    job = JOBS[-1]
    assert (job.request.part, job.request.data) == ("validation", "")
    assert job.request.output == str(checkpoint_run.artefacts / "validation_predictions.csv")
    press(dialog, qtbot, "cancel")
    assert job.is_cancelled
    assert "Canceled" in part(dialog, QLabel, "note").text()
    assert part(dialog, QPushButton, "start").isEnabled()


def test_that_a_file_that_is_there_is_only_replaced_after_a_question(dialog, qtbot):
    choose(dialog, "source", "test")
    press(dialog, qtbot, "start")
    exists = Diagnostic.of("P051", file="o.csv", folder="/d")
    JOBS[-1].tell(PredictionFailed(problems=(exists,)))
    qtbot.waitUntil(lambda: dialog.findChild(QPushButton, "question.overwrite.replace") is not None)
    qtbot.mouseClick(
        dialog.findChild(QPushButton, "question.overwrite.replace"), Qt.MouseButton.LeftButton
    )
    assert JOBS[-1].request.overwrite
    assert len(JOBS) == 2


def test_that_closing_gives_up(dialog, qtbot):
    choose(dialog, "source", "test")
    press(dialog, qtbot, "start")
    dialog.reject()
    assert JOBS[-1].is_cancelled
