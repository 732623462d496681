"""Watchdog for custom code: what runs too long, or takes the process down, is remembered.

Only the host process starts it. While somebody else's code runs, a file tells what it is, and
timers of the system end the process when it takes too long: one counts what the processor does, so
that a busy machine harms nobody, one the time that passes, for code that waits. Neither needs a
turn of the interpreter, so no loop can hold it up. Whoever started the process reads the file,
starts another one, and tells it what not to run again.
"""

import contextlib
import faulthandler
import os
import signal
import sys
import threading
import time
from collections.abc import Generator, Mapping
from enum import StrEnum
from pathlib import Path

import msgspec

from engine.decoding import decode_json
from engine.files import NOTE_BYTES, UNDECODABLE, read_file

MARKER = "TRELLIS_HOST_MARKER"
"""The variable of the environment with the path of the file."""

SEPARATOR = "|"
"""Between the definition and what it was given, in the name of something that runs."""

_WAITING = 3.0


class Verdict(StrEnum):
    """What became of code that was run."""

    STUCK = "stuck"
    CRASHED = "crashed"


class Running(msgspec.Struct, frozen=True):
    """What runs, since when (monotonic clock, the same in all processes) and until when at most, in
    seconds of that clock.
    """

    key: str
    since: float
    seconds: float


_locks = [threading.RLock()]
_banned: dict[str, Verdict] = {}
_descriptor: list[int] = []


def _forget_lock() -> None:
    """Have a lock that nobody holds: what held it in the other process was not forked along."""
    _locks[:] = [threading.RLock()]


if hasattr(os, "register_at_fork"):  # workers that load data are watched, too
    os.register_at_fork(after_in_child=_forget_lock)


def start() -> None:
    """Watch from now on, where the environment names a file for it."""
    path = os.environ.get(MARKER)
    if path and not _descriptor and hasattr(os, "pwrite"):
        _descriptor.append(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))


def ban(banned: Mapping[str, str]) -> None:
    """Note what is not to be run: by its whole name, or by the definition alone."""
    _banned.update({key: Verdict(verdict) for key, verdict in banned.items()})


def verdict(key: str) -> Verdict | None:
    """Return what became of something when it was run before, in another process."""
    return _banned.get(key) or _banned.get(key.partition(SEPARATOR)[0])


@contextlib.contextmanager
def watched(key: str, seconds: float) -> Generator[None]:
    """Run something that may not come to an end; where nobody watches it simply runs.

    ``seconds`` are of the processor's time; three times as many may pass.
    """
    if not _descriptor:
        yield
        return
    with _locks[-1]:
        content = msgspec.json.encode(Running(key, time.monotonic(), seconds * _WAITING))
        os.ftruncate(_descriptor[0], 0)
        os.pwrite(_descriptor[0], content, 0)
        faulthandler.dump_traceback_later(seconds * _WAITING, exit=True, file=sys.stderr)
        _count(seconds)
        try:
            yield
        finally:
            _count(0)
            faulthandler.cancel_dump_traceback_later()
            os.ftruncate(_descriptor[0], 0)


def _count(seconds: float) -> None:
    """End the process after so much work of the processor; 0: no longer."""
    if hasattr(signal, "setitimer"):  # the signal is never handled: it ends a process at once
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)


def name_of(key: str) -> str:
    """Return what stands for a definition in messages (``aug.brighter``), by its name here."""
    return key.partition("@")[0].removeprefix("code.")


def last_words(path: Path, exit_code: int) -> tuple[str, Verdict] | None:
    """Return what a process was running when it ended, and what became of it."""
    try:
        running = decode_json(read_file(path, NOTE_BYTES), Running)
    except (OSError, *UNDECODABLE):
        return None
    is_late = time.monotonic() - running.since >= running.seconds
    is_counted = exit_code == -getattr(signal, "SIGVTALRM", 0) != 0
    return running.key, Verdict.STUCK if is_late or is_counted else Verdict.CRASHED
