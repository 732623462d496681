"""The host process: answers what needs torch, so that the window never imports it.

``python -m engine.runtime.host.process`` reads requests from standard input and writes replies to
standard output until the input ends. Two threads work, one for quick requests and one for slow
ones. Nothing else ever reaches the standard output: it is moved away first and its place taken by
standard error.
"""

import faulthandler
import os
import queue
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import IO

import msgspec

from engine.custom import watchdog
from engine.custom.death import failure_of, tell_exits
from engine.data.read.listening import listening
from engine.decoding import decode_msgpack
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import UNDECODABLE
from engine.query.ask import answer_for_user
from engine.query.data.request import ProposeData
from engine.query.model.request import Check
from engine.query.questions import AnyQuestion
from engine.runtime.host.protocol import Envelope, Reply
from engine.runtime.job.stream import FrameError, protocol_streams, read_frame, write_frame
from engine.spec.progress import FileProgress

_QUIET_S = 0.15  # between two words about the same reading
_BEGINNING = (Check, ProposeData)
"""Questions that have data read; others are about what was read."""


class Host:
    """Serves one client over a pair of streams."""

    def __init__(self, requests: IO[bytes], replies: IO[bytes]) -> None:
        self._requests = requests
        self._replies = replies
        self._write_lock = threading.Lock()
        self._lanes: dict[bool, queue.SimpleQueue[Envelope[AnyQuestion]]] = {}
        self._given_up: set[int] = set()

    def serve(self) -> None:
        """Read requests until the stream ends."""
        for is_slow in (False, True):
            lane: queue.SimpleQueue[Envelope[AnyQuestion]] = queue.SimpleQueue()
            self._lanes[is_slow] = lane
            name = "slow" if is_slow else "quick"
            threading.Thread(target=self._work, args=(lane,), name=name, daemon=True).start()
        while (frame := read_frame(self._requests)) is not None:
            try:
                envelope = decode_msgpack(frame, Envelope[AnyQuestion])
            except UNDECODABLE as error:
                self._reply(_refusal(frame, error))
                continue
            if envelope.request is None:
                self._given_up.add(envelope.number)
                continue
            watchdog.ban(envelope.banned)
            self._lanes[envelope.request.is_slow].put(envelope)

    def _work(self, lane: "queue.SimpleQueue[Envelope[AnyQuestion]]") -> None:
        while True:
            envelope = lane.get()
            with self._telling(envelope):
                reply = _reply_to(envelope)
            self._reply(reply)
            self._given_up.discard(envelope.number)

    @contextmanager
    def _telling(self, envelope: Envelope[AnyQuestion]) -> Generator[None]:
        """Tell how far the reading of data is, where it takes more than a moment."""
        number, told_at = envelope.number, time.monotonic()

        def tell(progress: FileProgress) -> None:
            nonlocal told_at
            now = time.monotonic()
            if now - told_at >= _QUIET_S:
                told_at = now
                self._reply(Reply(number=number, progress=progress))

        begins = isinstance(envelope.request, _BEGINNING)
        with listening(tell, lambda: number in self._given_up, begins=begins):
            yield

    def _reply(self, reply: Reply) -> None:
        with self._write_lock:
            write_frame(self._replies, msgspec.msgpack.encode(reply))


def _reply_to(envelope: Envelope[AnyQuestion]) -> Reply:
    assert envelope.request is not None
    try:
        result: object = answer_for_user(envelope.request)
        return Reply(number=envelope.number, answer=msgspec.msgpack.encode(result))
    except DiagnosticError as error:
        return Reply(number=envelope.number, problems=error.problems)
    except BaseException as error:  # noqa: BLE001  # also sys.exit() in custom code: the host lives on
        problem = failure_of(error)
        if problem is None:
            params: dict[str, str | int | float] = {"request": type(envelope.request).__name__}
            detail = f"{type(error).__name__}: {error}"
            problem = Diagnostic(code="E014", params=params, detail=detail)
        return Reply(number=envelope.number, problems=(problem,))


def _refusal(frame: bytes, error: Exception) -> Reply:
    """Return the reply to what is no request, with its number where that can be read."""

    class Head(msgspec.Struct):
        number: int = 0

    try:
        number = decode_msgpack(frame, Head).number
    except UNDECODABLE:
        number = 0
    return Reply(number=number, problems=(Diagnostic(code="E013", detail=str(error)),))


def main() -> None:
    """Serve until the window closes the pipe; then leave at once, whatever is being computed."""
    faulthandler.enable()
    watchdog.start()
    tell_exits()
    requests, replies = protocol_streams()
    code = 0
    try:
        Host(requests, replies).serve()
    except (FrameError, KeyboardInterrupt) as error:
        print(error, file=sys.stderr)  # noqa: T201  # the client keeps it as the last words
        code = 1
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
