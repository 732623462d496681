"""Cross-validation in the window: a run for each fold comes into the queue."""

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QPushButton, QSpinBox

from engine.diagnostics import Diagnostic
from engine.graph.model import Block
from engine.query.model.request import FitModels, FittedModel, FittedModels
from engine.runs.queue import RunQueue
from studio.runs.queue import controller as queue_controller
from studio.runs.queue.page import QueuePage
from studio.train.fold import controller


@pytest.fixture
def queue(opened, monkeypatch) -> RunQueue:
    """Return the queue, which nobody works off."""
    for module in (controller, queue_controller):
        monkeypatch.setattr(module, "work_off", lambda queue: None)
    return RunQueue(opened.settings.folder / "queue")


def ask(opened, qtbot, folds: int, what: str = "folds") -> None:
    opened.bench.actions.action(f"action.run.{what}").trigger()
    dialog = opened.window.findChild(QDialog, f"dialog.{what}")
    number = dialog.findChild(QSpinBox, f"dialog.{what}.number")
    assert number.minimum() == 2
    number.setValue(folds)
    qtbot.mouseClick(
        dialog.findChild(QPushButton, f"dialog.{what}.apply"), Qt.MouseButton.LeftButton
    )


def test_that_a_run_for_each_fold_is_queued_and_shown(opened, queue, qtbot):
    ask(opened, qtbot, 3)
    qtbot.waitUntil(lambda: len(queue.entries()) == 3)
    entries = queue.entries()
    splits = [entry.spec.data.split for entry in entries]
    assert [(split.folds, split.fold) for split in splits] == [(3, 0), (3, 1), (3, 2)]
    assert [entry.name for entry in entries] == ["fold 1", "fold 2", "fold 3"]
    qtbot.waitUntil(lambda: opened.window.findChild(QueuePage) is not None)
    page = opened.window.findChild(QueuePage)
    qtbot.waitUntil(lambda: len(page.table.model.table.rows) == 3)
    ask(opened, qtbot, 2)  # while the page is seen
    qtbot.waitUntil(lambda: len(page.table.model.table.rows) == 5)


def test_that_a_run_for_each_seed_is_queued(opened, queue, qtbot):
    opened.services.editor.set("seed", "41")
    ask(opened, qtbot, 3, "seeds")
    qtbot.waitUntil(lambda: len(queue.entries()) == 3)
    entries = queue.entries()
    assert [entry.spec.seed for entry in entries] == [41, 42, 43]
    assert [entry.name for entry in entries] == ["seed 41", "seed 42", "seed 43"]
    specs = [msgspec.structs.replace(entry.spec, seed=0) for entry in entries]
    assert specs[0] == specs[1] == specs[2]


def test_that_runs_of_folds_have_a_name_in_the_language_of_the_window(opened, queue, qtbot):
    opened.language.switch("zh_CN")
    ask(opened, qtbot, 2)
    qtbot.waitUntil(lambda: len(queue.entries()) == 2)
    assert [entry.name for entry in queue.entries()] == ["第 1 折", "第 2 折"]


def test_that_folds_that_cannot_be_are_refused_with_the_reason(
    opened, queue, host, qtbot, monkeypatch
):
    told: list[Diagnostic] = []
    monkeypatch.setattr(opened.services.notifications, "report", told.extend)
    host.problems = (Diagnostic(code="R028", field="data.split.folds"),)
    ask(opened, qtbot, 3)
    qtbot.waitUntil(lambda: "R028" in [problem.code for problem in told])
    (asked,) = [each for each in host.requests if isinstance(each, FitModels)]
    assert [spec.data.split.fold for spec in asked.specs] == [0, 1, 2]
    assert queue.entries() == []


def test_that_each_fold_is_queued_with_the_model_for_its_data(opened, queue, host, qtbot):
    own = opened.session.graph
    wider = msgspec.structs.replace(own, blocks={"Wider": Block()})
    host.own[FitModels] = FittedModels(models=(FittedModel(graph=own), FittedModel(graph=wider)))
    ask(opened, qtbot, 2)
    qtbot.waitUntil(lambda: len(queue.entries()) == 2)
    assert [entry.graph for entry in queue.entries()] == [own, wider]
