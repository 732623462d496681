"""Route of a wire that cannot go straight: around cards, through the gaps between them."""

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QPointF

STUB = 26.0  # how far a wire runs on before it turns
_CLEAR = 18.0  # between a lane and the cards beside it
_TOUCH = 5.0  # nearer to a card is through it
_HALF = 0.5  # of a wire's width
MOST_CARDS = 100  # each height is tried against each card

Sides = tuple[float, float, float, float]
"""Left, top, right and bottom of a card: a wire looks at hundreds, and a ``QRectF`` is slow."""


def corners(start: QPointF, end: QPointF, lane: float | None = None) -> list[QPointF]:
    """Return the corners of the way from an output to an input by a height, half way by default."""
    middle = (start.y() + end.y()) / 2 if lane is None else lane
    right, left = start.x() + STUB, end.x() - STUB
    return [
        start,
        QPointF(right, start.y()),
        QPointF(right, middle),
        QPointF(left, middle),
        QPointF(left, end.y()),
        end,
    ]


def find_lane(start: QPointF, end: QPointF, cards: Sequence[Sides]) -> float | None:
    """Return the height nearest to both ends at which a wire passes no card; None where there is
    none, and where so many are in the way that one more line does not matter.
    """
    if len(cards) > MOST_CARDS:
        return None
    y1, y2 = start.y(), end.y()
    middle = (y1 + y2) / 2
    near = _TOUCH + _HALF  # the middle of a wire must not come nearer
    walls = [(a - near, b - near, c + near, d + near) for a, b, c, d in cards]
    right, left = start.x() + STUB, end.x() - STUB
    down, up = _free(right, y1, walls), _free(left, y2, walls)
    low, high = max(down[0], up[0]), min(down[1], up[1])
    if low > high:
        return None
    heights = [middle]
    for _, top, _, bottom in cards:
        heights += (top - _CLEAR, bottom + _CLEAR)
    first, last = min(left, right), max(left, right)
    tops, feet = _joined((wall[1], wall[3]) for wall in walls if wall[0] < last and wall[2] > first)
    free: list[float] = []
    for height in heights:
        if low <= height <= high:
            index = bisect_left(tops, height) - 1
            if index < 0 or feet[index] <= height:
                free.append(height)
    return min(free, key=lambda y: (abs(y - y1) + abs(y - y2), abs(y - middle)), default=None)


def _joined(spans: Iterable[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """Return the tops and the feet of what open spans cover together, from above."""
    tops: list[float] = []
    feet: list[float] = []
    for top, foot in sorted(spans):
        if tops and top < feet[-1]:
            feet[-1] = max(feet[-1], foot)
        else:
            tops.append(top)
            feet.append(foot)
    return tops, feet


def _free(x: float, y: float, walls: Sequence[Sides]) -> tuple[float, float]:
    """Return how far up and down one can go from a place before there is a wall."""
    low, high = -math.inf, math.inf
    for left, top, right, bottom in walls:
        if left < x < right:
            if bottom <= y:
                low = max(low, bottom)
            elif top >= y:
                high = min(high, top)
            else:
                return (math.inf, -math.inf)
    return (low, high)
