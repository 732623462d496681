"""Boxes as a file has them: by the names of pictures and classes, before either is looked for."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.data.read.natural import natural_key
from engine.data.source.boxes.outlines import FoundOutlines
from engine.data.source.image_walk import Names
from engine.diagnostics import DiagnosticError, printable
from engine.files import TooLargeError, read_file

MOST_BOXES = 20_000_000
MOST_CLASSES = 100_000
TOLD_ROWS = 1 << 12
"""Rows of a file between two words about them."""

_MOST_PICTURES = 20_000_000
_FIELD = "data.source.boxes"
_LETTERS = 80
_CORNERS = 4


@dataclass(frozen=True, slots=True)
class NamedPicture:
    """A picture as a file of boxes calls it: ``file`` is the path of that file below the data, with
    slashes, ``size`` the height and width that it says (0, 0: nothing).
    """

    name: str
    file: str
    size: tuple[int, int] = (0, 0)


@dataclass
class FoundBoxes:
    """Boxes of pictures: ``corners`` are left, top, right and bottom of each in turn, in pixels or,
    with ``is_relative``, in shares of the picture. ``by_files`` says that each file is
    called as its picture, in a folder (``labels``, ``Annotations``) that stands for that of the
    pictures; with ``keeps_unnamed`` a picture without a file among others with one has no boxes.
    ``outlines`` are those of all boxes, where they are asked for, ``bare`` the pictures with boxes
    that have none, ``boxless`` those with an annotation that has neither box nor outline.
    """

    is_relative: bool = False
    by_files: bool = False
    keeps_unnamed: bool = False
    pictures: list[NamedPicture] = field(default_factory=list[NamedPicture])
    owners: "array[int]" = field(default_factory=lambda: array("q"))
    corners: "array[float]" = field(default_factory=lambda: array("d"))
    labels: "array[int]" = field(default_factory=lambda: array("q"))
    classes: dict[str, int] = field(default_factory=dict[str, int])
    crowds: Names = field(default_factory=Names)
    outlines: FoundOutlines | None = None
    bare: Names = field(default_factory=Names)
    boxless: Names = field(default_factory=Names)

    def add_picture(self, picture: NamedPicture) -> int:
        """Return the number of a picture more."""
        if len(self.pictures) >= _MOST_PICTURES:
            raise DiagnosticError.of("D297", field=_FIELD, limit=_MOST_PICTURES)
        self.pictures.append(picture)
        return len(self.pictures) - 1

    def add_box(self, picture: int, corners: Sequence[float], label: int) -> None:
        """Take a box of a picture in."""
        if len(self.owners) >= MOST_BOXES:
            raise DiagnosticError.of("D297", field=_FIELD, limit=MOST_BOXES)
        self.owners.append(picture)
        self.corners.extend(corners)
        self.labels.append(label)

    def add_outline(self, outline: bytes) -> None:
        """Take the outline of the box that was added last in, JSON, where outlines are asked for.
        Raises :class:`DiagnosticError` D432 for more than memory holds.
        """
        if self.outlines is not None and not self.outlines.add(outline):
            self.bare = self.bare.plus(self.pictures[self.owners[-1]].name)

    def label_of(self, name: str) -> int:
        """Return the number of a class by its name."""
        number = self.classes.setdefault(name, len(self.classes))
        if number >= MOST_CLASSES:
            raise DiagnosticError.of("D298", field=_FIELD, limit=MOST_CLASSES)
        return number

    def sort_classes(self) -> None:
        """Give the classes numbers in natural order of their names."""
        names = sorted(self.classes, key=natural_key)
        number = {self.classes[name]: at for at, name in enumerate(names)}
        self.labels = array("q", (number[label] for label in self.labels))
        self.classes = {name: at for at, name in enumerate(names)}

    def table(self) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        """Return corners (boxes, 4), classes and pictures of the boxes."""
        corners = np.array(self.corners, np.float64).reshape(-1, _CORNERS)
        return corners, np.array(self.labels, np.int64), np.array(self.owners, np.int64)


def read_boxes(file: Path, limit: int) -> bytes:
    """Return what a file of boxes holds. Raises :class:`DiagnosticError` D020 where it is not
    there, D021 where it cannot be read, D299 where it is larger than ``limit`` bytes.
    """
    try:
        return read_file(file, limit)
    except TooLargeError as error:
        raise DiagnosticError.of("D299", field=_FIELD, file=str(file), limit=limit >> 20) from error
    except FileNotFoundError as error:
        raise DiagnosticError.of("D020", field=_FIELD, file=str(file)) from error
    except (OSError, ValueError) as error:
        raise DiagnosticError.of("D021", field=_FIELD, file=str(file), detail=str(error)) from error


def damaged(file: Path, line: int, reason: str) -> DiagnosticError:
    """Return that a line of a file of boxes (from 1; 0 where that is not known) is not as its
    format is: D288, without a line D301.
    """
    reason = printable(" ".join(reason.split()), _LETTERS)
    if not line:
        return DiagnosticError.of("D301", field=_FIELD, file=str(file), reason=reason)
    return DiagnosticError.of("D288", field=_FIELD, file=str(file), line=line, reason=reason)


def malformed(file: Path, line: int, reason: str) -> DiagnosticError:
    """Return that a file of boxes is cut off or not in its language at a line (D402); ``reason`` is
    what its parser says.
    """
    return DiagnosticError.of("D402", field=_FIELD, detail=reason, file=str(file), line=line)


def line_of(content: bytes, position: int) -> int:
    """Return the line (from 1) of a position."""
    return content.count(b"\n", 0, max(position, 0)) + 1


def numbers_of(words: Iterable[str], file: Path, line: int) -> list[float]:
    """Return words as numbers. Raises :class:`DiagnosticError` D288 for one that is none."""
    values: list[float] = []
    for word in words:
        try:
            values.append(float(word))
        except ValueError as error:
            raise damaged(file, line, f"“{word[:_LETTERS]}”") from error
    return values
