"""What searches for a learning rate and a batch size suggest."""

import math
from collections.abc import Sequence
from typing import NamedTuple

_BETA = 0.9
_NEARLY = 0.95
_REACH = 4  # points to either side that a slope is taken over: one alone is noise


class RatePoint(NamedTuple):
    """A rate, and the smoothed loss at it."""

    rate: float
    loss: float


class Smoothing:
    """Exponential mean of losses, corrected for its start as in Adam (Kingma and Ba, 2014)."""

    def __init__(self) -> None:
        self._mean = 0.0
        self._weight = 0.0

    def add(self, loss: float) -> float:
        """Return the mean with one more loss."""
        self._mean = _BETA * self._mean + (1 - _BETA) * loss
        self._weight = _BETA * self._weight + (1 - _BETA)
        return self._mean / self._weight


class Suggestion(NamedTuple):
    """Where the loss falls fastest, and a tenth of the rate with the lowest loss."""

    steepest: float | None = None
    tenth: float | None = None


def suggest(points: Sequence[RatePoint]) -> Suggestion:
    """Return the rates that a curve of ascending rates suggests; none where its loss never falls.

    The fall is that over the logarithm of the rate, up to the lowest loss, without the first tenth
    of the points: there the mean is of few losses.
    """
    start = max(_REACH, len(points) // 10)
    lowest = min(range(start, len(points)), key=lambda at: points[at].loss, default=0)
    slopes = {at: _slope(points, at) for at in range(start, lowest + 1)}
    if not slopes or min(slopes.values()) >= 0:
        return Suggestion()
    steepest = min(slopes, key=lambda at: slopes[at])
    return Suggestion(points[steepest].rate, points[lowest].rate / 10)


def _slope(points: Sequence[RatePoint], at: int) -> float:
    before, after = points[max(at - _REACH, 0)], points[min(at + _REACH, len(points) - 1)]
    return (after.loss - before.loss) / math.log(after.rate / before.rate)


def next_size(chosen: int, fits: int, fails: int, samples: int) -> int:
    """Return the batch size to try next, where ``fits`` (0: none) is the largest that fits and
    ``fails`` (0: none) the smallest that does not; 0 once they are near each other, or all
    ``samples`` are in a batch.
    """
    if not fits and not fails:
        return min(1 << (max(chosen, 1).bit_length() - 1), samples)
    if not fails:
        return min(2 * fits, samples) if fits < samples else 0
    if not fits:
        return fails // 2
    middle = (fits + fails) // 2
    step = max(1, 1 << max(middle.bit_length() - 4, 0))  # three digits in base two
    middle = middle // step * step
    return middle if fits < middle < fails and fails - fits > max(1, fits // 8) else 0


def fastest_size(measured: Sequence[tuple[int, float]]) -> int | None:
    """Return the smallest of some batch sizes whose samples per second are at most a twentieth
    below the most; None without any.
    """
    most = max((speed for _, speed in measured), default=0.0)
    return min((size for size, speed in measured if speed >= _NEARLY * most), default=None)
