"""The program's end of its fork server (Linux), and of the processes that are forked there."""

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

import msgspec

from engine.runs.process.forking import can_fork
from engine.runtime.job.fork_order import CODE_BYTES, ROOM, Fork, Load, from_number

ROOT = Path(__file__).parents[3]
UNKNOWN_CODE = 255
"""The exit code of a process whose end nobody told: its server ended before."""

_SERVER = "engine.runtime.job.fork_server"
_LOOK_MS = 100


class ForkedChild:
    """A process that the server forks, with what :class:`subprocess.Popen` offers."""

    def __init__(self, status_pipe: int) -> None:
        self.stdin: IO[bytes] | None = None
        self.stdout: IO[bytes] | None = None
        self._status_pipe = status_pipe
        self._let_go = _closing(self, status_pipe)
        self._lock = threading.Lock()
        self._pid = 0
        self._process = -1  # a descriptor of it, which no other process ever has
        self._code: int | None = None

    @property
    def pid(self) -> int:
        """Its number; waits until the server has loaded what it needs. 0 where it never began."""
        while not self._pid and self._code is None:
            self._listen(_LOOK_MS)
        return self._pid

    def poll(self) -> int | None:
        """Return its exit code (negative: the signal); None while it lives."""
        self._listen(0)
        return self._code

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end. Raises :class:`subprocess.TimeoutExpired`."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            left = _LOOK_MS / 1000 if deadline is None else deadline - time.monotonic()
            if left <= 0:
                raise subprocess.TimeoutExpired(str(self._pid), timeout or 0.0)
            self._listen(min(_LOOK_MS, int(1000 * left) + 1))
        return code

    def terminate(self) -> None:
        """Ask it to end."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once."""
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        self._listen(0)
        with self._lock:
            if self._code is not None:
                return
            if self._process >= 0:
                with contextlib.suppress(ProcessLookupError):  # its end is about to be told
                    signal.pidfd_send_signal(self._process, number)
            elif not self._pid:  # it is taken back before it began
                self._code = -number
                self._let_go()

    def _listen(self, timeout_ms: int) -> None:
        """Take in what the server tells, waiting for it at most so long."""
        poll = select.poll()
        poll.register(self._process if self._status_pipe < 0 else self._status_pipe, select.POLLIN)
        if self._code is not None or not poll.poll(timeout_ms):
            return
        with self._lock:
            if self._code is None:
                self._take()

    def _take(self) -> None:
        if self._status_pipe < 0:
            self._code = UNKNOWN_CODE
            return
        try:
            content = os.read(self._status_pipe, CODE_BYTES)
        except BlockingIOError:
            return  # another thread took it
        if not content:
            self._lose_server()
        elif not self._pid:
            self._pid = from_number(content)
            with contextlib.suppress(ProcessLookupError):  # it has ended, and its code comes
                self._process = os.pidfd_open(self._pid)
                _closing(self, self._process)
        else:
            self._code = from_number(content)

    def _lose_server(self) -> None:
        """Watch the process itself from now on: it goes on."""
        if self._process >= 0:
            self._status_pipe = -1
        else:
            self._code = UNKNOWN_CODE if self._pid else -signal.SIGKILL


def _closing(child: ForkedChild, descriptor: int) -> "weakref.finalize[[int], ForkedChild]":
    """Close a descriptor once nobody has the child any more. As the program ends it stays: who ends
    the child then still needs it.
    """
    closing = weakref.finalize(child, os.close, descriptor)
    closing.atexit = False
    return closing


class ForkServer:
    """Starts and ends the fork server of this program, and has it fork processes. The server lives
    while somebody needs it: from :meth:`open` to :meth:`close`. Use it from any thread.
    """

    def __init__(self) -> None:
        self._reset()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget)

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._loads: list[str] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._unheard: list[ForkedChild] = []

    @property
    def is_open(self) -> bool:
        """Whether processes are forked."""
        return self._users > 0

    def open(self) -> None:
        """Have a server from now on, where this machine is one for it. Raises ``OSError``."""
        with self._lock:
            if can_fork():
                self._require()
                self._users += 1

    def close(self) -> None:
        """Need it no longer: with its last user the server ends; what it forked goes on."""
        with self._lock:
            self._users = max(0, self._users - 1)
            if not self._users:
                self._loads.clear()
                self._end()

    def load(self, function: str) -> None:
        """Have the server load something before it forks again, once."""
        with self._lock:
            if self._users and function not in self._loads:
                self._loads.append(function)
                self._send(Load(function))

    def fork(
        self,
        command: Sequence[str],
        errors: IO[bytes] | None,
        environment: Mapping[str, str] | None = None,
    ) -> ForkedChild:
        """Fork the process of a command, a module of this program. With ``errors`` it reads from
        and writes to this one; without, it gets a session of its own and is heard by nobody.

        Raises ``OSError``.
        """
        order = Fork(
            command=tuple(command),
            environment=dict(os.environ if environment is None else environment),
            is_detached=errors is None,
        )
        listens, status_pipe = os.pipe()
        os.set_blocking(listens, False)
        child = ForkedChild(listens)
        if errors is None:
            nothing = os.open(os.devnull, os.O_RDWR)
            files = [nothing, nothing, nothing, status_pipe]
            theirs = [nothing, status_pipe]
        else:
            reads, own_input = os.pipe()
            own_output, writes = os.pipe()
            child.stdin, child.stdout = os.fdopen(own_input, "wb"), os.fdopen(own_output, "rb")
            files = [reads, writes, errors.fileno(), status_pipe]
            theirs = [reads, writes, status_pipe]
        try:
            with self._lock:
                self._send(order, files)
                if errors is None:
                    # One that nobody keeps would seem to be taken back before it began.
                    known = (*self._unheard, child)
                    self._unheard = [each for each in known if each.poll() is None]
        except OSError:
            for stream in (child.stdin, child.stdout):
                if stream is not None:
                    stream.close()
            raise
        finally:
            for file in theirs:
                os.close(file)
        return child

    def _send(self, order: Load | Fork, files: Sequence[int] = ()) -> None:
        """Send an order; to another server where the one there was has ended."""
        content = msgspec.msgpack.encode(order)
        self._require()
        assert self._control is not None
        try:
            socket.send_fds(self._control, [content], files)
        except (BrokenPipeError, ConnectionResetError):
            self._end()
            self._require()
            socket.send_fds(self._control, [content], files)

    def _require(self) -> None:
        """Start the server unless one lives, and have it load what was loaded before."""
        if self._process is not None and self._process.poll() is None:
            return
        self._end()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        number = str(theirs.fileno())
        with theirs:
            try:
                self._process = subprocess.Popen(
                    (sys.executable, "-m", _SERVER, number, ROOM),
                    cwd=ROOT,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                )
            except OSError:
                ours.close()
                raise
        self._control = ours
        for function in self._loads:
            socket.send_fds(ours, [msgspec.msgpack.encode(Load(function))], ())

    def _end(self) -> None:
        process, self._process = self._process, None
        if self._control is not None:
            self._control.close()
            self._control = None
        if process is not None:
            process.kill()  # it holds nothing
            process.wait()

    def _forget(self) -> None:
        """Let go of the server in a fork of this process: it is that of the other."""
        if self._control is not None:
            self._control.close()
        if self._process is not None:
            self._process.returncode = 0  # nobody waits for it here
        self._reset()


fork_server = ForkServer()
