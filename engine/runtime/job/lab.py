"""The window's end of the autograd lab: a process that is started on demand and may be killed.

Commands are answered one after the other. What the code does to its process harms nobody: when it
hangs, crashes or is stopped, the next command finds a new process. A process that nothing was asked
of for minutes is ended; what it knew is gone, and the code has to be run again.
"""

import contextlib
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from enum import Enum
from typing import Any, TypeVar

import msgspec

from engine.decoding import decode_msgpack
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.files import UNDECODABLE
from engine.query.lab.request import LabLine, LabMessage, LabReply, LabRequest, RunCode
from engine.runtime.job.job import Ending, Job, module_command
from engine.runtime.job.stream import FrameError, read_frame, write_frame

LIMIT_S = 60.0
"""How long a command may take."""

IDLE_S = 600.0
"""How long a process is kept of which nothing is asked."""

_COMMAND = module_command("engine.runtime.job.lab_worker")

Answer = TypeVar("Answer")
_Hear = Callable[[int], object]
_Asked = tuple[LabRequest[Any], "Future[Any]", _Hear]


class _Reason(Enum):
    """Why a process was killed."""

    STOPPED = "L061"
    LATE = "L062"


class LabClient:
    """Asks one lab process. ``limit_s`` is what a command may take, ``idle_s`` how long the process
    is kept after the last one.
    """

    def __init__(self, limit_s: float = LIMIT_S, idle_s: float = IDLE_S) -> None:
        self._limit_s = limit_s
        self._idle_s = idle_s
        self._has_expired = False
        self._lock = threading.Lock()
        self._asked: queue.SimpleQueue[_Asked | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._job: Job | None = None
        self._reason: _Reason | None = None
        self._current: Future[Any] | None = None
        self._line = 0

    @property
    def pid(self) -> int | None:
        """The number of the process, while it lives."""
        job = self._job
        return None if job is None else job.pid

    def request(
        self, request: LabRequest[Answer], on_line: _Hear = lambda _: None
    ) -> "Future[Answer]":
        """Ask; returns at once. ``on_line`` hears, in another thread, which statement runs, and 0
        when it is begun with: a new process has to load PyTorch before.

        The future raises :class:`DiagnosticError` with L060 to L063 where the process could not be
        started, was stopped, took too long or died, and with L065 where it was ended because it was
        idle and the request is about the variables of the code that it ran.
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
        self._kill(_Reason.STOPPED)

    def close(self) -> None:
        """End process and thread."""
        self._drop_waiting()
        thread = self._thread
        if thread is None:
            return
        self._asked.put(None)
        while thread.is_alive():  # it may be starting a process just now
            self._kill(_Reason.STOPPED)
            thread.join(0.05)
        self._thread = None

    def _drop_waiting(self) -> None:
        with contextlib.suppress(queue.Empty):
            while (asked := self._asked.get_nowait()) is not None:
                asked[1].cancel()

    def _kill(self, reason: _Reason, future: "Future[Any] | None" = None) -> None:
        """Kill the process; with a future only while it is that one's."""
        with self._lock:
            if self._job is not None and future in (None, self._current):
                self._reason = reason
                self._job.kill()

    def _next(self) -> _Asked | None:
        """Wait for what is asked next; end a process that is idle for too long."""
        while self._job is not None:
            with contextlib.suppress(queue.Empty):
                return self._asked.get(timeout=self._idle_s)
            self._end()
            self._has_expired = True
        return self._asked.get()

    def _work(self) -> None:
        while (asked := self._next()) is not None:
            request, future, on_line = asked
            if not future.set_running_or_notify_cancel():
                continue
            timer = threading.Timer(self._limit_s, self._kill, (_Reason.LATE, future))
            timer.daemon = True

            def hear(line: int, timer: threading.Timer = timer, tell: _Hear = on_line) -> None:
                if not line:
                    timer.start()  # PyTorch is loaded: from now on it is the code that takes time
                tell(line)

            try:
                if isinstance(request, RunCode):
                    self._has_expired = False
                elif self._has_expired:
                    raise DiagnosticError(Diagnostic(code="L065", severity=Severity.WARNING))
                future.set_result(self._ask(self._begin(future), request, hear))
            except DiagnosticError as error:
                future.set_exception(error)
            finally:
                timer.cancel()
        self._end()

    def _begin(self, future: "Future[Any]") -> Job:
        """Return the process that answers; a new one where none lives. Raises L060."""
        with self._lock:
            was_killed = self._reason is not None
        if was_killed or self.pid is None:
            self._end()
        with self._lock:
            self._current, self._line = future, 0
            if self._job is None:
                try:
                    self._job = Job(_COMMAND)
                except OSError as error:
                    raise DiagnosticError.of("L060", detail=str(error)) from error
            return self._job

    def _ask(self, job: Job, request: LabRequest[Answer], on_line: _Hear) -> LabReply:
        try:
            write_frame(job.input, msgspec.msgpack.encode(request))
            while (frame := read_frame(job.output)) is not None:
                message = decode_msgpack(frame, LabMessage)
                if not isinstance(message, LabLine):
                    return message
                self._line = message.line
                on_line(message.line)
        except (OSError, FrameError, *UNDECODABLE):
            job.kill()  # it speaks no longer, or something else
        raise DiagnosticError(self._verdict())

    def _verdict(self) -> Diagnostic:
        """Take the process that fell silent away and say what became of it."""
        line, (reason, ending) = self._line, self._take_away()
        params: dict[str, str | int | float] = {"line": line}
        if reason is not None:
            params |= {"seconds": round(self._limit_s)} if reason is _Reason.LATE else {}
            severity = Severity.WARNING if reason is _Reason.STOPPED else Severity.ERROR
            return Diagnostic(code=reason.value, severity=severity, params=params)
        return Diagnostic(code="L063", params=params, detail=ending.text if ending else "")

    def _end(self) -> None:
        """End the process, if there is one."""
        with self._lock:
            if self._job is not None:
                self._job.kill()
        self._take_away()

    def _take_away(self) -> tuple[_Reason | None, Ending | None]:
        """Wait for the end of the process; return why it was killed and how it ended."""
        ending = None if self._job is None else self._job.end()
        with self._lock:
            reason, self._reason, self._job = self._reason, None, None
        return reason, ending
