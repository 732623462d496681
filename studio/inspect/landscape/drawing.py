"""A landscape or a race as far as it is known: a frozen value, folded from what is told of it."""

import math
from dataclasses import dataclass, field, replace
from typing import TypeAlias, assert_never

import numpy as np
from numpy.typing import NDArray

from engine.query.landscape.request import (
    LandscapePlane,
    LandscapeValues,
    RaceLosses,
    RacerOut,
)
from studio.inspect.landscape.race import RacerRow

Floats: TypeAlias = NDArray[np.float64]
Told = LandscapePlane | LandscapeValues | RaceLosses | RacerOut

LAST = 10  # losses at the end that tell who is ahead


@dataclass(frozen=True, kw_only=True, eq=False)
class Drawing:
    """``values`` (float64, rows by columns) are NaN where they are not finite or not ``known`` yet
    (how many of them are, row by row); ``losses`` a row a racer; ``out`` who cannot go on.
    """

    rows: tuple[RacerRow, ...] = ()
    plane: LandscapePlane | None = None
    values: Floats = field(default_factory=lambda: np.empty((0, 0)))
    known: int = 0
    losses: tuple[tuple[float, ...], ...] = ()
    out: tuple[RacerOut, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return self.plane is None and not any(self.losses)

    @property
    def steps(self) -> int:
        """The last step of all ways."""
        ways = self.plane.ways if self.plane else ()
        return max((way.steps[-1] for way in ways if way.steps), default=0)

    def ranking(self) -> list[int]:
        """Return the racers that came to the end, the one with the least loss first."""
        gone = {one.number for one in self.out}
        there = [at for at, one in enumerate(self.losses) if one and at not in gone]
        return sorted(there, key=self.final)

    def final(self, number: int) -> float:
        """Return the mean of the last losses of a racer."""
        last = self.losses[number][-LAST:]
        return sum(last) / len(last)


def fold(drawing: Drawing, message: Told) -> Drawing:
    """Return what is known after a message."""
    match message:
        case LandscapePlane(size=size):
            return replace(drawing, plane=message, values=np.full((size, size), np.nan), known=0)
        case LandscapeValues(start=start):
            row = [math.nan if value is None else value for value in message.values]
            values = drawing.values.copy()
            values.flat[start : start + len(row)] = row
            return replace(drawing, values=values, known=start + len(row))
        case RaceLosses():
            before = drawing.losses or ((),) * len(message.losses)
            joined = zip(before, message.losses, strict=True)
            return replace(drawing, losses=tuple(one + new for one, new in joined))
        case RacerOut():
            return replace(drawing, out=(*drawing.out, message))
        case _:
            assert_never(message)
