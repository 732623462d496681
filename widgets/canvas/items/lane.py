"""The way of a wire that cannot go straight: around cards, through the gaps between them."""

import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF

STUB = 26.0  # how far a wire runs on before it turns
_CLEAR = 18.0  # between a lane and the cards beside it
_TOUCH = 5.0  # nearer to a card is through it
_HALF = 0.5  # of a wire's width
MOST_CARDS = 100  # each height is tried against each card


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


def find_lane(start: QPointF, end: QPointF, cards: Sequence[QRectF]) -> float | None:
    """Return the height nearest to both ends at which a wire passes no card; None where there is
    none, and where so many are in the way that one more line does not matter.
    """
    if len(cards) > MOST_CARDS:
        return None
    y1, y2 = start.y(), end.y()
    middle = (y1 + y2) / 2
    heights = [middle]
    for card in cards:
        heights += (card.top() - _CLEAR, card.bottom() + _CLEAR)
    walls = [_wall(card) for card in cards]
    right, left = start.x() + STUB, end.x() - STUB
    down, up = _free(right, y1, walls), _free(left, y2, walls)
    low, high = max(down[0], up[0]), min(down[1], up[1])
    first, last = min(left, right), max(left, right)
    taken = [(wall[1], wall[3]) for wall in walls if wall[0] < last and wall[2] > first]
    heights.sort(key=lambda y: (abs(y - y1) + abs(y - y2), abs(y - middle)))
    for height in heights:
        if low <= height <= high and not any(top < height < foot for top, foot in taken):
            return height
    return None


def _wall(card: QRectF) -> tuple[float, float, float, float]:
    """Return what the middle of a wire must not go through: left, top, right, bottom."""
    near = _TOUCH + _HALF
    return (card.left() - near, card.top() - near, card.right() + near, card.bottom() + near)


def _free(
    x: float, y: float, walls: Sequence[tuple[float, float, float, float]]
) -> tuple[float, float]:
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
