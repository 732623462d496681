"""Files that were made elsewhere first, put beside an export once that is there."""

import shutil
from collections.abc import Iterable
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
        atomic_write(places[-1], partial(_copy, file))
    return tuple(places)


def _copy(file: Path, target: WriteTarget) -> None:
    with open_file(file) as stream:
        shutil.copyfileobj(stream, target)  # pyright: ignore[reportArgumentType] - it only writes
