"""An interpreter that knows nothing of Trellis and has PyTorch loaded: programs run in forks of it.

To load PyTorch, torchvision and torchmetrics takes longer than most programs of the tests do. Where
the whole suite is run in some processes (`warm_process.py`), one interpreter does it for all.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

SERVER = """
import atexit, json, os, select, signal, socket, sys, threading, traceback, types

import torch, torchmetrics, torchvision
import torch._dynamo  # the first optimizer does


def divide(listener):
    # Fork a process for each that connects, which serves it; end where standard input closes.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        ready, _, _ = select.select([listener, sys.stdin], [], [])
        if sys.stdin in ready:
            os._exit(0)
        connection, _ = listener.accept()
        if not os.fork():
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            listener.close()
            for stream in (0, 1):
                os.dup2(connection.fileno(), stream)
            connection.close()
            return
        connection.close()


def begin(order):
    # Become the process of a program: its folder, environment, arguments and streams.
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    for number in (1, 2):
        os.dup2(os.open(order["streams"][number - 1], os.O_WRONLY), number)
    sys.argv = ["-c" if order["code"] else order["arguments"][0], *order["arguments"]]
    if not order["code"]:
        del sys.argv[0]
    sys.path[:0] = order["path"]
    torch.default_generator.seed()


def serve():
    # Fork a process for each order; return the order in the forks, and None at the end.
    own = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        order = json.loads(line)
        if not (pid := os.fork()):
            own.close()
            begin(order)
            return order
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), file=own, flush=True)
    return None


def run(order):
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    main.__builtins__ = __builtins__
    file, code = "<string>", order["code"]
    if not code:
        file = main.__file__ = sys.argv[0]
        with open(file, encoding="utf-8") as stream:
            code = stream.read()
    exec(compile(code, file, "exec"), main.__dict__)


if len(sys.argv) > 1:
    divide(socket.socket(fileno=int(sys.argv[1])))
if (order := serve()) is None:
    os._exit(0)
else:
    status = 1
    try:
        run(order)
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    os._exit(status)  # to take PyTorch apart takes longer than most programs do
"""


SHARED = "PLAIN_PYTHON_OF_TESTS"
"""The variable that says where the interpreter listens that all processes share."""


def share(place: Path) -> subprocess.Popen[bytes]:
    """Start an interpreter that others reach at a place; it ends when its input closes."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))
        listener.listen()
        number = listener.fileno()
        command = [sys.executable, "-I", "-c", SERVER, str(number)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[number])
    os.environ[SHARED] = str(place)
    return process


class PlainPython:
    """Runs programs one after the other as ``python -I`` would; a process is begun for each."""

    def __init__(self) -> None:
        self._server: subprocess.Popen[str] | None = None
        if place := os.environ.get(SHARED):
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(place)
                self._orders: IO[str] = connection.makefile("w")
                self._answers: IO[str] = connection.makefile("r")
            return
        self._server = subprocess.Popen(
            [sys.executable, "-I", "-c", SERVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._orders, self._answers = self._server.stdin, self._server.stdout

    def run(
        self, *arguments: str, folder: Path, code: str = "", path: Sequence[Path] = ()
    ) -> subprocess.CompletedProcess[str]:
        """Run code with arguments, or without code the file that the arguments begin with; ``path``
        is searched for modules too.
        """
        with tempfile.TemporaryDirectory() as place:
            streams = [Path(place, name) for name in ("out", "err")]
            for stream in streams:
                stream.touch()
            status = self._ask(
                {
                    "code": code,
                    "arguments": arguments,
                    "folder": str(folder),
                    "path": [str(each) for each in path],
                    "environment": dict(os.environ),
                    "streams": [str(stream) for stream in streams],
                }
            )
            out, err = (stream.read_text("utf-8") for stream in streams)
        return subprocess.CompletedProcess(arguments, status, out, err)

    def output(self, code: str, *arguments: str, folder: Path) -> str:
        """Run code that ends well and return what it wrote."""
        done = self.run(*arguments, folder=folder, code=code)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def close(self) -> None:
        """End the interpreter, or what serves this process of one that is shared."""
        self._orders.close()
        self._answers.close()
        if self._server is not None:
            self._server.wait()

    def _ask(self, order: Mapping[str, object]) -> int:
        print(json.dumps(order), file=self._orders, flush=True)
        return int(self._answers.readline())
