"""Texts in class folders, a file each: which there are, of which class and part."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.data.read.name import stored_name
from engine.data.read.natural import natural_key
from engine.data.read.text import ENDINGS, PACKED
from engine.data.source.image_cache import load_index
from engine.data.source.image_index import ImageIndex
from engine.data.source.image_walk import FileKind
from engine.diagnostics import DiagnosticError

TEXTS = FileKind(frozenset(ENDINGS), "D131", "texts", is_text=True)
BARE_TEXTS = FileKind(frozenset(("",)), "D131", "bare", is_text=True)
"""Texts whose names have no ending (``60000``), as the 20 Newsgroups have them."""

_UNLABELLED = ("unsup", "unlabeled", "unlabelled")
"""Folders of texts without a class beside those of the classes, as IMDB has one."""


@dataclass(frozen=True, eq=False, kw_only=True)
class TextFolder:
    """The texts of class folders by number: ``files`` are their paths, ``names`` the same below the
    folder, ``labels`` the names of their classes, ``parts`` (int64) indices into the parts; None
    where the folders say nothing of these. ``around`` are the folders within or around the classes
    and the number of its own for each text; None where there is at most one. So many are
    ``unlabelled`` and not taken.
    """

    index: ImageIndex
    files: tuple[Path, ...]
    names: tuple[str, ...]
    labels: tuple[str, ...]
    parts: Tensor | None
    around: tuple[tuple[str, ...], NDArray[np.int64]] | None
    unlabelled: int = 0


def text_folder(root: Path, *, is_inner: bool) -> TextFolder:
    """Return the texts of the class folders in a folder, with ``is_inner`` of the folders that they
    lie in, in natural order of folders and files; where one is there packed and unpacked, the
    latter. Files without an ending are texts where no other is there.

    Raises :class:`DiagnosticError`: D050, D055, D056 or D072 for a folder that cannot be listed,
    D135 where no text lies in a class folder.
    """
    index = _index(root, is_inner=is_inner)
    if index.head.report.unreadable:
        hidden = root / index.head.report.unreadable.shown[0]
        raise DiagnosticError.of("D055", field="data.source.path", file=str(hidden))
    names = [index.name(at) for at in range(len(index))]
    rows = sorted(_used(names), key=lambda at: _order(names[at]))
    if not rows or not index.head.classes:
        raise _without_classes(root)
    count, rows = len(rows), _labelled(index, rows)
    numbers, parts = index.arrays["label"][rows].tolist(), index.arrays["part"][rows]
    found = index.subfolders
    return TextFolder(
        index=index,
        files=tuple(root / names[at] for at in rows),
        names=tuple(stored_name(names[at]) for at in rows),
        labels=tuple(index.head.classes[number] for number in numbers),
        parts=torch.from_numpy(parts.astype(np.int64)) if index.head.has_parts else None,
        around=None if found is None else (found[0], found[1][rows]),
        unlabelled=count - len(rows),
    )


def _labelled(index: ImageIndex, rows: list[int]) -> list[int]:
    """Return the texts that have a class: of a folder with parts those in a folder that is called
    as one without, of which the training part alone has some, are left out.
    """
    labels, classes = index.arrays["label"], index.head.classes
    named = {at for at, name in enumerate(classes) if name.lower() in _UNLABELLED}
    if not named or len(classes) - len(named) < 2:
        return rows
    parts = index.arrays["part"]
    tested = {int(labels[at]) for at in rows if parts[at] > 0}
    left_out = named - tested if index.head.has_parts else set[int]()
    return [at for at in rows if int(labels[at]) not in left_out]


def _index(root: Path, *, is_inner: bool) -> ImageIndex:
    for kind in (TEXTS, BARE_TEXTS):
        try:
            return load_index(root, is_inner=is_inner, kind=kind)
        except DiagnosticError as error:
            if error.problems[0].code != kind.none:
                raise
    raise _without_classes(root)


def _used(names: list[str]) -> Iterator[int]:
    """Yield the numbers of the texts that are not those of others once more, packed."""
    there = {*names}
    for at, name in enumerate(names):
        is_copy = name.lower().endswith(PACKED) and name[: -len(PACKED)] in there
        if not is_copy and not any(step.startswith("_") for step in name.split("/")[:-1]):
            yield at


def _order(name: str) -> tuple[tuple[object, ...], object]:
    folder, file = os.path.split(name)
    return tuple(natural_key(step) for step in folder.split("/")), natural_key(file)


def _without_classes(root: Path) -> DiagnosticError:
    return DiagnosticError.of("D135", field="data.source.path", file=root.name)
