"""Files of boxes beside pictures: which there are in a folder, and of which format."""

import csv
import os
import re
from collections import deque
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple

from engine.data.read.captions import file_ends
from engine.data.read.csv_format import plain_rows
from engine.data.read.encoding import decoded_start
from engine.data.read.listening import tell_progress
from engine.data.read.picture_suffix import SUFFIXES
from engine.data.source.boxes.coco import read_coco
from engine.data.source.boxes.found import FoundBoxes
from engine.data.source.boxes.outlines import FoundOutlines
from engine.data.source.boxes.sniff import is_coco
from engine.data.source.boxes.table import box_columns, json_row, read_table
from engine.data.source.boxes.voc import VocOrigin, read_voc
from engine.data.source.boxes.yolo import LIST_FILES, NAME_FILES, class_names, is_box, read_yolo
from engine.data.source.image_walk import PART_NUMBERS
from engine.diagnostics import DiagnosticError
from engine.files import is_file, is_file_entry, is_folder

BoxFormat = Literal["coco", "voc", "yolo", "table"]

_MOST_ENTRIES = 5_000_000  # of a folder and those in it
_MOST_LOOKED_AT = 2000  # files, for the first picture
_MOST_DOCUMENTS = 64  # JSON files that are looked into
_TRIED = 20  # text files or XML files that are looked into
_OUTLINE = re.compile(rb'"segmentation"\s*:\s*(\[\s*\[|\{)')
_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson")
_LABEL_FOLDERS = ("labels", "label", "obj_train_data", "obj_valid_data", "obj_test_data")


class BoxFiles(NamedTuple):
    """Files of boxes of one format: by their paths in ``root``, with slashes. ``outer`` is the path
    of ``root`` below the data, empty where it lies elsewhere.
    """

    format: BoxFormat
    root: Path
    names: tuple[str, ...]
    outer: str = ""

    def read(self, origin: VocOrigin = "auto", *, has_outlines: bool = False) -> FoundBoxes:
        """Return the boxes in the files; ``origin`` is what corners of Pascal VOC count from. With
        ``has_outlines`` those of COCO are read too. Raises what the reader of the format does.
        """
        is_yolo = self.format == "yolo"
        found = FoundBoxes(
            is_relative=is_yolo,
            by_files=is_yolo or self.format == "voc",
            keeps_unnamed=is_yolo,
            outlines=FoundOutlines() if has_outlines and self.format == "coco" else None,
        )
        named = self._named()
        if self.format == "voc":
            read_voc(named, found, origin)
            found.sort_classes()
        elif self.format == "yolo":
            folders = [(self.root / name).parent for name in self.names[:1]]
            around = [self.root, *folders, *(folder.parent for folder in folders)]
            read_yolo(named, class_names([*around, self.root.parent]), found)
        else:
            read = read_coco if self.format == "coco" else read_table
            for file, name in named:
                read(file, name, found)
        if self.format == "table":
            found.sort_classes()
        return found

    def show_outlines(self) -> bool:
        """Return whether COCO's files have outlines, by what each begins and ends with."""
        return self.format == "coco" and any(
            _OUTLINE.search(part) for name in self.names for part in file_ends(self.root / name)
        )

    def _named(self) -> Iterator[tuple[Path, str]]:
        """Yield the files with their paths below the data; whoever listens is told of them."""
        for done, name in enumerate(self.names):
            tell_progress(self.root, done, "files", len(self.names))
            yield self.root / name, self._below(name)

    def _below(self, name: str) -> str:
        return f"{self.outer}/{name}" if self.outer else name


@lru_cache(maxsize=4096)
def part_of(path: str) -> int:
    """Return the part (an index, -1 for none) that a path with slashes names: in a folder, else in
    a word of the name of the file.
    """
    *folders, file = path.split("/")
    for folder in folders:
        word = folder.lower().rstrip("0123456789-_")
        if word in PART_NUMBERS:
            return PART_NUMBERS[word]
    words = re.split(r"[^a-z]+", file.rpartition(".")[0].lower())
    return next((PART_NUMBERS[word] for word in words if word in PART_NUMBERS), -1)


