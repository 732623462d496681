"""Index of a folder of pictures, sounds or videos: paths, labels, parts and sizes, as arrays.

The pictures of a folder follow one another by name, the folders by natural order, classes too: a
million pictures take some fifty megabytes while they are indexed and nothing afterwards, since the
arrays are mapped from a file in the cache.
"""

import hashlib
import os
from array import array
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.data.read.name import stored_name
from engine.data.read.natural import natural_key
from engine.data.source.image_labels import find_table, read_labels
from engine.data.source.image_walk import (
    PART_NUMBERS,
    PICTURES,
    FileKind,
    Folder,
    Layout,
    Names,
    Progress,
    Stop,
    Walk,
    check_root,
    layout_of,
    names_of,
)
from engine.diagnostics import DiagnosticError

LEAST_CLASSES = 2  # in folders, else a table may say more
_MOST_CHECKED = 4096  # folders whose times are looked at


class FolderReport(msgspec.Struct, frozen=True, kw_only=True):
    """What was skipped and left out while a folder was indexed. ``empty_of_part`` are class folders
    of a part that have nothing, of classes that have something elsewhere; ``empty_parts`` folders
    of parts that have nothing at all.
    """

    odd: Names = Names()
    empty: Names = Names()
    unreadable: Names = Names()
    repeated: Names = Names()
    empty_classes: Names = Names()
    empty_of_part: Names = Names()
    empty_parts: Names = Names()
    stray: Names = Names()
    unlisted: Names = Names()
    absent: Names = Names()
    shared: Names = Names()
    table: str = ""


class IndexHead(msgspec.Struct, frozen=True, kw_only=True):
    """All of an index that is no array. ``table_stamp`` are size and time of the table of labels.

    ``folders`` are paths below ``root``, with slashes. Of a set that ``is_published`` the classes
    stand in the order of its publisher. With ``is_inner`` the innermost folders are the classes.
    """

    root: str
    folders: tuple[str, ...]
    classes: tuple[str, ...]
    report: FolderReport
    has_parts: bool = False
    table_stamp: tuple[int, int] = (0, 0)
    is_published: bool = False
    is_inner: bool = False


_READ = "read"  # the classes as they were read, beside those that the user gave

ARRAYS: Mapping[str, type[np.generic]] = {
    "folder_times": np.int64,
    "offsets": np.int64,
    "sizes": np.int64,
    "times": np.int64,
    "folder": np.int32,
    "label": np.int32,
    "part": np.int8,
    "names": np.uint8,
}
"""The arrays of an index: by picture, but for ``folder_times`` (by folder), ``offsets`` (one more)
and ``names``, the names of the files one after the other as bytes.
"""


