"""The Runs workspace by hand: what is selected, renaming, deleting and bringing back."""

from concurrent.futures import Future
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog, QLineEdit, QPushButton

from engine.events import CheckpointSaved, DebugStopped, EpochDone
from engine.project import Project
from engine.runs.folder import RunFolder, runs_of
from engine.runs.record.journal import RunJournal
from engine.runs.record.state import RunState, RunStatus
from engine.runs.record.store import STORE_NAME
from engine.spec.run import RunSpec
from studio.runs.rows import present_overlay
from studio.runs.table.controller import RunsController
from studio.runs.table.note_dialog import RunNoteDialog
from studio.runs.table.page import RunsWorkspace
from studio.session.run_follower import RunUpdate
from studio.session.run_trash import RunTrash
from studio.view.run import present_progress


def saved_run(project: Project, name: str) -> RunFolder:
    """Return a run with a point of its curve and a checkpoint."""
    folder = RunFolder.create(project.path, project.graph, project.spec, name)
    journal = RunJournal(folder.path)
    journal.extend("train.loss", [1], [0.5])
    journal.append(EpochDone(epoch=1, step=1, metrics={"train.loss": 0.5}))
    journal.append(
        CheckpointSaved(file="step-1.ckpt", sha256="0" * 64, step=1, epoch=1, tags=("last",))
    )
    journal.close()
    return folder


@pytest.fixture
def project_path(tmp_path):
    project = Project.create(tmp_path / "digits", "digits-mlp")
    for name in ("first", "second", "third"):
        saved_run(project, name)
    return project.path


@pytest.fixture
def page(opened, qtbot) -> RunsWorkspace:
    """Return the Runs workspace, in front, with three runs."""
    opened.window.show_workspace("runs")
    found = opened.window.findChild(RunsWorkspace)
    qtbot.waitUntil(lambda: len(found.table.selected_ids()) == 1)
    return found


def shown_runs(page: RunsWorkspace) -> set[str]:
    return {row.id for row in page.table.model.table.rows}


def test_that_the_run_of_the_train_page_is_selected_at_first(page, opened):
    assert page.table.selected_ids() == ["run-0003"]


def test_that_f2_renames_the_selected_run(page, opened, qtbot):
    qtbot.keyClick(page.table.table, Qt.Key.Key_F2)
    dialog = opened.window.findChild(QInputDialog, "dialog.rename_run")
    assert dialog is not None
    line = dialog.findChild(QLineEdit)
    line.selectAll()
    qtbot.keyClicks(line, "the good one")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    rows = page.table.model
    qtbot.waitUntil(lambda: "the good one" in {row.cells[0] for row in rows.table.rows})


@pytest.mark.row("P20")
def test_that_a_run_is_found_by_the_note_and_the_tags_that_were_given_to_it(page, opened, qtbot):
    def ask() -> RunNoteDialog:
        qtbot.mouseClick(page.findChild(QPushButton, "runs.note"), Qt.MouseButton.LeftButton)
        return opened.window.findChild(RunNoteDialog)

    assert not {"tags", "note"} & {column.key for column in page.table.model.table.columns}
    dialog = ask()
    dialog.tags.setText("baseline, paper，baseline,")
    dialog.note.setPlainText("Less dropout\nthan before")
    qtbot.mouseClick(
        dialog.findChild(QPushButton, "dialog.run_note.save"), Qt.MouseButton.LeftButton
    )
    rows = page.table.model
    qtbot.waitUntil(lambda: "baseline, paper" in rows.table.rows[0].cells)
    assert "Less dropout than before" in rows.table.rows[0].cells
    saved = runs_of(opened.session.project.path)[-1].document
    assert (saved.note, saved.tags) == ("Less dropout\nthan before", ("baseline", "paper"))
    page.table.findChild(QLineEdit).setText("paper")
    qtbot.waitUntil(lambda: page.table.table.model().rowCount() == 1)
    again = ask()
    assert (again.tags.text(), again.note.toPlainText()) == ("baseline, paper", saved.note)
    again.reject()


def test_that_a_deleted_run_is_shown_nowhere_and_can_be_brought_back(page, opened, qtbot):
    runs = opened.services.runs
    qtbot.waitUntil(lambda: opened.session.run is not None)
    qtbot.keyClick(page.table.table, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: shown_runs(page) == {"run-0001", "run-0002"})
    assert opened.session.run is None
    assert not runs.can_resume
    qtbot.waitUntil(lambda: not page.loss_chart.has_series("run-0003/train.loss"))
    opened.bench.actions.action("action.run.bring_back").trigger()
    qtbot.waitUntil(lambda: "run-0003" in shown_runs(page))


def test_that_a_run_does_not_take_the_place_of_a_newer_one(tmp_path):
    project = Project.create(tmp_path / "p", "digits-mlp")
    trash = RunTrash(project.state_folder, project.runs_folder)
    for name in ("old", "new"):
        gone, problems = trash.move_in([saved_run(project, name).path])
        assert (gone, problems) == (["run-0001"], [])
    assert trash.bring_back() == (["run-0001"], [])
    assert RunFolder.open(project.runs_folder / "run-0001").document.name == "new"
    assert trash.bring_back(["run-0001"]) == ([], [])
    trash.empty()
    assert not (project.state_folder / "trash").exists()


SPECS = {"r": RunSpec(), "s": RunSpec()}


