"""Decimation of a million points to few lines that look the same: extremes of each pixel column."""

import numpy as np

from widgets.plots.view_model import Floats


def decimated(
    x: Floats, y: Floats, left: float, right: float, pixels: int
) -> tuple[Floats, Floats]:
    """Return what has to be drawn of ascending ``x`` between two places, in ``pixels`` columns.

    Few points come back as they are (with the neighbours outside, so that lines run to the edge).
    Many are put into bins of a power of two, aligned to the first point so that the picture does
    not flicker while points come; each bin gives its least and largest value. NaN is left out of a
    bin unless it holds nothing else.
    """
    first = max(0, int(np.searchsorted(x, left)) - 1)
    last = min(x.size, int(np.searchsorted(x, right, side="right")) + 1)
    many = (last - first) // max(1, 2 * pixels)
    if many < 2:
        return x[first:last], y[first:last]
    size = 1 << (many - 1).bit_length()
    first -= first % size
    bins = (last - first) // size
    end = first + bins * size
    table = y[first:end].reshape(bins, size)
    tail = y[end:last]
    thin_y = np.empty(2 * bins + tail.size)
    thin_y[0 : 2 * bins : 2] = np.fmin.reduce(table, axis=1)
    thin_y[1 : 2 * bins : 2] = np.fmax.reduce(table, axis=1)
    thin_y[2 * bins :] = tail
    thin_x = np.empty(thin_y.size)
    thin_x[0 : 2 * bins : 2] = x[first:end:size]
    thin_x[1 : 2 * bins : 2] = x[first:end:size]
    thin_x[2 * bins :] = x[end:last]
    return thin_x, thin_y
