"""The parts that views are put together from."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget

from widgets.common import parts

EVIL = '<img src="file:///etc/hostname" width="500" height="500">'


@pytest.fixture
def parent(qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    return parent


def test_that_each_part_has_a_name_for_scripts_and_one_for_people(parent):
    made = (
        parts.button(parent, "a", "Save"),
        parts.tool_button(parent, "a", "Save"),
        parts.label(parent, "a", "Save", "nothing yet"),
        parts.label(parent, "a", text="Save"),
        parts.combo(parent, "a", "Save"),
        parts.check_box(parent, "a", "Save"),
        parts.line_edit(parent, "a", "Save"),
        parts.splitter(parent, "a", "Save"),
    )
    assert {(part.objectName(), part.accessibleName()) for part in made} == {("a", "Save")}


def test_that_a_part_without_words_of_its_own_tells_its_name_where_the_mouse_rests(parent):
    assert parts.tool_button(parent, "a", "Save").toolTip() == "Save"
    assert parts.combo(parent, "a", "Format", "What the file is written as").toolTip() == (
        "What the file is written as"
    )


def test_that_no_tooltip_of_a_part_is_taken_for_html(parent):
    for part in (parts.button(parent, "a", "b", tip=EVIL), parts.tool_button(parent, "a", EVIL)):
        assert "<img" not in part.toolTip()


def test_that_enter_in_a_field_presses_no_button_beside_it(qtbot):
    dialog, pressed = QDialog(), []
    qtbot.addWidget(dialog)
    field = parts.line_edit(dialog, "field", "Name")
    button = parts.button(dialog, "save", "Save", clicked=lambda: pressed.append(1))
    parts.row(field, button, parent=dialog)
    dialog.show()
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert pressed == []
    button.click()
    assert pressed == [1]


def test_that_rows_and_columns_hold_their_items_in_order_with_stretch(parent):
    first, second = parts.label(parent, text="1"), parts.label(parent, text="2")
    row = parts.row(first, None, (second, 3), margins=(1, 2, 3, 4), spacing=5)
    column = parts.column((row, 1), parent=parent)
    assert parent.layout() is column
    assert (row.itemAt(0).widget(), row.itemAt(2).widget()) == (first, second)
    assert [row.stretch(index) for index in range(3)] == [0, 1, 3]
    assert column.stretch(0) == 1
    margins = row.contentsMargins()
    assert (margins.left(), margins.top(), margins.right(), margins.bottom()) == (1, 2, 3, 4)
    assert row.spacing() == 5
