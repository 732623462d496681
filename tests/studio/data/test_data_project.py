"""The dialog that makes a project for data of the user; the host is played, its answer is real."""

import csv

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QDialog, QLabel, QLineEdit, QPushButton

from engine.diagnostics import DiagnosticError
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.spec.proposal import Proposal

pytestmark = pytest.mark.row("P13")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "花 flowers.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        rows = csv.writer(stream)
        rows.writerow(["length", "width", "kind"])
        for number in range(40):
            kind = "round" if number % 2 else "long"
            rows.writerow([number % 7 + 0.5, 10 - number % 5 + 0.25, kind])
    return path


@pytest.fixture
def dialog(studio, host):
    def proposed(request: ProposeData) -> Proposal | DiagnosticError:
        try:
            return propose_data(request)
        except DiagnosticError as error:
            return error

    host.own |= {ProposeData: proposed}
    studio.show(None)
    studio.bench.actions.trigger("action.file.new_data")
    return studio.window.findChild(QDialog, "dialog.data")


def choose(dialog, qtbot, name: str, text: str) -> None:
    edit = dialog.findChild(QLineEdit, f"dialog.data.{name}")
    edit.selectAll()
    qtbot.keyClicks(edit, text)


def test_that_a_table_becomes_a_project_that_can_be_trained(studio, dialog, qtbot, tmp_path, table):
    create = dialog.findChild(QPushButton, "dialog.data.create")
    assert not create.isEnabled()
    choose(dialog, qtbot, "project", str(tmp_path / "made"))
    dialog.set_path(str(table))
    qtbot.waitUntil(create.isEnabled)
    target = dialog.findChild(QComboBox, "dialog.data.target")
    assert target.currentText() == "kind"
    assert "40" in dialog.findChild(QLabel, "dialog.data.summary").text()
    target.setCurrentText("width")
    assert not create.isEnabled()
    qtbot.waitUntil(create.isEnabled)
    qtbot.mouseClick(create, Qt.MouseButton.LeftButton)
    spec = studio.session.spec
    assert studio.session.project.path == tmp_path / "made"
    assert spec.data.source.params["target"] == "width"
    assert spec.losses[0].loss.type == "MSELoss"
    assert any(node.type == "Linear" for node in studio.session.graph.nodes.values())


def test_that_a_project_is_called_like_its_data(dialog, qtbot, table):
    dialog.set_path(str(table))
    qtbot.waitUntil(dialog.findChild(QPushButton, "dialog.data.create").isEnabled)
    assert dialog.project.name == table.stem


@pytest.mark.fault("B10")
def test_that_what_is_no_data_is_told_in_the_dialog(dialog, qtbot, tmp_path):
    (tmp_path / "empty").mkdir()
    dialog.set_path(str(tmp_path / "empty"))
    problem = dialog.findChild(QLabel, "dialog.data.problem")
    qtbot.waitUntil(lambda: "no pictures" in problem.text())
    assert not dialog.findChild(QPushButton, "dialog.data.create").isEnabled()
