"""Which sheet of a workbook, or table of a database, a project is made from."""

import pytest
from PySide6.QtWidgets import QComboBox, QDialog, QPushButton

from engine.query.data.peek import peek_data
from engine.query.data.proposal import propose_data
from engine.query.data.request import PeekData, ProposeData
from studio.data.start.state import StartState, form_names
from tests.table_files import database, workbook

pytestmark = pytest.mark.row("P13")


@pytest.fixture
def dialog(studio, host):
    host.own |= {ProposeData: propose_data, PeekData: peek_data}
    studio.show(None)
    studio.bench.actions.trigger("action.file.new_data")
    return studio.window.findChild(QDialog, "dialog.data")


def test_that_another_table_of_a_database_can_be_chosen(dialog, qtbot, tmp_path):
    birds = [(n % 7, n % 5, "owl" if n % 2 else "wren") for n in range(40)]
    plants = [(n % 7 / 2, n % 5 * 1.5) for n in range(40)]
    path = database(
        tmp_path / "garden.db",
        {
            "meta": ("name, value", [("version", "1")]),
            "birds": ("wings, weight, kind", birds),
            "plants": ("height, age", plants),
        },
    )
    dialog.set_path(str(path))
    create = dialog.findChild(QPushButton, "dialog.data.create")
    target = dialog.findChild(QComboBox, "dialog.data.target")
    box = dialog.findChild(QComboBox, "dialog.data.sheet")
    qtbot.waitUntil(lambda: create.isEnabled() and box.currentData() == "birds")
    assert box.isVisibleTo(dialog)
    assert [box.itemText(at) for at in range(box.count())] == ["meta", "birds", "plants"]
    assert target.currentData() == "kind"
    box.setCurrentIndex(2)
    box.activated.emit(2)
    assert not create.isEnabled()
    qtbot.waitUntil(create.isEnabled)
    assert target.currentData() in ("height", "age")
    assert box.currentData() == "plants"


def test_that_nothing_is_asked_of_a_file_with_one_table(dialog, qtbot, tmp_path):
    rows = [(n % 7, n % 5, "owl" if n % 2 else "wren") for n in range(40)]
    dialog.set_path(str(database(tmp_path / "birds.db", {"birds": ("a, b, kind", rows)})))
    qtbot.waitUntil(dialog.findChild(QPushButton, "dialog.data.create").isEnabled)
    assert not dialog.findChild(QComboBox, "dialog.data.sheet").isVisibleTo(dialog)


def test_that_settings_that_say_nothing_of_a_kind_of_file_are_not_asked_for(tmp_path):
    rows = [(n % 7, n % 5, "owl" if n % 2 else "wren") for n in range(40)]
    lines = [("a", "b", "kind"), *rows]
    csv, book, base = (tmp_path / f"birds.{ending}" for ending in ("csv", "xlsx", "db"))
    csv.write_text("".join(",".join(map(str, line)) + "\n" for line in lines))
    book.write_bytes(workbook({"birds": lines}))
    database(base, {"birds": ("a, b, kind", rows)})
    settings = (
        "encoding", "delimiter", "decimal", "skip_rows", "keep_totals", "header", "sheet"
    )  # fmt: skip
    asked = {}
    for path in (csv, book, base):
        state = StartState(path=str(path), proposal=propose_data(ProposeData(path=str(path))))
        names = form_names("inputs", (f"data.source.{name}" for name in settings), state)
        asked[path] = [name.rpartition(".")[2] for name in names]
    assert asked == {
        csv: ["encoding", "delimiter", "decimal", "skip_rows", "keep_totals", "header"],
        book: ["keep_totals", "header"],
        base: ["keep_totals"],
    }
