"""Run with its lock, held by the process that trains it and taken before heavy imports."""

import signal
from pathlib import Path

from msgspec.structs import replace

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import CheckpointSaved, RunEnded
from engine.runs.folder import CommandReader, RunFolder
from engine.runs.process.agent import agent
from engine.runs.process.launch import Launch
from engine.runs.process.run_lock import RunLock, WorkerTag, is_of_this_agent, read_tag
from engine.runs.record.journal import RunJournal
from engine.runs.record.store import RunStore


class Interrupt:
    """A request to stop that does not come as a command: a signal, or the owner of a thread."""

    def __init__(self) -> None:
        self.signal = 0
        self.problem: Diagnostic | None = None  # why, where nobody asked for it

    def stop(self, number: int = int(signal.SIGTERM)) -> None:
        """Ask for a checkpoint and the end. Safe from a signal handler and from any thread."""
        self.signal = number

    def lose_agent(self) -> None:
        """Stop because the program that started the processes of the run is gone."""
        self.problem = Diagnostic(code="R175")
        self.stop()


class LockedRun:
    """A run that this process may train, until :meth:`release`. A worker that its agent starts
    anew goes on from the newest checkpoint, and with the commands that came since; before the first
    checkpoint since the agent came it begins as that was told to.

    Raises :class:`DiagnosticError`: R155 when another worker is at it, R157 to R159 when it is
    not a run, R153 when its record cannot be opened.
    """

    def __init__(self, launch: Launch) -> None:
        self.folder = RunFolder.open(Path(launch.folder))
        starter = agent()
        self.restart = starter.round if starter is not None else 0
        before = read_tag(self.folder.path) if starter is not None else None
        own = before if before is not None and is_of_this_agent(before) else None
        # A machine that comes or goes is no lost process; one who resumes says from where.
        if starter is not None and (self.restart > 0 or not launch.resume):
            launch = _begun_again(self.folder, launch, before, own)
        self.launch = launch
        self.journal = RunJournal(self.folder.path)
        try:
            after = self.journal.last_id() if own is None else own.after_event
            self._lock = RunLock(self.folder.path, after)
        except DiagnosticError:
            self.journal.close()
            raise
        start = launch.commands_from
        if start is None:  # the commands for an earlier worker are not for this one
            start = self.folder.commands_size() if launch.resume else 0
        self.commands = CommandReader(
            self.folder.commands_path, start, self._lock.note_commands_taken
        )
        self._lock.note_commands_taken(start)

    def end(self, event: RunEnded) -> bool:
        """Write the last event of this session unless it stands there already."""
        return self.journal.end(event, self._lock.tag.after_event)

    def note_closing(self) -> None:
        """Note that the run is over but for what is still fetched of it."""
        self._lock.note_closing()

    def release(self, *, is_over: bool = True) -> None:
        """Close the record and let go of the run; not ``is_over``: for the worker that the agent
        starts next.
        """
        self.journal.close()
        self._lock.release(is_over=is_over)


def _begun_again(
    folder: RunFolder, launch: Launch, before: WorkerTag | None, own: WorkerTag | None
) -> Launch:
    """Return what a worker goes on with where its agent started one ``before``, or another agent
    of several machines did; ``own`` is the former. Without a record it begins as it was told to.
    """
    store = RunStore.find(folder.path)
    if store is None:
        return launch
    with store:
        since = store.events(own.after_event) if own is not None else []
    last = own or (before if launch.commands_from is None else None)
    if last is not None:
        launch = replace(launch, commands_from=last.taken)
    if any(isinstance(stored.event, CheckpointSaved) for stored in since):
        return replace(launch, resume="latest", length=0.0, learning_rate=0.0)
    return replace(launch, resume=launch.resume or "latest")
