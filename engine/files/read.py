"""Reader of files that somebody else may have made: plain files only, with a size limit.

A pipe in the place of a file would wait for ever, a device has no end, and a document of gigabytes
would take the memory before any decoder could refuse it.
"""

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path

import msgspec
import psutil

DOCUMENT_BYTES = 64 << 20
"""The largest document (project, run, search): a model of 10,000 nodes takes a few MB."""

MOST_VALUES = 8_000_000
"""Of JSON, by its commas and brackets: each takes some sixty bytes once it is decoded."""

NOTE_BYTES = 1 << 20
"""The largest of the small files beside a document: lock, heartbeat, word of an end."""


UNDECODABLE = (msgspec.MsgspecError, UnicodeError, RecursionError)
"""What decoding raises for bytes that are no such document: errors of msgspec, text that is none,
brackets without an end.
"""


class NoFileError(OSError):
    """What stands at a path is no plain file: a pipe, a device, a socket."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EINVAL, "Not a regular file", str(path))


class TooLargeError(OSError):
    """A file is larger than what is read of its kind; ``limit`` is in bytes."""

    def __init__(self, path: Path, limit: int) -> None:
        super().__init__(errno.EFBIG, f"Larger than {limit:,} bytes", str(path))
        self.limit = limit


def flags_of(*names: str) -> int:
    """Return those of the flags of ``os.open`` that this system has."""
    return sum(getattr(os, name, 0) for name in names)


def open_file(path: Path, limit: int | None = None, *, follow: bool = True) -> BufferedReader:
    """Open a plain file for reading; of more than ``limit`` bytes it is refused.

    Raises ``OSError``: :class:`NoFileError`, :class:`TooLargeError`, ``IsADirectoryError`` or the
    system's own; without ``follow`` a link is no file either.
    """
    descriptor, _ = _opened(path, limit, follow=follow)
    return os.fdopen(descriptor, "rb")


def _opened(path: Path, limit: int | None, *, follow: bool) -> tuple[int, int]:
    """Return the descriptor and the size of a plain file; raises as :func:`open_file` does."""
    flags = os.O_RDONLY | flags_of("O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY")
    if not follow:
        if path.is_symlink():
            raise NoFileError(path)
        flags |= flags_of("O_NOFOLLOW")
    descriptor = os.open(path, flags)
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(status.st_mode):
            raise NoFileError(path)
        if limit is not None and status.st_size > limit:
            raise TooLargeError(path, limit)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor, status.st_size


def read_file(path: Path, limit: int = DOCUMENT_BYTES, *, follow: bool = True) -> bytes:
    """Return what a plain file holds. Raises as :func:`open_file` does, also for a file that grows
    beyond the limit while it is read.
    """
    descriptor, size = _opened(path, limit, follow=follow)
    try:
        # without a stream: a list of runs reads thousands of small files
        pieces, to_read, left = list[bytes](), size + 1, limit + 1
        while left and (piece := os.read(descriptor, min(to_read, left))):
            pieces.append(piece)
            left -= len(piece)
            to_read = max(to_read - len(piece), 1 << 16)
    finally:
        os.close(descriptor)
    if not left:
        raise TooLargeError(path, limit)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def read_json(path: Path, limit: int = DOCUMENT_BYTES) -> bytes:
    """Return the text of a document, as :func:`read_file` does; one of more than
    :data:`MOST_VALUES` values is refused as too large: decoded it would take twenty times its size.
    """
    content = read_file(path, limit)
    if has_too_many_values(content):
        raise TooLargeError(path, limit)
    return content


def require_memory(size: int) -> None:
    """Raise ``OSError`` unless so many bytes of memory are free: the system would end a process
    that fills what it was given. A file of any size takes a moment to make and no room on a disk.
    """
    free = psutil.virtual_memory().available
    if size > free:
        text = f"{size:,} bytes of memory are needed, {free:,} are free"
        raise OSError(errno.ENOMEM, text)


def has_too_many_values(text: bytes) -> bool:
    """Return whether a JSON text holds more values than any document has."""
    return len(text) > MOST_VALUES and sum(map(text.count, (b",", b"[", b"{"))) > MOST_VALUES
