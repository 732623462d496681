"""Rendezvous key, by which the machines of a run know each other: a file of the run that only the
user may read. It is on no command line, in no script and in no environment, where others would see
it.
"""

import secrets
import stat
from pathlib import Path

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import atomic_write, read_file

KEY_NAME = "rendezvous.key"
_BYTES = 32
_MOST = 256
_PRIVATE, _OTHERS = 0o600, 0o077


def make_key(run: Path) -> None:
    """Give a run a key. Raises :class:`engine.files.FileWriteError`."""
    text = f"{secrets.token_hex(_BYTES)}\n"
    atomic_write(run / KEY_NAME, text.encode("ascii"), private=True)


def read_key(run: Path) -> bytes:
    """Return the key of a run. Raises :class:`DiagnosticError` R196 where there is none."""
    path = run / KEY_NAME
    try:
        if stat.S_IMODE(path.lstat().st_mode) & _OTHERS:
            path.chmod(_PRIVATE)  # it was copied here as any other file
        key = bytes.fromhex(read_file(path, _MOST, follow=False).decode("ascii"))
    except (OSError, ValueError) as error:
        raise DiagnosticError(_finding(path, str(error))) from error
    if len(key) != _BYTES:
        raise DiagnosticError(_finding(path, f"{len(key)} bytes"))
    return key


def _finding(path: Path, detail: str) -> Diagnostic:
    return Diagnostic(code="R196", params={"file": str(path)}, detail=detail)
