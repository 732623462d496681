"""Locks of files, which the system takes back from a process that ends, however it does."""

import os
import sys
import time
import weakref
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from engine.diagnostics import DiagnosticError
from engine.files import describe_os_error, open_append, private_folder

if sys.platform == "win32":
    import msvcrt

    def _lock(stream: BinaryIO) -> None:
        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(stream: BinaryIO) -> None:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)


_streams: "weakref.WeakSet[BinaryIO]" = weakref.WeakSet()  # of the locks that are held


def _close_inherited() -> None:
    """Close the locks in a process that was forked: a worker of a loader that outlives the training
    for a moment would hold the run.
    """
    for stream in list(_streams):
        stream.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_inherited)

_NAME = "changes.lock"
_LONGEST_S = 10.0  # that a change of another process takes
_POLL_S = 0.01


def take_lock(path: Path) -> BinaryIO:
    """Return the file of a lock, which is held until it is closed.

    Raises :class:`OSError` where somebody else holds it, and ``DiagnosticError`` where the file
    cannot be written.
    """
    try:
        stream = os.fdopen(open_append(path), "ab")
    except OSError as error:
        raise DiagnosticError(describe_os_error(error, path, "write")) from error
    try:
        _lock(stream)
    except OSError:
        stream.close()
        raise
    _streams.add(stream)
    return stream


@contextmanager
def changing(folder: Path) -> Generator[None]:
    """Change the files in a folder while no other process, and no other thread, does.

    Raises ``DiagnosticError``: D675 where another one goes on changing them, and that of a folder
    that cannot be written.
    """
    try:
        private_folder(folder)
    except OSError as error:
        raise DiagnosticError(describe_os_error(error, folder, "write")) from error
    until = time.monotonic() + _LONGEST_S
    while True:
        try:
            stream = take_lock(folder / _NAME)
            break
        except OSError as error:
            if time.monotonic() > until:
                raise DiagnosticError.of("D675", detail=str(error), folder=str(folder)) from error
            time.sleep(_POLL_S)
    try:
        yield
    finally:
        stream.close()
