"""What a writer of a format tells of its files (no torch)."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

from engine.diagnostics import Diagnostic

Stage = Literal["load", "trace", "write", "check"]
"""What an export is at: the model and its data are loaded, the model is traced, the file is
written, the file is checked in another process.
"""

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
