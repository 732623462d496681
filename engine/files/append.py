"""Appending to a file: what was there stays, and no link is followed."""

import os
import stat
from pathlib import Path

from engine.files.read import NoFileError, flags_of


def open_append(path: Path, mode: int = 0o644) -> int:
    """Return a descriptor that writes at the end of a plain file, which is made where it is not.

    Raises ``OSError``, also for a link, a pipe or a device in its place.
    """
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    flags |= flags_of("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY")
    if path.is_symlink():
        raise NoFileError(path)
    descriptor = os.open(path, flags, mode)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise NoFileError(path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
