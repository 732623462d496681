"""Ctrl+C and SIGTERM while a command works at something that must be ended well."""

import signal
import threading
from types import FrameType
from typing import Any, Self


class Interrupts:
    """Ctrl+C and SIGTERM: at once before a run is begun, counted from then on, so that none falls
    between a run and who watches it.
    """

    def __init__(self) -> None:
        self.count = 0
        self._is_held = False
        self._previous: dict[int, Any] = {}

    def hold(self) -> None:
        """Count interrupts from now on."""
        self._is_held = True

    def __enter__(self) -> Self:
        """Take the signals, where this thread may."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._previous[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        """Hand the signals back."""
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        if not self._is_held:
            raise KeyboardInterrupt
        self.count += 1
