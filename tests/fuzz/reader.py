"""How a kind of file that strangers may have made is read."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from engine.diagnostics import DiagnosticError


class Reader(NamedTuple):
    """How a kind of file is read. ``make`` writes real ones into a folder and returns them;
    ``read`` reads a damaged copy in its own folder as the program does; ``expected`` is what the
    places that read it handle.
    """

    name: str
    file: str
    make: Callable[[Path], list[bytes]]
    read: Callable[[Path], object]
    expected: tuple[type[BaseException], ...] = (DiagnosticError,)
