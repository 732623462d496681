"""The one way a file is written: whole or not at all.

Order (POSIX): temporary file in the same folder, full-length check, flush, fsync, read back where
asked, ``os.replace``, fsync of the folder. A kill or a full disk at any point leaves the old file
or the new one, never a mixture.
"""

import contextlib
import errno
import hashlib
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import psutil

from engine.diagnostics import Diagnostic, DiagnosticError

_TEMPORARY = re.compile(r"^\..+\.(\d+)\.tmp$")
_PIECE = 1 << 20
_LONGEST_NAME = 200  # bytes, of a name that a temporary file is called after
_REASONS = {
    errno.ENOSPC: "P002",
    errno.EDQUOT: "P002",
    errno.EFBIG: "P002",
    errno.EACCES: "P003",
    errno.EPERM: "P003",
    errno.EROFS: "P003",
    errno.ENOENT: "P004",
    errno.ENOTDIR: "P004",
    errno.ENAMETOOLONG: "P005",
    errno.EISDIR: "P006",
}


class FileWriteError(DiagnosticError):
    """A file could not be written; what stood there before still stands there."""


class WriteTarget:
    """What a function writes a file to. It remembers the system's error: PyTorch turns it into a
    message about positions.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.error: OSError | None = None

    def write(self, data: bytes) -> int:
        """Write and return how many bytes were taken."""
        try:
            return self._stream.write(data)
        except OSError as error:
            self.error = error
            raise

    def flush(self) -> None:
        """Hand on to the system what was written."""
        self._stream.flush()


def atomic_write(
    path: Path,
    content: bytes | Callable[["WriteTarget"], None],
    verify: Callable[[Path], None] | None = None,
) -> str:
    """Write a file whole or not at all and return the sha256 of what was written, in hex.

    ``content`` is the bytes or a function that writes them; ``verify`` is called with the temporary
    file before it takes the place of the old one and raises when it does not read back.
    Raises :class:`FileWriteError` with the reason; the temporary file is removed. A device or a
    pipe at ``path`` is not replaced.
    """
    temporary = path.with_name(f".{_short(path.name)}.{os.getpid()}.tmp")
    try:
        _require_replaceable(path)
        with temporary.open("wb") as stream:
            if callable(content):
                _fill(stream, content)
            elif stream.write(content) != len(content):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            stream.flush()
            os.fsync(stream.fileno())
        if not callable(content) and temporary.stat().st_size != len(content):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        digest = sha256(temporary)
        if verify is not None:
            verify(temporary)
        temporary.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        _discard(temporary)
        raise FileWriteError(describe_os_error(error, path)) from error
    except BaseException:
        _discard(temporary)
        raise
    return digest


def copy_file(source: Path, target: Path) -> None:
    """Copy a file, whole or not at all, piece by piece: it may be larger than the memory.

    The folder is made. Raises :class:`FileWriteError`; a source that cannot be read, too.
    """

    def content(stream: WriteTarget) -> None:
        with source.open("rb") as opened:
            while piece := opened.read(_PIECE):
                if stream.write(piece) != len(piece):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileWriteError(describe_os_error(error, target)) from error
    atomic_write(target, content)


def require_room(folder: Path, size: int) -> None:
    """Raise :class:`FileWriteError` unless so many bytes can be written into a folder, by trying:
    a full disk and a folder that is read-only are told before work begins that would end there.
    """
    probe = folder / "record"
    atomic_write(probe, bytes(size))
    _discard(probe)


def describe_os_error(error: OSError, path: Path) -> Diagnostic:
    """Return the finding for a failed file operation, with the folder and the system's reason."""
    code = _REASONS.get(error.errno or 0, "P001")
    return Diagnostic(
        code=code,
        params={"file": path.name, "folder": str(path.parent)},
        detail=str(error),
    )


def sha256(path: Path) -> str:
    """Return the sha256 of a file, in hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def remove_stale_temporaries(folder: Path) -> None:
    """Remove the temporary files that dead processes left in a folder."""
    for path in folder.glob(".*.tmp"):
        match = _TEMPORARY.match(path.name)
        if match and not psutil.pid_exists(int(match.group(1))):
            _discard(path)


def _fill(stream: BinaryIO, content: Callable[[WriteTarget], None]) -> None:
    target = WriteTarget(stream)
    try:
        content(target)
    except Exception as error:
        if target.error is None:
            raise
        raise target.error from error


def _require_replaceable(path: Path) -> None:
    """Raise P007 for a device, a pipe or a socket: a file in its place would break others."""
    try:
        mode = path.lstat().st_mode
    except OSError:
        return  # nothing there, or what writing will tell
    if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode) or stat.S_ISDIR(mode)):
        params: dict[str, str | int | float] = {"file": path.name, "folder": str(path.parent)}
        raise FileWriteError(Diagnostic(code="P007", params=params))


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _short(name: str) -> str:
    """Return a name that leaves room for more: a file name has 255 bytes at most."""
    encoded = os.fsencode(name)
    return name if len(encoded) <= _LONGEST_NAME else hashlib.sha256(encoded).hexdigest()


def _discard(path: Path) -> None:
    with contextlib.suppress(OSError):  # what stays is removed at the next start
        path.unlink(missing_ok=True)
