"""The process that works the queue off: ``python -m engine.runtime.queue_worker FOLDER``.

It ends when nothing waits; SIGINT and SIGTERM end it before, and what trains goes on. Exit codes:
0 done, 3 another process is at it.
"""

import contextlib
import signal
import sys
from pathlib import Path
from types import FrameType

from engine.diagnostics import DiagnosticError
from engine.runs.process.run_lock import RunLock
from engine.runs.queue import RunQueue
from engine.runs.record.log import redirect_output
from engine.runtime.queue_job import QueueJob

_EXIT_NOT_TAKEN = 3


def main(arguments: list[str]) -> int:
    """Work a queue off and return the exit code."""
    queue = RunQueue(Path(arguments[0]))
    while True:
        try:
            lease = RunLock(queue.folder, 0)
        except DiagnosticError as error:
            sys.stderr.write(f"{error}\n")
            return _EXIT_NOT_TAKEN
        # Who added runs while this process was ending took it for one that is at it.
        if not _work_off(queue, lease) or not queue.has_work():
            return 0


def _work_off(queue: RunQueue, lease: RunLock) -> bool:
    """Work a queue off and give it back; return whether nobody wanted an end before."""
    try:
        with contextlib.suppress(OSError):  # without a log the entries still tell what happened
            redirect_output(queue.log_path)
        job = QueueJob(queue)

        def stop(_number: int, _frame: FrameType | None) -> None:
            job.stop()

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, stop)
        job.run()
        return not job.is_stopping
    finally:
        lease.release()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
