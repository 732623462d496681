"""Letting the queue be worked off. Loads without torch."""

from engine.runs.queue import RunQueue
from engine.runtime.job.child import Child, start_worker
from engine.runtime.job.job import module_command

_MODULE = "engine.runtime.queue_worker"


def work_off(queue: RunQueue) -> Child | None:
    """Start the process that works a queue off, unless one is at it, nothing waits, or it is
    paused. Raises :class:`DiagnosticError` (E015) when no process can be started.
    """
    if not queue.has_work() or queue.is_alive():
        return None
    return start_worker(module_command(_MODULE, str(queue.folder.absolute())))
