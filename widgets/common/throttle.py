"""Throttle: calls a function at most so often, and always for the last request."""

import itertools
import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget
from typing_extensions import override


class Throttle(QObject):
    """Calls ``action`` at once, then at most once per interval; the last request is never lost."""

    def __init__(self, interval_ms: int, action: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._action = action
        self._is_pending = False
        self._timer = QTimer(self, singleShot=True, interval=interval_ms)
        self._timer.timeout.connect(self._on_timeout)

    def request(self) -> None:
        """Ask for the action."""
        if self._timer.isActive():
            self._is_pending = True
        else:
            self._timer.start()
            self._action()

    def flush(self) -> None:
        """Do what is pending now."""
        if self._is_pending:
            self._is_pending = False
            self._action()

    def _on_timeout(self) -> None:
        if self._is_pending:
            self._is_pending = False
            self._timer.start()
            self._action()


class SeenThrottle(Throttle):
    """A throttle that waits while its widget is hidden; what was asked for meanwhile is done when
    it is shown.
    """

    def __init__(self, interval_ms: int, action: Callable[[], None], widget: QWidget) -> None:
        super().__init__(interval_ms, action, widget)
        self._widget = widget
        self._is_put_off = False
        widget.installEventFilter(self)

    @override
    def request(self) -> None:
        if self._widget.isVisible():
            super().request()
        else:
            self._is_put_off = True

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and self._is_put_off:
            self._is_put_off = False
            super().request()
        return False


class Frame(QObject):
    """Calls ``action`` once for all that asks within one event, and at most once per interval.

    Frames that are asked for together come at three places of the interval: two that are painted in
    one event keep all others waiting.
    """

    _turns = itertools.cycle((0, 1 / 3, 2 / 3))

    def __init__(self, interval_ms: int, action: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._action = action
        self._interval_ms = interval_ms
        self._turn_ms = round(next(self._turns) * interval_ms)
        self._done_at = 0.0
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._do)

    def request(self) -> None:
        """Ask for the action; it comes when the event that is handled now is over."""
        if not self._timer.isActive():
            rest_ms = self._interval_ms - (time.monotonic() - self._done_at) * 1000
            self._timer.start(max(self._turn_ms, round(rest_ms)))

    def flush(self) -> None:
        """Do what is pending now."""
        if self._timer.isActive():
            self._timer.stop()
            self._do()

    def _do(self) -> None:
        self._done_at = time.monotonic()
        self._action()


class Debounce(QObject):
    """Calls ``action`` once things have been quiet for an interval."""

    def __init__(self, interval_ms: int, action: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._action = action
        self._timer = QTimer(self, singleShot=True, interval=interval_ms)
        self._timer.timeout.connect(action)

    def request(self) -> None:
        """Ask for the action; an earlier request that has not been done is put off."""
        self._timer.start()

    def flush(self) -> None:
        """Do what is pending now."""
        if self._timer.isActive():
            self._timer.stop()
            self._action()

    def is_pending(self) -> bool:
        """Return whether a request waits."""
        return self._timer.isActive()

    def cancel(self) -> None:
        """Forget what is pending."""
        self._timer.stop()
