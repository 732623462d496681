"""Waiting for room on a full disk: when a paused run is to try again by itself."""

import time

from engine.diagnostics import Diagnostic
from engine.runs.room import WAITS_FOR_ROOM

_FIRST_S, _LONGEST_S = 10.0, 60.0


class DiskWait:
    """Says when to try to write again what a full disk did not take: soon at first, then more
    seldom, as each try costs a whole checkpoint.
    """

    def __init__(self) -> None:
        self._due_at: float | None = None
        self._pause_s = _FIRST_S

    def begin(self, problem: Diagnostic) -> None:
        """Wait, where it is for want of room that something could not be written."""
        if problem.code in WAITS_FOR_ROOM:
            self._pause_s = _FIRST_S
            self._due_at = time.monotonic() + self._pause_s

    def end(self) -> None:
        """Wait no longer: the run goes on, or the user wants it to stand."""
        self._due_at = None

    def is_due(self) -> bool:
        """Return whether it is time for a try; the next one is later."""
        if self._due_at is None or time.monotonic() < self._due_at:
            return False
        self._pause_s = min(2 * self._pause_s, _LONGEST_S)
        self._due_at = time.monotonic() + self._pause_s
        return True
