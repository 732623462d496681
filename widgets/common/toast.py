"""Toasts: notices in the bottom right corner that offer one action and go away."""

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QEnterEvent, QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QGraphicsDropShadowEffect,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from typing_extensions import override

from widgets.common import parts
from widgets.common.icons import pixmap
from widgets.common.theme import current_theme, theme_signals

_SHOWN_MS = 6000
_MOST = 4
_WIDTH = 340
_GAP = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class ToastView:
    """One notice. ``action`` is the text of its button, empty without one; ``key`` replaces an
    earlier notice with the same key. Errors stay until they are closed.
    """

    text: str
    severity: Literal["info", "success", "warning", "error"] = "info"
    action: str = ""
    key: str = ""
    is_lasting: bool = False


class ToastStack(QObject):
    """Keeps the notices of one window, the newest below; never takes the focus by itself. One that
    does not last goes after ``shown_ms``.
    """

    action_requested = Signal(str)  # the key of the notice
    dismissed = Signal(str)

    def __init__(self, window: QWidget, shown_ms: int = _SHOWN_MS) -> None:
        super().__init__(window)
        self._shown_ms = shown_ms
        self._window = window
        self.toasts: list[Toast] = []
        window.installEventFilter(self)

    def show_toast(self, view: ToastView) -> "Toast":
        """Show a notice; the oldest goes when there are too many."""
        for old in [old for old in self.toasts if view.key and old.view.key == view.key]:
            self._remove(old)
        while len(self.toasts) >= _MOST:
            self._remove(self.toasts[0])
        toast = Toast(view, self._window, self._shown_ms)
        toast.action_requested.connect(lambda: self._on_action(toast))
        toast.closed.connect(lambda: self._on_closed(toast))
        self.toasts.append(toast)
        toast.show()
        self._place()
        QAccessible.updateAccessibility(QAccessibleEvent(toast, QAccessible.Event.Alert))
        return toast

    def dismiss_last(self) -> bool:
        """Close the newest notice; false when there is none."""
        if not self.toasts:
            return False
        self._on_closed(self.toasts[-1])
        return True

    def clear(self) -> None:
        """Close all notices."""
        for toast in list(self.toasts):
            self._remove(toast)

    def _on_action(self, toast: "Toast") -> None:
        self._remove(toast)
        self.action_requested.emit(toast.view.key)

    def _on_closed(self, toast: "Toast") -> None:
        self._remove(toast)
        self.dismissed.emit(toast.view.key)

    def _remove(self, toast: "Toast") -> None:
        if toast in self.toasts:
            self.toasts.remove(toast)
            toast.hide()
            toast.deleteLater()
            self._place()

    def _place(self) -> None:
        bottom = self._window.height() - _GAP - 26
        for toast in reversed(self.toasts):
            toast.adjustSize()
            toast.resize(toast.width(), toast.heightForWidth(toast.width()))
            bottom -= toast.height()
            toast.move(self._window.width() - toast.width() - _GAP, bottom)
            toast.raise_()
            bottom -= _GAP

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)


class Toast(QFrame):
    """One notice on the screen; rests while the pointer or the focus is on it."""

    action_requested = Signal()
    closed = Signal()

    def __init__(self, view: ToastView, parent: QWidget, shown_ms: int) -> None:
        super().__init__(parent)
        self.view = view
        self.setObjectName("toast")
        self.setProperty("role", "card")
        self.setAccessibleName(view.text)
        self.setFixedWidth(_WIDTH)
        self._icon = parts.label(self)
        self._text = parts.label(self, text=view.text, wraps=True)
        self.close_button = parts.tool_button(
            self, "toast.close", self.tr("Dismiss"), icon="close", clicked=self.closed
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 9, 6, 9)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        middle = QVBoxLayout()
        middle.addWidget(self._text)
        self.action_button: QPushButton | None = None
        if view.action:
            self.action_button = parts.button(
                self, "toast.action", view.action, clicked=self.action_requested
            )
            middle.addWidget(self.action_button, 0, Qt.AlignmentFlag.AlignLeft)
        row.addLayout(middle, 1)
        row.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        self._is_hovered = False
        self._timer = QTimer(self, singleShot=True, interval=shown_ms)
        self._timer.timeout.connect(self._on_timeout)
        theme_signals().changed.connect(self._restyle)
        self._restyle()
        if not self._is_lasting():
            self._timer.start()

    def _is_lasting(self) -> bool:
        return self.view.is_lasting or self.view.severity == "error"

    def _restyle(self) -> None:
        theme = current_theme()
        color = theme.severity(self.view.severity)
        self._icon.setPixmap(pixmap(self.view.severity, color, 18, self.devicePixelRatioF()))
        shadow = QGraphicsDropShadowEffect(self)
        shadow.setBlurRadius(18)
        shadow.setOffset(0, 3)
        shadow.setColor("#60000000" if theme.is_dark else "#30000000")
        self.setGraphicsEffect(shadow)

    def _on_timeout(self) -> None:
        buttons = (self.close_button, self.action_button)
        has_focus = any(button is not None and button.hasFocus() for button in buttons)
        if self._is_hovered or has_focus:
            self._timer.start()
        else:
            self.closed.emit()

    @override
    def enterEvent(self, event: QEnterEvent) -> None:
        self._is_hovered = True
        super().enterEvent(event)

    @override
    def leaveEvent(self, event: QEvent) -> None:
        self._is_hovered = False
        super().leaveEvent(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)
