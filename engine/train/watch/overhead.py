"""Overhead of watching: the time of watched steps compared with that of the others."""

from collections import deque
from statistics import median

_REST_S = 0.25  # statistics are taken at most four times a second
_SPREAD = 1000  # of a long run about one more sample is kept each time it is a thousandth longer
_MEMORY_S = 60.0  # older steps count less and less
_MIN_STEPS = 5  # until the time of a step is known
_LONGEST_FIRST_REST_S = 10.0  # after the first sample, which runs with cold caches
_MEDIAN_EVERY = 16  # bare steps
_SLACK = 1.15  # a little below the limit, as the time of a step is never quite the same


class Overhead:
    """Measures the cost of watching and says when the next statistics may be taken.

    Times are seconds of one clock; time between two steps does not count. ``limit`` is the share of
    the time that watching may take. The first step of a run and the first sampled one are slow for
    other reasons and are not counted; the time of that first sample decides when the second one may
    be taken.
    """

    def __init__(self, limit: float, every_steps: int) -> None:
        self.limit = limit
        self.every_steps = every_steps
        self._bare: deque[float] = deque(maxlen=64)
        self._watched: deque[float] = deque(maxlen=9)
        self._usual = 0.0  # the median of the bare steps
        self._steps = 0
        self._between = 0.0  # seconds that are no part of a step
        self._step_start = 0.0  # start of the current step
        self._first: float | None = None  # end of the first sampled step
        self._taken_at = 0
        self._end: float | None = None  # of the last sampled step
        self._next = 0.0
        self._estimate = 0.0  # of the cost of statistics, until steps have shown it
        self._cost = 0.0
        self._time = 0.0

    @property
    def share(self) -> float:
        """The share of the time that watching took lately, from 0 to 1; 0 in the first second."""
        return min(1.0, self._cost / self._time) if self._time >= 1.0 else 0.0

    @property
    def is_throttled(self) -> bool:
        """Whether statistics are taken less often than wanted, to keep the limit."""
        if len(self._watched) < 2 or len(self._bare) < _MIN_STEPS:
            return False
        wanted = max(_REST_S, self.every_steps * median(self._bare))
        return self._rest() > wanted

    def step_started(self, now: float) -> None:
        """Exclude the time before the next step: validation, a checkpoint, commands."""
        self._between = now - self._step_start

    def step_done(
        self,
        now: float,
        *,
        sampled: bool,
        watched: bool,
        beside: float = 0.0,
        estimate: float = 0.0,
    ) -> float:
        """Count a step that ended: whether statistics were ``sampled`` in it, or something else was
        ``watched``, and how long the run watched something ``beside`` it; ``estimate`` is the time
        that the statistics measured of themselves. Return the seconds that watching took.
        """
        cost = self._cost
        now -= self._between
        taken, self._step_start = now - self._step_start - beside, now
        self._steps += 1
        self._estimate = estimate if sampled else self._estimate
        self._time += beside
        self._cost += beside
        if self._steps > 1 and not (sampled and self._first is None):
            self._add(taken, sampled=sampled, watched=watched)
        if sampled:
            self._taken_at = self._steps
            self._first = now if self._first is None else self._first
            self._end = now
            self._plan()
        spent = self._cost - cost
        if self._time > 2 * _MEMORY_S:
            self._time, self._cost = self._time / 2, self._cost / 2
        return spent

    def change(self, limit: float, every_steps: int) -> None:
        """Set the share of the time, or the steps between two samples, from now on. The cost until
        now is forgotten; the time since the last sample counts towards the next one.
        """
        self.limit, self.every_steps = limit, every_steps
        since = 0.0 if self._end is None else self._step_start - self._end
        self._time, self._cost = min(since, self._rest()), 0.0
        self._plan()

    def is_due(self, now: float) -> bool:
        """Return whether to sample statistics of the next step."""
        is_far = self._steps + 1 - self._taken_at >= self.every_steps
        return not self._taken_at or (is_far and now - self._between >= self._next)

    def _plan(self) -> None:
        """Plan when the next sample may be taken, from the last one on."""
        if self._first is not None and self._end is not None:
            long = (self._end - self._first) / _SPREAD
            self._next = self._end + max(_REST_S, long, self._rest())

    def _add(self, taken: float, *, sampled: bool, watched: bool) -> None:
        self._time += taken
        if sampled and not watched:
            self._watched.append(taken)
            self._cost += self._extra()
        elif sampled or watched:
            self._cost += max(0.0, taken - self._usual) if self._bare else 0.0
        else:
            self._bare.append(taken)
            if len(self._bare) < _MEDIAN_EVERY or self._steps % _MEDIAN_EVERY == 0:
                self._usual = median(self._bare)

    def _extra(self) -> float:
        """Return what statistics add to a step, in seconds; other things make single steps slow."""
        if not self._watched or not self._bare:
            return self._estimate
        return max(0.0, median(self._watched) - median(self._bare))

    def _rest(self) -> float:
        rest = _SLACK * self._extra() / self.limit
        return rest if self._watched else min(rest, _LONGEST_FIRST_REST_S)
