"""Confinement to a folder: a path in a document may not lead out of the folder it lies in.

A document that somebody sent may name ``../../.ssh/id_ed25519`` or come with a link of that kind;
both are found by the real path, at the place where the document is read.
"""

import contextlib
import errno
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path

from engine.diagnostics import DiagnosticError

_REPARSE_POINT = 0x400  # FILE_ATTRIBUTE_REPARSE_POINT: links and junctions of Windows
_LONGEST = 1024
_RESERVED = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE
)  # names of devices under Windows


def is_relative_path(text: str) -> bool:
    """Return whether a text names a place below a folder on each of the systems: relative, without
    ``..``, drive, stream or a name that Windows keeps for devices.
    """
    if not text or len(text) > _LONGEST or any(ord(letter) < 32 for letter in text):
        return False
    if ":" in text:  # a drive or a stream
        return False
    return not any(  # before a leading slash there is an empty part
        not part or part.endswith((".", " ")) or _RESERVED.fullmatch(part)
        for part in text.replace("\\", "/").split("/")
    )


def confined(folder: Path, place: str) -> Path:
    """Return the path of a place below a folder: also where links lead, it is inside.

    Raises :class:`DiagnosticError` P034 for a place that is outside.
    """
    if is_relative_path(place):
        root = Path(os.path.realpath(folder))
        if Path(os.path.realpath(root / place)).is_relative_to(root):
            return folder / place
    raise DiagnosticError.of("P034", place=place[:200], folder=str(folder))


def confined_file(folder: Path, place: str) -> Path | None:
    """Return the file at a place below a folder; None where there is none, or only outside."""
    try:
        path = confined(folder, place)
    except DiagnosticError:
        return None
    return path if path.is_file() else None


def is_link(path: Path) -> bool:
    """Return whether a path is a link, or a junction of Windows; False for nothing at all."""
    try:
        return _is_link(path.lstat())
    except (OSError, ValueError):
        return False


def require_no_links(
    folder: Path, names: tuple[str, ...] = (), *, inner: tuple[str, ...] = ()
) -> None:
    """Raise :class:`DiagnosticError` P031 where one of these names in a folder is a link; without
    names, where the folder itself, anything in it or anything in its folders ``inner`` is one.
    What cannot be listed is told by those that read it.
    """
    if names:
        links = [name for name in names if is_link(folder / name)]
    elif is_link(folder):
        raise _link(folder)
    else:
        links = _links(str(folder), inner)
    if links:
        raise _link(folder / links[0])


def _links(folder: str, inner: tuple[str, ...]) -> list[str]:
    """Return the links in a folder and in folders of it. What a folder tells of its entries is
    enough for that: a call of the system for each would be most of what a list of runs costs.
    """
    links: list[str] = []
    for name in ("", *inner):
        with contextlib.suppress(OSError, ValueError), os.scandir(f"{folder}/{name}") as entries:
            links += [f"{name}/{entry.name}" for entry in entries if _is_entry_link(entry)]
        if links:  # nothing is looked up through a link
            break
    return [place.lstrip("/") for place in links]


def _is_entry_link(entry: "os.DirEntry[str]") -> bool:
    if os.name == "nt":
        return _is_link(entry.stat(follow_symlinks=False))
    return entry.is_symlink()


def _is_link(status: os.stat_result) -> bool:
    attributes = getattr(status, "st_file_attributes", 0)
    return stat.S_ISLNK(status.st_mode) or bool(attributes & _REPARSE_POINT)


def _link(path: Path) -> DiagnosticError:
    return DiagnosticError.of("P031", name=path.name, folder=str(path.parent))


def is_folder_entry(entry: "os.DirEntry[str]") -> bool:
    """Return whether an entry is a folder or a link to one; a link in a circle is nothing.

    Raises ``OSError`` where that cannot be seen.
    """
    return _leads_to(entry.is_dir)


def is_file_entry(entry: "os.DirEntry[str]") -> bool:
    """Return whether an entry is a file or a link to one, as :func:`is_folder_entry` does."""
    return _leads_to(entry.is_file)


def is_folder(path: Path) -> bool:
    """Return whether there is a folder, or a link to one; not where the system does not say, as
    behind a folder without permission, at a name that is too long, or on a disk that was pulled.
    """
    return _is_there(path.is_dir)


def is_file(path: Path) -> bool:
    """Return whether there is a file, or a link to one, as :func:`is_folder` does."""
    return _is_there(path.is_file)


def _is_there(ask: Callable[[], bool]) -> bool:
    try:
        return ask()
    except OSError:
        return False


def _leads_to(ask: Callable[[], bool]) -> bool:
    try:
        return ask()
    except OSError as error:
        if error.errno == errno.ELOOP:
            return False
        raise


def private_folder(folder: Path) -> None:
    """Make a folder that only the user may look into; one that is there already becomes so.

    Raises ``OSError`` where it cannot be made.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if os.name == "posix" and folder.stat().st_uid == os.getuid():
        folder.chmod(0o700)
