"""Fork server: a quiet process that has PyTorch loaded and forks what needs it.

``python -m engine.runtime.job.fork_server SOCKET`` takes orders (:mod:`.fork_order`) until the
socket closes; its children go on. What they load here once is in memory once, and a child begins in
hundredths of a second.

One thread runs here, and nothing here looks for an accelerator: more threads, or a library that
has opened one, would not work in a child. Where other threads run all the same, where PyTorch
cannot be loaded, and where the variables that are read at the beginning of a process are others
than here, the child becomes a new program (``exec``), as if it had been spawned.
"""

import gc
import os
import select
import selectors
import signal
import socket
import sys
import traceback
from importlib import import_module
from typing import NamedTuple

from engine.decoding import decode_msgpack
from engine.runs.process.forking import (
    early_variables,
    is_quiet,
    run_module,
    seed_anew,
    show_command,
)
from engine.runtime.job.fork_order import Fork, Load, to_number

_MOST = 1 << 20  # bytes of an order
_STREAMS = 4  # standard input, output, error, and the pipe for the number
_FIRST = "engine.runtime.job.preload.pytorch"


class _Child(NamedTuple):
    """A living child: its number, and where its end is to be told."""

    pid: int
    status_pipe: int


class Server:
    """Takes orders from one socket."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)  # its program ends it
        self._environment = early_variables(os.environ)
        self._is_sound = True
        self._selector = selectors.DefaultSelector()
        self._selector.register(control, selectors.EVENT_READ)
        self._children: dict[int, _Child] = {}

    def serve(self) -> Fork | None:
        """Serve until the socket closes; in a forked child return what it is to be."""
        self._load(_FIRST)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is not self._control:
                    self._reap(key.fd)
                    continue
                content, files, _, _ = socket.recv_fds(self._control, _MOST, _STREAMS)
                if not content:
                    return None
                order = decode_msgpack(content, Load | Fork)
                if isinstance(order, Load):
                    self._load(order.function)
                elif self._is_forked(order, files):
                    return order

    def _load(self, function: str) -> None:
        """Load what a function loads; where it cannot be, children load it themselves."""
        module, name = function.rsplit(".", 1)
        try:
            getattr(import_module(module), name)()
        except Exception:  # noqa: BLE001  # whatever loading raises: a child meets and tells it
            traceback.print_exc()
            self._is_sound = False
        gc.collect()
        gc.freeze()  # so that no collection in a child touches, and copies, what is shared
        self._is_sound = self._is_sound and is_quiet()

    def _is_forked(self, order: Fork, files: list[int]) -> bool:
        """Fork a process; return whether this is it."""
        status_pipe = files[-1]
        if _is_heard(status_pipe):
            pid = os.fork()
            if not pid:
                self._become(order, files)
                return True
            if _tell(status_pipe, pid):
                descriptor = os.pidfd_open(pid)
                self._children[descriptor] = _Child(pid, status_pipe)
                self._selector.register(descriptor, selectors.EVENT_READ)
                files = files[:-1]
            else:  # it was taken back just now
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
        for file in files:
            os.close(file)
        return False

    def _reap(self, descriptor: int) -> None:
        child = self._children.pop(descriptor)
        self._selector.unregister(descriptor)
        os.close(descriptor)
        _, status = os.waitpid(child.pid, 0)
        _tell(child.status_pipe, os.waitstatus_to_exitcode(status))
        os.close(child.status_pipe)

    def _become(self, order: Fork, files: list[int]) -> None:
        """Be a process of its own, with its streams, session, environment and signals; nothing of
        the server and of other children stays open.
        """
        for number, file in enumerate(files[:-1]):
            os.dup2(file, number)
        self._control.close()
        self._selector.close()
        of_others = [child.status_pipe for child in self._children.values()]
        for file in (*files, *self._children, *of_others):
            os.close(file)
        if order.is_detached:
            os.setsid()
        signal.signal(signal.SIGINT, self._interrupt)
        if not self._is_sound or early_variables(order.environment) != self._environment:
            os.execve(order.command[0], order.command, order.environment)  # noqa: S606
        os.environ.clear()
        os.environ.update(order.environment)
        seed_anew()


def _is_heard(status_pipe: int) -> bool:
    """Return whether somebody reads at the other end of a pipe."""
    poll = select.poll()
    poll.register(status_pipe, 0)
    return not poll.poll(0)


def _tell(status_pipe: int, number: int) -> bool:
    """Tell a number; return whether somebody heard."""
    try:
        os.write(status_pipe, to_number(number))
    except BrokenPipeError:
        return False
    return True


def main(arguments: list[str]) -> None:
    """Serve, and in a child run its module as ``python -m`` would."""
    show_command((sys.executable, "-m", "engine.runtime.job.fork_server"))
    order = Server(socket.socket(fileno=int(arguments[0]))).serve()
    if order is None:
        os._exit(0)
    run_module(order.command)


if __name__ == "__main__":
    main(sys.argv[1:])
