"""Memory that holds files (Linux), where tests put theirs: what is written there waits for no disk.

A run of the suite writes each file through to the medium, and a training run its record again and
again; a disk takes some milliseconds for each.
"""

import os
from pathlib import Path

ROOM_BYTES = 4 << 30


def holds_files(folder: Path) -> bool:
    """Return whether a folder has room for the files of tests and runs the programs among them;
    in a container it is often small.
    """
    if not hasattr(os, "statvfs") or not os.access(folder, os.W_OK | os.X_OK):
        return False
    found = os.statvfs(folder)
    runs = not found.f_flag & getattr(os, "ST_NOEXEC", 0)
    return runs and found.f_bavail * found.f_frsize >= ROOM_BYTES
