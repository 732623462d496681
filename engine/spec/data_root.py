"""Named roots: folders with data that lie elsewhere on each computer, by a name common to all.

A path in such a folder is written as ``${photos}/cats``; what ``photos`` is stands beside the
settings of the user (``data_roots.json``), or in the environment, which wins: that is how a command
and a run on another machine are told.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from engine.decoding import decode_json
from engine.diagnostics import DiagnosticError, printable
from engine.files import (
    NOTE_BYTES,
    UNDECODABLE,
    atomic_write,
    describe_os_error,
    private_folder,
    read_file,
)

VARIABLE = "TRELLIS_DATA_ROOTS"
"""The variable of the environment with roots, as a JSON object of paths by name."""

_FILE = "data_roots.json"
_NAME = re.compile(r"[^\W\d][\w-]{0,39}")
_MARKED = re.compile(r"\$\{(" + _NAME.pattern + r")\}(?:[/\\](.*))?", re.DOTALL)
_LONGEST = 1024
_WHOLE = ("/", "~", "\\\\", *(f"{letter}:" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))

Roots = Mapping[str, str]
"""Paths of folders by the names of the roots."""


class _Document(msgspec.Struct, frozen=True, kw_only=True):
    here: dict[str, str] = {}
    machines: dict[str, dict[str, str]] = {}


class DataRoots:
    """The user's list of roots, read anew at every question: window, commands and workers share it.

    ``machine`` is another machine as people write it (``user@host:port``), empty for this one.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file

    def roots(self, machine: str = "") -> dict[str, str]:
        """Return the roots of a machine by name, in the order of the names."""
        document = self._read()
        roots = document.machines.get(machine, {}) if machine else document.here
        return {name: roots[name] for name in sorted(roots) if _is_sound(name, roots[name])}

    def set(self, roots: Roots, machine: str = "") -> None:
        """Take other roots for a machine.

        Raises :class:`DiagnosticError`: D341 for a name that is none, D342 for a path that is not
        whole, or when the list cannot be written.
        """
        for name, path in roots.items():
            require_root(name, path)
        taken = dict(roots)
        before = self._read()
        if machine:
            others = {name: kept for name, kept in before.machines.items() if name != machine}
            machines = others | ({machine: taken} if taken else {})
            after = msgspec.structs.replace(before, machines=machines)
        else:
            after = msgspec.structs.replace(before, here=taken)
        self._write(after)

    def _read(self) -> _Document:
        """Return the list; an empty one where there is none that can be read."""
        file = self._file or _default_file()
        if file is None:
            return _Document()
        try:
            return decode_json(read_file(file, NOTE_BYTES), _Document)
        except (OSError, *UNDECODABLE):
            return _Document()

    def _write(self, document: _Document) -> None:
        file = self._file or _default_file()
        assert file is not None, "the settings are only changed where the program is installed"
        content = msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n"
        try:
            private_folder(file.parent)
            atomic_write(file, content, private=True)
        except OSError as error:
            raise DiagnosticError(describe_os_error(error, file, "write")) from error


def known_roots() -> dict[str, str]:
    """Return the roots of this computer by name: those of the settings, and of the environment."""
    roots = DataRoots().roots() | environment_roots()
    return {name: _normal(path) for name, path in roots.items()}


def environment_roots() -> dict[str, str]:
    """Return the roots that the environment names; none of a text that names none."""
    try:
        roots = decode_json(os.environ.get(VARIABLE, "{}"), dict[str, str])
    except UNDECODABLE:
        return {}
    return {name: path for name, path in roots.items() if _is_sound(name, path)}


def root_variable(roots: Roots) -> dict[str, str]:
    """Return what tells a process of roots: a part of its environment."""
    return {VARIABLE: msgspec.json.encode(dict(roots)).decode()} if roots else {}


def require_root(name: str, path: str) -> None:
    """Raise :class:`DiagnosticError`: D341 for a name that is none, D342 for a path that is not
    whole.
    """
    if not _NAME.fullmatch(name):
        raise DiagnosticError.of("D341", name=printable(name, 60))
    if not _is_sound(name, path):
        raise DiagnosticError.of("D342", name=name, path=printable(path, 200))


def root_of(path: str) -> str:
    """Return the name of the root that a path begins with, empty where it begins with none."""
    match = _MARKED.fullmatch(path)
    return "" if match is None else match[1]


def resolved(path: str, roots: Roots) -> str:
    """Return a path with its root filled in; as it is where it has none, or an unknown one."""
    match = _MARKED.fullmatch(path)
    if match is None or match[1] not in roots:
        return path
    return _normal(os.path.join(roots[match[1]], match[2] or ""))  # noqa: PTH118 - also of others


def by_root(path: str, roots: Roots) -> str:
    """Return a whole path by the innermost root that it lies in, with slashes; as it is where it
    lies in none.
    """
    inside = [
        (len(Path(folder).parts), name)
        for name, folder in roots.items()
        if Path(path).is_relative_to(folder)
    ]
    if not inside:
        return path
    most = max(depth for depth, _ in inside)
    name = min(name for depth, name in inside if depth == most)
    inner = Path(path).relative_to(roots[name]).as_posix()
    return f"${{{name}}}" if inner == "." else f"${{{name}}}/{inner}"


def moved_root(path: str, chosen: str, roots: Roots) -> tuple[str, str] | None:
    """Return the root, and where it must be, so that what a path named is what was chosen; None
    where the path has no root, the chosen one does not end like it, or the root is there as it is:
    then only this file or folder was moved.
    """
    match = _MARKED.fullmatch(by_root(path, roots))
    if match is None or (match[1] in roots and Path(roots[match[1]]).exists()):
        return None
    inner = Path(os.path.normpath(match[2])).parts if match[2] else ()
    parts = Path(chosen).parts
    if inner and parts[-len(inner) :] != inner:
        return None
    folder = Path(*parts[: len(parts) - len(inner)]) if len(parts) > len(inner) else None
    return None if folder is None else (match[1], str(folder))


def _normal(path: str) -> str:
    return os.path.normpath(Path(path).expanduser())


def _is_sound(name: str, path: str) -> bool:
    """Return whether a root can be used: paths of other systems are whole in their way."""
    is_path = 0 < len(path) <= _LONGEST and path.isprintable()
    return bool(_NAME.fullmatch(name)) and is_path and path.startswith(_WHOLE)


def _default_file() -> Path | None:
    """Return the file of the list, in the folder of the user's settings."""
    try:
        import platformdirs
    except ImportError:
        return None  # on the machines that runs are sent to, which are told by the environment
    return Path(platformdirs.user_config_dir("trellis", appauthor=False)) / _FILE
