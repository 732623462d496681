"""Letting the queue be worked off. Loads without torch."""

import subprocess
import sys

from engine.runs.queue import RunQueue
from engine.runtime.standby import spawn_worker

_MODULE = "engine.runtime.queue_worker"


def work_off(queue: RunQueue) -> subprocess.Popen[bytes] | None:
    """Start the process that works a queue off, unless one is at it, nothing waits, or it is
    paused. Raises :class:`DiagnosticError` (E015) when no process can be started.
    """
    has_work = any(entry.problem is None for entry in queue.entries())
    if not has_work or queue.settings().is_paused or queue.is_alive():
        return None
    return spawn_worker([sys.executable, "-m", _MODULE, str(queue.folder.absolute())])
