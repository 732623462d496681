"""Warm process of a run of the whole suite: it has imported PyTorch, Qt and the program, and the
processes of xdist are forked from it (Linux).

To import all that takes as long as some hundred tests, and each process did it for itself.
"""

import builtins
import gc
import json
import os
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import types
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from engine.runs.process.forking import can_fork, is_quiet, seed_anew
from tests.plain_python import share

ROOT = Path(__file__).parents[1]
ORDER_BYTES = 1 << 20
LIBRARIES = (  # that tests load besides, and that start no thread
    "h5py",
    "libcst",
    "optuna",
    "sklearn.manifold",
    "torch.distributed.checkpoint",
    "torchcodec",
)


def fork_workers(config: pytest.Config) -> None:
    """Have the processes of xdist forked where the whole suite is run in some. What coverage counts
    is imported in each of them.
    """
    is_whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    covers = bool(config.getoption("cov_source", None))
    if not can_fork() or not is_whole or covers or set(config.option.tx) != {"popen"}:
        return
    folder = Path(tempfile.mkdtemp(prefix="warm"))
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(folder / "socket"))
        listener.listen()
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.warm_process", str(listener.fileno())],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            pass_fds=[listener.fileno()],
        )

    started = [process]
    if config.option.markexpr != "not real":
        started.append(share(folder / "plain"))

    def end() -> None:
        for each in started:
            with each:
                assert each.stdin is not None
                each.stdin.close()
        shutil.rmtree(folder)

    config.add_cleanup(end)
    client = [sys.executable, "-IS", str(ROOT / "tests/warm_client.py"), str(folder / "socket")]
    config.option.tx = [f"popen//python={shlex.join(client)}"] * len(config.option.tx)


def load() -> None:
    """Import what most tests need; nothing that pytest rewrites."""
    for name in ("PySide6.QtTest", "PySide6.QtWidgets"):
        import_module(name)
    # PySide looks through the source of each module for what no test uses.
    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)
    for name in (
        "studio.app.app",
        "studio.app.features",
        "engine.api",
        "pyqtgraph",
        "tests.window_parts",
    ):
        import_module(name)
    from engine.train.worker import warm_up

    warm_up()
    for name in LIBRARIES:
        import_module(name)


def serve(listener: socket.socket) -> dict[str, Any] | None:
    """Fork a process for each order until standard input closes; return the order in the forks."""
    while True:
        ready, _, _ = select.select([listener, sys.stdin], [], [])
        if sys.stdin in ready:
            return None
        connection, _ = listener.accept()
        content, files, _, _ = socket.recv_fds(connection, ORDER_BYTES, 3)
        number = os.fork()
        if number:
            connection.send(str(number).encode())
        else:
            for stream, file in enumerate(files):
                os.dup2(file, stream)
        connection.close()
        for file in files:
            os.close(file)
        if not number:
            listener.close()
            return json.loads(content)


def run(order: dict[str, Any]) -> None:
    """Be what ``python -c`` would be."""
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    seed_anew()
    sys.argv = ["-c"]
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    exec(order["code"], main.__dict__)


def main() -> None:
    """Serve one run of the suite."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGCHLD)}
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it ends with the run
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # as in tests
        load()
    gc.collect()
    gc.freeze()
    if not is_quiet():
        return
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the forks here
    order = serve(socket.socket(fileno=int(sys.argv[1])))
    if order is not None:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        run(order)


if __name__ == "__main__":
    main()
