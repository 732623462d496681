"""Resource limits (memory, time, files) of a process on POSIX systems."""

import os
import sys
from math import ceil
from pathlib import Path

OPEN_FILES = 256


def restrict(*, memory: int, seconds: int, file_size: int) -> None:
    """Limit this process from now on: to ``memory`` bytes and ``seconds`` of the processor on top
    of what it has used, and to files that it writes of ``file_size`` bytes. It leaves no core file.

    What it maps to read does not count as memory. Raises :class:`OSError`, :class:`ValueError`.
    """
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    end = ceil(used.ru_utime + used.ru_stime) + seconds
    _lower(resource.RLIMIT_DATA, _data() + memory)
    _lower(resource.RLIMIT_CPU, end, end + 1)  # the signal of the first may be caught
    _lower(resource.RLIMIT_FSIZE, file_size)
    _lower(resource.RLIMIT_NOFILE, OPEN_FILES)
    _lower(resource.RLIMIT_CORE, 0)
    if sys.platform == "darwin":
        _lower(resource.RLIMIT_NPROC, 1)  # counts processes there; on Linux also threads


def _data() -> int:
    """Return how many bytes that can be written to this process has mapped."""
    statistics = Path("/proc/self/statm")
    try:
        pages = int(statistics.read_text(encoding="ascii").split()[5])
    except OSError:  # no Linux: the system does not hold anybody to it either
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _lower(kind: int, wanted: int, hard: int | None = None) -> None:
    """Set a limit, never above the one there is."""
    import resource

    highest = resource.getrlimit(kind)[1]
    hard = wanted if hard is None else hard
    if highest != resource.RLIM_INFINITY:
        hard = min(hard, highest)
    resource.setrlimit(kind, (min(wanted, hard), hard))
