"""Mark at a line, beside its number: an error or a warning."""

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "hint"]


@dataclass(frozen=True, kw_only=True)
class MarkView:
    """Something to know about a line (from 1); ``column`` from 1, 0 for the whole line. ``text``
    is plain and is shown when the pointer rests there.
    """

    line: int
    text: str
    severity: Severity = "error"
    column: int = 0


def worst(marks: list[MarkView]) -> MarkView:
    """Return the mark that decides how the line looks."""
    return min(marks, key=lambda mark: ("error", "warning", "hint").index(mark.severity))
