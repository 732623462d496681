"""Area for messages: toasts in the corner of the window, lines in the log."""

from collections.abc import Callable

from PySide6.QtWidgets import QMainWindow

from studio.window.notifications import Action, Severity
from widgets.common.toast import ToastStack, ToastView
from widgets.tables.log_view import LogView
from widgets.tables.view_model import LogLine


class WindowScreen:
    """Shows messages in the window."""

    def __init__(self, window: QMainWindow, log: LogView, show_log: Callable[[], object]) -> None:
        self._log = log
        self._show_log = show_log
        self._actions: dict[str, Callable[[], object]] = {}
        self._number = 0
        self._toasts = ToastStack(window)
        self._toasts.action_requested.connect(self._on_action)
        self._toasts.dismissed.connect(lambda key: self._actions.pop(key, None))

    def show_message(self, text: str, severity: Severity, action: Action | None) -> None:
        """Show a toast."""
        self._number += 1
        key = f"message{self._number}"
        title, callback = action or ("", None)
        if callback is not None:
            self._actions[key] = callback
        kind = "info" if severity == "hint" else severity
        self._toasts.show_toast(ToastView(text=text, severity=kind, action=title, key=key))

    def clear_messages(self) -> None:
        """Take all toasts away."""
        self._toasts.clear()
        self._actions.clear()

    def add_log(self, lines: list[LogLine]) -> None:
        """Show lines of the log."""
        self._log.append(lines)

    def drop_run_log(self) -> None:
        """Take the lines of a run off the log."""
        self._log.drop_run()

    def show_log(self) -> None:
        """Bring the log to the front."""
        self._show_log()

    def _on_action(self, key: str) -> None:
        if (callback := self._actions.pop(key, None)) is not None:
            callback()
