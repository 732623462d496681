"""The window's end of the autograd lab: a process that is started on demand and may be killed.

Commands are answered one after the other. What the code does to its process harms nobody: when it
hangs, crashes or is stopped, the next command finds a new process.
"""

import contextlib
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import Future
from enum import Enum
from pathlib import Path
from typing import IO, Any, TypeVar

import msgspec

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.files import UNDECODABLE
from engine.query.lab.request import LabLine, LabMessage, LabReply, LabRequest
from engine.runtime.protocol import FrameError, read_frame, write_frame

LIMIT_S = 60.0
"""How long a command may take."""

_ROOT = Path(__file__).parents[2]
_COMMAND = (sys.executable, "-m", "engine.runtime.lab_worker")
_TAIL_BYTES = 2000
_ENDING_S = 2.0

Answer = TypeVar("Answer")
_Hear = Callable[[int], object]
_Asked = tuple[LabRequest[Any], "Future[Any]", _Hear]


class _Ending(Enum):
    """Why a process was killed."""

    STOPPED = "L061"
    LATE = "L062"


class LabClient:
    """Asks one lab process. ``limit_s`` is what a command may take."""

    def __init__(self, limit_s: float = LIMIT_S) -> None:
        self._limit_s = limit_s
        self._lock = threading.Lock()
        self._asked: queue.SimpleQueue[_Asked | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self._ending: _Ending | None = None
        self._current: Future[Any] | None = None
        self._line = 0

    @property
    def pid(self) -> int | None:
        """The number of the process, while it lives."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def request(
        self, request: LabRequest[Answer], on_line: _Hear = lambda _: None
    ) -> "Future[Answer]":
        """Ask; returns at once. ``on_line`` hears, in another thread, which statement runs, and 0
        when it is begun with: a new process has to load PyTorch before.

        The future raises :class:`DiagnosticError` with L060 to L063 where the process could not be
        started, was stopped, took too long or died.
        """
        future: Future[Answer] = Future()
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="lab", daemon=True)
                self._thread.start()
        self._asked.put((request, future, on_line))
        return future

    def stop(self) -> None:
        """End what is being computed, with its process; what waits is not begun."""
        self._drop_waiting()
        self._kill(_Ending.STOPPED)

    def close(self) -> None:
        """End process and thread."""
        self._drop_waiting()
        thread = self._thread
        if thread is None:
            return
        self._asked.put(None)
        while thread.is_alive():  # it may be starting a process just now
            self._kill(_Ending.STOPPED)
            thread.join(0.05)
        self._thread = None

    def _drop_waiting(self) -> None:
        with contextlib.suppress(queue.Empty):
            while (asked := self._asked.get_nowait()) is not None:
                asked[1].cancel()

    def _kill(self, ending: _Ending, future: "Future[Any] | None" = None) -> None:
        """Kill the process; with a future only while it is that one's."""
        with self._lock:
            if self._process is not None and future in (None, self._current):
                self._ending = ending
                self._process.kill()

    def _work(self) -> None:
        while (asked := self._asked.get()) is not None:
            request, future, on_line = asked
            if not future.set_running_or_notify_cancel():
                continue
            timer = threading.Timer(self._limit_s, self._kill, (_Ending.LATE, future))
            timer.daemon = True

            def hear(line: int, timer: threading.Timer = timer, tell: _Hear = on_line) -> None:
                if not line:
                    timer.start()  # PyTorch is loaded: from now on it is the code that takes time
                tell(line)

            try:
                future.set_result(self._ask(self._begin(future), request, hear))
            except DiagnosticError as error:
                future.set_exception(error)
            finally:
                timer.cancel()
        self._end()

    def _begin(self, future: "Future[Any]") -> "subprocess.Popen[bytes]":
        """Return the process that answers; a new one where none lives. Raises L060."""
        with self._lock:
            killed = self._ending is not None
        if killed or self.pid is None:
            self._end()
        with self._lock:
            self._current, self._line = future, 0
            if self._process is None:
                self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # as long as the process
                try:
                    self._process = subprocess.Popen(
                        _COMMAND,
                        cwd=_ROOT,
                        stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE,
                        stderr=self._errors,
                    )
                except OSError as error:
                    problem = Diagnostic(code="L060", detail=str(error))
                    raise DiagnosticError(problem) from error
            return self._process

    def _ask(
        self,
        process: "subprocess.Popen[bytes]",
        request: LabRequest[Answer],
        on_line: _Hear,
    ) -> LabReply:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            write_frame(process.stdin, msgspec.msgpack.encode(request))
            while (frame := read_frame(process.stdout)) is not None:
                message = msgspec.msgpack.decode(frame, type=LabMessage)
                if not isinstance(message, LabLine):
                    return message
                self._line = message.line
                on_line(message.line)
        except (OSError, FrameError, *UNDECODABLE):
            process.kill()  # it speaks no longer, or something else
        raise DiagnosticError(self._verdict(process))

    def _verdict(self, process: "subprocess.Popen[bytes]") -> Diagnostic:
        """Take the dead process away and say what became of it."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_ENDING_S)  # it is silent, but not at its end yet
        ending, line, words = self._ending, self._line, self._end()
        params: dict[str, str | int | float] = {"line": line}
        if ending is _Ending.LATE:
            params["seconds"] = round(self._limit_s)
        code = "L063" if ending is None else ending.value
        severity = Severity.WARNING if ending is _Ending.STOPPED else Severity.ERROR
        return Diagnostic(
            code=code, severity=severity, params=params, detail="" if ending else words
        )

    def _end(self) -> str:
        """End the process, if there is one, and return how it ended and its last words."""
        with self._lock:
            process, self._process = self._process, None
            errors, self._errors, self._ending = self._errors, None, None
        if process is None or errors is None:
            return ""
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):  # unsent bytes for a dead process
                    stream.close()
        process.kill()
        process.wait()
        with errors:
            errors.seek(max(0, errors.seek(0, 2) - _TAIL_BYTES))
            text = errors.read().decode(errors="replace").strip()
        return f"exit code {process.returncode}\n{text}".strip()
