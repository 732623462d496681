"""File > Import: what is chosen comes, what goes wrong stands at its field, nothing is left."""

import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import msgspec
import psutil
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QTabWidget,
    QToolButton,
)

from engine.project import Project
from engine.runtime.importing import job as importing
from engine.runtime.importing.request import ImportProgress, ImportRequest
from studio.model.fine_tune.dialog import FineTuneDialog
from studio.model.importer.presenter import present_import_progress

LEFT = Qt.MouseButton.LeftButton
CODE = """
from torch import nn
open("{ran}", "w")

class Net(nn.Module):
    def __init__(self, width, deep=True):
        super().__init__()
"""


@pytest.fixture(autouse=True)
def _without_torch(monkeypatch, tmp_path):
    command = (sys.executable, "-m", "tests.studio.fake_import_worker")
    monkeypatch.setattr(importing, "_COMMAND", command)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))


def asked(studio) -> QDialog:
    studio.bench.actions.action("action.file.import").trigger()
    dialogs = studio.window.findChildren(QDialog, "dialog.import")
    return next(dialog for dialog in dialogs if dialog.isVisible())  # an older one goes soon


@pytest.fixture
def dialog(studio):
    studio.show(None)
    return asked(studio)


def seen(dialog, kind, name: str):
    """Return the widget of a name that is to be seen: rows of another model go when Qt rests."""
    found = [one for one in dialog.findChildren(kind, name) if one.parentWidget().isVisible()]
    return found[-1]


def fill(dialog, qtbot, field: str, text: str) -> None:
    edit = seen(dialog, QLineEdit, f"field.{field}")
    edit.selectAll()
    qtbot.keyClicks(edit, text)
    qtbot.keyClick(edit, Qt.Key.Key_Return)


def pick(dialog, field: str, value: str) -> None:
    combo = seen(dialog, QComboBox, f"field.{field}")
    combo.setCurrentIndex(combo.findData(value))
    combo.activated.emit(combo.currentIndex())


def choose(dialog, qtbot, model: str) -> None:
    """Filter the list by typing and click the model."""
    search = dialog.findChild(QLineEdit, "dialog.import.models.search")
    search.clear()
    qtbot.keyClicks(search, model)
    table = dialog.models.table
    rows = range(table.model().rowCount())
    row = next(row for row in rows if table.model().index(row, 0).data() == model)
    place = table.visualRect(table.model().index(row, 0)).center()
    qtbot.mouseClick(table.viewport(), LEFT, pos=place)


def start(dialog, qtbot) -> None:
    qtbot.mouseClick(dialog.findChild(QPushButton, "dialog.import.import"), LEFT)


def is_at_rest(dialog) -> bool:
    """Return whether the button that imports the chosen model can be pressed, and no process is
    there that does so.
    """
    return dialog.findChild(QPushButton, "dialog.import.import").isEnabled() and not workers()


def workers() -> list[int]:
    """Return the numbers of the processes that import."""
    found: list[int] = []
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if "tests.studio.fake_import_worker" in process.cmdline():
                found.append(process.pid)
    return found


def message(dialog, field: str) -> str:
    return seen(dialog, QLabel, f"field.{field}.message").text().replace("\u200b", "")


def request_in(project: Path, weights: str = importing.WEIGHTS) -> ImportRequest:
    """Return what the process was asked for: the stand-in writes it in the place of weights."""
    return msgspec.json.decode((project / weights).read_bytes(), type=ImportRequest)


@pytest.mark.row("P11", "S118")
def test_that_a_model_of_the_zoo_becomes_a_project_that_is_open(studio, dialog, qtbot, tmp_path):
    assert not dialog.findChild(QPushButton, "dialog.import.import").isEnabled()
    choose(dialog, qtbot, "resnet50")
    fill(dialog, qtbot, "folder", str(tmp_path))
    pick(dialog, "weights", "IMAGENET1K_V2")
    assert "103 MB from download.pytorch.org" in message(dialog, "weights")
    fill(dialog, qtbot, "classes", "10")
    assert "last layer is new" in message(dialog, "classes")
    start(dialog, qtbot)
    qtbot.waitUntil(lambda: studio.session.project is not None)
    assert studio.session.project.path == tmp_path / "resnet50"
    assert studio.window.workspace == "model"
    assert [node.name for node in studio.session.level.nodes.values()] == [
        "x",
        "fc",
        "output",
    ]
    request = request_in(studio.session.project.path)
    assert request.model == "resnet50"
    assert request.arguments == {"num_classes": 10}
    assert request.download is not None
    assert request.download.digest == "11ad3fa6"
    assert studio.session.spec.weights == importing.WEIGHTS


