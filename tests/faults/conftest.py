import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.runs.process.launch import Launch

ROOT = Path(__file__).parents[2]


class Workers:
    """Starts worker processes one after the other."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.fork_server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        assert self._line() == "ready"

    def start(self, launch: Launch) -> int:
        """Start a worker and return its process number."""
        assert self._server.stdin is not None
        self._server.stdin.write(launch.to_line())
        self._server.stdin.flush()
        return int(self._line())

    def wait(self) -> int:
        """Wait for the worker and return its exit code (negative: the signal)."""
        return int(self._line())

    def close(self) -> None:
        """End the server."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.close()
        self._server.wait(60)
        self._server.stdout.close()

    def _line(self) -> str:
        assert self._server.stdout is not None
        return self._server.stdout.readline().decode().strip()


@pytest.fixture(scope="session")
def workers() -> Iterator[Workers]:
    """Return a starter of worker processes that need no time to start."""
    server = Workers()
    yield server
    server.close()
