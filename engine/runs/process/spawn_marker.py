"""Spawn marker: the process that was started to train a run, until its first event.

A worker may load PyTorch for minutes before it takes the run
(:mod:`engine.runs.process.run_lock`). Who starts it leaves word of it in ``newcomer.json``, so that
others do not take the run for dead.
"""

import contextlib
from pathlib import Path

import msgspec
import psutil

from engine.decoding import decode_json
from engine.diagnostics import DiagnosticError
from engine.files import NOTE_BYTES, UNDECODABLE, atomic_write, read_file
from engine.runs.process.process_start import process_start
from engine.runs.process.run_lock import Count, Moment, Pid, is_living
from engine.runs.record.store import RunStore

_NAME = "newcomer.json"


class SpawnMarker(msgspec.Struct, frozen=True, kw_only=True):
    """A process that is to train a run. ``created`` tells it from a later one of that number;
    ``after_event`` is the number of the last event before it came.
    """

    pid: Pid
    created: Moment
    after_event: Count = 0

    def is_living(self) -> bool:
        """Return whether the process lives (a zombie does not)."""
        return is_living(self.pid, self.created)


def write_spawn_marker(folder: Path, pid: int) -> None:
    """Leave word of the process that was just started for a run. There is none where it has ended
    already or nothing can be written: others then wait for it for a while only.
    """
    with contextlib.suppress(psutil.Error, DiagnosticError):
        created = process_start(pid)
        marker = SpawnMarker(pid=pid, created=created, after_event=_last_event(folder))
        atomic_write(folder / _NAME, msgspec.json.encode(marker))


def read_spawn_marker(folder: Path) -> SpawnMarker | None:
    """Return the process that was started last for a run; None where there is no word of one."""
    try:
        return decode_json(read_file(folder / _NAME, NOTE_BYTES), SpawnMarker)
    except (OSError, *UNDECODABLE):
        return None


def is_awaited(folder: Path) -> bool:
    """Return whether a living process was started for a run and has told nothing yet.

    Raises :class:`DiagnosticError` when the record of the run cannot be read.
    """
    marker = read_spawn_marker(folder)
    if marker is None or not marker.is_living():
        return False
    return _last_event(folder) <= marker.after_event


def _last_event(folder: Path) -> int:
    store = RunStore.find(folder)
    if store is None:
        return 0
    with store:
        return store.last_event()