def box_files(place: Path, data: Path) -> BoxFiles | None:
    """Return the files of boxes at a path, a file or a folder; ``data`` is the folder of the
    pictures. None where there are none.

    Raises :class:`DiagnosticError` D020 where there is no such path.
    """
    if is_folder(place):
        found = _in_folder(place)
        return None if found is None else found._replace(outer=_outer(place, data))
    if not is_file(place):
        raise DiagnosticError.of("D020", field="data.source.boxes", file=str(place))
    if place.name in NAME_FILES or place.name in LIST_FILES:
        return box_files(place.parent, data)
    suffix = place.suffix.lower()
    known: dict[str, BoxFormat] = {
        ".json": "coco",
        ".xml": "voc",
        **dict.fromkeys(_TABLES, "table"),
    }
    if suffix == ".txt":
        known[suffix] = "yolo" if _is_yolo(place) else "table"
    if suffix not in known:
        return None
    return BoxFiles(known[suffix], place.parent, (place.name,), _outer(place.parent, data))


def folder_of_boxes(file: Path) -> Path | None:
    """Return the folder of the pictures whose boxes are in a file: its own, or the one that this
    lies in; None for a file of anything else.
    """
    for folder in (file.parent, file.parent.parent) if _holds_boxes(file) else ():
        names = islice(_walk(folder), _MOST_LOOKED_AT)
        if any(Path(name).suffix.lower() in SUFFIXES for name in names):
            return folder
    return None


def _outer(folder: Path, data: Path) -> str:
    folder, data = Path(os.path.abspath(folder)), Path(os.path.abspath(data))  # noqa: PTH100 - links stay
    if not folder.is_relative_to(data):
        return ""
    path = folder.relative_to(data).as_posix()
    return "" if path == "." else path


def _holds_boxes(file: Path) -> bool:
    suffix = file.suffix.lower()
    if suffix == ".json":
        return is_coco(file)
    if file.name in NAME_FILES:
        return bool(class_names([file.parent]))
    return suffix in _TABLES and _is_table(file)


def _in_folder(root: Path) -> BoxFiles | None:
    """Return the files of the first format of which there are some."""
    names: dict[str, list[str]] = {suffix: [] for suffix in (".json", ".xml", ".txt", *_TABLES)}
    pictures: set[str] = set()
    for name in islice(_walk(root), _MOST_ENTRIES):
        stem, dot, ending = name.rpartition(".")
        suffix = f"{dot}{ending}".lower()
        if suffix in names:
            names[suffix].append(name)
        elif suffix in SUFFIXES:
            pictures.add(stem)
    coco = [name for name in names[".json"][:_MOST_DOCUMENTS] if is_coco(root / name)]
    instances = [name for name in coco if "instances" in name.rpartition("/")[2]]
    if coco:
        return BoxFiles("coco", root, tuple(instances or coco))
    if any(_is_voc(root / name) for name in names[".xml"][:_TRIED]):
        return BoxFiles("voc", root, tuple(names[".xml"]))
    texts = [name for name in names[".txt"] if _is_label(name, pictures)]
    if any(_is_yolo(root / name) for name in texts[:_TRIED]):
        return BoxFiles("yolo", root, tuple(texts))
    tables = [name for suffix in _TABLES for name in names[suffix] if _is_table(root / name)]
    return BoxFiles("table", root, tuple(tables)) if tables else None


def _walk(root: Path) -> Iterator[str]:
    """Yield the files in a folder and those in it by their paths, in order; no link is followed."""
    waiting = deque([""])
    while waiting:
        folder = waiting.popleft()
        try:
            with os.scandir(root / folder) as entries:
                inner = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue  # the walk for the pictures says so
        for entry in inner:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append(path)
            elif is_file_entry(entry):
                yield path


def _is_label(name: str, pictures: set[str]) -> bool:
    """Return whether a text may hold boxes of a picture: by its folder, or a picture beside it."""
    *folders, file = name.split("/")
    if file in LIST_FILES:
        return False
    is_named = any(folder.lower() in _LABEL_FOLDERS for folder in folders)
    return is_named or name.rpartition(".")[0] in pictures


def _is_voc(file: Path) -> bool:
    return b"<annotation" in file_ends(file)[0]


def _is_yolo(file: Path) -> bool:
    lines = file_ends(file)[0].decode("utf-8-sig", "replace").splitlines()
    rows: Sequence[list[str]] = [line.split() for line in lines if line.strip()]
    return bool(rows) and is_box(rows[0])


def _is_table(file: Path) -> bool:
    try:
        text = decoded_start(file_ends(file)[0], file)
    except DiagnosticError:
        return False
    line = next((line for line in text.splitlines() if line.strip()), "")
    row = json_row(line) if line.startswith("{") else None
    if row is not None:
        return box_columns(list(row)) is not None
    try:
        head = next(plain_rows(line), [])
    except csv.Error:
        return False
    columns = box_columns(head)
    return columns is not None and (
        columns.has_head or Path(head[0].strip()).suffix.lower() in SUFFIXES
    )
