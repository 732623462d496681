"""A first look at a file or folder of the user, without reading all of it: while a folder of a
million pictures is indexed, its first ones are shown.
"""

import os
from collections.abc import Iterator
from itertools import islice, zip_longest
from pathlib import Path

from engine.data.browse.picture import file_picture
from engine.data.read import array, text
from engine.data.read.encoding import decoded_start
from engine.data.read.natural import natural_key
from engine.data.read.picture_suffix import SUFFIXES
from engine.data.read.shown_date import are_days, shown_day
from engine.data.read.stream import first_bytes
from engine.data.read.table import is_table_folder, read_head
from engine.data.read.video import SUFFIXES as VIDEO_SUFFIXES
from engine.data.source.boxes.files import folder_of_boxes
from engine.data.source.image_index import LEAST_CLASSES, name_spellings
from engine.data.source.image_labels import (
    find_table,
    first_listed,
    listed_folder,
    read_labels,
)
from engine.data.source.image_walk import check_root, layout_of
from engine.diagnostics import DiagnosticError
from engine.files import is_folder
from engine.query.data.request import PeekData
from engine.query.data.source_choice import is_plain_table
from engine.spec.proposal import Peek, PeekPicture
from engine.spec.table import TableOptions

_MOST = 64  # pictures, rows and lines at a time
_MOST_FOLDERS = 200
_MOST_ENTRIES = 2000  # of a folder that are looked at
_OF_A_FOLDER = 12  # pictures
_SIDE = 128
_HEAD_BYTES = 1 << 16
_LONGEST_LINE = 400  # characters
_MOST_LABELS = 4 << 20  # bytes of a table of labels: the first look is quick


def peek_data(request: PeekData) -> Peek:
    """Return the first few of what lies at a path; nothing for what shows nothing at once.

    Raises :class:`DiagnosticError` for a folder that cannot be listed, and for a file that is no
    table though it has to be one.
    """
    path = Path(request.path)
    start, count = max(request.start, 0), min(max(request.count, 0), _MOST)
    folder = path if is_folder(path) else folder_of_boxes(path)
    if folder is None and (listed := first_listed(path)):
        root = listed_folder(path)
        known = tuple(_picture(root, *each) for each in listed[start : start + count])
        return Peek(pictures=known, is_complete=start + count >= len(listed))
    if folder is not None and not is_table_folder(folder):
        return _pictures(folder, start, count)
    suffix = path.suffix.lower()
    if suffix in array.SUFFIXES or suffix in SUFFIXES | VIDEO_SUFFIXES or "ubyte" in path.name:
        return Peek()
    if text.is_text_name(path.name) and not is_plain_table(path):
        return Peek(lines=_lines(path)[start : start + count])
    head = read_head(path, TableOptions(sheet=request.sheet))
    names = tuple(column.name for column in head.columns)
    form = head.format
    rows = _without_midnight(head.rows)[start : start + count]
    return Peek(names=names, rows=rows, sheet=form.sheet, sheets=form.sheets)


def _without_midnight(rows: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """Return rows with the dates of a column as dates where all its times are midnight, as Parquet
    keeps dates; what is read of them is the same.
    """
    columns = zip(*rows, strict=True)
    shown = (tuple(map(shown_day, cells)) if are_days(cells) else cells for cells in columns)
    return tuple(zip(*shown, strict=True))


def _pictures(root: Path, start: int, count: int) -> Peek:
    check_root(root)
    files = _first_files(root)
    layout = layout_of(root)
    classes = {name: layout.split(name.rpartition("/")[0])[1] for name in files}
    if len(set(classes.values()) - {""}) < LEAST_CLASSES:  # as the whole folder is read
        classes |= _listed_classes(root / layout.base, files)
    pictures = tuple(_picture(root, name, classes[name]) for name in files[start : start + count])
    return Peek(pictures=pictures, is_complete=start + count >= len(files))


def _listed_classes(folder: Path, files: list[str]) -> dict[str, str]:
    """Return the classes of pictures that the table of labels of a folder names."""
    try:
        table = find_table(folder)
        if table is None or table.stat().st_size > _MOST_LABELS:
            return {}
        rows = read_labels(table)
    except (OSError, DiagnosticError):
        return {}  # the source says why it cannot be read
    return {
        name: next((rows[each] for each in name_spellings(name) if each in rows), "")
        for name in files
    }


def _first_files(root: Path) -> list[str]:
    """Return the names of some pictures below a folder, of one folder after the other."""
    by_folder = [found for found in islice(_by_folder(root), _MOST_FOLDERS) if found]
    turns = zip_longest(*by_folder)
    return [name for turn in turns for name in turn if name is not None]


def _by_folder(root: Path) -> Iterator[list[str]]:
    """Yield the names of the first pictures of each folder; links to folders are not followed."""
    waiting = [""]
    while waiting:
        path = waiting.pop(0)
        found: list[str] = []
        folders: list[str] = []
        try:
            with os.scandir(root / path) as entries:
                for entry in islice(entries, _MOST_ENTRIES):
                    inner = f"{path}/{entry.name}" if path else entry.name
                    if entry.name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(inner)
                    elif Path(entry.name).suffix.lower() in SUFFIXES | VIDEO_SUFFIXES:
                        found.append(inner)
        except OSError:
            continue  # the index says so
        waiting += sorted(folders, key=natural_key)
        yield sorted(found, key=natural_key)[:_OF_A_FOLDER]


def _picture(root: Path, name: str, label: str) -> PeekPicture:
    try:
        picture = file_picture("image", root / name, _SIDE)
    except DiagnosticError as error:
        return PeekPicture(name=name, label=label, problems=error.problems)
    return PeekPicture(name=name, label=label, picture=picture)


def _lines(path: Path) -> tuple[str, ...]:
    try:
        head, _, _ = first_bytes(path, _HEAD_BYTES)
        lines = decoded_start(head, path).splitlines()
    except (OSError, ValueError, DiagnosticError):
        return ()  # the source says why it cannot be read
    return tuple(line[:_LONGEST_LINE] for line in lines if line.strip())
