"""Breakpoints of a project: a file of this user beside it, not part of the project.

Whoever gives a project away gives none of them; a file from elsewhere can say only what the window
can say too, and is checked before anything is taken from it.
"""

import math
import stat
from collections.abc import Sequence
from pathlib import Path

import msgspec

from engine.decoding import decode_json
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.events import Breakpoint
from engine.files import FileWriteError, atomic_write, describe_os_error, read_file
from engine.runs.condition import parse_condition

NAME = "breakpoints.json"
MOST = 200
_MAXIMUM_BYTES = 256 << 10
_LONGEST = 500


def write_breakpoints(state_folder: Path, points: Sequence[Breakpoint]) -> None:
    """Write the breakpoints of a project. Raises :class:`engine.files.FileWriteError`."""
    path = state_folder / NAME
    try:
        state_folder.mkdir(exist_ok=True)
    except OSError as error:
        raise FileWriteError(describe_os_error(error, path, "write")) from error
    atomic_write(path, msgspec.json.format(msgspec.json.encode(points[:MOST]), indent=1))


def read_breakpoints(state_folder: Path) -> tuple[Breakpoint, ...]:
    """Return the breakpoints of a project, none where there is no file.

    Raises :class:`DiagnosticError` P029 for a file that holds something else: the next one that is
    written takes its place.
    """
    path = state_folder / NAME
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MAXIMUM_BYTES:
            raise DiagnosticError(_unreadable(path, "not a plain file of a sane size"))
        points = decode_json(read_file(path, _MAXIMUM_BYTES), tuple[Breakpoint, ...])
        _require_sane(points)
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, RecursionError, DiagnosticError) as error:
        raise DiagnosticError(_unreadable(path, str(error))) from error
    return points


def _require_sane(points: Sequence[Breakpoint]) -> None:
    """Raise ``ValueError`` or :class:`DiagnosticError` for what the window would not have set."""
    if len(points) > MOST:
        raise ValueError(f"{len(points)} > {MOST}")
    for point in points:
        if max(len(point.place), len(point.within)) > _LONGEST or not math.isfinite(point.value):
            raise ValueError(repr(point)[:_LONGEST])
        if point.condition or point.kind == "condition":
            parse_condition(point.condition)


def _unreadable(path: Path, detail: str) -> Diagnostic:
    params: dict[str, str | int | float] = {"file": path.name}
    return Diagnostic(code="P029", severity=Severity.WARNING, params=params, detail=detail)
