"""Pictures of a folder with the boxes that files have for them: whose are whose."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray

from engine.data.source.box_table import BoxTable, box_table
from engine.data.source.boxes.files import part_of
from engine.data.source.boxes.found import FoundBoxes, NamedPicture
from engine.data.source.image_walk import Names, names_of
from engine.data.source.mask_pairs import IMAGE_FOLDERS

BOX_FOLDERS = frozenset(("labels", "label", "annotations", "annotation", "xml", "xmls"))
"""What folders of files of boxes are called, in small letters."""
_SLACK = 0.5  # pixels that a box may reach beyond its picture by rounding
_SHARE = 1e-3  # the same of shares


class BoxReport(msgspec.Struct, frozen=True, kw_only=True):
    """What was left out or changed: pictures that are not there, pictures without a word about
    them, boxes around a crowd, clipped boxes and empty ones (by their pictures), pictures that
    have no file of boxes among others that do, boxes without an outline, where these are read, and
    annotations without a box.
    """

    absent: Names = Names()
    unnamed: Names = Names()
    crowds: Names = Names()
    clipped: Names = Names()
    empty: Names = Names()
    bare: Names = Names()
    without_outline: Names = Names()
    boxless: Names = Names()


@dataclass(frozen=True, kw_only=True)
class BoxedPictures:
    """The numbers of the pictures that have a word about their boxes (int64, (samples,)), with
    their boxes and the sizes that these were drawn on; parts are an index into the parts for each,
    -1 for none, None where nothing names parts. ``is_clipped`` says which boxes reached beyond
    their picture, ``numbers`` (int64) are those of the boxes as they were found.
    """

    rows: NDArray[np.int64]
    table: BoxTable
    parts: NDArray[np.int64] | None
    is_clipped: NDArray[np.bool_]
    numbers: NDArray[np.int64]
    report: BoxReport


def assign_boxes(
    names: Sequence[str],
    found: FoundBoxes,
    size_of: Callable[[int], tuple[int, int]],
    listed: NDArray[np.int64] | None,
) -> BoxedPictures:
    """Return the pictures of a folder, by their paths ``names`` in it, with the boxes that files
    have for them. ``size_of`` reads height and width of a picture of which no file says them;
    ``listed`` are parts that lists give, -1 for none.
    """
    lookup = _Lookup(names)
    owner = np.array([lookup.find(each, found) for each in found.pictures], np.int64)
    absent = names_of(each.name for each, row in zip(found.pictures, owner, strict=True) if row < 0)
    is_named = np.zeros(len(names), bool)
    is_named[owner[owner >= 0]] = True
    bare = lookup.bare(is_named) if found.keeps_unnamed else is_named & ~is_named
    rows = np.flatnonzero(is_named | bare)
    sample = np.full(len(names), -1, np.int64)
    sample[rows] = np.arange(len(rows))
    sizes, parts = np.zeros((len(rows), 2), np.int64), np.full(len(rows), -1, np.int64)
    for each, row in zip(found.pictures, owner.tolist(), strict=True):
        if row >= 0:
            sizes[sample[row]] = each.size
            parts[sample[row]] = _part_by_file(each.file, found)
    for at in np.flatnonzero((sizes <= 0).any(axis=1)).tolist():
        sizes[at] = size_of(int(rows[at]))
    corners, labels, owners = found.table()
    samples = sample[owner][owners] if len(owner) else owners
    samples[owner[owners] < 0] = -1
    kept = samples >= 0
    corners, labels, samples = corners[kept], labels[kept], samples[kept]
    table, order, is_clipped, clipped, empty = _clipped(found, corners, labels, samples, sizes)
    return BoxedPictures(
        rows=rows,
        table=table,
        parts=_parts(names, rows, parts, listed),
        is_clipped=is_clipped,
        numbers=np.flatnonzero(kept)[order],
        report=BoxReport(
            absent=absent,
            unnamed=names_of(names[at] for at in np.flatnonzero(~is_named & ~bare).tolist()),
            crowds=found.crowds,
            clipped=names_of(names[int(rows[at])] for at in clipped.tolist()),
            empty=names_of(names[int(rows[at])] for at in empty.tolist()),
            bare=names_of(names[at] for at in np.flatnonzero(bare).tolist()),
            without_outline=found.bare,
            boxless=found.boxless,
        ),
    )


class _Lookup:
    """Pictures by what files may call them."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._by_path = {name: at for at, name in enumerate(names)}
        self._keys = [_key(name) for name in names]
        self._by_key = {key: at for at, key in enumerate(self._keys)}
        self._by_file: dict[str, list[int]] = {}
        for at, name in enumerate(names):
            file = name.rpartition("/")[2]
            for word in dict.fromkeys((file, _stem(file))):
                self._by_file.setdefault(word, []).append(at)

    def find(self, picture: NamedPicture, found: FoundBoxes) -> int:
        """Return the number of a picture, -1 where there is none, or it is not clear which."""
        part = _part_by_file(picture.file, found)
        if found.by_files:
            key = _key(picture.file)
            if key in self._by_key:
                return self._by_key[key]
            stem = _stem(picture.file.rpartition("/")[2])
            at = self._only(self._by_file.get(stem, []), stem, part)
            if at >= 0:
                return at
        name = picture.name.replace("\\", "/").removeprefix("./")
        folder = picture.file.rpartition("/")[0]
        for path in (f"{folder}/{name}", name):
            if path in self._by_path:
                return self._by_path[path]
        file = name.rpartition("/")[2]
        return self._only(self._by_file.get(file, []), name, part)

    def bare(self, is_named: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the pictures that are not named beside one in the same folder that is."""
        folders = [name.rpartition("/")[0] for name in self._names]
        known = {folders[at] for at in np.flatnonzero(is_named).tolist()}
        return ~is_named & np.array([folder in known for folder in folders], bool)

    def _only(self, rows: list[int], name: str, part: int) -> int:
        """Return the only one of some pictures that is meant, -1 where there are several."""
        for chosen in self._narrowed(rows, name, part):
            if len(chosen) == 1:
                return chosen[0]
        return -1

    def _narrowed(self, rows: list[int], name: str, part: int) -> Iterator[list[int]]:
        yield rows
        if "/" in name:
            yield [at for at in rows if f"/{self._names[at]}".endswith(f"/{name}")]
        if part >= 0:
            yield [at for at in rows if part_of(self._names[at]) == part]


def _clipped(
    found: FoundBoxes,
    corners: NDArray[np.float64],
    labels: NDArray[np.int64],
    samples: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> tuple[BoxTable, NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
    """Return the table of boxes within their pictures, the numbers that they had and which of them
    were clipped, then the samples of the boxes that were, and of those that are empty.
    """
    width_height = sizes[samples][:, ::-1].astype(np.float64)
    limits = np.concatenate((width_height, width_height), axis=1)
    if found.is_relative:
        corners = corners * limits
    is_finite = np.isfinite(corners).all(axis=1)
    within = np.clip(np.nan_to_num(corners), 0, limits)
    slack = np.maximum(_SLACK, limits * _SHARE if found.is_relative else 0)
    beyond = (np.abs(within - corners) > slack).any(axis=1)
    is_there = is_finite & (within[:, 2:] > within[:, :2]).all(axis=1)
    chosen = np.flatnonzero(is_there)
    order = chosen[np.argsort(samples[chosen], kind="stable")]
    table = box_table(
        torch.from_numpy(within[order]),
        torch.from_numpy(labels[order]),
        torch.from_numpy(samples[order]),
        torch.from_numpy(sizes),
    )
    is_clipped = np.logical_and(beyond, is_there)
    return table, order, is_clipped[order], samples[is_clipped], samples[~is_there]


def _parts(
    names: Sequence[str],
    rows: NDArray[np.int64],
    parts: NDArray[np.int64],
    listed: NDArray[np.int64] | None,
) -> NDArray[np.int64] | None:
    """Return the part of each picture: by its folders, by the file that names it, by lists."""
    folders = (names[int(at)].rpartition("/")[0] for at in rows)
    by_folder = np.array([part_of(f"{folder}/") for folder in folders])
    given = np.where(by_folder >= 0, by_folder, parts) if len(rows) else parts
    if listed is not None:
        given = np.where(given >= 0, given, listed[rows])
    known = set(given.tolist())
    return given.astype(np.int64) if 0 in known and max(known) > 0 else None


def _part_by_file(path: str, found: FoundBoxes) -> int:
    """Return the part that a file of boxes names; one that is called as its picture does not."""
    return part_of(f"{path.rpartition('/')[0]}/") if found.by_files else part_of(path)


def _key(path: str) -> str:
    """Return what a picture shares with its file of boxes: the path without the ending and without
    the folder that says what it holds.
    """
    *folders, file = path.split("/")
    for at in reversed(range(len(folders))):
        if folders[at].lower() in BOX_FOLDERS or folders[at].lower() in IMAGE_FOLDERS:
            del folders[at]
            break
    return "/".join((*folders, _stem(file)))


def _stem(file: str) -> str:
    return file.rpartition(".")[0] or file
