"""Spatial index: keys by the cells of a coarse grid."""

from collections.abc import Hashable
from typing import Generic, TypeVar

from PySide6.QtCore import QRectF

Key = TypeVar("Key", bound=Hashable)

_CELL = 400.0
_MOST_CELLS = 64  # what covers more is kept in one set that every query looks at


class SpatialIndex(Generic[Key]):
    """Keys with rectangles; a query gives all that may touch a rectangle."""

    def __init__(self) -> None:
        self._cells: dict[tuple[int, int], set[Key]] = {}
        self._large: set[Key] = set()
        self._spans: dict[Key, tuple[int, int, int, int]] = {}

    def put(self, key: Key, bounds: QRectF) -> None:
        """Note where a key lies, or that it has moved."""
        span = _span(bounds)
        previous = self._spans.get(key)
        if previous == span:
            return
        if previous is not None:
            self.remove(key)
        self._spans[key] = span
        if _count(span) > _MOST_CELLS:
            self._large.add(key)
            return
        for cell in _cells(span):
            keys = self._cells.get(cell)
            if keys is None:
                self._cells[cell] = {key}
            else:
                keys.add(key)

    def remove(self, key: Key) -> None:
        """Forget a key, if it is known."""
        span = self._spans.pop(key, None)
        if span is None:
            return
        self._large.discard(key)
        if _count(span) <= _MOST_CELLS:
            for cell in _cells(span):
                self._cells[cell].discard(key)

    def near(self, bounds: QRectF) -> set[Key]:
        """Return every key whose cells touch a rectangle; some may lie a little outside."""
        span = _span(bounds)
        nearby = set(self._large)
        if _count(span) > len(self._cells):
            for (column, row), keys in self._cells.items():
                if span[0] <= column <= span[2] and span[1] <= row <= span[3]:
                    nearby |= keys
            return nearby
        for cell in _cells(span):
            nearby |= self._cells.get(cell, set())
        return nearby


def _span(bounds: QRectF) -> tuple[int, int, int, int]:
    left, top, right, bottom = bounds.getCoords()  # pyright: ignore[reportGeneralTypeIssues]
    return (int(left // _CELL), int(top // _CELL), int(right // _CELL), int(bottom // _CELL))


def _count(span: tuple[int, int, int, int]) -> int:
    return (span[2] - span[0] + 1) * (span[3] - span[1] + 1)


def _cells(span: tuple[int, int, int, int]) -> list[tuple[int, int]]:
    if span[0] == span[2] and span[1] == span[3]:
        return [span[:2]]
    columns, rows = range(span[0], span[2] + 1), range(span[1], span[3] + 1)
    return [(column, row) for column in columns for row in rows]
