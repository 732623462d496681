"""What a command says of a run that stands because it cannot write, and how it goes on."""

from engine.diagnostics import Diagnostic
from engine.events import RunEvent, StateChanged, Warned
from engine.runs.folder import RunFolder
from engine.runs.room import WAITS_FOR_ROOM
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
            return said(
                "{run} is paused at step {step} and nothing is lost; it goes on by itself as soon "
                "as there is room. Ctrl+C stops it and keeps everything; to continue later: "
                "{command}",
                run=run,
                step=event.step,
                command=self._command,
            )
        return said(
            "{run} is paused at step {step} and nothing is lost. Ctrl+C stops it and keeps "
            "everything; to continue once it can be written: {command}",
            run=run,
            step=event.step,
            command=self._command,
        )

    def _keeps_from_writing(self, problem: Diagnostic) -> bool:
        folders = (str(self._folder.path), str(self._folder.checkpoints))
        return problem.code in WAITS_FOR_ROOM or problem.params.get("folder") in folders