@dataclass(frozen=True)
class ImageIndex:
    """Pictures by number. ``label`` is the class of each, -1 for none; ``part`` an index into the
    parts, -1 for none. ``file`` is where the arrays are mapped from.
    """

    head: IndexHead
    arrays: Mapping[str, NDArray[np.generic]]
    file: Path | None = None

    def __len__(self) -> int:
        """Return the number of pictures."""
        return len(self.arrays["folder"])

    def name(self, index: int) -> str:
        """Return the path of a picture relative to the folder, with slashes."""
        folder = self.head.folders[int(self.arrays["folder"][index])]
        file = self.file_name(index)
        return f"{folder}/{file}" if folder else file

    def written_name(self, index: int) -> str:
        """Return the path as :meth:`name` does, as any document can hold it."""
        return stored_name(self.name(index))

    def find(self, names: Collection[str]) -> dict[str, int]:
        """Return the numbers of the pictures with some written names, as far as they are there."""
        wanted = set(names)
        within = {name.rpartition("/")[0] for name in wanted}
        folders = [at for at, path in enumerate(self.head.folders) if stored_name(path) in within]
        rows = np.isin(self.arrays["folder"], folders).nonzero()[0].tolist()
        found = ((self.written_name(row), row) for row in rows)
        return {name: row for name, row in found if name in wanted}

    def file_name(self, index: int) -> str:
        """Return the name of the file of a picture."""
        offsets = self.arrays["offsets"]
        first, last = int(offsets[index]), int(offsets[index + 1])
        return os.fsdecode(self.arrays["names"][first:last].tobytes())

    @cached_property
    def subfolders(self) -> tuple[tuple[str, ...], NDArray[np.int64]] | None:
        """The folders that divide the pictures besides classes and parts, such as one for each
        patient, and the number of its own for each picture. One of the same name is the same in
        every class and part. None where there is at most one.
        """
        label, folder = self.arrays.get(_READ, self.arrays["label"]), self.arrays["folder"]
        used, first = np.unique(folder, return_index=True)
        names = dict.fromkeys(range(len(self.head.folders)), "")
        for at, picture in zip(used.tolist(), first.tolist(), strict=True):
            steps = self._steps(at)
            number = int(label[picture])
            own = self.head.classes[number] if 0 <= number < len(self.head.classes) else ""
            around = [step for step in steps if step != own]
            names[at] = "/".join(steps[:-1] if self.head.is_inner else around)
        found = sorted({names[at] for at in used.tolist()}, key=natural_key)
        if len(found) < 2:
            return None
        numbers = {name: number for number, name in enumerate(found)}
        codes = np.array([numbers.get(name, 0) for name in names.values()], np.int64)
        return tuple(map(stored_name, found)), codes[folder.astype(np.int64)]

    def _steps(self, folder: int) -> list[str]:
        """Return the names in the path of a folder; where there are parts, without the first, of
        inner classes without all down to that of the part.
        """
        steps = self.head.folders[folder].split("/")
        if not self.head.has_parts:
            return steps
        is_part = (step.lower() in PART_NUMBERS for step in steps)
        first = next((n for n, found in enumerate(is_part) if found), 0)
        return steps[(first if self.head.is_inner else 0) + 1 :]

    def relabelled(self, labels: NDArray[np.int32]) -> "ImageIndex":
        """Return the pictures with other classes; the folders stay those of the classes before."""
        read = self.arrays.get(_READ, self.arrays["label"])
        return replace(self, arrays={**self.arrays, "label": labels, _READ: read})

    def path(self, index: int) -> Path:
        """Return the path of a picture."""
        return Path(self.head.root, self.name(index))

    def version(self) -> str:
        """Return a hash of where the files are, what they are called, their sizes and times."""
        digest = hashlib.blake2b(repr(self.head).encode("utf-8", "surrogateescape"), digest_size=16)
        for name in ARRAYS:
            digest.update(self.arrays[name].tobytes())
        return digest.hexdigest()

    def is_current(self) -> bool:
        """Return whether the folders and the table of labels are as they were indexed; of many
        folders, those nearest to the root.
        """
        times = self.arrays["folder_times"]
        try:
            if self.head.report.table and stamp_of(self.head.report.table) != self.head.table_stamp:
                return False
            return all(
                os.stat(f"{self.head.root}/{self.head.folders[at]}").st_mtime_ns == times[at]  # noqa: PTH116 - thousands of them
                for at in self._nearest
            )
        except OSError:
            return False

    @cached_property
    def _nearest(self) -> list[int]:
        depths = [path.count("/") + bool(path) for path in self.head.folders]
        return sorted(range(len(depths)), key=depths.__getitem__)[:_MOST_CHECKED]


def stamp_of(file: str) -> tuple[int, int]:
    """Return size and time (ns) of a file. Raises ``OSError``."""
    status = Path(file).stat()
    return status.st_size, status.st_mtime_ns


def build_index(
    root: Path,
    table: Path | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
    *,
    is_plain: bool = False,
    is_inner: bool = False,
    kind: FileKind = PICTURES,
) -> ImageIndex:
    """Index a folder of files of a kind. Class folders, with ``is_inner`` the innermost ones, give
    labels, unless ``table`` does; without both, a table in the folder or beside it. With
    ``is_plain`` there are neither labels nor parts.

    Raises :class:`DiagnosticError`: D050, D055, D056 or D072 for a folder that cannot be listed,
    D051 (of pictures), D365 (of sounds), D394 (of videos) or D131 (of texts) for one without any,
    D066 and D067 for the table, D073 where ``stop`` says so.
    """
    check_root(root)
    layout = None if is_plain else layout_of(root, kind, is_inner=is_inner)
    walk = Walk(root, progress, stop, kind)
    builder = _Builder(layout)
    for folder in walk:
        builder.add(folder)
    report = FolderReport(
        odd=walk.odd, empty=walk.empty, unreadable=walk.unreadable, repeated=walk.repeated
    )
    if not builder.folder:
        others = walk.odd.count + walk.empty.count
        raise DiagnosticError.of(
            kind.none, field="data.source.path", folder=str(root), others=others
        )
    index = builder.index(root, report)
    is_unlabelled = table is None and len(index.head.classes) < LEAST_CLASSES
    if is_unlabelled and layout is not None and not kind.is_text:
        table = find_table(root / layout.base)
    return index if table is None else _with_table(index, table)


