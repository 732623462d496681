"""What waits so that a run starts at once: a fork server that has loaded what a worker needs, or,
where processes are spawned, a spare worker.
"""

import contextlib

from engine.diagnostics import DiagnosticError
from engine.runs.process.launch import Launch, standby_arguments
from engine.runtime.job.child import Child, start_spare
from engine.runtime.job.fork_client import fork_server

TRAINING = "engine.runtime.job.preload.training"
"""What a fork server loads for a worker."""


class Standby:
    """Prepares for one run after the other. A spare ends by itself when this process does before
    it got a run.

    Use it from one thread at a time.
    """

    def __init__(self) -> None:
        self._has_server = False
        self._process: Child | None = None

    def prepare(self) -> None:
        """Have what waits load PyTorch. Raises :class:`DiagnosticError` (E015)."""
        if not self._has_server:
            try:
                fork_server.open()
            except OSError as error:
                raise DiagnosticError.of("E015", detail=str(error)) from error
            self._has_server = fork_server.is_open
            fork_server.load(TRAINING)
        if not self._has_server and not self.is_ready():
            self._process = start_spare(standby_arguments())

    def is_ready(self) -> bool:
        """Return whether a run would start at once (it may still be loading)."""
        return self._has_server or (self._process is not None and self._process.poll() is None)

    def give(self, launch: Launch) -> Child | None:
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
        """Let go of what waits."""
        process, self._process = self._process, None
        if process is not None:
            _reap(process)
        if self._has_server:
            self._has_server = False
            fork_server.close()


def _reap(process: Child) -> None:
    """End a spare at once: it has begun nothing."""
    assert process.stdin is not None
    with contextlib.suppress(OSError):  # the pipe broke: it is dead already
        process.stdin.close()
    process.kill()
    process.wait()
