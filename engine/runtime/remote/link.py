"""The talk with the station on another machine, over one SSH connection."""

import collections
import shlex
import subprocess
import threading
from typing import IO

import msgspec

from engine.diagnostics import DiagnosticError
from engine.runs.remote import RemoteRun
from engine.runtime.remote import protocol
from engine.runtime.remote.ssh import failure, open_ssh, quoted, unfit

_STATION = "engine.runtime.remote.station"
_TOLD_LINES = 40
_CLOSE_S = 5.0
_ANSWER = msgspec.msgpack.Decoder(protocol.Answer)


class LinkLostError(DiagnosticError):
    """The connection is gone; what runs there goes on."""


class Link:
    """One connection to the station of a run. Use it from one thread. ``program`` and ``base`` are
    folders there: of this program, and of programs and runs.
    """

    def __init__(self, place: RemoteRun, program: str, base: str, run: str) -> None:
        self._remote = place.remote
        words = (_STATION, f"{base}/{place.place}", run)
        station = f"{quoted(place.remote.python)} -m {shlex.join(words)}"
        command = f"cd {shlex.quote(program)} && exec {station}"
        self._process = open_ssh(place.remote, command)
        self._told: collections.deque[bytes] = collections.deque(maxlen=_TOLD_LINES)
        self._listener = threading.Thread(target=self._listen, name="ssh-errors", daemon=True)
        self._listener.start()

    def ask(self, request: protocol.Request) -> protocol.Answer:
        """Return the answer to a request. Raises :class:`LinkLostError`, or
        :class:`DiagnosticError` when it could not be done there.
        """
        try:
            protocol.send(self._pipe(self._process.stdin), request)
            content = protocol.receive(self._pipe(self._process.stdout))
        except OSError:
            content = None
        if content is None:
            raise self._lost()
        try:
            answer = _ANSWER.decode(content)
        except msgspec.MsgspecError as error:
            raise unfit(self._remote, error) from error
        if isinstance(answer, protocol.Failed):
            raise DiagnosticError(*answer.problems)
        return answer

    def close(self) -> None:
        """Let go of the connection; the run goes on."""
        for stream in (self._process.stdin, self._process.stdout):
            try:
                self._pipe(stream).close()
            except OSError:  # what was not sent any more cannot be
                continue
        try:
            self._process.wait(_CLOSE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._listener.join()
        self._pipe(self._process.stderr).close()

    def _lost(self) -> LinkLostError:
        self.close()
        told = b"".join(self._told).decode("utf-8", "replace")
        return LinkLostError(*failure(self._remote, self._process.returncode, told).problems)

    def _listen(self) -> None:
        self._told.extend(self._pipe(self._process.stderr))

    @staticmethod
    def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
        assert stream is not None
        return stream
