"""A child process that works for this one, until it has answered or is given up."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import IO, NamedTuple

from engine.custom.death import before_death
from engine.runtime.job.child import start_child, stop

_TAIL_BYTES = 4000
_MOST_WORDS = 1 << 20  # at a time


class Ending(NamedTuple):
    """How a process ended: its exit code (negative: the signal), and the last that it wrote to its
    standard error.
    """

    code: int
    words: str

    @property
    def text(self) -> str:
        """Both, in words."""
        return f"exit code {self.code}\n{self.words}".strip()


def module_command(module: str, *arguments: str) -> tuple[str, ...]:
    """Return the command that runs a module of this program."""
    return (sys.executable, "-m", module, *arguments)


class Job:
    """A process that reads from and writes to this one, and ends when this one does.

    It holds nothing that would have to be saved: :meth:`kill` it when nobody needs it any more, and
    :meth:`end` it in any case. Raises ``OSError`` where it cannot be started.
    """

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str] | None = None
    ) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # lives as long as the process
        try:
            self._child = start_child(command, self._errors, environment)
            self._taken, self._is_dying = 0, False
        except BaseException:
            self._errors.close()
            raise

    @property
    def pid(self) -> int | None:
        """The number of the process, while it lives."""
        return self._child.pid if self._child.poll() is None else None

    @property
    def input(self) -> IO[bytes]:
        """What it reads."""
        assert self._child.stdin is not None
        return self._child.stdin

    @property
    def output(self) -> IO[bytes]:
        """What it says."""
        assert self._child.stdout is not None
        return self._child.stdout

    def take_words(self) -> str:
        """Return what it has written to its standard error since this was asked last, from any
        thread, but for the traces of its end; empty where that cannot be read (any more).
        """
        if self._is_dying or not hasattr(os, "pread"):
            return ""
        try:  # the process writes at the position of the file: it must not be moved
            found = os.pread(self._errors.fileno(), _MOST_WORDS, self._taken)
        except (OSError, ValueError):
            return ""
        self._taken += len(found)
        words = found.decode(errors="replace")
        alive = before_death(words)
        self._is_dying = len(alive) < len(words)
        return alive

    def kill(self) -> None:
        """End it at once, from any thread."""
        self._child.kill()

    def end(self) -> Ending:
        """Close its streams, wait for its end, by the rule for stopping, and return how it ended.
        Once, from one thread.
        """
        for stream in (self.input, self.output):
            try:
                stream.close()
            except OSError:
                continue  # unsent bytes for a dead process
        stop(lambda: self._child, self._wait)
        with self._errors as errors:
            errors.seek(max(0, errors.seek(0, 2) - _TAIL_BYTES))
            words = errors.read().decode(errors="replace")
        return Ending(self._child.wait(), words)

    def _wait(self, timeout_s: float | None) -> bool:
        try:
            self._child.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return False
        return True
