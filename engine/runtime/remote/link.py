"""The talk with the station on another machine, over one SSH connection."""

import shlex
import subprocess
import threading
from typing import IO

import msgspec

from engine.decoding import msgpack_decoder
from engine.diagnostics import Diagnostic, DiagnosticError, printable
from engine.files import UNDECODABLE
from engine.runs.machine.remote import RemoteRun
from engine.runtime.remote import protocol
from engine.runtime.remote.ssh import ErrorOutput, failure, open_ssh, quoted, unfit

_STATION = "engine.runtime.remote.station"
_MOST_PROBLEMS = 20
_CLOSE_S = 5.0
LONGEST_S = 600.0
"""How long one answer may take to come whole; a piece of a file comes in a moment."""

_ANSWER = msgpack_decoder(protocol.Answer)


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
        self._error_output = ErrorOutput(self._process)

    def ask(self, request: protocol.Request) -> protocol.Answer:
        """Return the answer to a request. Raises :class:`LinkLostError`, or
        :class:`DiagnosticError` when it could not be done there.
        """
        clock = threading.Timer(LONGEST_S, self._process.kill)  # one that never comes to an end
        clock.daemon = True
        clock.start()
        try:
            protocol.send(self._pipe(self._process.stdin), request)
            content = protocol.receive(self._pipe(self._process.stdout))
        except OSError:
            content = None
        except ValueError as error:
            raise unfit(self._remote, error) from error
        finally:
            clock.cancel()
        if content is None:
            raise self._lost()
        try:
            answer = _ANSWER.decode(content)
        except UNDECODABLE as error:
            raise unfit(self._remote, error) from error
        if isinstance(answer, protocol.Failed):
            raise DiagnosticError(*map(_shown, answer.problems[:_MOST_PROBLEMS]))
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
        self._error_output.close()

    def _lost(self) -> LinkLostError:
        self.close()
        found = failure(self._remote, self._process.returncode, self._error_output.text())
        return LinkLostError(*found.problems)

    @staticmethod
    def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
        assert stream is not None
        return stream


def _shown(problem: Diagnostic) -> Diagnostic:
    """Return what the other machine tells as something that can be shown."""
    params = {
        printable(name, 60): printable(value, 400) if isinstance(value, str) else value
        for name, value in problem.params.items()
    }
    detail = printable(problem.detail, 4000)
    code = printable(problem.code, 20)
    return msgspec.structs.replace(problem, code=code, params=params, detail=detail)
