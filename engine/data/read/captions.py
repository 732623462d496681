"""Reader of captions as COCO has them: sentences that say what each of some pictures shows.

A data set is a folder with ``annotations/captions_train2017.json`` and such beside the folders of
the pictures (``train2017``), or one of these files. A picture has several captions, each a row.
"""

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from engine.data.read.block import TableBuilder
from engine.data.read.cell import Head, Table, block_rows
from engine.data.read.listening import tell_progress
from engine.data.read.natural import natural_key
from engine.data.read.picture_suffix import SUFFIXES
from engine.data.read.shards import PART_COLUMN
from engine.decoding import decode_json
from engine.diagnostics import DiagnosticError
from engine.files import UNDECODABLE, confined_file, is_folder, open_file, read_file
from engine.spec.table import TableFormat

CAPTION_COLUMNS = ("image", "caption")
"""What the columns are called, after that of the part where there are several."""

_FIELD = "data.source.path"
_FOLDERS = ("", "annotations")  # where the files are, below that of the data set
_MOST_BYTES = 2 << 30
_MOST_FILES = 64  # of annotations
_MOST_ENTRIES = 5_000_000  # of a folder and those in it
_SHORTEST_NAME = 3  # letters of a folder that a file is called after
_SNIFFED = 1 << 16  # bytes
_KEYS = (b'"images"', b'"image_id"', b'"caption"')
_FORM = TableFormat(kind="captions")

_Id = int | str


class _Image(msgspec.Struct, gc=False):
    id: _Id
    file_name: str


class _Annotation(msgspec.Struct, gc=False):
    image_id: _Id
    caption: str | None = None


class _Document(msgspec.Struct):
    images: list[_Image]
    annotations: list[_Annotation]


class CaptionFiles(NamedTuple):
    """Files of captions of the pictures below ``root``; with ``has_boxes`` others beside them have
    boxes in the same pictures.
    """

    root: Path
    files: tuple[Path, ...]
    has_boxes: bool = False


def find_captions(path: Path) -> CaptionFiles | None:
    """Return the files of captions at a path, a folder or one of them; None where it has none."""
    if not is_folder(path):
        is_such = path.suffix.lower() == ".json" and _has_captions(path)
        return CaptionFiles(_root_of(path), (path,)) if is_such else None
    captions: list[Path] = []
    has_boxes = False
    for name in islice(_documents(path), _MOST_FILES):
        file = confined_file(path, name)
        if file is not None and _has_captions(file):
            captions.append(file)
        elif file is not None:
            has_boxes |= any(b'"bbox"' in part for part in file_ends(file))
    return CaptionFiles(path, tuple(captions), has_boxes) if captions else None


def is_captioned(folder: Path) -> bool:
    """Return whether the captions in a folder are all that is said of its pictures."""
    found = find_captions(folder)
    return found is not None and not found.has_boxes


def captions_head(path: Path, count: int) -> Head:
    """Return the first rows of a data set of captions. Raises as :func:`read_captions` does."""
    table = read_captions(path)
    columns = (islice(column.cells(), count) for column in table.columns)
    rows = list(map(list, zip(*columns, strict=True)))
    return Head(_FORM, table.names, rows, table.rows <= count)


def read_captions(path: Path, form: TableFormat = _FORM) -> Table:
    """Return a row for each caption, in the order of the files: the picture by its path below the
    folder of the data set, empty for one that is not there; captions without any of their pictures
    are left out. Where several parts are left, each row says its own (:data:`PART_COLUMN`).

    Raises ``DiagnosticError``: D510 where none of the pictures is there, D511 for a file that is
    damaged or no such document.
    """
    del form
    found = find_captions(path)
    if found is None:
        raise _wrong(path, "images, annotations")
    around = (found.root, *_folders_in(found.root), *found.files)
    return _table(found, tuple(map(_version, around)))


def has_no_boxes(parts: Sequence[bytes]) -> bool:
    """Return whether pieces of a COCO file are of captions and not of boxes."""
    return any(_KEYS[-1] in part for part in parts) and not any(b'"bbox"' in part for part in parts)


@lru_cache(maxsize=1)
def _table(found: CaptionFiles, version: tuple[tuple[int, int], ...]) -> Table:
    del version
    pictures = _pictures(found.root)
    rows_of = {
        file: _rows(file, _of_file(file, {*found.files} - {file}, pictures)) for file in found.files
    }
    used = [file for file, rows in rows_of.items() if any(name for name, _ in rows)]
    if not used:
        example = next(iter(_decoded(found.files[0]).images), _Image(0, "–")).file_name
        raise DiagnosticError.of(
            "D510", field=_FIELD, file=found.files[0].name, example=example, folder=str(found.root)
        )
    has_parts = len({_part(file) for file in used}) > 1
    names = (PART_COLUMN, *CAPTION_COLUMNS) if has_parts else CAPTION_COLUMNS
    rows = [
        [_part(file), *row] if has_parts else list(row) for file in used for row in rows_of[file]
    ]
    builder, size = TableBuilder(names), block_rows(len(names))
    for start in range(0, len(rows), size):
        block = rows[start : start + size]
        builder.add(block, np.arange(start + 1, start + len(block) + 1, dtype=np.int64))
    return builder.table(_FORM)


