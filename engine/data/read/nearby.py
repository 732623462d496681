"""Files that a table names by paths of another computer, or by names alone."""

import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path, PureWindowsPath

from engine.data.read.picture_suffix import SUFFIXES
from engine.data.read.sound import SUFFIXES as SOUND_SUFFIXES
from engine.data.read.video import SUFFIXES as VIDEO_SUFFIXES

_MEDIA = frozenset((*SUFFIXES, *SOUND_SUFFIXES, *VIDEO_SUFFIXES))
_MOST_FILES = 200_000  # looked through for names
_DEEPEST = 4  # folders below the one of the files


def is_foreign(place: str) -> bool:
    """Return whether a path begins at the root of a computer: ``/data/a.png``, ``C:/data``."""
    return place.startswith("/") or bool(PureWindowsPath(place).drive)


def tails(place: str) -> Iterator[str]:
    """Yield the ends of a path, the longest first, without what leads out of a folder."""
    parts = [part for part in place.replace("\\", "/").split("/") if part]
    if ".." in parts:
        return
    for start in range(len(parts)):
        yield "/".join(parts[start:])


def is_media(ending: str) -> bool:
    """Return whether a file with an ending (``.jpg``) is a picture, a sound or a video."""
    return ending.lower() in _MEDIA


class NearbyFiles:
    """The files below a folder, by the ends of their paths and by their names."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._cut = 0

    def by_tail(self, place: str) -> str:
        """Return the longest end of a path of another computer at which a file lies; empty for
        none.
        """
        ends = list(tails(place)) if is_foreign(place) else []
        usual = ends[self._cut : self._cut + 1]  # as that of the file before
        for end in (*usual, *ends):
            if (self._root / end).is_file():
                self._cut = ends.index(end)
                return end
        return ""

    def by_name(self, name: str, row: Mapping[str, str]) -> str:
        """Return the place of the file of a name, with or without its ending, in a folder below,
        empty where there is none or the folder is not known: of several it is that of which ``row``
        says the name, as ``fold3`` or as 3 in a column ``fold``.
        """
        places = self._names.get(name) or self._stems.get(name, [])
        if len(places) < 2:
            return "".join(places)
        said = {word for column, cell in row.items() for word in (cell, f"{column}{cell}")}
        fitting = [place for place in places if said & {*place.split("/")[:-1]}]
        return fitting[0] if len(fitting) == 1 else ""

    def has_name(self, name: str) -> bool:
        """Return whether any file has a name, with or without its ending."""
        return name in self._names or name in self._stems

    @cached_property
    def _names(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        count = 0
        for folder, inner, files in os.walk(self._root):
            below = Path(folder).relative_to(self._root).parts
            inner[:] = sorted(inner) if len(below) < _DEEPEST else []
            for name in files:
                found.setdefault(name, []).append("/".join((*below, name)))
            count += len(files)
            if count > _MOST_FILES:
                break
        return found

    @cached_property
    def _stems(self) -> dict[str, list[str]]:
        """The places of pictures, sounds and videos by their names without endings."""
        found: dict[str, list[str]] = {}
        for name, places in self._names.items():
            stem, ending = os.path.splitext(name)  # noqa: PTH122 - many
            if is_media(ending):
                found.setdefault(stem, []).extend(places)
        return found
