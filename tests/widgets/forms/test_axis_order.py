"""The order of axes: dragged, moved from the keyboard, hidden where the text names no order."""

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from widgets.forms.axis_order import AxisOrder, read_order
from widgets.forms.form import FormWidget
from widgets.forms.view_model import FieldView, FormView, GroupView


@pytest.fixture
def form(qtbot):
    widget = FormWidget()
    widget.resize(340, 300)
    qtbot.addWidget(widget)
    field = FieldView(name="dims", label="Dims", kind="shape", text="0, 1, 2", axes=("2", "3", "5"))
    widget.set_view(FormView(key="permute", groups=(GroupView(fields=(field,)),)))
    with qtbot.waitExposed(widget):
        widget.show()
    widget.activateWindow()
    yield widget
    widget.close()


@pytest.fixture
def axes(form):
    return form.findChild(AxisOrder, "field.dims.axes")


@pytest.fixture
def said(form):
    changes = []
    form.value_changed.connect(lambda name, text: changes.append((name, text)))
    return changes


def drag(axes, start, *places):
    """Press the axis at a place and move it over others, without letting go."""
    QTest.mousePress(axes, Qt.MouseButton.LeftButton, pos=axes.chip(start).center().toPoint())
    for place in places:
        at = axes.chip(place).center()
        event = QMouseEvent(
            QEvent.Type.MouseMove,
            at,
            QPointF(axes.mapToGlobal(at.toPoint())),
            Qt.MouseButton.NoButton,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
        QApplication.sendEvent(axes, event)


def release(axes, place):
    QTest.mouseRelease(axes, Qt.MouseButton.LeftButton, pos=axes.chip(place).center().toPoint())


@pytest.mark.parametrize(
    ("text", "order"),
    [("2, 0, 1", (2, 0, 1)), ("0,-1,1", (0, 2, 1)), ("0, 1", ()), ("0, 1, 1", ()),
     ("0, 1, 3", ()), ("", ()), ("0, x, 1", ())],
)  # fmt: skip
def test_that_only_what_names_each_axis_once_is_an_order(text, order):
    assert read_order(text, 3) == order


@pytest.mark.row("S016")
def test_that_a_dragged_axis_goes_where_it_is_dropped(axes, said):
    drag(axes, 2, 1, 0)
    assert not said  # one change a drag, when it is let go
    release(axes, 0)
    assert said == [("dims", "2, 0, 1")]


def test_that_escape_puts_a_dragged_axis_back(axes, said):
    axes.setFocus()
    drag(axes, 0, 2)
    QTest.keyClick(axes, Qt.Key.Key_Escape)
    release(axes, 2)
    assert not said
    assert axes.accessibleName().endswith("0 (2), 1 (3), 2 (5)")


def test_that_an_axis_is_moved_from_the_keyboard(axes, said):
    axes.setFocus()
    QTest.keyClick(axes, Qt.Key.Key_Right)
    QTest.keyClick(axes, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(axes, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)  # is the last
    assert said == [("dims", "0, 2, 1")]
    assert axes.accessibleName().endswith("0 (2), 2 (5), 1 (3)")


def test_that_the_axes_follow_the_text_and_hide_while_it_is_no_order(form, axes):
    def show(text):
        field = FieldView(name="dims", label="Dims", kind="shape", text=text, axes=("2", "3", "5"))
        form.set_view(FormView(key="permute", groups=(GroupView(fields=(field,)),)))

    show("1, -1, 0")
    assert form.findChild(QLineEdit, "field.dims").text() == "1, -1, 0"
    assert axes.isVisible()
    assert axes.accessibleName().endswith("1 (3), 2 (5), 0 (2)")
    show("1, 1, 0")
    assert not axes.isVisible()
