"""Forks of the processes of a run: a quiet child of the launcher loads what training needs once,
and each rank is forked from it (Linux without an accelerator; elsewhere PyTorch spawns them). To
load PyTorch takes each process seconds of the processor, also after a loss, when all start again.

A rank is an orphan at once and becomes a child of the launcher (``PR_SET_CHILD_SUBREAPER``, see
``prctl(2)``): PyTorch's agent waits for it as for what it spawns, and it sees the agent as its
parent.
"""

import ctypes
import gc
import os
import signal
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from importlib import import_module

import msgspec
from torch.distributed.elastic.multiprocessing.subprocess_handler.subprocess_handler import (
    SubprocessHandler,
)

from engine.decoding import decode_msgpack
from engine.runs.process.forking import early_variables, is_quiet, seed_anew

_PR_SET_CHILD_SUBREAPER = 36  # of linux/prctl.h
_MOST = 1 << 20  # bytes of an order
_PATIENCE_S = 600.0
_LOOK_S = 0.01
_OF_AGENT = (
    *("TORCHELASTIC_", "TORCH_NCCL_ASYNC_ERROR_HANDLING"),
    "TORCH_DISABLE_SHARE_RDZV_TCP_STORE",
)
"""Variables that are read when ranks meet, not when PyTorch is loaded."""
_THREADS = "OMP_NUM_THREADS"  # the launcher sets it; a run sets the number of its threads itself


class RankOrder(msgspec.Struct, frozen=True):
    """A rank to fork: its command line and environment."""

    command: tuple[str, ...]
    environment: dict[str, str]


class ForkedRank:
    """A rank, with what PyTorch's agent uses of :class:`subprocess.Popen`."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._code: int | None = None

    def poll(self) -> int | None:
        """Return its exit code (negative: the signal); None while it lives."""
        if self._code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._code = os.waitstatus_to_exitcode(status)
        return self._code

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end. Raises :class:`subprocess.TimeoutExpired`."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if deadline is not None and time.monotonic() >= deadline:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
            time.sleep(_LOOK_S)
        return code


class RankForks:
    """The launcher's end: has PyTorch's agent fork the ranks until it is closed."""

    def __init__(self, control: socket.socket, pid: int) -> None:
        self._control: socket.socket | None = control
        self._pid = pid
        self._spawn = SubprocessHandler._popen  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - PyTorch has no other door for it
        control.settimeout(_PATIENCE_S)
        forks = self

        def begin(
            handler: SubprocessHandler, args: tuple[str, ...], env: dict[str, str]
        ) -> ForkedRank | subprocess.Popen[bytes]:
            return forks.start(args, env) or forks._spawn(handler, args, env)

        SubprocessHandler._popen = begin  # noqa: SLF001 # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]

    def start(self, command: Sequence[str], environment: Mapping[str, str]) -> ForkedRank | None:
        """Fork a rank; None where it is to be spawned."""
        if self._control is None or command[0] != sys.executable or "-m" not in command[1:3]:
            return None
        order = RankOrder(command=tuple(command), environment=dict(environment))
        try:
            _adopt_orphans(1)
            self._control.send(msgspec.msgpack.encode(order))
            pid = self._control.recv(_MOST)
        except OSError:
            pid = b""
        finally:
            _adopt_orphans(0)
        if not pid:
            self._end()  # a rank that is late ends too: nobody reads its number
            return None
        return ForkedRank(int(pid))

    def close(self) -> None:
        """End what ranks are forked from; they go on."""
        SubprocessHandler._popen = self._spawn  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        self._end()

    def _end(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)


def open_forks(program: str) -> RankForks | RankOrder:
    """Fork a process that ranks are forked from when it has called ``warm_up`` of their program, a
    module. In a forked rank return what it is to be.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    launcher = os.getpid()
    if pid := os.fork():
        theirs.close()
        return RankForks(ours, pid)
    ours.close()
    order = _serve(theirs, launcher, program)
    if order is None:
        os._exit(0)
    return order


def _serve(control: socket.socket, launcher: int, program: str) -> RankOrder | None:
    """Fork ranks until the socket closes; in a rank return what it is to be."""
    kinds = (signal.SIGINT, signal.SIGTERM)  # the launcher ends this process
    handlers = [signal.signal(kind, signal.SIG_IGN) for kind in kinds]
    environment = early_variables(os.environ)
    is_sound: bool | None = None
    while content := _heard(control):
        if is_sound is None:  # machines may never meet: nothing is loaded for that
            is_sound = _load(program)
        middle = os.fork()
        if middle:
            os.waitpid(middle, 0)
            continue
        if os.fork():
            os._exit(0)
        order = decode_msgpack(content, RankOrder)
        _be_adopted(control, launcher)
        for kind, handler in zip(kinds, handlers, strict=True):
            signal.signal(kind, handler)
        os.setsid()
        if not (is_sound and _is_like(environment, order.environment)):
            os.execve(order.command[0], order.command, order.environment)  # noqa: S606
        os.environ.clear()
        os.environ.update(order.environment)
        seed_anew()
        return order
    return None


def _heard(control: socket.socket) -> bytes:
    try:
        return control.recv(_MOST)
    except ConnectionError:  # the launcher was killed
        return b""


def _be_adopted(control: socket.socket, launcher: int) -> None:
    """Wait until the launcher is the parent of this process and tell it the number."""
    deadline = time.monotonic() + _PATIENCE_S
    while os.getppid() != launcher:
        if time.monotonic() > deadline:
            os._exit(1)
        time.sleep(_LOOK_S / 10)
    try:
        control.send(str(os.getpid()).encode())
    except OSError:
        os._exit(1)
    control.close()


def _load(program: str) -> bool:
    """Load what a rank needs up to its first step; return whether that went well."""
    try:
        import_module(program).warm_up()
    except Exception:  # noqa: BLE001  # whatever loading raises: a rank meets and tells it
        traceback.print_exc()
        return False
    gc.collect()
    gc.freeze()  # so that no collection in a rank touches, and copies, what is shared
    return is_quiet()


def _is_like(own: Mapping[str, str], given: Mapping[str, str]) -> bool:
    """Return whether PyTorch would be loaded in one environment as in the other."""
    kept = {
        name: value
        for name, value in early_variables(given).items()
        if not name.startswith(_OF_AGENT) and (name != _THREADS or name in own)
    }
    return kept == {name: value for name, value in own.items() if not name.startswith(_OF_AGENT)}


def _adopt_orphans(is_adopting: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, is_adopting, 0, 0, 0)
