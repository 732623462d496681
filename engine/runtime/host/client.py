"""The window's end of the host process: requests in, futures out, never a wait.

One thread writes, one reads; :meth:`HostClient.request` only puts a request into a queue. The
callbacks of the futures run on the reading thread (or where the future was cancelled): hand over to
the window's thread there. A host that dies is started again and what it was at is asked once more.

Where processes are forked (:mod:`engine.runtime.job.fork_client`), one is there in a moment: a host
that nobody asks for minutes is ended, and with it goes what it took of memory; so is one that was
forked before the server had loaded what the analysis of a model needs.
"""

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

import msgspec

from engine.custom.death import death_of
from engine.decoding import decode_msgpack
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.files import UNDECODABLE
from engine.query.request import Request
from engine.runtime.host.protocol import Envelope, Reply
from engine.runtime.job.culprit import Culprits
from engine.runtime.job.fork_client import fork_server
from engine.runtime.job.job import Ending, Job, module_command
from engine.runtime.job.stream import FrameError, read_frame, write_frame
from engine.spec.progress import FileProgress

_COMMAND = module_command("engine.runtime.host.process")
_ANALYSIS = "engine.runtime.job.preload.analysis"
_IDLE_S = 120.0
_MAXIMUM_DEATHS = 3  # in a row, without an answer between

Answer = TypeVar("Answer")


OnReading = Callable[[Request[Any], FileProgress | None], object]


class _Pending:
    """A request, its future, how often it was sent, and whether data are being read for it."""

    def __init__(self, number: int, request: Request[Any]) -> None:
        self.number = number
        self.request = request
        self.future: Future[Any] = Future()
        self.tries = 0
        self.is_reading = False


