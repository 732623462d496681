"""The window's end of a process that works at one request and tells of it as it goes."""

import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from engine.diagnostics import Diagnostic

Message = TypeVar("Message", bound=msgspec.Struct)
_ROOT = Path(__file__).parents[2]
_LAST_WORDS = 2000


class Job(Generic[Message]):
    """One request in a process of its own, the module ``worker``. ``tell`` is called with what it
    says, on a thread; the last is one of ``ends``, also where the process dies: what ``failed``
    makes of a problem. ``messages`` is the union of all. After :meth:`cancel` nothing more is told.
    """

    def __init__(
        self,
        request: msgspec.Struct,
        tell: Callable[[Message], object],
        *,
        worker: str,
        messages: Any,
        ends: tuple[type[Message], ...],
        failed: Callable[[Diagnostic], Message],
        lost: str,
    ) -> None:
        self._request = request
        self._tell = tell
        self._command = (sys.executable, "-m", worker)
        self._decoder: msgspec.json.Decoder[Message] = msgspec.json.Decoder(messages)
        self._ends = ends
        self._failed = failed
        self._lost = lost
        self._lock = threading.Lock()
        self._is_cancelled = False
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._work, name="job", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def cancel(self) -> None:
        """Give it up: the process is ended, and its thread ends with it."""
        with self._lock:
            self._is_cancelled = True
            if self._process is not None:
                self._process.kill()

    def close(self) -> None:
        """Give it up and wait until nothing is left of it."""
        self.cancel()
        if self._thread.ident is not None:
            self._thread.join()

    def _work(self) -> None:
        try:
            with tempfile.TemporaryFile() as errors:
                if not self._follow(errors.fileno()):
                    errors.seek(0)
                    words = errors.read()[-_LAST_WORDS:].decode(errors="replace")
                    self._say(self._failed(Diagnostic(code=self._lost, detail=words)))
        except OSError as error:  # no process to be had
            self._say(self._failed(Diagnostic(code="E015", detail=str(error))))

    def _follow(self, errors: int) -> bool:
        """Hand on what the process says; return whether it came to its end."""
        with self._lock:
            if self._is_cancelled:
                return True
            process = self._process = subprocess.Popen(
                self._command,
                cwd=_ROOT,
                stdin=subprocess.PIPE,  # ends with this process, and then the other one does
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        assert process.stdin is not None
        assert process.stdout is not None
        is_over = False
        with process:
            process.stdin.write(msgspec.json.encode(self._request) + b"\n")
            process.stdin.flush()
            for line in process.stdout:
                if not line.endswith(b"\n"):
                    break  # it was ended in the middle of a word
                message = self._decoder.decode(line)
                is_over = isinstance(message, self._ends)
                self._say(message)
        return is_over

    def _say(self, message: Message) -> None:
        if not self._is_cancelled:
            self._tell(message)
