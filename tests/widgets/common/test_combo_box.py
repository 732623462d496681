"""What a closed combo box shows of a text that is too long for it."""

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QToolTip

from widgets.common import parts
from widgets.common.combo_box import ComboBox
from widgets.common.eliding_line import ElidingLine

LONG = "accuracy <of the> longest name that anybody gave a metric"


@pytest.fixture(autouse=True)
def no_tip():
    yield
    QToolTip.hideText()


@pytest.fixture
def box(qtbot):
    box = parts.named(ComboBox(), "box", "Metrics", "What is measured")
    qtbot.addWidget(box)
    box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
    box.addItems([LONG, "f1"])
    box.resize(box.sizeHint())
    box.show()
    return box


def add_line(box, *, wanted: bool) -> None:
    """Let the text be edited in a line without the focus."""
    if wanted:
        box.setLineEdit(ElidingLine(box))
        box.lineEdit().clearFocus()
        box.resize(box.width() + 40, box.height())  # a line has margins of its own


def hovered(box) -> str:
    """Return the tooltip that comes where the mouse rests on the box."""
    at = QPoint(4, 4)
    event = QHelpEvent(QEvent.Type.ToolTip, at, box.mapToGlobal(at))
    QApplication.sendEvent(box, event)
    return QToolTip.text()


@pytest.mark.parametrize("has_line", [False, True])
def test_that_a_text_too_long_for_a_closed_box_is_elided_and_whole_in_its_tooltip(box, has_line):
    add_line(box, wanted=has_line)
    assert box.shown_text() == LONG  # it has the room that it asks for
    assert hovered(box) == "What is measured"
    box.resize(box.width() // 2, box.height())
    assert box.shown_text().endswith("…")
    tip = hovered(box)
    assert "accuracy &lt;of the&gt; longest" in tip
    assert "What is measured" in tip
    box.setCurrentIndex(1)
    assert box.shown_text() == "f1"


@pytest.mark.parametrize("has_line", [False, True])
def test_that_what_is_painted_of_a_closed_box_is_the_elided_text(box, has_line):
    add_line(box, wanted=has_line)
    box.resize(box.width() // 2, box.height())
    cut = box.grab().toImage()
    box.setItemText(0, box.shown_text())
    if has_line:
        box.lineEdit().home(False)  # noqa: FBT003 - Qt's own signature
    assert box.grab().toImage() == cut


def turn_wheel(box) -> bool:
    """Turn the wheel down above a box; return whether it took that."""
    at = QPointF(4, 4)
    event = QWheelEvent(
        at,
        box.mapToGlobal(at),
        QPoint(0, 0),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,  # noqa: FBT003 - Qt's own signature
    )
    QApplication.sendEvent(box, event)
    return event.isAccepted()


def test_that_the_wheel_chooses_with_the_focus_only(box, qtbot):
    box.setCurrentIndex(0)
    box.clearFocus()
    assert not turn_wheel(box)
    assert box.currentIndex() == 0
    box.setFocus()
    qtbot.waitUntil(box.hasFocus)
    assert turn_wheel(box)
    assert box.currentIndex() == 1


def test_that_the_wheel_never_chooses_in_a_list_that_it_scrolls(box, qtbot):
    box.scrolls_parent = True
    box.setFocus()
    qtbot.waitUntil(box.hasFocus)
    assert not turn_wheel(box)
    assert box.currentIndex() == 0
