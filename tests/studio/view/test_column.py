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


def test_that_columns_renamed_outside_are_offered_and_the_lost_ones_are_marked(table, host, qtbot):
    renamed = (*COLUMNS[:2], DataColumn(name="cost", kind="number"))
    problem = Diagnostic(code="D026", field="data.source.target", params={"column": "price"})
    host.own[Check] = lambda request: CheckReport(
        analysis=host.analysis(request.graph), problems=(problem,), file_columns=renamed
    )
    table.services.analyst.ask_again()

    def shown() -> list[str]:
        options = part_of_kind(box(table, "data.source.target"), QListWidget)
        return [options.item(row).text() for row in range(options.count())]

    qtbot.waitUntil(lambda: any(text.startswith("cost") for text in shown()))
    assert [text for text in shown() if text.startswith("price")] == [
        "price (no longer in the table)"
    ]
    editor = box(table, "data.source.target")
    editor.showPopup()
    options = part_of_kind(editor, QListWidget)
    for name in ("price", "cost"):
        row = next(r for r in range(options.count()) if options.item(r).text().startswith(name))
        options.itemClicked.emit(options.item(row))
    editor.hidePopup()
    assert table.session.spec.data.source.params["target"] == "cost"


def test_that_a_table_is_looked_at_again_when_it_changes_outside(opened, host, qtbot, tmp_path):
    path = tmp_path / "houses.csv"
    path.write_text("area,price\n1,2\n")
    session = opened.session
    source = Choice(type="table", params={"path": str(path), "target": "price"})
    data = replace(session.spec.data, source=source)
    session.change(session.graph, replace(session.spec, data=data), "x")
    qtbot.waitUntil(lambda: session.findings.is_checked)
    for text in ("area,cost\n1,2\n", "area,costs\n1,2\n3,4\n"):  # a second one, replaced by a new
        asked = len([each for each in host.requests if isinstance(each, Check)])
        other = tmp_path / "new"
        other.write_text(text)
        other.replace(path)
        qtbot.waitUntil(
            lambda before=asked: len([e for e in host.requests if isinstance(e, Check)]) > before,
        )
