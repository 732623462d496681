"""Working off the queue: begins runs when there is room, takes those out that came to their end,
and says of the others why they did not.
"""

import shutil
import time
from pathlib import Path

import msgspec

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.queue import QueueEntry, RunQueue, folder_of
from engine.runs.record.state import RunStatus
from engine.runs.record.store import STORE_NAME
from engine.runs.room import full_disk
from engine.runtime.run import RunHandle, begin_run, make_run, resume_run
from engine.runtime.sharing import gpu_count, spread
from engine.runtime.standby import Standby

_POLL_S = 0.4
_LINGER_S = 3.0  # after the last run, so that one that is added then need not wait for a process


class QueueJob:
    """Works a queue off until nothing waits and nothing trains. ``stop`` may be called from a
    signal handler: runs that train go on, the rest waits for the next process.
    """

    def __init__(self, queue: RunQueue) -> None:
        self._queue = queue
        self._standby = Standby()
        self._live: dict[str, RunHandle] = {}
        self._gpus = gpu_count()
        self._is_stopping = False

    def stop(self) -> None:
        """Begin nothing more and end."""
        self._is_stopping = True

    @property
    def is_stopping(self) -> bool:
        """Whether somebody wants it to end."""
        return self._is_stopping

    def run(self) -> None:
        """Work the queue off."""
        idle_since = time.monotonic()
        try:
            while not self._is_stopping:
                if self.step():
                    idle_since = time.monotonic()
                elif time.monotonic() - idle_since > _LINGER_S:
                    return
                time.sleep(_POLL_S)
        finally:
            self._standby.close()

    def step(self) -> bool:
        """Look at what trains and begin what there is room for; return whether there is work."""
        entries = self._queue.entries()
        for entry in entries:
            if entry.is_training:
                self._look(entry)
        self._let_go({entry.id for entry in entries})
        settings = self._queue.settings()
        waiting = [entry for entry in entries if entry.is_waiting]
        room = (settings.parallel or max(1, self._gpus)) - len(self._live)
        if settings.is_paused:
            return bool(self._live)
        for entry in waiting[: max(0, room)]:
            self._begin(entry)
        if len(waiting) > max(0, room):
            self._standby.prepare()  # the next one begins at once
        return bool(self._live or waiting)

    def _look(self, entry: QueueEntry) -> None:
        handle = self._live.get(entry.id)
        if handle is None:  # an earlier process began it, or was killed while it did
            try:
                folder = RunFolder.open(folder_of(entry))
            except DiagnosticError:
                self._queue.take_out(entry.id)  # the run was deleted
                return
            try:
                handle = self._attached(folder, trusted=entry.trusted)
            except DiagnosticError as error:  # no other run waits for it
                refused = msgspec.structs.replace(entry, run="", problem=error.problems[0])
                self._queue.update(refused)
                return
            self._live[entry.id] = handle
        if not handle.is_alive():
            del self._live[entry.id]
            self._settle(entry, handle.folder)

    def _let_go(self, known: set[str]) -> None:
        """Forget the runs of entries that were taken out, once they have stopped."""
        for entry_id, handle in list(self._live.items()):
            if entry_id not in known and not handle.is_alive():
                del self._live[entry_id]

    def _settle(self, entry: QueueEntry, folder: RunFolder) -> None:
        """Take an entry out whose run is over, or let it say why it ended before its end."""
        problem = _failure(folder)
        if problem is None:
            self._queue.take_out(entry.id)
        else:
            self._queue.update(msgspec.structs.replace(entry, problem=problem))

    def _attached(self, folder: RunFolder, *, trusted: bool) -> RunHandle:
        is_begun = folder.is_alive() or (folder.path / STORE_NAME).exists()
        return RunHandle(folder) if is_begun else begin_run(folder, trusted=trusted)

    def _begin(self, entry: QueueEntry) -> None:
        if entry.resumes:
            self._resume(entry)
            return
        spec = spread(entry.spec, self._live.values(), self._gpus)
        if spec.mode == "thread":
            spec = msgspec.structs.replace(spec, mode="process")
        try:
            folder = make_run(
                Path(entry.project), entry.graph, spec, entry.name or None, trusted=entry.trusted
            )
            if not self._queue.update(msgspec.structs.replace(entry, run=folder.id)):
                shutil.rmtree(folder.path, ignore_errors=True)  # taken out while it was checked
                return
            handle = begin_run(folder, standby=self._standby, trusted=entry.trusted)
        except DiagnosticError as error:
            self._queue.update(msgspec.structs.replace(entry, problem=error.problems[0]))
            return
        self._live[entry.id] = handle

    def _resume(self, entry: QueueEntry) -> None:
        """Go on with a run that ended before its end, unless somebody did that already."""
        try:
            folder = RunFolder.open(folder_of(entry))
            if folder.is_alive():
                handle = RunHandle(folder)
            elif _failure(folder) is None:
                self._queue.take_out(entry.id)
                return
            else:
                handle = resume_run(
                    folder.project, folder.id, standby=self._standby, trusted=entry.trusted
                )
            self._queue.update(msgspec.structs.replace(entry, resumes=False))
        except DiagnosticError as error:
            refused = msgspec.structs.replace(entry, resumes=False, problem=error.problems[0])
            self._queue.update(refused)
            return
        self._live[entry.id] = handle


def _failure(folder: RunFolder) -> Diagnostic | None:
    """Return why a run that nobody trains ended before its end; None where it was finished, or the
    user has stopped it.
    """
    try:
        state = read_state(folder)
    except DiagnosticError as error:
        return error.problems[0]
    if state.status in (RunStatus.FINISHED, RunStatus.STOPPED):
        return None
    has_begun = state.problem is not None or state.step > 0
    full = None if has_begun else full_disk(folder.path)
    return state.problem or full or Diagnostic(code="R561")
