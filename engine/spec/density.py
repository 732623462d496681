"""Density of samples in the plane of two of their numbers: all are counted, none is drawn."""

import msgspec

COLUMNS, ROWS = 192, 128
"""Cells of a plane from left to right and from bottom to top."""
MOST_GROUPS = 12
"""Groups that are counted apart: colours of more could not be told from one another."""


class Density(msgspec.Struct, frozen=True, kw_only=True):
    """How many samples lie in each cell of a plane: ``counts`` (uint32, (groups, ``ROWS``,
    ``COLUMNS``), the lowest row first) between the first and the last value of ``x`` and ``y``. The
    groups are ``names`` (parts or classes), one without a name where all are counted together; of a
    sample in none, nothing is counted. ``reach_x`` and ``reach_y`` are the ends of all ``total``
    samples, of which ``missing`` lack one of the two numbers.
    """

    counts: bytes
    x: tuple[float, float]
    y: tuple[float, float]
    reach_x: tuple[float, float]
    reach_y: tuple[float, float]
    total: int
    missing: int
    names: tuple[str, ...] = ()


class DensityStep(msgspec.Struct, frozen=True, kw_only=True):
    """How far counting is: ``done`` of ``total`` samples. Without a ``density`` at its end, the
    numbers of one column are not known for all samples without reading these.
    """

    done: int
    total: int
    is_done: bool = False
    density: Density | None = None
