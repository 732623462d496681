"""A spare worker that has torch loaded already, so that a run starts at once."""

import contextlib
import subprocess
import threading
from pathlib import Path

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.runs.process.launch import Launch, standby_arguments

_ROOT = Path(__file__).parents[2]
_CLOSE_S = 2.0


class Standby:
    """One waiting worker process. It ends by itself when this process does before it got a run.

    Use it from one thread at a time.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def prepare(self) -> None:
        """Start the spare, unless one waits already. Raises :class:`DiagnosticError` (E015)."""
        if not self.is_ready():
            self._process = spawn_worker(standby_arguments(), with_input=True)

    def is_ready(self) -> bool:
        """Return whether a spare waits (it may still be loading)."""
        return self._process is not None and self._process.poll() is None

    def give(self, launch: Launch) -> subprocess.Popen[bytes] | None:
        """Hand a run to the spare and return its process; None when there is no living spare."""
        process, self._process = self._process, None
        if process is None:
            return None
        assert process.stdin is not None
        try:
            process.stdin.write(launch.to_line())
            process.stdin.close()
        except OSError:
            _reap(process)
            return None
        return process

    def close(self) -> None:
        """End the spare."""
        process, self._process = self._process, None
        if process is not None:
            _reap(process)


def spawn_worker(
    arguments: list[str], *, with_input: bool = False, environment: dict[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start a worker in a session of its own, so that it outlives this process and its terminal;
    ``environment`` None: that of this process.

    Raises :class:`DiagnosticError` (E015) when no process can be started.
    """
    try:
        process = subprocess.Popen(
            arguments,
            cwd=_ROOT,
            stdin=subprocess.PIPE if with_input else subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env=environment,
        )
    except OSError as error:
        raise DiagnosticError(Diagnostic(code="E015", detail=str(error))) from error
    # Somebody has to take the exit code of a worker whose handle was let go.
    threading.Thread(target=process.wait, name=f"worker-{process.pid}", daemon=True).start()
    return process


def _reap(process: subprocess.Popen[bytes]) -> None:
    """End a spare at once: it has begun nothing."""
    assert process.stdin is not None
    with contextlib.suppress(OSError):  # the pipe broke: it is dead already
        process.stdin.close()
    process.terminate()
    try:
        process.wait(_CLOSE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
