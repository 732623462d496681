"""Folders that are numbered as they are made: ``run-0001``, ``search-0012``."""

import re
from pathlib import Path

from engine.diagnostics import DiagnosticError
from engine.files import describe_os_error

_FAR = 10**9  # a folder of a number that nobody reached does not number those to come


def numbered_folders(parent: Path, prefix: str) -> list[Path]:
    """Return the folders of a kind by their number; none where there is no parent."""
    if not parent.is_dir():
        return []
    pattern = re.compile(rf"{prefix}-([0-9]{{1,20}})")
    found = [
        (int(match[1]), path)
        for path in parent.iterdir()
        if (match := pattern.fullmatch(path.name)) and path.is_dir()
    ]
    return [path for _, path in sorted(found)]


def make_numbered(parent: Path, prefix: str) -> Path:
    """Make the folder with the next number; two programs at once get two numbers.

    Raises :class:`DiagnosticError` when it cannot be made.
    """
    try:
        parent.mkdir(parents=True, exist_ok=True)
        known = numbered_folders(parent, prefix)
        numbers = [int(path.name.rpartition("-")[2]) for path in known]
        number = max((one for one in numbers if one < _FAR), default=0) + 1
        while True:
            path = parent / f"{prefix}-{number:04d}"
            try:
                path.mkdir(mode=0o700)  # results and weights are nobody else's
            except FileExistsError:
                number += 1
            else:
                return path
    except OSError as error:
        raise DiagnosticError(describe_os_error(error, parent)) from error
