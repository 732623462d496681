"""Alignment guides: edges and middles that nearly meet are made to meet."""

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QRectF


@dataclass(frozen=True, kw_only=True, slots=True)
class Alignment:
    """How far a rectangle has to go to be in line; None where it is near nothing."""

    dx: float | None
    dy: float | None


def align(rect: QRectF, others: Iterable[QRectF], reach: float) -> Alignment:
    """Return the smallest steps, at most ``reach``, that bring a rectangle in line with others."""
    best: list[float | None] = [None, None]
    for other in others:
        for axis in (0, 1):
            for own, fixed in zip(_lines(rect, axis), _lines(other, axis), strict=True):
                step = fixed - own
                nearest = best[axis]
                if abs(step) <= reach and (nearest is None or abs(step) < abs(nearest)):
                    best[axis] = step
    return Alignment(dx=best[0], dy=best[1])


def guides(rect: QRectF, others: Iterable[QRectF]) -> list[QLineF]:
    """Return the lines on which a rectangle is in line with others."""
    spans: dict[tuple[int, float], list[float]] = {}
    for other in others:
        for axis in (0, 1):
            for own, fixed in zip(_lines(rect, axis), _lines(other, axis), strict=True):
                if abs(own - fixed) < 0.5:
                    across = 1 - axis
                    ends = (*_ends(rect, across), *_ends(other, across))
                    spans.setdefault((axis, own), []).extend(ends)
    lines: list[QLineF] = []
    for (axis, coordinate), ends in spans.items():
        low, high = min(ends) - 12.0, max(ends) + 12.0
        vertical = QLineF(coordinate, low, coordinate, high)
        lines.append(vertical if axis == 0 else QLineF(low, coordinate, high, coordinate))
    return lines


def _lines(rect: QRectF, axis: int) -> tuple[float, float, float]:
    low, high = _ends(rect, axis)
    return (low, (low + high) / 2, high)


def _ends(rect: QRectF, axis: int) -> tuple[float, float]:
    return (rect.left(), rect.right()) if axis == 0 else (rect.top(), rect.bottom())