def test_that_curves_of_one_measure_are_told_apart_by_run_and_part(qapp):
    points = (np.array([1]), np.array([0.5]))
    parts = {"train.loss": points, "validation.loss": points}
    view = present_overlay({"r": parts, "s": parts}, {"r": "first", "s": "second"}, "loss", SPECS)
    assert [series.label for series in view.series] == [
        f"{run} · {part}" for run in ("first", "second") for part in ("training", "validation")
    ]


def test_that_curves_of_a_single_run_are_called_like_those_of_train(qapp):
    points = (np.array([1]), np.array([0.5]))
    curves = {"r": {"train.loss": points, "validation.loss": points}}
    view = present_overlay(curves, {"r": "a run with a long name"}, "loss", SPECS)
    assert [series.label for series in view.series] == ["training loss", "validation loss"]


@pytest.mark.parametrize(
    ("status", "expected"), [(RunStatus.FINISHED, True), (RunStatus.RUNNING, False)]
)
def test_that_a_finished_run_says_how_well_it_does_on_the_test_part(
    qapp, tmp_path, status, expected
):
    project = Project.create(tmp_path / "p", "digits-mlp")
    metrics = {"test.loss": 0.1, "test.accuracy": 0.98, "validation.accuracy": 0.5}
    state = RunState(status=status, step=4, epoch=1, epochs=1, steps_per_epoch=4, metrics=metrics)
    update = RunUpdate(folder=saved_run(project, "first"), state=state, curves={}, starts=1)
    assert ("test accuracy 0.98" in present_progress(update, "en").text) is expected


def test_that_the_progress_of_a_run_tells_that_it_stands_inside_a_step(qapp, tmp_path):
    folder = saved_run(Project.create(tmp_path / "p", "digits-mlp"), "first")
    stop = DebugStopped(step=5, phase="loss", reason="step")
    for status, stands in ((RunStatus.PAUSED, True), (RunStatus.DIED, False)):
        state = RunState(status=status, step=4, epochs=1, steps_per_epoch=9, stop=stop)
        update = RunUpdate(folder=folder, state=state, curves={}, starts=1)
        assert ("Inspect › Debugger" in present_progress(update, "en").text) is stands


def test_that_a_run_that_begins_is_no_error_and_its_curves_come_when_it_ended(page, opened, qtbot):
    said = opened.services.notifications
    project = opened.session.project
    folder = RunFolder.create(project.path, project.graph, project.spec, "fresh")
    opened.services.runs.tell_runs_changed()
    qtbot.waitUntil(lambda: folder.id in shown_runs(page))
    page.table.select_ids([folder.id])
    qtbot.wait(200)
    assert not [line for line in said.lines if "no record" in line.text]
    journal = RunJournal(folder.path)
    journal.extend("train.loss", [1, 2], [0.5, 0.25])
    journal.commit()
    journal.close()
    opened.services.runs.tell_runs_changed()
    series = f"{folder.id}/train.loss"
    qtbot.waitUntil(lambda: page.loss_chart.has_series(series))


def test_that_bad_runs_are_told_once_and_hide_no_other(page, opened, qtbot, project_path):
    said, runs = opened.services.notifications, project_path / "runs"
    (runs / "run-0001" / "worker.json").write_text('{"pid": -1, "created": 0.0}')
    (runs / "run-0002" / "run.json").write_text("{")
    for _ in range(2):
        opened.services.runs.tell_runs_changed()
        qtbot.waitUntil(lambda: shown_runs(page) == {"run-0001", "run-0003"})
    for word in ("worker.json", "run-0002"):
        assert len([line for line in said.lines if word in line.text]) == 1


@pytest.mark.row("P15")
def test_that_a_run_whose_record_was_only_just_made_is_no_failure(
    page, opened, qtbot, project_path, monkeypatch
):
    told = []
    monkeypatch.setattr(opened.services.notifications, "report", told.append)
    first = project_path / "runs" / "run-0001"
    for file in first.glob(f"{STORE_NAME}*"):
        file.write_bytes(b"")
    page.table.select_ids(["run-0001", "run-0002"])
    qtbot.waitUntil(lambda: page.loss_chart.has_series("run-0002/train.loss"))
    assert told == []


@pytest.mark.row("P15")
def test_that_a_run_is_followed_in_the_table_while_it_trains(page, opened, qtbot, monkeypatch):
    monkeypatch.setattr(RunFolder, "is_alive", lambda folder: folder.id == "run-0003")
    opened.services.runs.tell_runs_changed()
    folder = next(f for f in runs_of(opened.session.project.path) if f.id == "run-0003")
    journal = RunJournal(folder.path)
    journal.extend("validation.loss", [2], [0.25])
    journal.append(EpochDone(epoch=2, step=2, metrics={"validation.loss": 0.25}))
    journal.close()
    model = page.table.model
    qtbot.waitUntil(lambda: 0.25 in next(r for r in model.table.rows if r.id == folder.id).cells)
    qtbot.waitUntil(lambda: page.loss_chart.has_series("run-0003/validation.loss"))


def test_that_a_late_look_at_runs_that_train_does_not_bring_an_old_name_back(page):
    controller = page.findChild(RunsController)
    before = controller._records
    late = [replace(record, folder=record.folder.rename("old")) for record in before.values()]
    future: Future = Future()
    future.set_result(late)
    controller._on_living(future)
    assert controller._records == before
