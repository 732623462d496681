"""Room that a run needs on its disk: findings of one that waits for it, and goes on by itself when
there is some, and of one that could not even begin.
"""

import shutil
from pathlib import Path

from engine.diagnostics import Diagnostic
from engine.runs.record.store import STORE_NAME

WAITS_FOR_ROOM = ("P002", "R154")
"""A checkpoint, or the record, could not be written."""

_LEAST = 1 << 20  # bytes, without which a record cannot begin


def full_disk(folder: Path) -> Diagnostic | None:
    """Return that the disk of a run is full, which keeps its process from telling why it does not
    begin; None where there is room.
    """
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        return None  # the folder is gone, which is told elsewhere
    if free >= _LEAST:
        return None
    return Diagnostic(code="P002", params={"file": STORE_NAME, "folder": str(folder)})
