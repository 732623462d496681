"""The runs of a project with their states, read off Qt's thread."""

from pathlib import Path

from engine.diagnostics import DiagnosticError
from engine.runs.folder import RunFolder, runs_of
from engine.runs.follow import read_state
from engine.runs.record.state import RunState


def read_states(project: Path) -> dict[str, tuple[RunFolder, RunState]]:
    """Return folder and state of each run by its id, oldest first."""
    found: dict[str, tuple[RunFolder, RunState]] = {}
    for folder in runs_of(project):
        try:
            found[folder.id] = (folder, read_state(folder))
        except DiagnosticError:
            continue  # a run without a store has no checkpoint
    return found
