"""Contour lines of a grid, found cell by cell (marching squares)."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_SIDES = ((0, 1), (1, 2), (2, 3), (3, 0))  # of a cell, between its corners going around
_CORNERS = ((0, 0), (0, 1), (1, 1), (1, 0))  # row and column


def contours(values: Floats, levels: Floats, x: Floats, y: Floats) -> Floats:
    """Return the pieces of the lines on which ``values`` (rows by columns) have one of the levels:
    (pieces, 2 ends, x and y). ``x`` are the places of the columns, ``y`` of the rows. Cells with a
    corner that is not finite have none; in a saddle the two pieces do not cross.
    """
    segments = [_pieces(values, float(level), x, y) for level in levels]
    return np.concatenate(segments) if segments else np.empty((0, 2, 2))


def _pieces(values: Floats, level: float, x: Floats, y: Floats) -> Floats:
    rows, columns = values.shape[0] - 1, values.shape[1] - 1
    if rows < 1 or columns < 1:
        return np.empty((0, 2, 2))
    corners = [values[r : r + rows, c : c + columns].ravel() for r, c in _CORNERS]
    places_x = [np.tile(x[c : c + columns], rows) for _, c in _CORNERS]
    places_y = [np.repeat(y[r : r + rows], columns) for r, _ in _CORNERS]
    finite = np.logical_and.reduce([np.isfinite(corner) for corner in corners])
    ends = np.full((len(finite), 4, 2), np.nan)
    for side, (a, b) in enumerate(_SIDES):
        crosses = finite & ((corners[a] > level) != (corners[b] > level))
        share = (level - corners[a][crosses]) / (corners[b][crosses] - corners[a][crosses])
        for axis, places in enumerate((places_x, places_y)):
            start, stop = places[a][crosses], places[b][crosses]
            ends[crosses, side, axis] = start + share * (stop - start)
    return _joined(ends)


def _joined(ends: Floats) -> Floats:
    """Return pairs of the crossings of each cell, in the order of its sides."""
    crossed = np.isfinite(ends[:, :, 0])
    count = crossed.sum(axis=1)
    plain = ends[count == 2][crossed[count == 2]].reshape(-1, 2, 2)
    saddles = ends[count == 4]
    return np.concatenate((plain, saddles[:, :2], saddles[:, 2:]))
