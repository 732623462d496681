"""Place of the checkpoints of a run: in its folder, or where the user moved them to.

A file in the run names the other folder, and a file there bears the same secret: a run that
somebody sent cannot make the program write, or delete, where no run of the user's was moved to.
"""

import contextlib
import secrets
import shutil
from pathlib import Path

import msgspec

from engine.decoding import decode_json
from engine.diagnostics import DiagnosticError
from engine.files import (
    FileWriteError,
    atomic_write,
    copy_file,
    describe_os_error,
    is_link,
    open_file,
    read_file,
    remove_file,
)

NAME = "checkpoints"
POINTER = "checkpoints.json"
MARK = "trellis-run.txt"

_MOST_BYTES = 16 << 10
_PIECE = 1 << 20


class _Place(msgspec.Struct, frozen=True, kw_only=True):
    folder: str
    secret: str


def checkpoint_folder(run: Path) -> Path:
    """Return where the checkpoints of the run in a folder are. One that was moved to a disk that is
    not there is named all the same.
    """
    own = run / NAME
    try:
        place = decode_json(read_file(run / POINTER, _MOST_BYTES, follow=False), _Place)
    except (OSError, ValueError, msgspec.MsgspecError):
        return own
    folder = Path(place.folder)
    if not folder.is_absolute() or is_link(folder):
        return own
    try:
        mark = read_file(folder / MARK, _MOST_BYTES, follow=False)
    except (OSError, ValueError):
        return own if folder.exists() else folder
    return folder if mark.decode("utf-8", "replace") == place.secret else own


def move_checkpoints(run: Path, target: Path) -> None:
    """Copy the checkpoints of a run into a new folder, and have the run name that from now on. What
    cannot be read any more is left out; so is everything where the old folder is gone.

    Raises :class:`DiagnosticError`, and leaves all as it is: D471 where ``target`` is there
    already, and :class:`~engine.files.FileWriteError` where something cannot be written.
    """
    if target.exists() or is_link(target):
        raise DiagnosticError.of("D471", folder=str(target))
    if not target.parent.is_dir():
        raise FileWriteError.of("P004", file=target.name, folder=str(target.parent))
    before = checkpoint_folder(run)
    try:
        target.mkdir()
    except OSError as error:
        raise FileWriteError(describe_os_error(error, target, "write")) from error
    try:
        copied = _copy(before, target)
        _name(run, target, copied)
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        raise
    _remove(copied)


def _copy(folder: Path, target: Path) -> list[Path]:
    """Return the files that were copied, the oldest first."""
    copied: list[Path] = []
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.name.startswith(".") or path.name == MARK or is_link(path) or not path.is_file():
            continue
        copy = target / path.relative_to(folder)
        try:
            copy_file(path, copy)
        except FileWriteError:
            if _is_readable(path):  # it is the new place that takes no more
                raise
            copy.unlink(missing_ok=True)
        else:
            copied.append(path)
    return copied


def _is_readable(path: Path) -> bool:
    try:
        with open_file(path) as stream:
            while stream.read(_PIECE):
                pass
    except OSError:
        return False
    return True


def _name(run: Path, target: Path, copied: list[Path]) -> None:
    """Write where the checkpoints are. On a full disk the older ones make room for that; the newest
    stays until it is written.
    """
    secret = secrets.token_hex(16)
    atomic_write(target / MARK, secret.encode())
    content = msgspec.json.encode(_Place(folder=str(target.absolute()), secret=secret))
    try:
        atomic_write(run / POINTER, content)
    except FileWriteError:
        if len(copied) < 2:
            raise
        _remove(copied[:-1])
        atomic_write(run / POINTER, content)


def _remove(files: list[Path]) -> None:
    for file in files:
        with contextlib.suppress(DiagnosticError):
            remove_file(file)