@pytest.mark.row("S118")
def test_that_a_model_goes_into_the_one_that_is_open_in_one_step(opened, qtbot):
    session = opened.session
    before = session.document
    dialog = asked(opened)
    choose(dialog, qtbot, "resnet18")
    pick(dialog, "place", "block")
    start(dialog, qtbot)
    qtbot.waitUntil(lambda: "resnet18" in session.graph.nodes)
    use = session.graph.nodes["resnet18"]
    qtbot.waitUntil(lambda: session.selection == (use.id,))
    inside = session.graph.blocks[use.type.partition(".")[2]]
    assert {node.type for node in inside.nodes.values()} == {"BlockInput", "Linear", "BlockOutput"}
    assert session.spec.weights == "weights/resnet18.safetensors"
    assert request_in(session.project.path, session.spec.weights).prefix == "resnet18."
    session.undo()
    assert session.document == before
    session.redo()
    assert (session.project.path / session.spec.weights).is_file()


def test_that_a_second_model_keeps_the_weights_of_the_first(opened, qtbot):
    session = opened.session
    for name in ("resnet18", "resnet18_2"):
        dialog = asked(opened)
        choose(dialog, qtbot, "resnet18")
        pick(dialog, "place", "block")
        start(dialog, qtbot)
        qtbot.waitUntil(lambda name=name: name in session.graph.nodes)
    request = request_in(session.project.path, session.spec.weights)
    assert request.prefix == "resnet18_2."
    assert request.beside == str(session.project.path / "weights/resnet18.safetensors")


@pytest.mark.fault("U03")
def test_that_cancelling_ends_the_process_and_leaves_nothing(studio, dialog, qtbot, tmp_path):
    choose(dialog, qtbot, "alexnet")
    fill(dialog, qtbot, "folder", str(tmp_path))
    start(dialog, qtbot)
    bar = dialog.findChild(QProgressBar, "dialog.import.progress")
    qtbot.waitUntil(lambda: bar.value() == 100)
    assert workers()
    qtbot.mouseClick(dialog.findChild(QToolButton, "dialog.import.progress.cancel"), LEFT)
    qtbot.waitUntil(lambda: not workers())
    assert dialog.findChild(QPushButton, "dialog.import.import").isEnabled()
    assert not (tmp_path / "alexnet").exists()
    qtbot.waitUntil(lambda: not list((tmp_path / "scratch").iterdir()))


@pytest.mark.parametrize("case", [("vgg11", "status 404"), ("vgg13", "exit code 3")])
def test_that_a_failure_is_told_in_the_dialog_and_leaves_nothing(
    studio, dialog, qtbot, tmp_path, case
):
    model, words = case
    choose(dialog, qtbot, model)
    fill(dialog, qtbot, "folder", str(tmp_path))
    start(dialog, qtbot)
    whole = dialog.findChild(QLabel, "dialog.import.problem")
    said = (lambda: message(dialog, "weights")) if model == "vgg11" else whole.text
    qtbot.waitUntil(lambda: words in said())
    assert studio.session.project is None
    assert not (tmp_path / model).exists()
    assert not list((tmp_path / "scratch").iterdir())


@pytest.mark.fault("F05")
def test_that_a_full_disk_leaves_no_half_of_a_project(studio, dialog, qtbot, tmp_path, monkeypatch):
    from engine.diagnostics import Diagnostic
    from engine.files import FileWriteError

    def full(source, target):
        raise FileWriteError(Diagnostic(code="P002", params={"file": "w", "folder": "f"}))

    monkeypatch.setattr(importing, "copy_file", full)
    choose(dialog, qtbot, "resnet18")
    fill(dialog, qtbot, "folder", str(tmp_path))
    start(dialog, qtbot)
    whole = dialog.findChild(QLabel, "dialog.import.problem")
    qtbot.waitUntil(lambda: bool(whole.text()))
    assert not (tmp_path / "resnet18").exists()


@pytest.mark.fault("B09")
@pytest.mark.parametrize(
    "case",
    [
        ("classes", "0", "an integer"),
        ("inputs", "3 by 4", "not a valid input size"),
        ("name", "a/b", "without slashes"),
        ("name", "scratch", "not empty"),
    ],
)
def test_that_a_wrong_value_is_told_at_its_field(dialog, qtbot, tmp_path, case):
    field, text, words = case
    choose(dialog, qtbot, "resnet18")
    fill(dialog, qtbot, "folder", str(tmp_path))
    (tmp_path / "scratch" / "taken").touch()
    fill(dialog, qtbot, field, text)
    start(dialog, qtbot)
    assert words in message(dialog, field)
    assert seen(dialog, QLineEdit, f"field.{field}").property("invalid")
    fill(dialog, qtbot, field, "ok")
    assert message(dialog, field) == ""


