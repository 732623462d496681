"""A spare worker that has torch loaded already, so that a run starts at once."""

import contextlib

from engine.runs.process.launch import Launch, standby_arguments
from engine.runtime.job.child import Child, start_spare


class Standby:
    """One waiting worker process. It ends by itself when this process does before it got a run.

    Use it from one thread at a time.
    """

    def __init__(self) -> None:
        self._process: Child | None = None

    def prepare(self) -> None:
        """Start the spare, unless one waits already. Raises :class:`DiagnosticError` (E015)."""
        if not self.is_ready():
            self._process = start_spare(standby_arguments())

    def is_ready(self) -> bool:
        """Return whether a spare waits (it may still be loading)."""
        return self._process is not None and self._process.poll() is None

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
        """End the spare."""
        process, self._process = self._process, None
        if process is not None:
            _reap(process)


def _reap(process: Child) -> None:
    """End a spare at once: it has begun nothing."""
    assert process.stdin is not None
    with contextlib.suppress(OSError):  # the pipe broke: it is dead already
        process.stdin.close()
    process.kill()
    process.wait()