class _Builder:
    """Gathers the pictures of folders, in arrays."""

    def __init__(self, layout: Layout | None) -> None:
        self.folder = array("i")
        self._layout = layout
        self._folders: list[str] = []
        self._folder_times = array("q")
        self._folder_parts: list[int] = []
        self._folder_classes: list[str] = []
        self._names = bytearray()
        self._offsets = array("q", [0])
        self._sizes = array("q")
        self._times = array("q")

    def add(self, folder: Folder) -> None:
        part, name = (-1, "") if self._layout is None else self._layout.split(folder.path)
        number = len(self._folders)
        self._folders.append(folder.path)
        self._folder_times.append(folder.time)
        self._folder_parts.append(part)
        self._folder_classes.append(name)
        for picture in folder.pictures:
            self._names += os.fsencode(picture.name)
            self._offsets.append(len(self._names))
            self._sizes.append(picture.size)
            self._times.append(picture.time)
            self.folder.append(number)

    def index(self, root: Path, report: FolderReport) -> ImageIndex:
        """Return the index. Where there are class folders with pictures, pictures beside them are
        left out; where there are parts, those outside of the parts.
        """
        folder = np.array(self.folder, np.int32)
        used = np.bincount(folder, minlength=len(self._folders))
        present = {
            name for name, count in zip(self._folder_classes, used, strict=True) if name and count
        }
        classes = tuple(sorted(present, key=natural_key))
        numbers = {name: number for number, name in enumerate(classes)}
        labels = np.array([numbers.get(name, -1) for name in self._folder_classes], np.int32)
        parts = np.array(self._folder_parts, np.int8)
        empty = sorted(self._empty_classes() - present, key=natural_key)
        arrays: dict[str, NDArray[np.generic]] = {
            "folder_times": np.array(self._folder_times, np.int64),
            "offsets": np.array(self._offsets, np.int64),
            "sizes": np.array(self._sizes, np.int64),
            "times": np.array(self._times, np.int64),
            "folder": folder,
            "label": labels[folder],
            "part": parts[folder],
            "names": np.frombuffer(bytes(self._names), np.uint8),
        }
        counts = dict(zip(self._folders, used.tolist(), strict=True))
        of_part, whole = _empty_in_parts(self._layout or Layout(), counts, present)
        report = msgspec.structs.replace(
            report,
            empty_classes=names_of(empty),
            empty_of_part=names_of(of_part),
            empty_parts=names_of(whole),
        )
        head = IndexHead(
            root=str(root),
            folders=tuple(self._folders),
            classes=classes,
            report=report,
            has_parts=self._layout is not None and bool(self._layout.parts),
            is_inner=self._layout is not None and self._layout.is_inner,
        )
        kept = np.ones(len(folder), bool)
        if classes:
            kept &= labels[folder] >= 0
        if head.has_parts:
            kept &= parts[folder] >= 0
        index = ImageIndex(head, arrays)
        stray = names_of(index.name(int(at)) for at in np.flatnonzero(~kept))
        return _reported(_selected(index, kept), stray=stray)

    def _empty_classes(self) -> set[str]:
        """Return the classes of all folders, but not those of folders around class folders."""
        around = {path.rpartition("/")[0] for path in self._folders}
        is_inner = self._layout is not None and self._layout.is_inner
        named = zip(self._folders, self._folder_classes, strict=True)
        return {name for path, name in named if name and not (is_inner and path in around)}


