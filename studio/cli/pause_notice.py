"""What a command says of a run that stands because it cannot write, and how it goes on."""

from engine.diagnostics import Diagnostic
from engine.events import RunEvent, StateChanged, Warned
from engine.runs.folder import RunFolder
from engine.runs.room import WAITS_FOR_ROOM, full_disk
from studio.cli.wording import said


class PauseNotice:
    """Follows the events of a run; ``project`` is how the user has named its project."""

    def __init__(self, folder: RunFolder, project: str) -> None:
        self._folder = folder
        self._command = f"main.py train {project} --resume {folder.id}"
        self._is_told = False

    def of(self, event: RunEvent) -> str:
        """Return the line to say of an event; nothing where none is."""
        run = self._folder.id
        if isinstance(event, StateChanged) and event.state == "running" and self._is_told:
            self._is_told = False
            return said("{run} goes on", run=run)
        if not isinstance(event, Warned) or self._is_told:
            return ""
        if not self._keeps_from_writing(event.problem):
            return ""
        self._is_told = True  # now: a full disk may not take that it is paused
        if event.problem.code in WAITS_FOR_ROOM:
            return self._full(event.step)
        return said(
            "{run} is paused at step {step} and nothing is lost. Ctrl+C stops it and keeps "
            "everything; to continue once it can be written: {command}",
            run=run,
            step=event.step,
            command=self._command,
        )

    def when_nothing_comes(self, step: int) -> str:
        """Return the line to say of a run from which nothing has come for a while, where its disk
        is full: it cannot even write that. Nothing where that is not so, or is told.
        """
        folders = (self._folder.path, self._folder.checkpoints)
        if self._is_told or not any(full_disk(folder) for folder in folders):
            return ""
        self._is_told = True
        return self._full(step)

    def says_all(self, event: RunEvent) -> bool:
        """Return whether the line of an event holds all that is true of its warning: how a run goes
        on that waits for room.
        """
        return isinstance(event, Warned) and event.problem.code in WAITS_FOR_ROOM

    def _full(self, step: int) -> str:
        return said(
            "The disk is full: {run} stands at step {step} until there is room for {folder}, then "
            "it goes on by itself; nothing is lost. Ctrl+C stops it and keeps everything; to "
            "continue later: {command}",
            run=self._folder.id,
            step=step,
            folder=str(self._folder.checkpoints),
            command=self._command,
        )

    def _keeps_from_writing(self, problem: Diagnostic) -> bool:
        folders = (str(self._folder.path), str(self._folder.checkpoints))
        return problem.code in WAITS_FOR_ROOM or problem.params.get("folder") in folders
