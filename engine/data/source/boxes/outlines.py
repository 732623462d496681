"""Outlines of objects as COCO has them, polygons or runs of pixels, and the masks that they are."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.decoding import json_decoder
from engine.diagnostics import DiagnosticError
from engine.files import UNDECODABLE

_MOST_NUMBERS = 400_000_000  # of all outlines
_MOST_CORNERS = 200_000  # numbers of one polygon
_MOST_RUNS = 1 << 24  # of one mask
_FARTHEST = 1e7  # pixels
_LONGEST = 1 << 20  # pixels of a side
_LEAST = 6  # numbers of a polygon
_AT_ONCE = 1 << 20  # crossings of edges with columns
_BITS, _LOW, _MORE, _SIGN, _FIRST = 5, 0x1F, 0x20, 0x10, 48  # of a letter of packed runs
_MOST_LETTERS = 8  # of a run
_BEFORE = 2  # runs, to which a packed one is added
_BOX, _POLYGONS, _RUNS = 0, 1, 2

Mask = NDArray[np.bool_]
"""Which pixels of a picture are of an object, (height, width)."""


class _Runs(msgspec.Struct):
    """Runs of pixels off and on in turn, column by column: as numbers, or packed in a text."""

    size: tuple[int, int]
    counts: list[int] | str


_DECODER = json_decoder(list[list[float]] | _Runs | None)


@dataclass
class FoundOutlines:
    """Outlines of boxes, in arrays: of box ``i`` the kind and the parts from ``firsts[i]`` to
    ``firsts[i + 1]``, of each part where its numbers begin and end: corners of a polygon in pixels,
    or height, width and runs.
    """

    kinds: "array[int]" = field(default_factory=lambda: array("b"))
    firsts: "array[int]" = field(default_factory=lambda: array("q", [0]))
    begins: "array[int]" = field(default_factory=lambda: array("q"))
    ends: "array[int]" = field(default_factory=lambda: array("q"))
    corners: "array[float]" = field(default_factory=lambda: array("f"))
    runs: "array[int]" = field(default_factory=lambda: array("q"))

    def add(self, outline: bytes) -> bool:
        """Take the outline of one box more in, JSON; return whether it is one. Where it is not, the
        box itself stands for it. Raises :class:`DiagnosticError` D432 for too many numbers.
        """
        kind, parts = _decoded(outline)
        values = self.runs if kind == _RUNS else self.corners
        for part in parts:
            self.begins.append(len(values))
            values.extend(part)  # pyright: ignore[reportArgumentType] - whole numbers of runs
            self.ends.append(len(values))
        self.kinds.append(kind)
        self.firsts.append(len(self.ends))
        if len(self.corners) + len(self.runs) > _MOST_NUMBERS:
            raise DiagnosticError.of("D432", field="data.source.boxes", limit=_MOST_NUMBERS)
        return kind != _BOX

    def mask(self, number: int, box: Sequence[float], height: int, width: int) -> Mask:
        """Return the pixels of a box, by its number; where it has no outline of a picture of this
        size, those in ``box`` (left, top, right and bottom).
        """
        kind, parts = self.kinds[number], self._parts(number)
        if kind == _POLYGONS:
            polygons = [np.array(part, np.float64).reshape(-1, 2) for part in parts]
            return polygon_mask(polygons, height, width)
        if kind == _RUNS and tuple(parts[0][:2]) == (height, width):
            return _mask_of_runs(np.array(parts[0][2:], np.int64), height, width)
        left, top, right, bottom = box
        rows, columns = np.arange(height) + 0.5, np.arange(width) + 0.5
        return ((rows >= top) & (rows < bottom))[:, None] & ((columns >= left) & (columns < right))

    def key(self, number: int) -> bytes:
        """Return what is equal only for equal outlines."""
        parts = [part.tobytes() for part in self._parts(number)]
        return bytes([self.kinds[number]]) + b"".join(
            len(part).to_bytes(8, "little") + part for part in parts
        )

    def _parts(self, number: int) -> "list[array[float]] | list[array[int]]":
        values = self.runs if self.kinds[number] == _RUNS else self.corners
        spans = range(self.firsts[number], self.firsts[number + 1])
        return [values[self.begins[at] : self.ends[at]] for at in spans]  # pyright: ignore[reportReturnType] - of one kind


def box_around(outline: bytes) -> tuple[float, float, float, float] | None:
    """Return left, top, right and bottom of an outline, JSON; None for what is none."""
    kind, parts = _decoded(outline)
    if kind == _POLYGONS:
        corners = np.concatenate([np.array(part, np.float64).reshape(-1, 2) for part in parts])
        (left, top), (right, bottom) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
        return left, top, right, bottom
    if kind == _RUNS:
        height, width, *runs = map(int, parts[0])
        mask = _mask_of_runs(np.array(runs, np.int64), height, width)
        rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
        if len(rows):
            return float(columns[0]), float(rows[0]), columns[-1] + 1.0, rows[-1] + 1.0
    return None


def polygon_mask(polygons: Sequence[NDArray[np.float64]], height: int, width: int) -> Mask:
    """Return the pixels whose middles lie inside one of some polygons (corners, 2), x and y in
    pixels. Inside is what a ray leaves an odd number of times.
    """
    mask = np.zeros((height, width), bool)
    for corners in polygons:
        low = np.clip(np.floor(corners.min(axis=0)), 0, (width, height)).astype(int)
        high = np.clip(np.ceil(corners.max(axis=0)), 0, (width, height)).astype(int)
        (left, top), (right, bottom) = low.tolist(), high.tolist()
        if left < right and top < bottom:
            part = _filled(corners - low, bottom - top, right - left)
            mask[top:bottom, left:right] |= part
    return mask


def _filled(corners: NDArray[np.float64], height: int, width: int) -> Mask:
    """Return which pixels are inside one polygon: in each column those between its edges."""
    following = np.roll(corners, -1, axis=0)
    is_left = (corners[:, 0] <= following[:, 0])[:, None]
    start, end = np.where(is_left, corners, following), np.where(is_left, following, corners)
    first = np.clip(np.ceil(start[:, 0] - 0.5), 0, width).astype(np.int64)
    counts = np.clip(np.ceil(end[:, 0] - 0.5), 0, width).astype(np.int64) - first
    spans = np.maximum(end[:, 0] - start[:, 0], 1e-12)
    slopes = (end[:, 1] - start[:, 1]) / spans
    turns = np.zeros((height + 1, width), np.uint8)
    ends = np.cumsum(counts)
    cuts = np.searchsorted(ends, np.arange(_AT_ONCE, int(ends[-1]) + _AT_ONCE, _AT_ONCE), "left")
    for low, high in pairwise([0, *(cuts + 1).tolist()]):
        edges = np.repeat(np.arange(len(counts))[low:high], counts[low:high])
        before = np.cumsum(counts[low:high]) - counts[low:high]
        columns = first[edges] + np.arange(len(edges)) - np.repeat(before, counts[low:high])
        heights = start[edges, 1] + (columns + 0.5 - start[edges, 0]) * slopes[edges]
        rows = np.clip(np.ceil(heights - 0.5), 0, height).astype(np.int64)
        np.bitwise_xor.at(turns, (rows, columns), 1)
    return np.bitwise_xor.accumulate(turns, axis=0)[:height].astype(bool)


def _mask_of_runs(runs: NDArray[np.int64], height: int, width: int) -> Mask:
    is_on = np.arange(len(runs)) % 2 == 1
    return np.repeat(is_on, runs).reshape(width, height).T


def _decoded(outline: bytes) -> tuple[int, list[list[float]] | list[list[int]]]:
    """Return kind and parts of an outline; a box without parts for what is none."""
    try:
        given = _DECODER.decode(outline)
    except UNDECODABLE:
        return _BOX, []
    if isinstance(given, _Runs):
        runs = _unpacked(given.counts) if isinstance(given.counts, str) else given.counts
        height, width = given.size
        is_whole = 0 < height < _LONGEST and 0 < width < _LONGEST and 0 < len(runs) <= _MOST_RUNS
        if is_whole and min(runs) >= 0 and sum(runs) == height * width:
            return _RUNS, [[height, width, *runs]]
        return _BOX, []
    polygons = [part for part in given or () if _is_polygon(part)]
    return (_POLYGONS, polygons) if polygons else (_BOX, [])


def _is_polygon(numbers: Sequence[float]) -> bool:
    is_long = _LEAST <= len(numbers) <= _MOST_CORNERS and len(numbers) % 2 == 0
    return is_long and max(numbers) < _FARTHEST and min(numbers) > -_FARTHEST


def _unpacked(text: str) -> list[int]:
    """Return the runs in a text, in which each is told by its difference from the one before the
    last, five bits a letter, the lowest first; empty for what is no such text.
    """
    runs: list[int] = []
    value, letters = 0, 0
    for code in text.encode("utf-8", "replace"):
        bits = code - _FIRST
        if not 0 <= bits < 2 * _MORE or letters == _MOST_LETTERS or len(runs) > _MOST_RUNS:
            return []
        value |= (bits & _LOW) << (_BITS * letters)
        letters += 1
        if bits & _MORE:
            continue
        if bits & _SIGN:
            value -= 1 << (_BITS * letters)
        runs.append(value + (runs[-_BEFORE] if len(runs) > _BEFORE else 0))
        value, letters = 0, 0
    return [] if letters else runs
