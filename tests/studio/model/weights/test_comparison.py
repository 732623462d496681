"""A file of weights beside the model: the Export page tells which keys differ."""

from concurrent.futures import Future

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLabel, QPushButton

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.query.weights.request import CompareCheckpoint
from engine.runtime import CheckpointComparison

OTHER = CheckpointComparison(
    file="other.pt", matching=2, missing=("hidden1.bias",), unexpected=("fc.weight", "fc.bias")
)


@pytest.fixture
def page(opened, host, monkeypatch):
    """Return the Export page; the answer about a file is what the test puts into the list."""
    answers: list = []
    usual = host.answer

    def answer(request, future: Future) -> None:
        if not isinstance(request, CompareCheckpoint):
            usual(request, future)
        elif isinstance(answers[-1], Exception):
            future.set_exception(answers[-1])
        else:
            future.set_result(answers[-1])

    monkeypatch.setattr(host, "answer", answer)
    opened.bench.actions.action("action.file.compare").trigger()
    page = opened.window.page("export")
    page.answers = answers
    return page


def choose(opened, file: str) -> None:
    dialog = opened.window.findChild(QFileDialog, "dialog.compare")
    dialog.fileSelected.emit(file)
    dialog.close()


def verdict(page) -> str:
    return page.findChild(QLabel, "export.verdict").text()


@pytest.mark.fault("B05")
@pytest.mark.row("P26", "S228")
def test_that_a_file_of_another_model_shows_which_keys_differ(opened, page, qtbot):
    page.answers.append(OTHER)
    choose(opened, "/somewhere/other.pt")
    qtbot.waitUntil(lambda: "partly matches the model. Matching: " in verdict(page))
    assert page.differences.isVisible()
    text = page.differences.as_text()
    for name in ("hidden1.bias", "fc.weight", "fc.bias"):
        assert name in text
    back = page.findChild(QPushButton, "export.back")
    QTest.mouseClick(back, Qt.MouseButton.LeftButton)
    assert page.contents.isVisible()
    assert not page.differences.isVisible()


def test_that_a_file_of_which_nothing_fits_is_told(opened, page, qtbot):
    page.answers.append(CheckpointComparison(file="other.pt", matching=0, missing=("fc.weight",)))
    choose(opened, "/somewhere/other.pt")
    qtbot.waitUntil(lambda: "“other.pt” does not match" in verdict(page))


def test_that_a_file_that_fits_is_said_to_fit(opened, page, qtbot):
    page.answers.append(CheckpointComparison(file="own.pt", matching=6))
    choose(opened, "/somewhere/own.pt")
    qtbot.waitUntil(lambda: "matches the model: 6" in verdict(page))


def test_that_a_file_that_cannot_be_read_is_told_on_the_page(opened, page, qtbot):
    page.answers.append(DiagnosticError(Diagnostic(code="X021", params={"file": "empty.pt"})))
    choose(opened, "/somewhere/empty.pt")
    qtbot.waitUntil(lambda: "empty.pt" in verdict(page))
    assert page.differences.isVisible()