@pytest.mark.fault("S03")
def test_that_a_dropped_file_is_read_and_runs_only_after_a_question(studio, qtbot, tmp_path):
    studio.show(None)
    file = tmp_path / "net.py"
    file.write_text(CODE.format(ran=tmp_path / "ran"), encoding="utf-8")
    drop(studio.window, file)
    dialog = studio.window.findChild(QDialog, "dialog.import")
    assert dialog.findChild(QTabWidget, "dialog.import.tabs").currentIndex() == 1
    assert dialog.findChild(QComboBox, "field.class_name").currentData() == "Net"
    fill(dialog, qtbot, "folder", str(tmp_path))
    start(dialog, qtbot)
    assert "are required: width" in message(dialog, "arguments")
    fill(dialog, qtbot, "arguments", "width=8")
    start(dialog, qtbot)
    question = dialog.findChild(QDialog, "question.import")
    assert question is not None
    qtbot.mouseClick(question.findChild(QPushButton, "question.import.cancel"), LEFT)
    assert is_at_rest(dialog)
    start(dialog, qtbot)
    question = dialog.findChild(QDialog, "question.import")
    qtbot.mouseClick(question.findChild(QPushButton, "question.import.run"), LEFT)
    qtbot.waitUntil(lambda: studio.session.project is not None)
    request = request_in(studio.session.project.path)
    assert request.model == f"{file}::Net"
    assert request.arguments == {"width": 8}
    assert not (tmp_path / "ran").exists()  # the stand-in runs nothing; the window never does


def drop(window, file: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(file))])
    place = QPointF(window.rect().center())
    kinds = (Qt.DropAction.CopyAction, mime, LEFT, Qt.KeyboardModifier.NoModifier)
    entered = QDragEnterEvent(place.toPoint(), *kinds)
    QApplication.sendEvent(window, entered)
    assert entered.isAccepted()
    QApplication.sendEvent(window, QDropEvent(place, *kinds))


def test_that_a_model_is_found_and_chosen_by_the_keyboard(studio, dialog, qtbot):
    search = dialog.focusWidget()
    assert search.objectName() == "dialog.import.models.search"
    qtbot.keyClicks(search, "convnext_t")
    qtbot.keyClick(search, Qt.Key.Key_Return)
    assert dialog.models.table.currentIndex().siblingAtColumn(0).data() == "convnext_tiny"
    assert is_at_rest(dialog)  # a model is chosen, and not imported yet


def test_that_the_welcome_page_leads_to_the_import(studio, qtbot):
    studio.show(None)
    qtbot.mouseClick(studio.window.findChild(QPushButton, "welcome.import"), LEFT)
    dialog = studio.window.findChild(QDialog, "dialog.import")
    assert dialog.isVisible()
    choices = dialog.findChild(QComboBox, "field.place")
    assert choices.findData("block") < 0  # without a project there is nothing to put it into


def test_that_the_bar_tells_the_time_that_is_left(monkeypatch):
    half = present_import_progress(ImportProgress(stage="download", done=30, total=60), 10.0)
    assert (half.fraction, half.left_s) == (0.5, 10.0)
    later = present_import_progress(ImportProgress(stage="compare"), 9.0)
    assert later.fraction == 0.75
    assert later.left_s == pytest.approx(3.0)


def test_that_closing_the_program_ends_an_import(studio, dialog, qtbot, tmp_path):
    choose(dialog, qtbot, "alexnet")
    fill(dialog, qtbot, "folder", str(tmp_path))
    start(dialog, qtbot)
    qtbot.waitUntil(lambda: bool(workers()))
    studio.bench.sources.importing.close()
    assert not workers(), "it was ended: by itself it would wait for the window"
    assert not Project.require_free(tmp_path / "alexnet").joinpath("project.json").exists()


@pytest.mark.row("P11")
def test_that_an_exported_program_is_imported_without_a_question(studio, qtbot, tmp_path):
    studio.show(None)
    file = tmp_path / "net.pt2"
    file.touch()
    drop(studio.window, file)
    dialog = studio.window.findChild(QDialog, "dialog.import")
    assert dialog.findChild(QTabWidget, "dialog.import.tabs").currentIndex() == 2
    fill(dialog, qtbot, "folder", str(tmp_path))
    start(dialog, qtbot)
    qtbot.waitUntil(lambda: studio.session.project is not None)
    assert studio.session.project.path == tmp_path / "net"
    request = request_in(studio.session.project.path)
    assert (request.model, request.inputs) == (str(file), ())


@pytest.mark.row("S119")
def test_that_a_model_to_fine_tune_is_imported_and_then_asked_about(studio, qtbot, tmp_path):
    studio.show(None)
    qtbot.mouseClick(studio.window.findChild(QPushButton, "welcome.fine_tune"), LEFT)
    dialog = studio.window.findChild(QDialog, "dialog.import")
    choose(dialog, qtbot, "resnet18")
    fill(dialog, qtbot, "folder", str(tmp_path))
    start(dialog, qtbot)
    qtbot.waitUntil(lambda: studio.window.findChild(FineTuneDialog) is not None)
    assert studio.session.project.path == tmp_path / "resnet18"
    studio.window.findChild(FineTuneDialog).reject()
