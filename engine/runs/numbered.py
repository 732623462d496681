"""Numbered folders: ``run-0001``, ``search-0012``."""

import os
import re
from pathlib import Path

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import describe_os_error, require_no_links

_FAR = 10**9  # a folder of a number that nobody reached does not number those to come


def numbered_folders(
    parent: Path, prefix: str, problems: list[Diagnostic] | None = None
) -> list[Path]:
    """Return the folders of a kind by their number; none where there is no parent, or where it is
    a link, which is told in ``problems``: what it leads to is none of the project's.
    """
    if not parent.is_dir():
        return []
    try:
        require_no_links(parent.parent, (parent.name,))
    except DiagnosticError as error:
        if problems is not None:
            problems.extend(error.problems)
        return []
    pattern = re.compile(rf"{prefix}-([0-9]{{1,20}})")
    with os.scandir(parent) as entries:
        found = [
            (int(match[1]), entry.name)
            for entry in entries
            if (match := pattern.fullmatch(entry.name)) and entry.is_dir()
        ]
    return [parent / name for _, name in sorted(found)]


def make_numbered(parent: Path, prefix: str) -> Path:
    """Make the folder with the next number; two programs at once get two numbers.

    Raises :class:`DiagnosticError` when it cannot be made; P031 where the parent is a link.
    """
    require_no_links(parent.parent, (parent.name,))
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
        raise DiagnosticError(describe_os_error(error, parent, "write")) from error
