"""A process that works at one request and tells of it as it goes, and the window's end of it."""

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import msgspec

from engine.diagnostics import Diagnostic
from engine.runtime.job.job import Job, module_command

Message = TypeVar("Message", bound=msgspec.Struct)


class RequestJob(Generic[Message]):
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
        self._command = module_command(worker)
        self._decoder: msgspec.json.Decoder[Message] = msgspec.json.Decoder(messages)
        self._ends = ends
        self._failed = failed
        self._lost = lost
        self._lock = threading.Lock()
        self._is_cancelled = False
        self._job: Job | None = None
        self._thread = threading.Thread(target=self._work, name="job", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def cancel(self) -> None:
        """Give it up: the process is ended, and its thread ends with it."""
        with self._lock:
            self._is_cancelled = True
            if self._job is not None:
                self._job.kill()

    def close(self) -> None:
        """Give it up and wait until nothing is left of it."""
        self.cancel()
        if self._thread.ident is not None:
            self._thread.join()

    def _work(self) -> None:
        try:
            with self._lock:
                if self._is_cancelled:
                    return
                job = self._job = Job(self._command)
        except OSError as error:  # no process to be had
            self._say(self._failed(Diagnostic(code="E015", detail=str(error))))
            return
        try:
            is_over = self._follow(job)
        finally:
            ending = job.end()
        if not is_over:
            self._say(self._failed(Diagnostic(code=self._lost, detail=ending.words)))

    def _follow(self, job: Job) -> bool:
        """Hand on what the process says; return whether it came to its end."""
        try:
            job.input.write(msgspec.json.encode(self._request) + b"\n")
            job.input.flush()
        except OSError:
            return False  # it has ended before it was told what to do
        is_over = False
        for line in job.output:
            if not line.endswith(b"\n"):
                return False  # it was ended in the middle of a word
            message = self._decoder.decode(line)
            is_over = isinstance(message, self._ends)
            self._say(message)
        return is_over

    def _say(self, message: Message) -> None:
        if not self._is_cancelled:
            self._tell(message)
