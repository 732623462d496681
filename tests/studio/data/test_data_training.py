"""The way from data of the user to a run at one press; the host is played, its answer is real."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QLabel, QLineEdit, QPushButton

from engine.query.data.peek import peek_data
from engine.query.data.proposal import propose_data
from engine.query.data.request import PeekData, ProposeData

pytestmark = pytest.mark.row("P13")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "flowers.csv"
    rows = [f"{row % 7 + 0.5},{'round' if row % 2 else 'long'}" for row in range(40)]
    path.write_text("\n".join(["length,kind", *rows]), encoding="utf-8")
    return path


@pytest.fixture
def dialog(studio, host, table, qtbot):
    host.own |= {ProposeData: propose_data, PeekData: peek_data}
    studio.show(None)
    studio.bench.actions.trigger("action.file.new_data")
    dialog = studio.window.findChild(QDialog, "dialog.data")
    train = dialog.findChild(QPushButton, "dialog.data.train")
    assert not train.isEnabled()  # there are no data yet
    dialog.set_path(str(table))
    qtbot.waitUntil(train.isEnabled, timeout=30_000)
    return dialog


def press(qtbot, dialog, button: str, project: str) -> None:
    """Name the project and press a button of the dialog."""
    edit = dialog.findChild(QLineEdit, "dialog.data.project")
    edit.selectAll()
    qtbot.keyClicks(edit, project)
    qtbot.mouseClick(
        dialog.findChild(QPushButton, f"dialog.data.{button}"), Qt.MouseButton.LeftButton
    )


def test_that_a_press_makes_the_project_and_starts_its_training(
    studio, host, dialog, qtbot, tmp_path
):
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    press(qtbot, dialog, "train", str(tmp_path / "taken"))
    assert dialog.findChild(QLabel, "dialog.data.problem").text()
    assert dialog.isVisible()
    assert not studio.services.runs.is_waiting
    host.is_holding = True  # the check of the model
    press(qtbot, dialog, "train", str(tmp_path / "made"))
    assert studio.session.project.path == tmp_path / "made"
    assert studio.window.workspace == "train"
    assert studio.services.runs.is_waiting  # for it; then the run begins


def test_that_data_are_searched_where_the_last_lay(studio, dialog, qtbot, tmp_path, monkeypatch):
    starts = []
    monkeypatch.setattr(
        "studio.data.start.dialog.QFileDialog.getExistingDirectory",
        lambda _parent, _title, folder: starts.append(folder) or "",
    )
    press(qtbot, dialog, "create", str(tmp_path / "made"))
    studio.bench.actions.trigger("action.file.new_data")
    dialogs = studio.window.findChildren(QDialog, "dialog.data")
    (again,) = (each for each in dialogs if each.isVisible())
    qtbot.mouseClick(again.findChild(QPushButton, "dialog.data.folder"), Qt.MouseButton.LeftButton)
    assert starts == [str(tmp_path)]
