"""Answers kept for values that never change, found again by what those values are (``is``)."""

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Memory(Generic[T]):
    """Keeps up to ``size`` answers, each with the values it was worked out of.

    For frozen values whose comparison would cost as much as the answer. May be used from several
    threads: at worst one works out what another has just kept.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: dict[tuple[int, ...], tuple[tuple[object, ...], T]] = {}

    def recall(self, values: tuple[object, ...], work_out: Callable[[], T]) -> T:
        """Return the answer for these very values, worked out when it is not known."""
        key = tuple(map(id, values))  # the values are kept too, so an id is never another's
        kept = self._kept.get(key)
        if kept is None:
            kept = (values, work_out())
            if len(self._kept) >= self._size:
                self._kept = {}
            self._kept[key] = kept
        return kept[1]
