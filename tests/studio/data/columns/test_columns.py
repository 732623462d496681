"""The dialog of the columns of a table: what is chosen is one step of undo."""

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QDialog, QLabel, QPushButton, QToolButton

from engine.diagnostics import DiagnosticError
from engine.query.data.columns import list_table_columns
from engine.query.data.request import ListTableColumns
from engine.spec.run import Choice, DataSpec
from engine.spec.table import ColumnInfo
from studio.data.columns.choice import ColumnChoice, chosen_before, with_kind, with_role
from studio.data.columns.presenter import present_columns

pytestmark = pytest.mark.row("P13")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "rooms.csv"
    rows = (f"{n},{n % 7 + 0.5},{n % 5 + 0.25},{n % 3},{'ab'[n % 2]}\n" for n in range(60))
    path.write_text("number,wide,high,floor,kind\n" + "".join(rows))
    return path


def spec_of(path, **params):
    return DataSpec(source=Choice(type="table", params={"path": str(path), **params}))


def columns_of(path, **params):
    return list_table_columns(ListTableColumns(source=spec_of(path, **params).source))


def test_that_columns_are_listed_as_proposed_and_as_used(table):
    found = columns_of(table, target="wide", kinds="floor=category", ignored="high")
    roles = {each.name: each.role for each in found.used}
    assert (roles["wide"], roles["high"]) == ("target", "ignored")
    assert {each.name: each.kind for each in found.used}["floor"] == "category"
    assert {each.name: each.role for each in found.proposed}["high"] == "input"
    odd = columns_of(table, target="long")
    assert odd.used == odd.proposed
    assert odd.problems[0].code == "D026"


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"target": "wide, high"},
        {"target": "wide", "kinds": "floor=category", "ignored": "kind"},
        {"inputs": "wide", "target": "kind"},
        {"group": "kind", "target": "high"},
        {"weight": "floor", "target": "kind"},
    ],
)
def test_that_what_was_said_is_the_same_when_it_is_said_again(table, params):
    found = columns_of(table, **params)
    again = chosen_before(found.proposed, found.used).params()
    said = {name: text for name, text in again.items() if text}
    assert columns_of(table, **said).used == found.used


def choice_of(**kinds):
    columns = tuple(
        ColumnInfo(name=name, kind=kind, role="input", missing=0, distinct=2)
        for name, kind in kinds.items()
    )
    return ColumnChoice(proposed=columns, used=columns)


def test_that_several_labels_are_predicted_but_no_numbers_beside_them():
    choice = choice_of(a="binary", b="binary", c="number")
    both = with_role(with_role(choice, "a", "target"), "b", "target")
    assert both.targets == ("a", "b")
    assert with_role(both, "c", "target").targets == ("c",)


def test_that_several_numbers_are_predicted_and_one_category():
    choice = choice_of(a="number", b="number", c="category", d="number")
    both = with_role(with_role(choice, "a", "target"), "b", "target")
    assert both.params()["target"] == "a,b"
    assert with_role(both, "c", "target").targets == ("c",)
    less = with_role(both, "a", "input")
    assert less.targets == ("b",)
    assert with_role(less, "b", "ignored") == less  # something is predicted
    numbers = with_kind(with_role(both, "c", "target"), "c", "number")
    assert with_role(numbers, "d", "target").targets == ("c", "d")
    assert with_role(both, "a", "ignored").params()["ignored"] == "a"


def test_that_one_column_is_the_weight_and_that_it_can_be_given_up():
    choice = with_role(with_role(choice_of(a="number", b="number"), "a", "weight"), "b", "weight")
    assert choice.params()["weight"] == "b"
    assert not choice.is_unweighed
    column = ColumnInfo(name="w", kind="number", role="weight", missing=0, distinct=9)
    proposed = ColumnChoice(proposed=(column,), used=(column,))
    assert with_role(proposed, "w", "input").is_unweighed
    assert not with_role(with_role(proposed, "w", "input"), "w", "weight").is_unweighed


def test_that_the_drop_down_tells_what_a_role_is_for(qtbot):
    rows = present_columns(choice_of(a="number"))
    assert len(rows[0].role_tips) == len(rows[0].roles) == len(set(rows[0].role_tips))


def pick(dialog, name, value):
    box = dialog.findChild(QComboBox, name)
    box.setCurrentIndex(box.findData(value))
    box.activated.emit(box.currentIndex())


def test_that_columns_are_chosen_in_a_table_as_one_step_of_undo(opened, host, qtbot, table):
    host.own |= {ListTableColumns: list_table_columns}
    session = opened.session
    spec = replace_data(session.spec, spec_of(table, target="wide"))
    session.change(session.graph, spec, "Open a table")
    before = session.spec
    opened.window.show_workspace("data")
    button = "field.data.source.kinds.browse"
    qtbot.waitUntil(lambda: opened.window.findChild(QToolButton, button) is not None)
    opened.window.findChild(QToolButton, button).click()
    dialog = opened.window.findChild(QDialog, "dialog.columns")
    apply = dialog.findChild(QPushButton, "dialog.columns.apply")
    qtbot.waitUntil(lambda: dialog.findChild(QComboBox, "dialog.data.role.4") is not None)
    assert not apply.isEnabled()
    pick(
        dialog,
        "dialog.data.kind.1",
        dialog.findChild(QComboBox, "dialog.data.kind.1").currentData(),
    )
    assert apply.isEnabled()  # what was guessed is said
    pick(dialog, "dialog.data.role.2", "target")
    pick(dialog, "dialog.data.kind.3", "category")
    pick(dialog, "dialog.data.role.0", "ignored")
    qtbot.mouseClick(apply, Qt.MouseButton.LeftButton)
    params = session.spec.data.source.params
    assert params["target"] == "wide,high"
    assert params["kinds"] == "wide=number,floor=category"
    session.undo()
    assert session.spec == before


def test_that_what_is_wrong_with_the_file_is_told(opened, host, qtbot, tmp_path):
    host.own |= {ListTableColumns: told}
    session = opened.session
    data = spec_of(tmp_path / "none.csv")
    session.change(session.graph, replace_data(session.spec, data), "Open a table")
    opened.bench.actions.trigger("action.data.columns")
    dialog = opened.window.findChild(QDialog, "dialog.columns")
    problem = dialog.findChild(QLabel, "dialog.columns.problem")
    qtbot.waitUntil(lambda: "none.csv" in problem.text())
    assert not dialog.findChild(QPushButton, "dialog.columns.apply").isEnabled()


def replace_data(spec, data):
    return msgspec.structs.replace(spec, data=data)


def told(request):
    try:
        return list_table_columns(request)
    except DiagnosticError as error:
        return error
