"""The filter: which conditions can be put together, and how they are taken away."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from widgets.paged.filter_bar import FilterBar
from widgets.paged.filter_view import FilterField, FilterValue

FIELDS = (
    FilterField(key="age", title="Age", kind="number"),
    FilterField(key="city", title="City", kind="category"),
    FilterField(key="note", title="Note", kind="text"),
)


@pytest.fixture
def bar(qtbot):
    made = FilterBar("filter")
    qtbot.addWidget(made)
    made.set_fields(FIELDS)
    made.show()
    made.set_editing(is_on=True)
    yield made
    made.close()


def choose(combo, data):
    combo.setCurrentIndex(combo.findData(data))


def added(bar, qtbot):
    with qtbot.waitSignal(bar.added) as heard:
        bar.add.click()
    return heard.args[0]


@pytest.mark.parametrize(
    ("low", "high", "ends"),
    [("1", "2.5", (1.0, 2.5)), ("", "3", (None, 3.0)), ("1,5", "", (1.5, None))],
)
def test_that_numbers_lie_between_two_ends_of_which_one_may_be_open(bar, qtbot, low, high, ends):
    bar.low.setText(low)
    bar.high.setText(high)
    condition = added(bar, qtbot)
    assert (condition.kind, condition.low, condition.high) == ("between", *ends)


@pytest.mark.parametrize(("low", "high"), [("", ""), ("x", ""), ("1", "y"), ("nan", "")])
def test_that_what_is_no_condition_cannot_be_added(bar, low, high):
    bar.low.setText(low)
    bar.high.setText(high)
    assert not bar.add.isEnabled()


def test_that_a_value_is_chosen_from_those_that_come_up(bar, qtbot):
    with qtbot.waitSignal(bar.values_requested) as heard:
        choose(bar.column, "city")
    assert heard.args == ["city"]
    assert not bar.add.isEnabled()
    bar.set_values("age", (("1", "1"),))  # too late
    assert bar.value.count() == 0
    bar.set_values("city", (("Oslo", "Oslo (2)"), ("Rome", "Rome (3)")))
    choose(bar.value, "Rome")
    choose(bar.relation, "is not")
    assert added(bar, qtbot) == FilterValue(key="city", kind="is", values=("Rome",), is_not=True)


def test_that_a_text_or_that_it_is_missing_are_conditions(bar, qtbot):
    choose(bar.column, "note")
    bar.text.setText("  red ")
    assert added(bar, qtbot) == FilterValue(key="note", kind="contains", text="red")
    assert bar.text.text() == ""
    choose(bar.relation, "missing")
    assert added(bar, qtbot) == FilterValue(key="note", kind="missing")


def test_that_chips_say_and_remove_conditions(bar, qtbot):
    bar.set_chips(("a", "b & c"))
    second = bar.findChild(QPushButton, "filter.chip1")
    assert second.accessibleName() == "b & c"
    with qtbot.waitSignal(bar.removed) as heard:
        second.click()
    assert heard.args == [1]
    with qtbot.waitSignal(bar.cleared):
        bar.findChild(QPushButton, "filter.clear").click()


def test_that_the_bar_is_there_while_it_has_something_to_say(bar, qtbot):
    qtbot.keyClick(bar.low, Qt.Key.Key_Escape)
    assert bar.isHidden()
    bar.set_chips(("a",))
    assert not bar.isHidden()
    bar.set_chips(())
    assert bar.isHidden()
