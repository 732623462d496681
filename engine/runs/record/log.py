"""Log of a run: its writer, and a reader that starts at the end and follows it as it grows."""

import os
import sys
from pathlib import Path

from engine.files import open_append, open_file

LIMIT_BYTES = 256 * 1024
GAP = "…"
"""The line that stands for lines left out."""


class LogTail:
    """Reads ``log.txt`` of a run line by line as it grows. Use it from one thread.

    At most ``limit`` bytes are read at a time: of a file that holds more, or grows faster, the end.
    Bytes that are no UTF-8 are shown as replacement characters. A file that is not there, or cannot
    be read now, has no lines.
    """

    def __init__(self, path: Path, limit: int = LIMIT_BYTES) -> None:
        self._path = path
        self._limit = limit
        self._place = 0
        self._rest = b""

    def read(self) -> tuple[str, ...]:
        """Return the lines since the last call. A last line without an end is told as soon as
        nothing follows it at the next call.
        """
        try:
            size = self._path.stat().st_size
            if size == self._place:
                return self._take_rest()
            added, is_cut = self._added(size)
        except OSError:
            return ()
        if is_cut:
            added = added.partition(b"\n")[2]
            self._rest = b""
        *complete, self._rest = (self._rest + added).split(b"\n")
        if len(self._rest) > self._limit:
            complete.append(self._rest)
            self._rest = b""
        lines = tuple(map(_text, complete))
        return (GAP, *lines) if is_cut else lines

    def _added(self, size: int) -> tuple[bytes, bool]:
        """Return what was added, and whether something before it was left out."""
        if size < self._place:  # begun anew
            self._place, self._rest = 0, b""
        is_cut = size - self._place > self._limit
        with open_file(self._path) as file:
            file.seek(size - self._limit if is_cut else self._place)
            added = file.read(self._limit)
            self._place = file.tell()
        return added, is_cut

    def _take_rest(self) -> tuple[str, ...]:
        rest, self._rest = self._rest, b""
        return (_text(rest),) if rest else ()


def _text(line: bytes) -> str:
    """Return a line as text; of a progress bar that overwrites itself its last state."""
    shown = line.rstrip(b"\r").rpartition(b"\r")[2]
    return shown.decode("utf-8", errors="replace")


def redirect_output(path: Path) -> None:
    """Let all that this process prints go to the end of a file. Raises ``OSError``."""
    target = open_append(path)
    sys.stdout.flush()
    sys.stderr.flush()
    os.dup2(target, 1)
    os.dup2(target, 2)
    os.close(target)
