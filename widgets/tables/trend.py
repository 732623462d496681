"""Number with a sparkline of how it came to be."""

import math
from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPolygonF


class Trend(NamedTuple):
    """A number and its line, made where numbers are prepared: points take longer than to paint.
    ``lines`` are the stretches between gaps, in a square from (0, 0) at its upper left to (1, 1).
    """

    value: float
    lines: tuple[QPolygonF, ...] = ()

    @classmethod
    def of(cls, value: float, points: Iterable[float]) -> "Trend":
        """Return a number with the line of equally spaced points; NaN and infinity are gaps."""
        every = list(points)
        finite = [point for point in every if math.isfinite(point)]
        if len(finite) < 2:
            return cls(value)
        high, height = max(finite), (max(finite) - min(finite)) or 1.0
        step = 1 / (len(every) - 1)
        stretches = groupby(enumerate(every), lambda placed: math.isfinite(placed[1]))
        lines = (
            QPolygonF([QPointF(index * step, (high - point) / height) for index, point in stretch])
            for is_known, stretch in stretches
            if is_known
        )
        return cls(value, tuple(line for line in lines if line.size() > 1))
