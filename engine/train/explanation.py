"""Hints after an error that ended a run, for common messages of PyTorch."""

from engine.diagnostics import Diagnostic, Severity
from engine.inspect.explanation import meaning


def hint(text: str, step: int) -> Diagnostic | None:
    """Return what a message of PyTorch means, as a hint; None for one without an explanation."""
    if is_out_of_memory(text):
        return Diagnostic(code="R138", severity=Severity.HINT, params={"step": step})
    return meaning(text)


def is_out_of_memory(text: str) -> bool:
    """Return whether a message says that there was not enough memory."""
    return "out of memory" in text or "DefaultCPUAllocator: can't allocate" in text
