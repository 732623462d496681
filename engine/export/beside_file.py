"""Files that were made elsewhere first, put beside an export once that is there."""

import shutil
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from engine.files import WriteTarget, atomic_write, open_file


def put_beside(files: Iterable[Path], output: Path) -> tuple[Path, ...]:
    """Copy files to the folder of an output, each whole or not at all, and return their places.
    Raises :class:`DiagnosticError` where that fails.
    """
    places: list[Path] = []
    for file in files:
        places.append(output.with_name(file.name))
        atomic_write(places[-1], copying(file))
    return tuple(places)


def copying(file: Path) -> Callable[[WriteTarget], None]:
    """Return what writes the content of a file."""
    return partial(_copy, file)


def _copy(file: Path, target: WriteTarget) -> None:
    with open_file(file) as stream:
        shutil.copyfileobj(stream, target)  # pyright: ignore[reportArgumentType] - it only writes