def _rows(file: Path, pictures: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """Return the captions of a file, each after the path of its picture."""
    tell_progress(file, 0, "rows")
    document = _decoded(file)
    names = {image.id: _place(image.file_name, pictures) for image in document.images}
    tell_progress(file, len(document.annotations), "rows", len(document.annotations))
    return [
        (names.get(each.image_id, ""), " ".join(each.caption.split()))
        for each in document.annotations
        if each.caption is not None
    ]


def _of_file(
    file: Path, others: Collection[Path], pictures: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    """Return the pictures that a file of captions can be of, by name: those in the folder that it
    is called after (``captions_val2017.json``, ``val2017``) where there is one, else all that are
    in no folder which another is called after.
    """
    folders = {place.rpartition("/")[0] for places in pictures.values() for place in places}
    named = {folder for folder in folders if _is_called(file, folder)}
    taken = {folder for folder in folders if any(_is_called(each, folder) for each in others)}
    open_to = named or folders - taken
    return {
        name: [place for place in places if place.rpartition("/")[0] in open_to]
        for name, places in pictures.items()
    }


def _is_called(file: Path, folder: str) -> bool:
    """Return whether a file is called after a folder, or one that this is in."""
    return any(len(part) >= _SHORTEST_NAME and part in file.stem for part in folder.split("/"))


def _place(name: str, pictures: Mapping[str, Sequence[str]]) -> str:
    """Return the path of a picture below the data set, empty where it is not there."""
    name = name.replace("\\", "/")
    found = pictures.get(name.rpartition("/")[2], ())
    return next((place for place in found if f"/{place}".endswith(f"/{name}")), "") or next(
        iter(found), ""
    )


def _pictures(root: Path) -> dict[str, list[str]]:
    """Return the paths of the pictures below a folder by the name of their file; no link is
    followed.
    """
    found: dict[str, list[str]] = {}
    for name in islice(_walk(root), _MOST_ENTRIES):
        found.setdefault(name.rpartition("/")[2], []).append(name)
    return found


def _walk(root: Path) -> Iterator[str]:
    for folder, inner, names in os.walk(root):
        inner[:] = sorted(each for each in inner if not each.startswith("."))
        below = Path(folder).relative_to(root).as_posix()
        for name in names:
            if os.path.splitext(name)[1].lower() in SUFFIXES:  # noqa: PTH122 - 100,000 of them
                yield name if below == "." else f"{below}/{name}"


def _folders_in(root: Path) -> list[Path]:
    """Return the folders of a data set, whose times tell whether a picture came or went."""
    with os.scandir(root) as entries:
        return sorted(Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False))


def _root_of(file: Path) -> Path:
    """Return the folder of the data set that a file of captions is of: its own, or the one around
    it where that has the pictures.
    """
    around = (file.parent, file.parent.parent)
    return next((folder for folder in around if next(_walk(folder), "")), file.parent)


def _documents(folder: Path) -> Iterator[str]:
    """Yield the JSON files of a data set by their paths in its folder, in order."""
    for inner in _FOLDERS:
        try:
            names = [entry.name for entry in (folder / inner).iterdir()]
        except OSError:
            continue
        for name in sorted(names, key=natural_key):
            if name.lower().endswith(".json"):
                yield f"{inner}/{name}" if inner else name


def _part(file: Path) -> str:
    """Return the part that a file is of, by its name: ``captions_val2017.json`` of ``val``."""
    return re.sub(r"[\d_-]+$", "", file.stem.lower().removeprefix("captions")).strip("_-")


def _decoded(file: Path) -> _Document:
    try:
        content = read_file(file, _MOST_BYTES)
        return decode_json(content.removeprefix(b"\xef\xbb\xbf"), _Document)
    except (OSError, MemoryError, *UNDECODABLE) as error:
        raise _wrong(file, str(error) or type(error).__name__) from error


def _wrong(file: Path, reason: str) -> DiagnosticError:
    return DiagnosticError.of("D511", field=_FIELD, file=str(file), reason=reason[:200])


def _version(file: Path) -> tuple[int, int]:
    try:
        status = file.stat()
    except OSError:
        return -1, -1
    return status.st_size, status.st_mtime_ns


def _has_captions(file: Path) -> bool:
    parts = file_ends(file)
    return all(any(key in part for part in parts) for key in _KEYS) and has_no_boxes(parts)


def file_ends(file: Path) -> tuple[bytes, bytes]:
    """Return what a file begins and ends with; nothing where it cannot be read."""
    try:
        with open_file(file) as stream:
            head = stream.read(_SNIFFED)
            stream.seek(max(stream.seek(0, os.SEEK_END) - _SNIFFED, 0))
            return head, stream.read(_SNIFFED)
    except (OSError, ValueError):
        return b"", b""
