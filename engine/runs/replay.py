"""Changes of a run while it went on, as another run repeats them."""

from engine.diagnostics import Diagnostic, Severity
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunState
from engine.spec.live import LiveChange


def changes_of(folder: RunFolder, state: RunState) -> tuple[LiveChange, ...]:
    """Return the changes that the user made in a run, in their order, and those that it repeated
    itself; what a technique did comes by itself again.
    """
    made = [mark for mark in state.knobs if mark.origin != "technique"]
    repeated = sum(mark.origin == "replay" for mark in made)
    found = [
        LiveChange(step=mark.step, epoch=mark.epoch, name=mark.name, value=mark.value)
        for mark in made
    ]
    return (*found, *folder.document.changes[repeated:])


def not_repeated(state: RunState) -> Diagnostic | None:
    """Return that tensors were changed in the debugger, which nothing repeats."""
    if not state.changes:
        return None
    return Diagnostic.of("R497", severity=Severity.WARNING, count=len(state.changes))
