"""Signals of the system and the end of the user's session: what is unsaved is kept, quickly.

SIGTERM, SIGINT and SIGHUP end the program without a question; the exit code is 128 plus the
number of the signal. A run goes on: it is a process of its own and hears its own signals. One that
trains in the window's process is stopped first, with a checkpoint.
"""

import contextlib
import os
import signal
import socket
import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QSocketNotifier
from PySide6.QtGui import QGuiApplication, QSessionManager

from engine.diagnostics import DiagnosticError
from engine.events import Stop
from studio.session.run_follower import RunUpdate

_SIGNALS = ("SIGTERM", "SIGINT", "SIGHUP")
_PATIENCE_S = 4.0  # of the five that there are for all of it
_POLL_S = 0.02


def end_run_in_process(update: RunUpdate | None) -> None:
    """Stop a run that trains in this process and wait for its checkpoint, seconds at most."""
    if update is None or update.state.pid != os.getpid() or update.state.status.is_over():
        return
    with contextlib.suppress(DiagnosticError):  # a disk without room for a word has none for more
        update.folder.send(Stop())
        deadline = time.monotonic() + _PATIENCE_S
        while update.folder.is_alive() and time.monotonic() < deadline:
            time.sleep(_POLL_S)


class EndWatch(QObject):
    """Calls ``keep`` when the session of the user ends, and ``end`` with the exit code after it
    when the program is told to end. Python's handlers run only between Qt's events, so a socket
    wakes the loop.
    """

    def __init__(
        self, app: QGuiApplication, keep: Callable[[], object], end: Callable[[int], object]
    ) -> None:
        super().__init__(app)
        self._keep = keep
        self._end = end
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)  # noqa: FBT003 - the socket's own signature
        self._writer.setblocking(False)  # noqa: FBT003 - the socket's own signature
        self._previous_fd = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        known = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
        self._previous = {number: signal.signal(number, _noted) for number in known}
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_signal)
        app.commitDataRequest.connect(self._on_session_end)

    def close(self) -> None:
        """Hand the signals back."""
        self._notifier.setEnabled(False)
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._previous_fd)
        self._reader.close()
        self._writer.close()

    def _on_signal(self) -> None:
        numbers = [number for number in self._reader.recv(64) if number in self._previous]
        if numbers:
            self._keep()
            self._end(128 + numbers[0])

    def _on_session_end(self, _manager: QSessionManager) -> None:
        self._keep()


def _noted(_number: int, _frame: object) -> None:
    """Let the wake-up socket tell Qt's loop; nothing is done in the handler itself."""
