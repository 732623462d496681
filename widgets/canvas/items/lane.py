"""The way of a wire that cannot go straight: around cards, through the gaps between them."""

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF

STUB = 26.0  # how far a wire runs on before it turns
_CLEAR = 18.0  # between a lane and the cards beside it
_TOUCH = 5.0  # nearer to a card is through it
_MOST_CARDS = 100  # each height is tried against each card


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
    if len(cards) > _MOST_CARDS:
        return None
    middle = (start.y() + end.y()) / 2
    heights = [middle]
    for card in cards:
        heights += (card.top() - _CLEAR, card.bottom() + _CLEAR)
    heights.sort(key=lambda y: (abs(y - start.y()) + abs(y - end.y()), abs(y - middle)))
    walls = [card.adjusted(-_TOUCH, -_TOUCH, _TOUCH, _TOUCH) for card in cards]
    for height in heights:
        way = corners(start, end, height)[1:-1]
        if not any(_touches(a, b, walls) for a, b in pairwise(way)):
            return height
    return None


def _touches(first: QPointF, last: QPointF, walls: Sequence[QRectF]) -> bool:
    side = QRectF(first, last).normalized().adjusted(-0.5, -0.5, 0.5, 0.5)
    return any(side.intersects(wall) for wall in walls)
