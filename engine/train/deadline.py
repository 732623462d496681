"""Deadline of a run that ends by time. Rank 0 alone looks at the clock and tells the others."""

from engine.diagnostics import Diagnostic, Severity
from engine.train.loop import TrainingLoop
from engine.train.report import Clock


class Deadline:
    """What ends a loop once it has trained for as long as it is to, over all sessions of the run;
    pauses do not count.
    """

    def __init__(self, loop: TrainingLoop, clock: Clock) -> None:
        self._loop = loop
        self._clock = clock

    def is_reached(self) -> bool:
        """Return whether the time is over."""
        minutes = self._loop.length.minutes
        return minutes > 0 and self._clock.elapsed_s() >= 60 * minutes

    def end(self) -> Diagnostic | None:
        """End the loop where its time is over and nothing else ends it; return why, once."""
        loop = self._loop
        if loop.is_over or loop.is_stopping or not self.is_reached():
            return None
        loop.is_time_over = True
        return Diagnostic.of(
            "R461",
            severity=Severity.HINT,
            field="minutes",
            minutes=f"{loop.length.minutes:g}",
            step=loop.step,
            epoch=loop.epoch + (1 if loop.batch else 0),
        )
