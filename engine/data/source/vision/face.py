"""CelebA: aligned faces, 40 attributes of each, who it is, and the part that each belongs to.

torchvision's class reads five lists of 202,599 lines for each part; two of them, once, tell all.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.data.source.source import PARTS, Part
from engine.files import read_file

_ATTRIBUTES, _PARTITION, _IMAGES = (
    *("list_attr_celeba.txt", "list_eval_partition.txt", "img_align_celeba"),
)
_IDENTITIES = "identity_CelebA.txt"
IDENTITY = "identity"
"""What is chosen in the place of an attribute."""
_MOST_TEXT = 256 << 20
_LABELS = {"-1": 0, "1": 1}


def face_rows(cls: Any, root: Path, chosen: str) -> Iterator[tuple[Part | None, str, int]]:
    """Yield part, path below the folder, and whether a face has an attribute; with
    :data:`IDENTITY` no part, because nobody is in two of them, and who it is: the number of the
    person among those that there are, in the order of theirs.

    Raises ``ValueError`` and ``LookupError`` for damaged lists, ``OSError``.
    """
    folder = root / cls.base_folder
    if not (folder / _IMAGES).is_dir():
        raise FileNotFoundError(2, "no folder", str(folder / _IMAGES))
    below = f"{cls.base_folder}/{_IMAGES}/"
    if chosen == IDENTITY:
        persons = _persons(folder)
        number = {person: at for at, person in enumerate(sorted(set(persons.values())))}
        for name, person in persons.items():
            yield None, below + name, number[person]
        return
    parts = dict(line.split() for line in _lines(folder / _PARTITION))
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
    """Return what faces without and with an attribute are called, or the numbers of all persons.
    Raises as :func:`face_rows` does.
    """
    if chosen != IDENTITY:
        return f"not {chosen}", chosen
    return tuple(map(str, sorted(set(_persons(root / cls.base_folder).values()))))


def _persons(folder: Path) -> dict[str, int]:
    rows = (line.split() for line in _lines(folder / _IDENTITIES))
    return {name: int(person) for name, person in rows}


def _lines(path: Path) -> list[str]:
    text = read_file(path, _MOST_TEXT).decode("utf-8")
    return [line for line in text.splitlines() if line.strip()]