class HostClient:
    """Talks to one host process.

    ``on_notice`` is called, on the reading thread, with what the user should hear: that the host
    died and was started again (E010), or that it stays down (E011). ``on_reading`` is called, on
    the same thread, with a request and how far the reading of data for it is, and with None when it
    is answered.

    Without ``asks_again`` a request fails that the host dies of, with how it died (D576, D577,
    D615), unless it is known what is not to be run again.
    """

    def __init__(
        self,
        on_notice: Callable[[Diagnostic], None] | None = None,
        command: tuple[str, ...] = _COMMAND,
        *,
        asks_again: bool = True,
    ) -> None:
        self._command = command
        self._asks_again = asks_again
        self._on_notice = on_notice
        self.on_reading: OnReading = lambda _request, _progress: None
        self._change = threading.Condition()
        self._withdrawn: deque[int] = deque()
        self._lanes: dict[bool, deque[_Pending]] = {False: deque(), True: deque()}
        self._active: dict[bool, _Pending | None] = {False: None, True: None}
        self._number = 0
        self._deaths = 0
        self._is_closing = False
        self._is_forked = self._can_analyse = self._is_resting = False
        self._job: Job | None = None
        self._threads: list[threading.Thread] = []
        self._culprits: Culprits | None = None

    def start(self) -> None:
        """Start the host and the two threads. Raises :class:`DiagnosticError` (E012)."""
        self._culprits = Culprits()
        if self._command is _COMMAND:
            try:
                fork_server.open()
            except OSError as error:
                raise DiagnosticError.of("E012", detail=str(error)) from error
            self._is_forked = fork_server.is_open
        self._launch(can_analyse=not self._is_forked)
        for target, name in ((self._write, "host-writer"), (self._read, "host-reader")):
            thread = threading.Thread(target=target, name=name, daemon=True)
            self._threads.append(thread)
            thread.start()

    @property
    def pid(self) -> int | None:
        """The process number of the host, while it lives."""
        return None if self._job is None else self._job.pid

    @property
    def running(self) -> str:
        """The custom code that the host runs at this moment and watches; empty for none."""
        return "" if self._culprits is None else self._culprits.running()

    @property
    def has_run_code(self) -> bool:
        """Whether custom code has run by now; before that the process starts."""
        return self._culprits is not None and self._culprits.have_run

    def take_words(self) -> str:
        """Return what the host has written to its standard error since this was asked last."""
        job = self._job
        return "" if job is None else job.take_words()

    def request(self, request: Request[Answer]) -> Future[Answer]:
        """Ask the host; returns at once, from any thread.

        The future gives the answer, raises :class:`DiagnosticError`, or is cancelled because a
        newer request took its place or the client was closed. Cancel it to take it back.
        """
        with self._change:
            self._number += 1
            pending = _Pending(self._number, request)  # pyright: ignore[reportArgumentType]  # the union is closed
            lane = self._lanes[request.is_slow]
            stale = [old for old in lane if type(old.request) is type(request)]
            lane.append(pending)
            is_down = self._is_closing or not self._threads or self._deaths >= _MAXIMUM_DEATHS
            if is_down:
                lane.remove(pending)
            self._change.notify_all()
        if request.supersedes:
            for old in stale:
                old.future.cancel()
        if is_down:
            pending.future.set_exception(DiagnosticError(Diagnostic(code="E011")))
        return pending.future

    def give_up_reading(self, *kinds: type[Request[Any]]) -> None:
        """Have no more data read for what is being answered, of some kinds or of all where none is
        named: it ends with D073 or D274, also what has not told yet that it reads.
        """
        with self._change:
            active = [one for one in self._active.values() if one is not None]
            chosen = [one for one in active if not kinds or isinstance(one.request, kinds)]
            self._withdrawn += [pending.number for pending in chosen]
            self._change.notify_all()

    def close(self) -> None:
        """End the host and the threads; everything that still waits is cancelled."""
        with self._change:
            self._is_closing = True
            waiting = [pending for lane in self._lanes.values() for pending in lane]
            for lane in self._lanes.values():
                lane.clear()
            self._change.notify_all()
        for pending in waiting:
            pending.future.cancel()
        if self._job is not None:
            self._job.kill()  # as the end of its input would: at once
        if self._is_forked:
            self._is_forked = False
            fork_server.close()
        for thread in self._threads:
            thread.join()
        self._threads.clear()
        if self._culprits is not None:
            self._culprits.close()

    def _launch(self, *, can_analyse: bool) -> None:
        assert self._culprits is not None
        self._can_analyse = can_analyse
        if can_analyse and self._is_forked:
            fork_server.load(_ANALYSIS)
        try:
            self._job = Job(self._command, self._culprits.environment())
        except OSError as error:
            raise DiagnosticError.of("E012", detail=str(error)) from error

    def _write(self) -> None:
        while (pending := self._next()) is not None:
            assert self._culprits is not None
            if isinstance(pending, int):
                envelope = Envelope[Request[Any]](number=pending)
            else:
                envelope = Envelope(
                    number=pending.number, request=pending.request, banned=self._culprits.banned
                )
            frame = msgspec.msgpack.encode(envelope)
            assert self._job is not None
            try:
                write_frame(self._job.input, frame)
            except (OSError, ValueError):
                continue  # the reading thread sees the end of the stream and asks again

    def _next(self) -> _Pending | int | None:
        """Wait for a request whose lane is free, or for the number of one that is given up; None
        when the client closes.
        """
        with self._change:
            while not self._is_closing:
                if self._withdrawn:
                    return self._withdrawn.popleft()
                for slow, lane in self._lanes.items():
                    while lane and self._active[slow] is None and self._is_fit_for(lane[0]):
                        pending = lane.popleft()
                        if pending.tries or pending.future.set_running_or_notify_cancel():
                            pending.tries += 1
                            self._active[slow] = pending
                            return pending
                if not self._change.wait(_IDLE_S if self._is_forked else None):
                    self._rest()
        return None

    def _is_fit_for(self, pending: _Pending) -> bool:
        """Return whether the host is to be asked this; have another one started where not."""
        if self._job is None:
            return self._has_launched(can_analyse=not pending.request.is_light)
        if not self._is_resting and (self._can_analyse or pending.request.is_light):
            return True
        self._rest()
        return False

    def _has_launched(self, *, can_analyse: bool) -> bool:
        """Start a host after one that rested; where none can be, nobody is answered any more."""
        try:
            self._launch(can_analyse=can_analyse)
        except DiagnosticError as error:
            self._deaths = _MAXIMUM_DEATHS
            for pending in self._retry_or_drop(drop_all=True, is_forgiven=False):
                pending.future.set_exception(error)
            return False
        self._change.notify_all()
        return True

    def _rest(self) -> None:
        """End the host when it is at nothing: the next request has another one started."""
        if self._job is not None and not any(self._active.values()):
            self._is_resting = True
            self._job.kill()

    def _read(self) -> None:
        while (job := self._living()) is not None:
            try:
                while (frame := read_frame(job.output)) is not None:
                    self._answer(decode_msgpack(frame, Reply))
            except (OSError, ValueError, FrameError, *UNDECODABLE):
                job.kill()
            ending = job.end()
            if not self._has_rested() and not self._revive(ending):
                return

    def _living(self) -> Job | None:
        """Wait for a host to read from; None when the client closes."""
        with self._change:
            self._change.wait_for(lambda: self._job is not None or self._is_closing)
            return self._job

    def _has_rested(self) -> bool:
        """Return whether the host that ended was to end."""
        with self._change:
            if not self._is_resting:
                return False
            self._is_resting, self._job = False, None
            self._change.notify_all()
            return True

    def _answer(self, reply: Reply) -> None:
        with self._change:
            slow = next(
                (s for s, p in self._active.items() if p and p.number == reply.number), None
            )
            if slow is None:
                return
            pending = self._active[slow]
            assert pending is not None
            if reply.progress is not None:
                pending.is_reading = True
            else:
                self._active[slow] = None
            self._deaths = 0
            self._change.notify_all()
        if reply.progress is not None or pending.is_reading:
            self.on_reading(pending.request, reply.progress)
        if reply.progress is not None:
            return
        if reply.problems:
            pending.future.set_exception(DiagnosticError(*reply.problems))
            return
        try:
            answer = decode_msgpack(reply.answer, pending.request.answer_type)
        except UNDECODABLE as error:
            problem = Diagnostic(code="E013", detail=str(error))
            pending.future.set_exception(DiagnosticError(problem))
        else:
            pending.future.set_result(answer)

    def _revive(self, ending: Ending) -> bool:
        """Start the host again after a death and return whether there is one to read from.

        One that died of the user's own code is no sign that hosts do not live here: what it was
        running is not run again, everything else is asked once more.
        """
        detail = ending.text
        assert self._culprits is not None
        has_culprit = self._culprits.find(ending.code)
        with self._change:
            self._deaths += 0 if has_culprit else 1
            stays_down = self._is_closing or self._deaths >= _MAXIMUM_DEATHS
            if not stays_down:
                try:
                    self._launch(can_analyse=self._can_analyse)
                except DiagnosticError:
                    stays_down = True
                    self._deaths = _MAXIMUM_DEATHS
            failed = self._retry_or_drop(drop_all=stays_down, is_forgiven=has_culprit)
            is_closing = self._is_closing
            self._change.notify_all()
        code = "E011" if stays_down else "E010"
        for pending in failed:
            if pending.is_reading:
                self.on_reading(pending.request, None)
            problem = Diagnostic(code=code, detail=detail)
            if not self._asks_again:
                problem = death_of(ending.code, ending.words)
            pending.future.set_exception(DiagnosticError(problem))
        is_told = stays_down or not has_culprit  # else its node tells it
        if not is_closing and is_told and self._on_notice is not None:
            severity = Severity.ERROR if stays_down else Severity.WARNING
            self._on_notice(Diagnostic(code=code, severity=severity, detail=detail))
        return not stays_down

    def _retry_or_drop(self, *, drop_all: bool, is_forgiven: bool) -> list[_Pending]:
        """Put back what the dead host was at, if it was at it for the first time or was not to
        blame.
        """
        failed: list[_Pending] = []
        for slow, pending in self._active.items():
            self._active[slow] = None
            if pending is None:
                continue
            is_last = pending.tries > 1 or not self._asks_again
            if drop_all or (is_last and not is_forgiven):
                failed.append(pending)
            else:
                self._lanes[slow].appendleft(pending)
        if drop_all:
            for lane in self._lanes.values():
                failed += [p for p in lane if p.tries or p.future.set_running_or_notify_cancel()]
                lane.clear()
        return failed
