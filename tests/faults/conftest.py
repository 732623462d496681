import pytest

from engine.runs.process.launch import Launch, worker_arguments
from engine.runtime.job.fork_client import ForkedChild, ForkServer, fork_server


class Workers:
    """Starts worker processes one after the other."""

    def __init__(self, server: ForkServer) -> None:
        self._server = server
        self._child: ForkedChild | None = None

    def start(self, launch: Launch) -> int:
        """Start a worker and return its process number."""
        self._child = self._server.fork(worker_arguments(launch, nice=False), None)
        return self._child.pid

    def wait(self) -> int:
        """Wait for the worker and return its exit code (negative: the signal)."""
        assert self._child is not None
        return self._child.wait()


@pytest.fixture
def workers(quiet_process: None) -> Workers:
    """Return a starter of worker processes that need no time to start."""
    if not fork_server.is_open:
        pytest.skip("processes are spawned here")
    return Workers(fork_server)
