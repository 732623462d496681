"""CelebA: aligned faces, 40 attributes of each, who it is, where eyes, nose and mouth are, and the
part that each belongs to; and the pictures before they were aligned, with a box around the face.

torchvision's class reads five lists of 202,599 lines for each part; two of them, once, tell all.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.data.source.source import PARTS, Part
from engine.files import read_file

_ATTRIBUTES, _PARTITION, _IMAGES = (
    *("list_attr_celeba.txt", "list_eval_partition.txt", "img_align_celeba"),
)
_IDENTITIES = "identity_CelebA.txt"
_LANDMARKS = "list_landmarks_align_celeba.txt"
_WILD = "img_celeba"
_BOXES = "list_bbox_celeba.txt"
_BOX_COLUMNS = ["x_1", "y_1", "width", "height"]
IDENTITY, LANDMARKS, BOXES = "identity", "landmarks", "boxes"
"""What is chosen in the place of an attribute."""
_MOST_TEXT = 256 << 20
_LABELS = {"-1": 0, "1": 1}


def face_rows(cls: Any, root: Path, chosen: str) -> Iterator[tuple[Part | None, str, int]]:
    """Yield part, path below the folder, and whether a face has an attribute; with
    :data:`IDENTITY` no part, because nobody is in two of them, and who it is: the number of the
    person among those that there are, in the order of theirs; with :data:`LANDMARKS` no class,
    and with :data:`BOXES` none and the picture before it was aligned, which its box is of.

    Raises ``ValueError`` and ``LookupError`` for damaged lists, ``OSError``.
    """
    folder = root / cls.base_folder
    images = _WILD if chosen == BOXES else _IMAGES
    if not (folder / images).is_dir():
        raise FileNotFoundError(2, "no folder", str(folder / images))
    below = f"{cls.base_folder}/{images}/"
    if chosen == IDENTITY:
        persons = _persons(folder)
        number = {person: at for at, person in enumerate(sorted(set(persons.values())))}
        for name, person in persons.items():
            yield None, below + name, number[person]
        return
    parts = dict(line.split() for line in _lines(folder / _PARTITION))
    if chosen in (LANDMARKS, BOXES):
        for name, part in parts.items():
            yield PARTS[int(part)], below + name, -1
        return
    lines = _lines(folder / _ATTRIBUTES)
    names = lines[1].split()
    column = names.index(chosen) + 1
    for line in lines[2:]:
        cells = line.split()
        if len(cells) != len(names) + 1:
            raise ValueError(f"{len(cells) - 1} attributes for {len(names)} names")
        part = PARTS[int(parts[cells[0]])]
        yield part, below + cells[0], _LABELS[cells[column]]


def face_classes(cls: Any, root: Path, chosen: str) -> tuple[str, ...]:
    """Return what faces without and with an attribute are called, or the numbers of all persons;
    of landmarks and boxes none. Raises as :func:`face_rows` does.
    """
    if chosen in (LANDMARKS, BOXES):
        return ()
    if chosen != IDENTITY:
        return f"not {chosen}", chosen
    return tuple(map(str, sorted(set(_persons(root / cls.base_folder).values()))))


def face_landmarks(cls: Any, root: Path) -> tuple[tuple[str, ...], NDArray[np.float32]]:
    """Return what the landmarks are called, such as ``lefteye``, and where those of each face are,
    x and y in pixels, float32 of shape (faces, landmarks, 2), in the order of :func:`face_rows`.

    Raises as :func:`face_rows` does.
    """
    folder = root / cls.base_folder
    lines = _lines(folder / _LANDMARKS)
    columns = lines[1].split()
    names = tuple(dict.fromkeys(column.rpartition("_")[0] for column in columns))
    if columns != [f"{name}_{axis}" for name in names for axis in "xy"]:
        raise ValueError(f"columns of landmarks: {lines[1][:200]}")
    rows = {name: numbers for name, *numbers in (line.split() for line in lines[2:])}
    faces = [line.split()[0] for line in _lines(folder / _PARTITION)]
    values = np.array([rows[face] for face in faces], np.float32)  # ragged: ValueError
    return names, values.reshape(len(faces), len(names), 2)


def face_boxes(cls: Any, root: Path) -> list[list[float]]:
    """Return left, top, right and bottom of the box of each face in pixels, in the order of
    :func:`face_rows`. Raises as that does.
    """
    folder = root / cls.base_folder
    lines = _lines(folder / _BOXES)
    if lines[1].split()[1:] != _BOX_COLUMNS:
        raise ValueError(f"columns of boxes: {lines[1][:200]}")
    boxes: dict[str, list[float]] = {}
    for name, *cells in (line.split() for line in lines[2:]):
        left, top, width, height = map(float, cells)
        boxes[name] = [left, top, left + width, top + height]
    return [boxes[line.split()[0]] for line in _lines(folder / _PARTITION)]


def boxes_file(cls: Any, root: Path) -> Path:
    """Return the list of boxes."""
    return root / cls.base_folder / _BOXES


def _persons(folder: Path) -> dict[str, int]:
    rows = (line.split() for line in _lines(folder / _IDENTITIES))
    return {name: int(person) for name, person in rows}


def _lines(path: Path) -> list[str]:
    text = read_file(path, _MOST_TEXT).decode("utf-8")
    return [line for line in text.splitlines() if line.strip()]
