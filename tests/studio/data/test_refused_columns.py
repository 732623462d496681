"""The columns of a table in the dialog of new data: also where nothing can be proposed for it."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QDialog, QLabel, QLineEdit, QPushButton

from engine.diagnostics import DiagnosticError
from engine.query.data.columns import list_table_columns
from engine.query.data.peek import peek_data
from engine.query.data.proposal import propose_data
from engine.query.data.request import ListTableColumns, PeekData, ProposeData

pytestmark = pytest.mark.row("P13")


def told(answer):
    """Return an answer of the host that gives its finding, too."""

    def answered(request):
        try:
            return answer(request)
        except DiagnosticError as error:
            return error

    return answered


@pytest.fixture
def dialog(studio, host):
    host.own |= {
        ProposeData: told(propose_data),
        PeekData: told(peek_data),
        ListTableColumns: told(list_table_columns),
    }
    studio.show(None)
    studio.bench.actions.trigger("action.file.new_data")
    return studio.window.findChild(QDialog, "dialog.data")


def pick(dialog, name, value):
    """Choose in a box as a user does."""
    box = dialog.findChild(QComboBox, name)
    box.setCurrentIndex(box.findData(value))
    box.activated.emit(box.currentIndex())


def create(dialog):
    return dialog.findChild(QPushButton, "dialog.data.create")


def test_that_a_column_with_cells_that_cannot_be_read_can_be_left_out(
    studio, dialog, qtbot, tmp_path
):
    path = tmp_path / "houses.csv"
    cells = [f"{at}.5" for at in range(60)]
    cells[7] = "over 100"
    rows = "".join(f"{cell},{at % 9},{at % 7}.25\n" for at, cell in enumerate(cells))
    path.write_text(f"area,rooms,price\n{rows}")
    dialog.set_path(str(path))
    problem = dialog.findChild(QLabel, "dialog.data.kinds.problem")
    qtbot.waitUntil(lambda: "over 100" in problem.text())
    assert dialog.question == "kinds"
    qtbot.waitUntil(lambda: dialog.columns.isVisibleTo(dialog))
    assert not create(dialog).isEnabled()
    pick(dialog, "dialog.data.role.0", "ignored")
    qtbot.waitUntil(create(dialog).isEnabled)
    assert not problem.isVisibleTo(dialog)
    dialog.findChild(QLineEdit, "dialog.data.project").setText(str(tmp_path / "made"))
    qtbot.mouseClick(create(dialog), Qt.MouseButton.LeftButton)
    assert studio.session.spec.data.source.params["ignored"] == "area"


def test_that_several_columns_of_yes_and_no_are_predicted_together(studio, dialog, qtbot, tmp_path):
    path = tmp_path / "tickets.csv"
    words = ("no", "yes")
    rows = "".join(
        f"{at % 11}.5,{words[at % 2]},{words[at // 2 % 2]},{words[at // 4 % 2]}\n"
        for at in range(80)
    )
    path.write_text(f"size,billing,crash,late\n{rows}")
    dialog.set_path(str(path))
    qtbot.waitUntil(create(dialog).isEnabled)
    for number in (1, 2):
        pick(dialog, f"dialog.data.role.{number}", "target")
        qtbot.waitUntil(create(dialog).isEnabled)
    dialog.steps.open("target")
    notes = dialog.findChild(QLabel, "dialog.data.target.notes").text()
    assert "3 labels" in notes
    assert "yes and no" in notes
    dialog.findChild(QLineEdit, "dialog.data.project").setText(str(tmp_path / "made"))
    qtbot.mouseClick(create(dialog), Qt.MouseButton.LeftButton)
    spec = studio.session.spec
    assert sorted(spec.data.source.params["target"].split(",")) == ["billing", "crash", "late"]
    assert spec.losses[0].loss.type == "BCEWithLogitsLoss"
