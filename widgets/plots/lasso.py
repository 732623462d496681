"""Lasso: which points lie inside a line that was drawn around them by hand."""

import numpy as np
from numpy.typing import NDArray

_MOST_CORNERS = 400


def points_inside(outline: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which of ``points`` (N, 2) lie inside ``outline`` (corners, 2), whose last corner is
    joined to its first: those from which a ray crosses it an odd number of times. Of a line with
    very many corners every so many are taken; one of fewer than three encloses nothing.
    """
    stride = max(1, len(outline) // _MOST_CORNERS)
    corners = outline[::stride]
    result = np.zeros(len(points), dtype=np.bool_)
    if len(corners) < 3:
        return result
    low, high = corners.min(axis=0), corners.max(axis=0)
    near = np.flatnonzero(((points >= low) & (points <= high)).all(axis=1))
    x, y = points[near, 0], points[near, 1]
    is_inside = np.zeros(len(near), dtype=np.bool_)
    for (x1, y1), (x2, y2) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        if y1 == y2:
            continue
        is_passed = (y1 > y) != (y2 > y)
        is_inside ^= is_passed & (x < x1 + (y - y1) * (x2 - x1) / (y2 - y1))
    result[near] = is_inside
    return result
