"""Atomic writer of files: a file is written completely or not at all.

Order (POSIX): temporary file in the same folder, full-length check, flush, fsync, read back where
asked, ``os.replace``, fsync of the folder. A kill or a full disk at any point leaves the old file
or the new one, never a mixture.
"""

import contextlib
import errno
import glob
import hashlib
import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Literal

import psutil

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files.read import NoFileError, TooLargeError, flags_of, open_file

Task = Literal["write", "read", "remove", "move"]
"""What was to be done to a file. A folder that is made is written, too."""

_FALLBACKS: dict[Task, str] = {"write": "P001", "read": "P035", "remove": "P039", "move": "P041"}
_REASONS: dict[Task, dict[int, str]] = {
    "write": {
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
    },
    "read": {
        errno.EACCES: "P036",
        errno.EPERM: "P036",
        errno.ENOENT: "P037",
        errno.ENOTDIR: "P037",
        errno.ENAMETOOLONG: "P005",
        errno.EISDIR: "P038",
    },
    "remove": {errno.EACCES: "P040", errno.EPERM: "P040", errno.EROFS: "P040"},
    "move": {errno.EACCES: "P042", errno.EPERM: "P042", errno.EROFS: "P042"},
}


def describe_os_error(error: OSError, path: Path, task: Task) -> Diagnostic:
    """Return the finding for what could not be done to a file, with the folder and the system's
    reason.
    """
    params: dict[str, str | int | float] = {"file": path.name, "folder": str(path.parent)}
    if isinstance(error, TooLargeError):
        return Diagnostic(code="P032", params=params | {"limit": error.limit >> 20})
    if isinstance(error, NoFileError):
        return Diagnostic(code="P007" if task == "write" else "P033", params=params)
    code = _REASONS[task].get(error.errno or 0, _FALLBACKS[task])
    return Diagnostic(code=code, params=params, detail=str(error))


_TEMPORARY = re.compile(r"^\..+\.(\d{1,9})(\.[0-9a-f]{16})?\.tmp$")  # 16 may be digits alone
_UNFINISHED = re.compile(r"\.(\d{1,9})\.[0-9a-f]+\.tmp")  # more is no number of a process
_PIECE = 1 << 20
_PRIVATE = 0o600
_LONGEST_NAME = 200  # bytes, of a name that a temporary file is called after


class FileWriteError(DiagnosticError):
    """A file could not be written; what stood there before still stands there."""


class WriteTarget:
    """What a function writes a file to. It remembers the system's error: PyTorch turns it into a
    message about positions.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.error: OSError | None = None

    def write(self, data: bytes | memoryview) -> int:
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
    *,
    private: bool = False,
) -> str:
    """Write a file whole or not at all and return the sha256 of what was written, in hex.

    ``content`` is the bytes or a function that writes them; ``verify`` is called with the temporary
    file before it takes the place of the old one and raises when it does not read back.
    ``private``: only the user may read it; else a file that is replaced keeps its permissions.
    Raises :class:`FileWriteError` with the reason; the temporary file is removed. A device or a
    pipe at ``path`` is not replaced; a link there is replaced, and what it leads to is left alone.
    """
    temporary = path.with_name(f".{_short(path.name)}.{os.getpid()}.{secrets.token_hex(8)}.tmp")
    try:
        mode = _PRIVATE if private else _replaced_mode(path)
        with _open_new(temporary, _PRIVATE if private else 0o666) as stream:
            if callable(content):
                fill(stream, content)
            elif stream.write(content) != len(content):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            stream.flush()
            if mode is not None and os.name == "posix":
                os.fchmod(stream.fileno(), mode)
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
        raise FileWriteError(describe_os_error(error, path, "write")) from error
    except BaseException:
        _discard(temporary)
        raise
    return digest


def copy_file(source: Path, target: Path) -> None:
    """Copy a file, whole or not at all, piece by piece: it may be larger than the memory.

    The folder is made. Raises :class:`FileWriteError`; a source that cannot be read, too.
    """

    def content(stream: WriteTarget) -> None:
        for piece in _pieces(source):
            if stream.write(piece) != len(piece):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileWriteError(describe_os_error(error, target, "write")) from error
    atomic_write(target, content)


def _pieces(source: Path) -> Iterator[bytes]:
    """Return what a file holds. Raises :class:`FileWriteError`: its copy is not written."""
    try:
        with open_file(source) as opened:
            while piece := opened.read(_PIECE):
                yield piece
    except OSError as error:
        raise FileWriteError(describe_os_error(error, source, "read")) from error


def remove_file(path: Path) -> None:
    """Remove a file, if it is there. Raises :class:`FileWriteError`: it is there still."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise FileWriteError(describe_os_error(error, path, "remove")) from error


def require_room(folder: Path, size: int) -> None:
    """Raise :class:`FileWriteError` unless so many bytes can be written into a folder, by trying:
    a full disk and a folder that is read-only are told before work begins that would end there.
    """
    probe = folder / "record"
    atomic_write(probe, bytes(size))
    _discard(probe)


def sha256(path: Path) -> str:
    """Return the sha256 of a file, in hex."""
    with open_file(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def remove_stale_temporaries(folder: Path) -> None:
    """Remove the temporary files that dead processes left in a folder."""
    for path in folder.glob(".*.tmp"):
        match = _TEMPORARY.match(path.name)
        if match and not psutil.pid_exists(int(match.group(1))):
            _discard(path)


def remove_unfinished(folder: Path, name: str) -> None:
    """Remove what processes that have ended left of a file or folder that they wrote beside it."""
    for path in folder.glob(f".{glob.escape(_short(name))}.*.tmp"):
        match = _UNFINISHED.fullmatch(path.name.removeprefix(f".{_short(name)}"))
        if match is None or _is_running(int(match[1])):
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            _discard(path)


def _is_running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def fill(stream: BinaryIO, content: Callable[[WriteTarget], None]) -> None:
    """Write content; raise what a write raised, whatever became of it on the way."""
    target = WriteTarget(stream)
    try:
        content(target)
    except Exception as error:
        if target.error is None:
            raise
        raise target.error from error


def _open_new(path: Path, mode: int) -> BinaryIO:
    """Open a file that is not there yet. Whoever foresees its name cannot lay a link there: with
    ``O_EXCL`` the system follows none.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    flags |= flags_of("O_NOFOLLOW", "O_CLOEXEC", "O_BINARY")
    return os.fdopen(os.open(path, flags, mode), "wb")


def _replaced_mode(path: Path) -> int | None:
    """Return the permissions of the file that is replaced; None where there is none or a link.

    Raises P007 for a device, a pipe or a socket: a file in its place would break others.
    """
    try:
        mode = path.lstat().st_mode
    except OSError:
        return None  # nothing there, or what writing will tell
    if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode) or stat.S_ISDIR(mode)):
        raise FileWriteError.of("P007", file=path.name, folder=str(path.parent))
    return stat.S_IMODE(mode) & 0o777 if stat.S_ISREG(mode) else None


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
