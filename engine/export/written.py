"""What a writer of a format tells of its files (no torch)."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from engine.diagnostics import Diagnostic
from engine.spec.export_stage import Stage

Tell = Callable[[Stage], object]


def tell_nobody(_stage: Stage) -> None:
    """Take a stage that nobody waits for."""


class Written(NamedTuple):
    """The files, the largest difference of any output, in how many ``batches`` and ``samples`` of
    the user's own (0: random numbers), the code that loads the file, and what is to be said.
    """

    files: tuple[Path, ...]
    difference: float
    batches: int
    samples: int = 0
    snippet: str = ""
    notices: tuple[Diagnostic, ...] = ()
