"""Follower of a run from outside: its events, its state, and whether its process lives."""

import time

import msgspec

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import RunEnded
from engine.runs.folder import RunFolder
from engine.runs.process.run_lock import HeartbeatWatch, WorkerTag, is_alive, is_working, read_tag
from engine.runs.process.spawn_marker import SpawnMarker, read_spawn_marker
from engine.runs.record.journal import RunJournal
from engine.runs.record.state import RunState, RunStatus, fold
from engine.runs.record.store import RunStore, StoredEvent
from engine.runs.room import full_disk

_START_S = 180.0  # the first import of PyTorch on a busy machine takes minutes


class RunFollower:
    """Folds the events of a run as they come. Use it from one thread.

    :meth:`poll` is cheap enough for thirty times a second. A worker that went without an end is
    found at the next poll and its end is written for it, once, whoever else looks on.
    """

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self.store: RunStore | None = None
        spec = folder.document.spec
        self._state = RunState(epochs=spec.epochs if spec.length == "epochs" else 0)
        self._last_id = 0
        self._ended_id = 0
        self._begun = time.monotonic()
        self._heartbeat = HeartbeatWatch(folder.path)
        self.problems: list[Diagnostic] = []  # of the note on who trains it, at the last poll

    def poll(self) -> tuple[RunState, list[StoredEvent]]:
        """Return the state now and the events since the last call.

        Raises :class:`DiagnosticError` when the store cannot be read.
        """
        self.problems = []
        # before the events: an end that comes between is seen
        tag = read_tag(self.folder.path, self.problems)
        alive = tag is not None and is_alive(tag)
        marker = read_spawn_marker(self.folder.path) if tag is None else None
        is_coming = marker is not None and marker.is_living()
        events = self._read()
        if tag is not None and not alive and self._ended_id <= tag.after_event:
            events += self._settle(tag)
        if marker is not None and self._last_id <= marker.after_event:
            return self._before_its_first_word(marker, is_coming=is_coming), events
        return self._seen(tag, alive=alive, is_silent=not events), events

    def close(self) -> None:
        """Let go of the store."""
        if self.store is not None:
            self.store.close()
            self.store = None

    def _read(self) -> list[StoredEvent]:
        if self.store is None:
            try:
                self.store = RunStore.find(self.folder.path)
            except DiagnosticError:
                if not self.folder.is_alive():  # else its worker is just making it
                    raise
            if self.store is None:
                return []
        events = self.store.events(self._last_id)
        for stored in events:
            self._state = fold(self._state, stored.event)
            self._last_id = stored.id
            if isinstance(stored.event, RunEnded):
                self._ended_id = stored.id
        return events

    def _settle(self, tag: WorkerTag) -> list[StoredEvent]:
        """Write the end of a worker that could not do it itself."""
        declare_died(self.folder, tag, self._state)
        return self._read()

    def _before_its_first_word(self, marker: SpawnMarker, *, is_coming: bool) -> RunState:
        """Return the state of a run whose next worker has told nothing yet, as it loads PyTorch."""
        if is_coming:
            return msgspec.structs.replace(self._state, status=RunStatus.STARTING)
        if self._state.status.is_over():
            return self._state
        died = Diagnostic(code="R163", params={"pid": marker.pid})
        problem = full_disk(self.folder.path) or died
        return msgspec.structs.replace(self._state, status=RunStatus.DIED, problem=problem)

    def _seen(self, tag: WorkerTag | None, *, alive: bool, is_silent: bool) -> RunState:
        status = self._state.status
        if tag is None and self.folder.document.spec.processes.nnodes > 1 and not self._last_id:
            return self._state  # it waits for its machines
        if tag is not None and alive:
            if self._ended_id <= tag.after_event and status.is_over():
                status = RunStatus.STARTING  # a resume that has not told anything yet
            elif not status.is_over() and not is_working(tag):
                status = RunStatus.STARTING  # its agent starts it again
            elif not status.is_over() and self._heartbeat.is_stalled():
                status = RunStatus.STALLED
        elif not status.is_over() and is_silent and self._is_overdue():
            status = RunStatus.DIED
        if status is self._state.status:
            return self._state
        problem = self._state.problem
        if status is RunStatus.DIED and not self._last_id:
            problem = problem or full_disk(self.folder.path)
        return msgspec.structs.replace(self._state, status=status, problem=problem)

    def _is_overdue(self) -> bool:
        """Return whether a worker should have been seen by now.

        By the wall clock too: a run that never began would be starting for ever in a list, and a
        clock that jumps is set right by the first word of the worker.
        """
        waited = time.monotonic() - self._begun
        age = time.time() - self.folder.document.created
        return bool(self._last_id) or max(waited, age) > _START_S


def declare_died(
    folder: RunFolder, tag: WorkerTag, state: RunState, problem: Diagnostic | None = None
) -> None:
    """Write the end of a run whose worker is dead, unless it stands there already.

    ``problem`` tells why where the caller knows (the exit code); otherwise R619 of one that was to
    stop, else R163. Of several processes that were to stop, and were ended while they began again
    or waited for other machines, it is a stop. A folder that cannot be written stays as it is:
    readers see the death by the missing process.
    """
    is_to_stop = folder.is_to_stop(tag.taken)
    is_stopped = tag.agent > 0 and is_to_stop
    code = "R619" if is_to_stop else "R163"
    reason = problem or Diagnostic(code=code, params={"pid": tag.pid})
    end = RunEnded(
        time=time.time(),
        elapsed_s=state.elapsed_s,
        reason="stopped" if is_stopped else "died",
        step=state.step,
        epoch=state.epoch,
        problem=None if is_stopped else reason,
    )
    try:
        journal = RunJournal(folder.path)
    except DiagnosticError:
        return
    try:
        journal.end(end, tag.after_event)
    finally:
        journal.close()


def read_state(folder: RunFolder, problems: list[Diagnostic] | None = None) -> RunState:
    """Return where a run stands now (for tables; :class:`RunFollower` for watching). What is wrong
    with the note on who trains it goes to ``problems``.

    Raises :class:`DiagnosticError` when the record cannot be read.
    """
    follower = RunFollower(folder)
    try:
        state, events = follower.poll()
        if events and not state.status.is_over():
            state, _ = follower.poll()  # a death is told when nothing new comes
        return state
    finally:
        follower.close()
        if problems is not None:
            problems.extend(follower.problems)
