"""Reader of tables of boxes: a row for each, with the file of its picture, corners and class."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from engine.data.read.csv_format import plain_rows
from engine.data.read.json_lines import is_json_lines
from engine.data.read.listening import tell_progress
from engine.data.read.text import decoded
from engine.data.source.boxes.found import (
    TOLD_ROWS,
    FoundBoxes,
    NamedPicture,
    damaged,
    numbers_of,
    read_boxes,
)
from engine.decoding import json_decoder
from engine.files import UNDECODABLE

MOST_BYTES = 1 << 30
_FILE = [
    *("path", "file", "filename", "file_name", "filepath", "file_path", "img", "name", "文件"),
    *("image", "image_id", "imageid", "image_name", "image_path", "图片"),
]
_CLASS = [
    *("class", "label", "class_name", "classname", "category", "labelname", "object", "species"),
    *("类别", "标签"),
]
_LEFT = ["x1", "xmin", "x_min", "left", "x0", "bbox_x1"]
_TOP = ["y1", "ymin", "y_min", "top", "y0", "bbox_y1"]
_RIGHT = ["x2", "xmax", "x_max", "right", "bbox_x2"]
_BOTTOM = ["y2", "ymax", "y_max", "bottom", "bbox_y2"]
_WIDTH, _HEIGHT = ["image_width", "img_width"], ["image_height", "img_height"]
_SPAN, _RISE = ["w", "box_width", "bbox_width"], ["h", "box_height", "bbox_height"]
_ACROSS, _DOWN = [*_LEFT, "x", "bbox_x"], [*_TOP, "y", "bbox_y"]
_BOX = "bbox"  # a list of left, top, width and height in a line of JSON
_LEAST = 6  # columns
_SHOWN = 200  # letters of a line that is none
_OBJECT = json_decoder(dict[str, object])


class Columns(NamedTuple):
    """The numbers of the columns; ``width`` and ``height`` of the picture are -1 where there are
    none. ``has_head`` says whether the first row names them; where ``is_sized``, width and height
    of the box stand for right and bottom.
    """

    file: int
    corners: tuple[int, int, int, int]
    label: int
    width: int = -1
    height: int = -1
    has_head: bool = True
    is_sized: bool = False


def box_columns(head: Sequence[str]) -> Columns | None:
    """Return the columns of a table by its first row: by their names (left, top, and either right
    and bottom or width and height of the box), else path, left, top, right, bottom and class in
    this order; None for a table of anything else.
    """
    words = [cell.strip().lower().replace(" ", "_") for cell in head]

    def at(*known: str) -> int:
        return next((words.index(word) for word in known if word in words), -1)

    file, label = at(*_FILE), at(*_CLASS)
    corners = at(*_LEFT), at(*_TOP), at(*_RIGHT), at(*_BOTTOM)
    if min(file, label, *corners) >= 0:
        return Columns(file, corners, label, at("width", *_WIDTH), at("height", *_HEIGHT))
    # Beside x and y, width and height are those of the box, unless it has others.
    sized = at(*_ACROSS), at(*_DOWN), at(*_SPAN, "width"), at(*_RISE, "height")
    if min(file, label, *sized) >= 0:
        width, height = at(*_WIDTH, "width"), at(*_HEIGHT, "height")
        width, height = (-1 if each in sized else each for each in (width, height))
        return Columns(file, sized, label, width, height, is_sized=True)
    if len(head) != _LEAST or not all(map(_is_number, head[1:5])) or not head[0].strip():
        return None
    return Columns(0, (1, 2, 3, 4), 5, has_head=False)


@dataclass
class _Rows:
    """The rows of a table, as boxes of the pictures that they name."""

    file: Path
    path: str
    found: FoundBoxes
    columns: Columns
    pictures: dict[str, int] = field(default_factory=dict[str, int])

    def add(self, row: Sequence[str], line: int) -> None:
        left, top, right, bottom = self.columns.corners
        try:
            corners = float(row[left]), float(row[top]), float(row[right]), float(row[bottom])
            if self.columns.is_sized:
                corners = (*corners[:2], corners[0] + corners[2], corners[1] + corners[3])
            name, label = row[self.columns.file].strip(), row[self.columns.label].strip()
        except (ValueError, IndexError):
            self._add_odd(row, line)
            return
        if not name or not label:
            raise damaged(self.file, line, ", ".join(row))
        self.found.add_box(self._picture(name, row), corners, self.found.label_of(label))

    def _add_odd(self, row: Sequence[str], line: int) -> None:
        """Take a picture without boxes in, or say what is wrong."""
        needed = (*self.columns.corners, self.columns.label)
        is_whole = len(row) > max(self.columns.file, *needed)
        name = row[self.columns.file].strip() if is_whole else ""
        if not name:
            raise damaged(self.file, line, ", ".join(row))
        if any(row[at].strip() for at in needed):
            numbers_of((row[at] for at in self.columns.corners), self.file, line)
        self._picture(name, row)

    def _picture(self, name: str, row: Sequence[str]) -> int:
        if name not in self.pictures:
            size = (_pixels(row, self.columns.height), _pixels(row, self.columns.width))
            self.pictures[name] = self.found.add_picture(NamedPicture(name, self.path, size))
        return self.pictures[name]


def read_table(file: Path, path: str, found: FoundBoxes) -> None:
    """Take the boxes of a table in, whose path below the data is ``path``; a row with a picture and
    nothing else says that it has none.

    Raises :class:`DiagnosticError`: D288 for a row that is no box, with its line; D029 and D132 for
    bytes that are no text; what
    :func:`~engine.data.source.boxes.found.read_boxes` does.
    """
    text = decoded(read_boxes(file, MOST_BYTES), file)
    if is_json_lines(text):
        _read_lines(text, _Lines(file, path, found))
        return
    reader = plain_rows(text)
    try:
        rows = (row for row in reader if any(cell.strip() for cell in row))
        head = next(rows, [])
        columns = box_columns(head)
        if columns is None:
            raise damaged(file, max(reader.line_num, 1), ", ".join(head))
        boxes = _Rows(file, path, found, columns)
        if not columns.has_head:
            boxes.add(head, reader.line_num)
        for number, row in enumerate(rows):
            if number % TOLD_ROWS == 0:
                tell_progress(file, number, "rows")
            boxes.add(row, reader.line_num)
    except csv.Error as error:
        raise damaged(file, reader.line_num, str(error)) from error


class _Lines(NamedTuple):
    """A file of JSON lines, its path below the data, and what is found."""

    file: Path
    path: str
    found: FoundBoxes


def _read_lines(text: str, lines: _Lines) -> None:
    """Take the boxes of lines of JSON in, one a line; names that the first has not are passed
    over.
    """
    boxes: _Rows | None = None
    names: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        row = json_row(line)
        if row is None:
            raise damaged(lines.file, number, line[:_SHOWN])
        if boxes is None:
            names = list(row)
            columns = box_columns(names)
            if columns is None:
                raise damaged(lines.file, number, line[:_SHOWN])
            boxes = _Rows(lines.file, lines.path, lines.found, columns)
        if number % TOLD_ROWS == 0:
            tell_progress(lines.file, number, "rows")
        boxes.add([row.get(name, "") for name in names], number)


def json_row(line: str) -> dict[str, str] | None:
    """Return the values in a line of JSON as texts by name, a list ``bbox`` as its four numbers;
    None for a line that is no object.
    """
    try:
        values = _OBJECT.decode(line.encode())
    except UNDECODABLE:
        return None
    row: dict[str, str] = {}
    for name, value in values.items():
        if name == _BOX and isinstance(value, list) and len(value) == len("xywh"):
            row |= {side: str(each) for side, each in zip("xywh", value, strict=True)}
        else:
            row[name] = "" if value is None else str(value)
    return row


def _pixels(row: Sequence[str], column: int) -> int:
    text = row[column].strip() if 0 <= column < len(row) else ""
    return int(float(text)) if _is_number(text) and 0 < float(text) < 1 << 20 else 0


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