def _empty_in_parts(
    layout: Layout, counts: Mapping[str, int], present: Collection[str]
) -> tuple[list[str], list[str]]:
    """Return the class folders of parts in which nothing is, of classes that are ``present``
    elsewhere, and the folders of parts that have nothing, both as paths below the root. ``counts``
    are the files of each folder by itself; of parts with class folders, those beside these are no
    samples.
    """
    by_part: dict[str, Counter[str]] = {}
    for path, count in counts.items():
        part, name = layout.split(path)
        if part < 0:
            continue
        rest = path.removeprefix(f"{layout.base}/") if layout.base else path
        classes = by_part.setdefault(rest.partition("/")[0], Counter())
        if name or not present:
            classes[name] += count
    base = f"{layout.base}/" if layout.base else ""
    whole = [part for part, classes in by_part.items() if not classes.total()]
    of_part = [
        f"{base}{part}/{name}"
        for part, classes in by_part.items()
        if part not in whole
        for name, count in classes.items()
        if name in present and not count
    ]
    return of_part, [f"{base}{part}" for part in whole]


def _with_table(index: ImageIndex, table: Path) -> ImageIndex:
    """Return the index with the labels of a table and the pictures that have one."""
    rows = read_labels(table)
    classes = tuple(sorted(set(rows.values()), key=natural_key))
    numbers = {name: number for number, name in enumerate(classes)}
    labels = np.full(len(index), -1, np.int32)
    used: dict[str, int] = {}
    for at in range(len(index)):
        key = next((key for key in spellings(index, at) if key in rows), None)
        if key is not None:
            labels[at] = numbers[rows[key]]
            used[key] = used.get(key, 0) + 1
    if not used:
        raise DiagnosticError.of(
            "D067",
            field="data.source.labels",
            file=str(table),
            folder=index.head.root,
            example=index.file_name(0),
        )
    kept = labels >= 0
    has_parts = index.head.has_parts and len(np.unique(index.arrays["part"][kept])) > 1
    present = np.bincount(labels[kept], minlength=len(classes)) > 0
    labels = (np.cumsum(present) - 1).astype(np.int32)[labels]
    unlisted = names_of(index.name(int(at)) for at in np.flatnonzero(~kept))
    absent = names_of(name for name in rows if name not in used)
    head = msgspec.structs.replace(
        index.head,
        classes=tuple(name for name, is_used in zip(classes, present, strict=True) if is_used),
        has_parts=has_parts,  # labels of one part alone leave nothing to validate on
        is_inner=False,
        table_stamp=stamp_of(str(table)),
    )
    index = ImageIndex(head, {**index.arrays, "label": labels})
    return _reported(
        _selected(index, kept),
        odd=_others(index, table),
        unlisted=unlisted,
        absent=absent,
        shared=names_of(name for name, files in used.items() if files > 1),
        empty_classes=Names(),
        empty_of_part=Names(),
        table=str(table),
    )


def _others(index: ImageIndex, table: Path) -> Names:
    """Return the files of other kinds in a folder, without the table that gives its labels."""
    odd, root = index.head.report.odd, Path(index.head.root)
    is_counted = table.is_relative_to(root) and not table.name.startswith(".")
    return odd.without(table.relative_to(root).as_posix()) if odd and is_counted else odd


def spellings(index: ImageIndex, at: int) -> tuple[str, ...]:
    """Return how a table may call a picture: by path or name, with or without the ending."""
    return name_spellings(index.name(at))


def name_spellings(name: str) -> tuple[str, ...]:
    """Return how a table may call the picture of a path, as :func:`spellings` does."""
    file = name.rpartition("/")[2]
    return name, file, name.rpartition(".")[0], file.rpartition(".")[0]


def _selected(index: ImageIndex, kept: NDArray[np.bool_]) -> ImageIndex:
    if kept.all():
        return index
    offsets = index.arrays["offsets"].astype(np.int64)
    lengths = np.diff(offsets)
    names = index.arrays["names"][np.repeat(kept, lengths)]
    arrays: dict[str, NDArray[np.generic]] = {
        name: values[kept]
        for name, values in index.arrays.items()
        if name not in ("folder_times", "offsets", "names")
    }
    ends = np.concatenate(([0], np.cumsum(lengths[kept]))).astype(np.int64)
    times = index.arrays["folder_times"]
    return replace(index, arrays={**arrays, "folder_times": times, "offsets": ends, "names": names})


def _reported(index: ImageIndex, **changes: Names | str) -> ImageIndex:
    report = msgspec.structs.replace(index.head.report, **changes)
    return replace(index, head=msgspec.structs.replace(index.head, report=report))
