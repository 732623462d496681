"""Suggestion of a number of workers from how fast batches came with several numbers."""

from collections.abc import Iterable

from engine.query.reading.request import LoadingMeasured

_ENOUGH = 0.9  # of the fastest


def suggested_workers(measured: Iterable[LoadingMeasured]) -> int | None:
    """Return the fewest workers with which batches come nearly as fast as they can; None where none
    came.
    """
    usable = [each for each in measured if each.problem is None]
    if not usable:
        return None
    fastest = max(each.batches_per_s for each in usable)
    return min(each.workers for each in usable if each.batches_per_s >= _ENOUGH * fastest)
