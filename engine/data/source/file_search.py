"""Search for the files below a folder that the cells of a table name, the same for all tables."""

import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from engine.data.read.enclosed import holder_of
from engine.data.read.nearby import NearbyFiles, is_foreign
from engine.data.read.picture_suffix import SUFFIXES
from engine.data.read.sound import SUFFIXES as SOUND_SUFFIXES
from engine.data.read.video import SUFFIXES as VIDEO_SUFFIXES
from engine.diagnostics import Diagnostic, Severity
from engine.files import is_link
from engine.spec.table import FileKind

MOST_COLUMNS = 50
"""How many columns may say the folder of a file."""

_HOLDING = ("parquet", "shards")  # kinds of tables in which files may be
_MEDIA = frozenset((*SUFFIXES, *SOUND_SUFFIXES, *VIDEO_SUFFIXES))
_LETTERS = 200

Row = Callable[[], Mapping[str, str]]
"""Gives what a row says in its other columns."""


class FoundFile(NamedTuple):
    """The place in a folder of what a cell names: a file that is ``there`` or ``missing``, or one
    ``outside``. ``told`` is the code of how it was found, where the cell says another path.
    """

    place: str
    state: Literal["there", "missing", "outside"]
    told: str = ""


class FileSearch:
    """Finds the files below a folder, in which they have to lie, also where links lead: with or
    without their endings, by the ends of paths of another computer, or in folders below. Those of a
    table of ``kind`` may be inside of it.
    """

    def __init__(self, root: Path, kind: FileKind | None = None) -> None:
        self._root = root
        self._near = NearbyFiles(root)
        self._real = os.path.realpath(root)
        self._inside: dict[str, bool] = {}
        self._may_be_inside = kind in _HOLDING
        self._holders: dict[str, bool] = {}
        self._by_stem: dict[str, dict[str, str]] = {}

    def find(self, cell: str, row: Row) -> FoundFile:
        """Return the file that a cell names; what its ``row`` says tells files of one name
        apart.
        """
        place = cell.replace("\\", "/")
        told = ""
        file = self._holder(place)
        is_lost = is_foreign(file) and not (self._holds(file) and self._has(file))
        if is_lost and (tail := self._near.by_tail(file)):
            told, file, place = "D696", tail, tail
        if not self._holds(file):
            return FoundFile(place, "outside")
        if file != place or self._has(file):
            return FoundFile(place, "there", told)
        place = self._with_ending(file)
        if place == file and "/" not in file and (below := self._near.by_name(file, row())):
            told, place = "D697", below
        is_there = place != file and self._holds(place)
        return FoundFile(place, "there" if is_there else "missing", told)

    def _holder(self, place: str) -> str:
        """Return the place of the file that holds what is at a place, if one does, else itself."""
        holder = holder_of(place)
        if not self._may_be_inside or holder == place:
            return place
        if holder not in self._holders:
            self._holders[holder] = self._has(holder)
        return holder if self._holders[holder] else place

    def _holds(self, place: str) -> bool:
        """Return whether a place is below the folder, or written as if it were outside."""
        path = os.path.normpath(self._root / place)
        if "\0" in place or not _is_below(path, os.path.normpath(self._root)):
            return False
        parent = os.path.dirname(path)  # noqa: PTH120 - a hundred thousand of them
        if parent not in self._inside:
            self._inside[parent] = _is_below(os.path.realpath(parent), self._real)
        if not self._inside[parent]:
            return False
        return not is_link(Path(path)) or _is_below(os.path.realpath(path), self._real)

    def _has(self, place: str) -> bool:
        """Return whether there is a file at a place."""
        try:
            return stat.S_ISREG(os.stat(self._root / place).st_mode)  # noqa: PTH116 - as above
        except (OSError, ValueError):
            return False

    def _with_ending(self, place: str) -> str:
        """Return the place of the file that is called so without its ending, if there is one, else
        the place itself.
        """
        folder, _, stem = place.rpartition("/")
        if folder not in self._by_stem:
            try:
                names = sorted(os.listdir(self._root / folder), reverse=True)  # noqa: PTH208 - many
            except (OSError, ValueError):
                names = []
            known = (os.path.splitext(name) for name in names)  # noqa: PTH122 - as above
            ended = ((stem, f"{stem}{ending}") for stem, ending in known if _is_media(ending))
            self._by_stem[folder] = dict(ended)
        name = self._by_stem[folder].get(stem)
        if name is None:
            return place
        return f"{folder}/{name}" if folder else name


def place_notice(code: str, column: str, cell: str, place: str) -> Diagnostic:
    """Return how a file was found that a cell names."""
    return Diagnostic.of(
        code,
        severity=Severity.HINT,
        field="data.source.folder",
        column=column,
        value=cell[:_LETTERS],
        place=place,
    )


def _is_media(ending: str) -> bool:
    """Return whether a file with an ending (``.jpg``) is a picture, a sound or a video."""
    return ending.lower() in _MEDIA


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
