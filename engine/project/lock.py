"""Lock of a project: one writer, named by its process, taken over when that has died."""

import os
import socket
from pathlib import Path

import msgspec

from engine.decoding import decode_json
from engine.diagnostics import DiagnosticError
from engine.files import NOTE_BYTES, UNDECODABLE, atomic_write, describe_os_error, read_file
from engine.runs.process.process_start import process_start
from engine.runs.process.run_lock import WorkerTag, is_alive


class LockHolder(msgspec.Struct, frozen=True, kw_only=True):
    """The process that has a project open. ``created`` tells it from a later one of that number."""

    pid: int
    created: float
    host: str


class ProjectLock:
    """Held by a window for as long as it shows a project.

    Raises :class:`DiagnosticError`: P021 when another living program holds it (or one on another
    computer, which cannot be asked), and the file findings when nothing can be written there.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        pid = os.getpid()
        self.holder = LockHolder(pid=pid, created=process_start(pid), host=socket.gethostname())
        self._take()

    def release(self) -> None:
        """Let go, unless somebody else took it over meanwhile."""
        if read_holder(self._path) == self.holder:
            self._path.unlink(missing_ok=True)

    def _take(self) -> None:
        content = msgspec.json.encode(self.holder)
        try:
            self._path.parent.mkdir(exist_ok=True)
            with self._path.open("xb") as stream:  # written at once or seen as damaged: then taken
                stream.write(content)
        except FileExistsError:
            other = read_holder(self._path)
            if not self._path.parent.is_dir():
                raise DiagnosticError.of("P025", folder=str(self._path.parent)) from None
            if other is not None and other != self.holder and _holds(other):
                raise DiagnosticError.of("P021", pid=other.pid, host=other.host) from None
            atomic_write(self._path, content)
        except OSError as error:
            raise DiagnosticError(describe_os_error(error, self._path, "write")) from error


def read_holder(path: Path) -> LockHolder | None:
    """Return who holds a lock; None when nobody does or the file says nothing."""
    try:
        return decode_json(read_file(path, NOTE_BYTES), LockHolder)
    except (OSError, *UNDECODABLE):
        return None


def _holds(holder: LockHolder) -> bool:
    if holder.host != socket.gethostname():
        return True
    if holder.pid == os.getpid():
        return False  # left by this process: a project is opened once
    return is_alive(WorkerTag(pid=holder.pid, created=holder.created))
