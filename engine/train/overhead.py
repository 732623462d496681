"""What looking into steps costs: the time of watched steps beside that of the others."""

from collections import deque
from statistics import median

_REST_S = 0.25  # statistics are taken at most four times a second
_SPREAD = 1000  # of a long run about one more sample is kept each time it is a thousandth longer
_MEMORY_S = 60.0  # what is older counts less and less
_KNOWN = 5  # steps that tell how long one takes
_GAP = 10  # a step that took so many times as long as others had something else before it
_FRESH = 16  # bare steps after which their median is taken again
_SLACK = 1.15  # a little below the limit, as the time of a step is never quite the same


class Overhead:
    """Measures the cost of watching and says when the next statistics may be taken.

    Times are seconds of one clock. ``limit`` is the share of the time that watching may take. The
    first steps of a run are slow for other reasons and are not counted.
    """

    def __init__(self, limit: float, every_steps: int) -> None:
        self.limit = limit
        self.every_steps = every_steps
        self._bare: deque[float] = deque(maxlen=64)
        self._watched: deque[float] = deque(maxlen=9)
        self._usual = 0.0  # the median of the bare steps
        self._steps = 0
        self._last_end = 0.0
        self._begin: float | None = None
        self._taken_at = 0
        self._end: float | None = None  # of the last step that was looked at
        self._next = 0.0
        self._cost = 0.0
        self._time = 0.0

    @property
    def share(self) -> float:
        """The share of the time that watching took lately, from 0 to 1; 0 in the first second."""
        return min(1.0, self._cost / self._time) if self._time >= 1.0 else 0.0

    @property
    def is_throttled(self) -> bool:
        """Whether statistics are taken less often than wanted, to keep the limit."""
        if len(self._watched) < 2 or len(self._bare) < _KNOWN:
            return False
        wanted = max(_REST_S, self.every_steps * median(self._bare))
        return self._rest() > wanted

    def step_done(self, now: float, *, sampled: bool, watched: bool, beside: float = 0.0) -> float:
        """Take note of a step that ended: whether statistics were taken in it, or something else
        was looked at, and how long the run looked at something ``beside`` it. Return the seconds
        that looking took.
        """
        before = self._cost
        taken, self._last_end = now - self._last_end - beside, now
        self._steps += 1
        self._time += beside
        self._cost += beside
        if self._steps > 1:
            self._note(taken, sampled=sampled, watched=watched)
        if sampled:
            self._taken_at = self._steps
            self._begin = now if self._begin is None else self._begin
            self._end = now
            self._plan()
        spent = self._cost - before
        if self._time > 2 * _MEMORY_S:
            self._time, self._cost = self._time / 2, self._cost / 2
        return spent

    def change(self, limit: float, every_steps: int) -> None:
        """Let watching take another share of the time from now on, or look at other steps; what it
        took before is no measure of that.
        """
        self.limit, self.every_steps = limit, every_steps
        self._time = self._cost = 0.0
        self._plan()

    def is_due(self, now: float) -> bool:
        """Return whether statistics are to be taken of the next step."""
        is_far = self._steps + 1 - self._taken_at >= self.every_steps
        return not self._taken_at or (is_far and now >= self._next)

    def _plan(self) -> None:
        """Say when the next statistics may be taken, from the last ones on."""
        if self._begin is not None and self._end is not None:
            long = (self._end - self._begin) / _SPREAD
            self._next = self._end + max(_REST_S, long, self._rest())

    def _note(self, taken: float, *, sampled: bool, watched: bool) -> None:
        if not sampled and self._bare and taken > _GAP * self._usual:
            return  # a pause, a validation pass or a checkpoint lies before it
        self._time += taken
        if sampled:
            self._watched.append(taken)
            self._cost += self._extra()
        elif watched:
            self._cost += max(0.0, taken - self._usual) if self._bare else 0.0
        else:
            self._bare.append(taken)
            if len(self._bare) < _FRESH or self._steps % _FRESH == 0:
                self._usual = median(self._bare)

    def _extra(self) -> float:
        """Return what statistics add to a step, in seconds; other things make single steps slow."""
        if not self._watched or not self._bare:
            return 0.0
        return max(0.0, median(self._watched) - median(self._bare))

    def _rest(self) -> float:
        return _SLACK * self._extra() / self.limit
