"""Breaks of a long row of layers into several rows, as the words of a text are into lines.

The breaks are those of least cost, found by dynamic programming (Knuth and Plass 1981): where few
wires pass, with rows about equally full.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_PER_WIRE = 0.4  # cost of a wire more over a break; an empty row would cost 1
_LAST_ROW = 0.25  # the last row may be short


@dataclass(frozen=True, kw_only=True, slots=True)
class Strip:
    """The layers in one row: width, top and bottom of each, and the wires that pass after each.

    All in scene units. ``passing`` has an entry for each layer; the last one is not used.
    """

    widths: Sequence[float]
    tops: Sequence[float]
    bottoms: Sequence[float]
    passing: Sequence[int]
    gap_x: float
    gap_y: float

    def width(self, start: int, end: int) -> float:
        """Return how wide the layers from ``start`` to before ``end`` are side by side."""
        return sum(self.widths[start:end]) + self.gap_x * (end - start - 1)

    def scale(self, breaks: Sequence[int], room: tuple[float, float]) -> float:
        """Return the zoom at which rows that begin at ``breaks`` fit into a room."""
        rows = list(pairwise((*breaks, len(self.widths))))
        width = max(self.width(start, end) for start, end in rows)
        height = sum(max(self.bottoms[a:b]) - min(self.tops[a:b]) for a, b in rows)
        height += self.gap_y * (len(rows) - 1)
        return min(room[0] / max(width, 1.0), room[1] / max(height, 1.0))


def fold(strip: Strip, room: tuple[float, float]) -> list[int]:
    """Return with which layers a row begins (the first is 0): as few rows as fit into the room,
    or those that come nearest to its form.
    """
    count = len(strip.widths)
    total = strip.width(0, count)
    height = max(strip.bottoms) - min(strip.tops) + strip.gap_y
    ideal = (total * room[1] / (room[0] * height)) ** 0.5
    best, best_scale = [0], strip.scale([0], room)
    for rows in range(max(2, int(ideal * 0.6)), count + 1):
        if best_scale >= 1.0 or rows > 2.0 * ideal + 4:
            break
        most = -(-count // rows)
        limit = most * (max(strip.widths) + strip.gap_x) - strip.gap_x
        breaks = _break_rows(strip, limit)
        scale = strip.scale(breaks, room)
        if scale > best_scale:
            best, best_scale = breaks, scale
    return best


def _break_rows(strip: Strip, limit: float) -> list[int]:
    """Return the cheapest beginnings of rows that are no wider than ``limit``."""
    count = len(strip.widths)
    costs = [0.0] * (count + 1)
    nexts = [count] * (count + 1)
    for start in range(count - 1, -1, -1):
        costs[start] = float("inf")
        width = -strip.gap_x
        for end in range(start + 1, count + 1):
            width += strip.widths[end - 1] + strip.gap_x
            if width > limit and end > start + 1:
                break
            cost = (max(limit - width, 0.0) / limit) ** 2
            if end == count:
                cost *= _LAST_ROW
            else:
                cost += costs[end] + _PER_WIRE * max(strip.passing[end - 1] - 1, 0)
            if cost <= costs[start]:
                costs[start], nexts[start] = cost, end
    breaks = [0]
    while nexts[breaks[-1]] < count:
        breaks.append(nexts[breaks[-1]])
    return breaks
