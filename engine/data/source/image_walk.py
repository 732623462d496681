"""Walk through a folder of files: every folder once, with what is in it and what was skipped.

Links to folders are followed where they lead out of the folder, never into it or above it, so that
no loop has a second turn. Nothing is opened; what a folder tells of its entries is enough.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from engine.data.read.natural import natural_key
from engine.data.read.picture_suffix import SUFFIXES
from engine.data.source.source import PART_WORDS, PARTS
from engine.diagnostics import DiagnosticError
from engine.files import is_file_entry, is_folder_entry, is_link

Progress = Callable[[int], object]
"""Is called with the number of files so far."""

Stop = Callable[[], bool]
"""Says whether to give up."""

_JUNK = frozenset(("thumbs.db", "desktop.ini", "__macosx", "ehthumbs.db", "icon\r"))
_EVERY = 1024  # entries between two calls of progress and stop
_SHOWN = 5
PART_NUMBERS = {
    word: PARTS.index(part)
    for word, part in {**PART_WORDS, "training": "train", "testing": "test"}.items()
}
_DEEPEST = 3  # folders that hold nothing but a folder


class Names(msgspec.Struct, frozen=True):
    """How many there are of something, and the names of the first few."""

    count: int = 0
    shown: tuple[str, ...] = ()

    def plus(self, name: str) -> "Names":
        """Return them with one more."""
        shown = (*self.shown, name) if len(self.shown) < _SHOWN else self.shown
        return Names(self.count + 1, shown)

    def without(self, name: str) -> "Names":
        """Return them without one that was counted."""
        return Names(self.count - 1, tuple(each for each in self.shown if each != name))

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return self.count > 0

    @property
    def text(self) -> str:
        """The names in a row."""
        return ", ".join([*self.shown, *(["…"] if self.count > len(self.shown) else [])])


def names_of(names: Iterable[str]) -> Names:
    """Return how many names there are, and the first few."""
    listed = Names()
    for name in names:
        listed = listed.plus(name)
    return listed


@dataclass(frozen=True)
class FileKind:
    """What is looked for in a folder: files whose names have some endings (in small letters);
    ``none`` is the code of the finding that there are none, ``name`` the ending of indices of them.
    With ``is_text`` an empty file is one, too, and no table beside them tells their classes.
    """

    suffixes: frozenset[str]
    none: str
    name: str
    is_text: bool = False

    def takes(self, name: str) -> bool:
        """Return whether a file of that name is looked for; an ending may be of two (`.txt.gz`)."""
        stem, ending = os.path.splitext(name.lower())  # noqa: PTH122 - a million of them
        if ending in self.suffixes:
            return True
        return ending == ".gz" and os.path.splitext(stem)[1] + ending in self.suffixes  # noqa: PTH122


PICTURES = FileKind(SUFFIXES, "D051", "index")


class Picture(msgspec.Struct, frozen=True, array_like=True):
    """A file: its name, size in bytes, and when it was changed (ns)."""

    name: str
    size: int
    time: int


class Folder(msgspec.Struct, frozen=True):
    """A folder: its path below the root (with slashes, empty for the root), when its list of
    entries was changed (ns), and its pictures by name.
    """

    path: str
    time: int
    pictures: tuple[Picture, ...]


class Layout(msgspec.Struct, frozen=True):
    """How the folders of a data set lie: ``base`` (a path below the root, empty for the root
    itself) holds the class folders, or the folders of ``parts`` (an index into the parts by name),
    which do. With ``is_inner`` the class folders are those in which the files lie, however many are
    around them.
    """

    base: str = ""
    parts: dict[str, int] = {}
    is_inner: bool = False

    def split(self, path: str) -> tuple[int, str]:
        """Return the part that a folder belongs to (-1: none) and the class that its path names
        (empty: none).
        """
        names = path.split("/") if path else []
        depth = len(self.base.split("/")) if self.base else 0
        if "/".join(names[:depth]) != self.base:
            return -1, ""
        rest, part = names[depth:], -1
        if self.parts:
            if not rest or rest[0] not in self.parts:
                return -1, ""
            part = self.parts[rest.pop(0)]
        return part, rest[-1 if self.is_inner else 0] if rest else ""


@dataclass
class Walk:
    """A walk through ``root`` and what it skipped. Raises :class:`DiagnosticError` D050, D055,
    D056 or D072 where the root cannot be listed, D073 where ``stop`` says so.
    """

    root: Path
    progress: Progress | None = None
    stop: Stop | None = None
    kind: FileKind = PICTURES
    odd: Names = field(default_factory=Names)
    empty: Names = field(default_factory=Names)
    unreadable: Names = field(default_factory=Names)
    repeated: Names = field(default_factory=Names)
    done: int = 0
    _real: Path = field(default_factory=Path)
    _seen: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])

    def __iter__(self) -> Iterator[Folder]:
        """Yield the folders, each before those in it, by natural order of their names."""
        check_root(self.root)
        self._real = Path(os.path.realpath(self.root))
        waiting = [""]
        while waiting:
            path = waiting.pop()
            try:
                status = os.stat(self.root / path)  # noqa: PTH116 - a Path per folder is enough
                key = (status.st_dev, status.st_ino)
                if key in self._seen:
                    self.repeated = self.repeated.plus(path)
                    continue
                self._seen.add(key)
                pictures, folders = self._list(path)
            except OSError:
                self.unreadable = self.unreadable.plus(path or self.root.name)
                continue
            waiting.extend(reversed(folders))
            yield Folder(path, status.st_mtime_ns, tuple(pictures))

    def _list(self, path: str) -> tuple[list[Picture], list[str]]:
        pictures: list[Picture] = []
        folders: list[str] = []
        with os.scandir(self.root / path) as entries:
            for entry in entries:
                self.done += 1
                if self.done % _EVERY == 0:
                    self._report()
                inner = f"{path}/{entry.name}" if path else entry.name
                if _is_odd(entry.name):
                    continue  # the system put it there, nobody misses it
                if not is_folder_entry(entry):
                    self._add(entry, inner, pictures)
                elif self._is_open(entry):
                    folders.append(inner)
                else:
                    self.repeated = self.repeated.plus(inner)
        pictures.sort(key=lambda picture: picture.name)
        folders.sort(key=natural_key)
        self._report()
        return pictures, folders

    def _add(self, entry: "os.DirEntry[str]", inner: str, pictures: list[Picture]) -> None:
        if not self.kind.takes(entry.name) or not is_file_entry(entry):
            self.odd = self.odd.plus(inner)
            return
        status = entry.stat()
        if status.st_size == 0 and not self.kind.is_text:
            self.empty = self.empty.plus(inner)
            return
        pictures.append(Picture(entry.name, status.st_size, status.st_mtime_ns))

    def _is_open(self, entry: "os.DirEntry[str]") -> bool:
        """Return whether a folder is none of those that are walked through anyway."""
        if not (entry.is_symlink() or (os.name == "nt" and is_link(Path(entry.path)))):
            return True
        real = Path(os.path.realpath(entry.path))
        return not real.is_relative_to(self._real) and not self._real.is_relative_to(real)

    def _report(self) -> None:
        if self.stop is not None and self.stop():
            raise DiagnosticError.of("D073", field="data.source.path", folder=str(self.root))
        if self.progress is not None:
            self.progress(self.done)


def check_root(root: Path) -> None:
    """Raise :class:`DiagnosticError` where a folder cannot be listed: D050 where it is not there,
    D055 without permission, D056 for other reasons, D072 where it is none.
    """
    try:
        with os.scandir(root):
            return
    except FileNotFoundError as error:
        code, key, reason = "D050", "folder", error
    except NotADirectoryError as error:
        code, key, reason = "D072", "folder", error
    except PermissionError as error:
        code, key, reason = "D055", "file", error
    except (OSError, ValueError) as error:
        code, key, reason = "D056", "file", error
    values = {key: str(root), "detail": str(reason)}
    raise DiagnosticError.of(code, field="data.source.path", **values) from reason


def layout_of(root: Path, kind: FileKind = PICTURES, *, is_inner: bool = False) -> Layout:
    """Return how a data set lies in a folder: in the folder that is alone in it (as archives are
    often unpacked), and in parts where some are called train and validation or test; with
    ``is_inner`` the class folders are the innermost ones.
    """
    base = ""
    for _ in range(_DEEPEST):
        folders, has_files = _overview(root / base, kind)
        parts = {
            name: PART_NUMBERS[name.lower()] for name in folders if name.lower() in PART_NUMBERS
        }
        if 0 in parts.values() and len(set(parts.values())) > 1:
            return Layout(base, parts, is_inner)
        if len(folders) != 1 or has_files or len(_overview(root / base / folders[0], kind)[0]) < 2:
            break
        base = f"{base}/{folders[0]}" if base else folders[0]
    return Layout(base, is_inner=is_inner)


def _overview(folder: Path, kind: FileKind) -> tuple[list[str], bool]:
    """Return the names of the folders in a folder, and whether files of a kind lie in it."""
    folders: list[str] = []
    has_files = False
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if _is_odd(entry.name):
                    continue
                if is_folder_entry(entry):
                    folders.append(entry.name)
                elif not has_files:
                    has_files = kind.takes(entry.name)
    except OSError:
        return [], False  # the walk says so
    return folders, has_files


def _is_odd(name: str) -> bool:
    return name.startswith(".") or name.lower() in _JUNK
