"""Notices tell, offer, and go."""

import pytest
from PySide6.QtCore import QEvent, QPointF, QRect, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QWidget

from widgets.common.toast import ToastStack, ToastView


@pytest.fixture
def stack(qtbot):
    window = QWidget()
    window.resize(800, 600)
    qtbot.addWidget(window)
    window.show()
    yield ToastStack(window)
    window.close()


def test_that_notices_stack_without_overlap_inside_the_window(stack, qtbot):
    for index in range(6):
        stack.show_toast(ToastView(text=f"notice {index} " * 12))
    boxes = [toast.geometry() for toast in stack.toasts]
    assert 1 < len(boxes) < 6, "the oldest make room"
    for index, box in enumerate(boxes):
        assert box.right() < 800
        assert not any(box.intersects(other) for other in boxes[index + 1 :])
    stack.parent().resize(500, 400)
    qtbot.waitUntil(lambda: all(toast.geometry().right() < 500 for toast in stack.toasts))


def test_that_the_button_asks_for_the_action_and_closes(stack, qtbot):
    toast = stack.show_toast(ToastView(text="3 nodes deleted", action="Undo", key="delete"))
    with qtbot.waitSignal(stack.action_requested) as caught:
        qtbot.mouseClick(toast.action_button, Qt.MouseButton.LeftButton)
    assert caught.args == ["delete"]
    assert not stack.toasts


def test_that_escape_and_the_cross_close(stack, qtbot):
    toast = stack.show_toast(ToastView(text="one"))
    qtbot.keyClick(toast.close_button, Qt.Key.Key_Escape)
    assert not stack.toasts
    toast = stack.show_toast(ToastView(text="two"))
    qtbot.mouseClick(toast.close_button, Qt.MouseButton.LeftButton)
    assert not stack.toasts
    assert not stack.dismiss_last()


def test_that_the_same_key_replaces(stack):
    stack.show_toast(ToastView(text="saving", key="save"))
    toast = stack.show_toast(ToastView(text="the disk is full", key="save", severity="error"))
    assert stack.toasts == [toast]


def test_that_errors_last(stack, qtbot):
    quick = ToastStack(stack.parent(), shown_ms=1)
    error = quick.show_toast(ToastView(text="the disk is full", severity="error"))
    saved = quick.show_toast(ToastView(text="saved"))
    for toast in (error, saved):  # neither rests because the pointer or the keys are on it
        toast.close_button.clearFocus()
        QApplication.sendEvent(toast, QEvent(QEvent.Type.Leave))
    qtbot.waitUntil(lambda: quick.toasts == [error])


def test_that_a_notice_goes_by_itself_and_does_not_take_the_focus(stack, qtbot):
    field = QLineEdit(stack.parent())
    field.show()
    field.setFocus()
    quick = ToastStack(stack.parent(), shown_ms=1)
    toast = quick.show_toast(ToastView(text="saved"))
    assert stack.parent().focusWidget() is field
    QApplication.sendEvent(toast, QEnterEvent(QPointF(), QPointF(), QPointF()))
    qtbot.wait(30)
    assert quick.toasts == [toast]
    QApplication.sendEvent(toast, QEvent(QEvent.Type.Leave))
    qtbot.waitUntil(lambda: not quick.toasts)


def test_that_html_in_a_notice_is_text(stack):
    toast = stack.show_toast(ToastView(text="<img src='file:///etc/passwd'>"))
    (words,) = (each for each in toast.findChildren(QLabel) if each.text() == toast.view.text)
    assert words.textFormat() == Qt.TextFormat.PlainText
    assert isinstance(toast.geometry(), QRect)
