"""Settings that name columns offer those of the data, so that nothing has to be typed."""

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QComboBox, QListWidget

from engine.diagnostics import Diagnostic
from engine.query.model.request import Check, CheckReport
from engine.spec.data import DataColumn, DataInfo, FieldInfo
from engine.spec.run import Choice, SplitSpec
from tests.named_parts import part_of_kind
from widgets.forms.several_editor import SeveralEditor

COLUMNS = (
    DataColumn(name="area", kind="number"),
    DataColumn(name="district", kind="category"),
    DataColumn(name="price", kind="number"),
)
HOUSES = DataInfo(
    source="table",
    samples=9,
    task="regression",
    fields=(FieldInfo(name="features", role="input", kind="vector", shape=(2,), dtype="float32"),),
    columns=COLUMNS,
    file_columns=COLUMNS,
)


@pytest.fixture
def table(opened, host, qtbot):
    """Return the program with a table as data; ``host.data`` is what is found of it."""
    host.data = HOUSES
    host.own[Check] = lambda request: CheckReport(
        analysis=host.analysis(request.graph), data=host.data, problems=host.problems
    )
    session = opened.session
    source = Choice(type="table", params={"path": "/houses.csv", "target": "price"})
    data = replace(session.spec.data, source=source, split=SplitSpec(kind="group"))
    opened.window.show_workspace("data")
    session.change(session.graph, replace(session.spec, data=data), "x")
    qtbot.waitUntil(lambda: offered(opened, "data.split.column") != {})
    return opened


def box(opened, name: str) -> QComboBox | None:
    return opened.window.page("data").form.findChild(QComboBox, f"field.{name}")


def offered(opened, name: str) -> dict[str, str]:
    found = box(opened, name)
    if found is None:
        return {}
    return {str(found.itemData(at)): found.itemText(at) for at in range(found.count())}


def pick(opened, name: str, value: str) -> None:
    found = box(opened, name)
    found.setCurrentIndex(found.findData(value))
    found.activated.emit(found.currentIndex())


def test_that_a_split_is_by_one_of_the_columns(table):
    choices = offered(table, "data.split.column")
    assert set(choices) == {"", "area", "district", "price"}
    assert "category" in choices["district"]
    pick(table, "data.split.column", "district")
    assert table.session.spec.data.split.column == "district"
    table.session.undo()
    assert table.session.spec.data.split.column == ""


def test_that_several_columns_are_marked_and_none_is_no_word(table):
    editor = box(table, "data.source.ignored")
    assert isinstance(editor, SeveralEditor)
    editor.showPopup()
    options = part_of_kind(editor, QListWidget)
    for row in (0, 1):
        options.itemClicked.emit(options.item(row))
    assert table.session.spec.data.source.params["ignored"] == "area, district"
    for row in (0, 1):
        options.itemClicked.emit(options.item(row))
    assert not table.session.spec.data.source.params.get("ignored")
    editor.hidePopup()


def test_that_columns_are_offered_while_a_wrong_one_keeps_the_data_from_being_read(
    table, host, qtbot
):
    host.data = None
    host.problems = (Diagnostic(code="D026", field="data.source.group", params={"column": "x"}),)
    pick(table, "data.source.group", "district")
    qtbot.waitUntil(lambda: table.session.findings.data is None)
    qtbot.waitUntil(lambda: "area" in offered(table, "data.source.group"))


def test_that_names_with_commas_are_typed_in_quotes(table, host, qtbot):
    comma = DataColumn(name="area, m2", kind="number")
    host.data = replace(HOUSES, columns=(*COLUMNS, comma), file_columns=(*COLUMNS, comma))
    table.services.analyst.ask_again()
    qtbot.waitUntil(lambda: "area, m2" in offered(table, "data.split.column"))
    qtbot.waitUntil(lambda: box(table, "data.source.ignored") is None)  # a line to type in
