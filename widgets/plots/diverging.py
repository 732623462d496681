"""Diverging colour map: blue below the middle of a range, red above, stronger towards its ends."""

import numpy as np
from numpy.typing import NDArray

_LOW, _HIGH = (66, 102, 172), (178, 24, 43)
_STRENGTH = 0.72  # of the ends of the range and of what lies beyond


def number_colors(values: NDArray[np.float64], span: tuple[float, float]) -> NDArray[np.uint8]:
    """Return red, green, blue and alpha of numbers (any shape, then 4); none is seen in the middle
    of ``span``, nor where the number is none.
    """
    middle, half = (span[0] + span[1]) / 2, (span[1] - span[0]) / 2 or 1.0
    part = np.clip(np.nan_to_num((values - middle) / half), -1, 1)
    colors = np.where(part[..., None] < 0, np.asarray(_LOW), np.asarray(_HIGH))
    return np.concatenate((colors, np.abs(part[..., None]) * _STRENGTH * 255), axis=-1).astype(
        np.uint8
    )
