"""Checks of pictures: damaged files, odd sizes and proportions, pictures of one color."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.data.health.damaged_file import damaged_files
from engine.data.health.finding import of_indices
from engine.data.health.scan import Pictures, Scan
from engine.data.health.subject import Indices, Subject
from engine.diagnostics import Severity
from engine.spec.health import HealthFinding

_TINY, _TINIER = 32, 4  # pixels, and times smaller than the usual picture
_USUAL_SHARE = 0.9  # of the pictures, that have one size
_LONG, _LONGER = 3.0, 2.0  # longer than wide, and times the usual proportions
_FLAT = 1  # gray levels between the brightest and the darkest part

Verdict = tuple[HealthFinding, ...] | None


def check_damaged(subject: Subject, scan: Scan) -> Verdict:
    """Return D210 for pictures that cannot be read; None without files of pictures."""
    pictures = scan.pictures
    if pictures is None or not (pictures.damaged or pictures.are_files):
        return None
    return damaged_files("D210", subject, subject.picture, pictures.damaged)


def check_sizes(subject: Subject, scan: Scan) -> Verdict:
    """Return D211 for tiny pictures, D212 for the few of another size than all others, D213 for
    proportions that stand out; None without files of pictures that can be read.
    """
    pictures = scan.pictures
    rows = _readable(pictures)
    if pictures is None or not len(rows) or not pictures.are_files:
        return None
    heights, widths = pictures.heights[rows], pictures.widths[rows]
    shorter, longer = np.minimum(heights, widths), np.maximum(heights, widths)
    usual = float(np.median(shorter))
    is_tiny = (shorter < _TINY) & (shorter * _TINIER < usual)
    ratios = longer / shorter
    is_long = (ratios > _LONG) & (ratios > _LONGER * float(np.median(ratios))) & ~is_tiny
    height, width, is_odd = _odd(heights, widths)
    found: list[HealthFinding] = []

    def add(code: str, chosen: NDArray[np.bool_], **params: str | float) -> None:
        if chosen.any():
            indices = rows[np.flatnonzero(chosen)]
            found.append(of_indices(code, Severity.HINT, subject, indices, **params))

    smallest = int(np.argmin(shorter))
    size = f"{widths[smallest]} × {heights[smallest]}"
    add("D211", is_tiny, usual=int(usual), size=size)
    add("D212", is_odd & ~is_tiny & ~is_long, width=width, height=height)
    longest = int(np.argmax(ratios))
    add("D213", is_long, size=f"{widths[longest]} × {heights[longest]}")
    return tuple(found)


def check_blank(subject: Subject, scan: Scan) -> Verdict:
    """Return D214 for pictures of one color; None without pictures that can be read."""
    pictures = scan.pictures
    rows = _readable(pictures)
    if pictures is None or not len(rows):
        return None
    looks = pictures.looks[rows].reshape(len(rows), -1)
    is_blank = looks.max(axis=1).astype(np.int64) - looks.min(axis=1) <= _FLAT
    blank = rows[np.flatnonzero(is_blank)]
    return (of_indices("D214", Severity.HINT, subject, blank),) if len(blank) else ()


PICTURE_CHECKS: dict[str, Callable[[Subject, Scan], Verdict]] = {
    "damaged": check_damaged,
    "sizes": check_sizes,
    "blank": check_blank,
}


def _readable(pictures: Pictures | None) -> Indices:
    return np.empty(0, np.int64) if pictures is None else np.flatnonzero(pictures.heights)


def _odd(
    heights: NDArray[np.int32], widths: NDArray[np.int32]
) -> tuple[int, int, NDArray[np.bool_]]:
    """Return the size of most pictures, and which are of another where there are only a few."""
    sizes = heights.astype(np.int64) << 32 | widths
    values, counts = np.unique(sizes, return_counts=True)
    usual = int(values[counts.argmax()])
    is_usual = counts.max() >= _USUAL_SHARE * len(sizes)
    is_odd = sizes != usual if is_usual else np.zeros(len(sizes), bool)
    return usual >> 32, usual & 0xFFFFFFFF, is_odd
