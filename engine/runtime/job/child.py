"""Child processes: how one is started, and the one rule by which one is stopped."""

import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Protocol

from engine.diagnostics import DiagnosticError
from engine.runs.process.launch import LAUNCHER
from engine.runtime.job.fork_client import ForkedChild, fork_server

ROOT = Path(__file__).parents[3]
TERMINATE_S = 10.0
KILL_S = 15.0
_SLOW_STEPS = 4  # a slow one is waited for, also where the machine is busy
_FORKED = {  # what needs PyTorch; a reader of foreign files has an address space of its own
    *("engine.runtime.host.process", "engine.train.worker"),
    *("engine.runtime.job.lab_worker", "engine.runtime.job.request_worker"),
    *("engine.runtime.queue_worker", "engine.runtime.search_worker", LAUNCHER),
}


class Endable(Protocol):
    """A process that can be told to end."""

    def terminate(self) -> None:
        """Ask it to end."""
        ...

    def kill(self) -> None:
        """End it at once."""
        ...


class Child(Endable, Protocol):
    """A process that was started here: what :class:`subprocess.Popen` offers."""

    @property
    def pid(self) -> int:
        """Its number."""
        ...

    @property
    def stdin(self) -> IO[bytes] | None:
        """Where it reads from."""
        ...

    @property
    def stdout(self) -> IO[bytes] | None:
        """Where it writes to."""
        ...

    def poll(self) -> int | None:
        """Return its exit code (negative: the signal); None while it lives."""
        ...

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end. Raises :class:`subprocess.TimeoutExpired`."""
        ...


def stop_deadlines(step_s: float = 0.0) -> tuple[float, float]:
    """Return after how many seconds a process that was asked to stop is terminated and killed. It
    stops between two steps, which take ``step_s`` seconds.
    """
    slow = _SLOW_STEPS * step_s
    return max(TERMINATE_S, slow), max(KILL_S, slow + KILL_S - TERMINATE_S)


def stop(
    process: Callable[[], Endable | None],
    wait: Callable[[float | None], bool],
    is_spared: Callable[[], bool] = lambda: False,
    step_s: float = 0.0,
) -> None:
    """Wait for the end of a process that was asked to stop: it is terminated after 10 s and killed
    after 15 s (later where its steps take ``step_s`` seconds), unless it ``is_spared`` then.
    ``wait`` waits so long and returns whether it ended.
    """
    terminate_s, kill_s = stop_deadlines(step_s)
    if wait(terminate_s):
        return
    if (running := process()) is not None:
        running.terminate()
    if wait(kill_s - terminate_s):
        return
    if not is_spared() and (running := process()) is not None:
        running.kill()
    wait(None)


def start_child(
    command: Sequence[str], errors: IO[bytes], environment: Mapping[str, str] | None = None
) -> Child:
    """Start a process that reads from and writes to this one; ``environment`` None: that of this
    process. Raises ``OSError``.
    """
    return _forked(command, errors, environment) or subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=subprocess.PIPE,  # ends with this process, and then the other one does
        stdout=subprocess.PIPE,
        stderr=errors,
        env=environment,
    )


def start_worker(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Child:
    """Start a process in a session of its own, so that it outlives this process and its terminal;
    ``environment`` None: that of this process.

    Raises :class:`DiagnosticError` (E015) when no process can be started.
    """
    forked = _forked(command, None, environment)
    return forked or _detached(command, subprocess.DEVNULL, environment)


def start_spare(command: Sequence[str]) -> Child:
    """Start a worker that is told later what to do, on its standard input. Raises E015."""
    return _detached(command, subprocess.PIPE, None)


def _forked(
    command: Sequence[str], errors: IO[bytes] | None, environment: Mapping[str, str] | None
) -> ForkedChild | None:
    """Have the fork server start a process; None where it is to be spawned."""
    is_module = len(command) > 2 and tuple(command[:2]) == (sys.executable, "-m")
    if not (fork_server.is_open and is_module and command[2] in _FORKED):
        return None
    try:
        return fork_server.fork(command, errors, environment)
    except OSError:
        return None  # spawning needs less, and tells what is wrong where it fails too


def _detached(command: Sequence[str], given: int, environment: Mapping[str, str] | None) -> Child:
    try:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=given,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env=environment,
        )
    except OSError as error:
        raise DiagnosticError.of("E015", detail=str(error)) from error
    # Somebody has to take the exit code of a worker whose handle was let go.
    threading.Thread(target=process.wait, name=f"worker-{process.pid}", daemon=True).start()
    return process
