"""Starting from weights: the report of a file, other names, and what fits becomes the project's."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDialog,
    QFileDialog,
    QLabel,
    QPushButton,
    QToolButton,
)

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.export.report import (
    CheckpointComparison,
    Mismatch,
    Renaming,
    TensorEntry,
    WeightsReport,
)
from engine.graph.edit.edits import RenameNode
from engine.query.data.request import JudgeTensors
from engine.query.data.tensor_file import judge_tensors
from engine.query.weights.request import ReportWeights, TakeWeights

LEFT = Qt.MouseButton.LeftButton


def _entry(name: str) -> TensorEntry:
    return TensorEntry(name=name, shape=(2, 3), dtype="float32", size_bytes=24)


COMPARISON = CheckpointComparison(
    file="other.pt",
    matching=2,
    matched=(_entry("fc1.weight"), _entry("fc2.weight")),
    missing=("head.bias",),
    unexpected=("extra.weight",),
    mismatched=(
        Mismatch(
            name="head.weight",
            expected_shape=(10, 3),
            expected_dtype="float32",
            found_shape=(5, 3),
            found_dtype="float32",
        ),
    ),
)


@pytest.fixture
def answers(host, monkeypatch):
    """Let the host know about files of weights; return what it was asked for."""
    usual, asked = host.answer, []

    def answer(request, future):
        match request:
            case ReportWeights():
                asked.append(request)
                if request.file.endswith("bad.pt"):
                    params = {"file": request.file}
                    problem = Diagnostic(code="X022", params=params)
                    future.set_exception(DiagnosticError(problem))
                    return
                renaming = request.renaming or Renaming(remove="encoder.")
                report = WeightsReport(
                    comparison=COMPARISON,
                    renaming=renaming,
                    file_prefixes=("encoder.", "module."),
                    model_prefixes=("fc1.",),
                )
                future.set_result(report)
            case TakeWeights():
                asked.append(request)
                Path(request.target).parent.mkdir(exist_ok=True)
                Path(request.target).write_bytes(b"weights")
                future.set_result(COMPARISON)
            case _:
                usual(request, future)

    monkeypatch.setattr(host, "answer", answer)
    return asked


@pytest.fixture
def dialog(opened, answers, qtbot):
    opened.bench.sources.weights.show("/elsewhere/other.pt")
    shown = opened.window.findChild(QDialog, "dialog.weights")
    qtbot.waitUntil(lambda: shown.table.model.rowCount() > 0)
    return shown


def rows(dialog) -> dict[str, str]:
    return {row.cells[0]: row.cells[3] for row in dialog.table.model.table.rows}


def pick(combo: QComboBox, index: int) -> None:
    combo.setCurrentIndex(index)
    combo.activated.emit(index)


@pytest.mark.row("S122")
@pytest.mark.fault("B05")
def test_that_every_name_is_listed_with_its_status_and_can_be_filtered(dialog):
    assert rows(dialog) == {
        "head.weight": "different shape or dtype",
        "head.bias": "not in the file",
        "extra.weight": "not in the model",
        "fc1.weight": "matches",
        "fc2.weight": "matches",
    }
    shown = dialog.findChild(QComboBox, "dialog.weights.shown")
    shown.setCurrentIndex(shown.findData("missing"))
    assert list(rows(dialog)) == ["head.bias"]
    shown.setCurrentIndex(0)
    dialog.table.search.setText("fc2")
    assert dialog.table.order.rowCount() == 1


@pytest.mark.row("S122", "S195", "S234")
def test_that_what_fits_is_taken_into_the_project_in_one_step(opened, dialog, answers, qtbot):
    session = opened.session
    take = dialog.findChild(QPushButton, "dialog.weights.take")
    assert take.text() == "Use 2 matching"
    qtbot.mouseClick(take, LEFT)
    qtbot.waitUntil(lambda: session.spec.weights != "")
    assert session.spec.weights == "weights/other.safetensors"
    assert answers[-1].target == str(session.project.path / session.spec.weights)
    assert answers[-1].renaming == Renaming(remove="encoder.")
    session.undo()
    assert session.spec.weights == ""
    assert (session.project.path / "weights" / "other.safetensors").is_file()


@pytest.mark.row("S122", "S233")
def test_that_prefixes_are_proposed_chosen_and_typed(dialog, answers, qtbot):
    remove = dialog.findChild(QComboBox, "dialog.weights.remove")
    assert remove.currentText() == "encoder."
    pick(remove, remove.findText("module."))
    assert answers[-1].renaming == Renaming(remove="module.")
    add = dialog.findChild(QComboBox, "dialog.weights.add")
    add.lineEdit().selectAll()
    qtbot.keyClicks(add.lineEdit(), "body.")
    qtbot.keyClick(add.lineEdit(), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: answers[-1].renaming.add == "body.")
    assert dialog.isVisible()


def test_that_a_file_with_code_is_refused_in_words(opened, answers, dialog, qtbot):
    opened.bench.sources.weights.show("/elsewhere/bad.pt")
    verdict = dialog.findChild(QLabel, "dialog.weights.verdict")
    qtbot.waitUntil(lambda: "code" in verdict.text())
    assert not dialog.findChild(QPushButton, "dialog.weights.take").isEnabled()
    assert dialog.table.model.rowCount() == 0


def test_that_the_field_of_the_recipe_leads_to_a_file_or_its_report(opened, answers, qtbot):
    opened.window.show_workspace("train")
    button = opened.window.findChild(QToolButton, "field.weights.browse")
    qtbot.mouseClick(button, LEFT)
    chooser = opened.window.findChild(QFileDialog, "dialog.weights.choose")
    assert chooser is not None
    chooser.reject()
    own = opened.session.project.path / "weights" / "mine.safetensors"
    own.parent.mkdir()
    own.touch()
    opened.services.editor.set("weights", "weights/mine.safetensors")
    opened.bench.actions.action("action.run.weights").trigger()
    qtbot.waitUntil(lambda: bool(answers))
    assert answers[-1].file == str(own)


@pytest.mark.row("S240")
@pytest.mark.parametrize("name", ["other.safetensors", "pytorch_model.bin", "checkpoint.pth.tar"])
def test_that_dropped_weights_are_reported_on_and_need_a_model(
    studio, project_path, answers, qtbot, tmp_path, *, name, host
):
    host.own |= {JudgeTensors: judge_tensors}
    file = tmp_path / name
    file.touch()
    studio.show(None)
    studio.start_background()
    _drop(studio.window, file)
    notifications = studio.notifications
    qtbot.waitUntil(lambda: any("import a model" in line.text for line in notifications.lines))
    assert studio.window.findChild(QDialog, "dialog.weights") is None
    assert studio.open(project_path)
    _drop(studio.window, file)
    qtbot.waitUntil(lambda: bool(answers))
    assert answers[-1].file == str(file)


def _drop(window, file: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(file))])
    place = QPointF(window.rect().center())
    kinds = (Qt.DropAction.CopyAction, mime, LEFT, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(window, QDragEnterEvent(place.toPoint(), *kinds))
    QApplication.sendEvent(window, QDropEvent(place, *kinds))


@pytest.mark.row("S122")
def test_that_the_weights_a_run_starts_from_are_compared_under_the_names_of_now(
    opened, answers, qtbot
):
    file = opened.session.project.path / "weights" / "start.safetensors"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(b"weights")
    session = opened.session
    spec = replace(session.spec, weights="weights/start.safetensors")
    session.change(session.graph, spec, "Start from weights")
    session.edit(RenameNode(id="hidden1", name="stem"), "Rename")
    opened.bench.sources.weights.ask()
    qtbot.waitUntil(lambda: bool(answers))
    assert answers[-1].names == {"stem": "hidden1"}
    opened.window.findChild(QDialog, "dialog.weights").reject()
    opened.bench.sources.weights.show("/elsewhere/other.pt")
    qtbot.waitUntil(lambda: answers[-1].file == "/elsewhere/other.pt")
    assert answers[-1].names == {}
