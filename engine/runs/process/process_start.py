"""Start of a process, by a clock that nobody sets: what tells it from a later one of its number.

The wall clock is no such clock. Where it is set right, by hand or by the network, the system counts
the start of each process from another second, and one that lives would be taken for another.
"""

import sys
from functools import cache
from pathlib import Path

import psutil

from engine.files import NOTE_BYTES, read_file

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_BOOT_SECONDS = 10_000.0


def process_start(pid: int) -> float:
    """Return when a process began, in seconds that serve for comparison alone: on Linux since the
    system was started, with a number of that start; on other systems by the wall clock, which they
    write down when the process begins.

    Raises ``psutil.Error`` where there is no such process, ``ValueError`` for what is no number of
    one.
    """
    created = psutil.Process(pid).create_time()
    if not sys.platform.startswith("linux"):
        return created
    return created - psutil.boot_time() + _boot_number()


@cache
def _boot_number() -> float:
    """Return a number of this start of the system, which other starts hardly share."""
    try:
        return int(read_file(_BOOT, NOTE_BYTES)[:6], 16) * _BOOT_SECONDS
    except (OSError, ValueError):
        return 0.0
