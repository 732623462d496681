"""Changes of a run by its user, and those that are replayed: made, recorded, told to the others."""

from collections.abc import Sequence
from typing import Literal

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.events import KnobChanged, Warned
from engine.spec.length import LENGTHS
from engine.spec.live import LiveChange, LiveValue
from engine.train.loop import TrainingLoop
from engine.train.rate_curve import extension_of
from engine.train.report import Reporter

Origin = Literal["user", "replay", "technique"]


class LiveChanges:
    """What rank 0 changes between two steps. ``replay`` are changes that come by themselves, each
    at the very position where it was made in another run.
    """

    def __init__(
        self, loop: TrainingLoop, reporter: Reporter, replay: Sequence[LiveChange]
    ) -> None:
        self._loop = loop
        self._reporter = reporter
        self._replay = list(replay)
        self._untold: list[tuple[str, LiveValue]] = []  # that the other ranks do not know yet

    def set(self, name: str, value: LiveValue, origin: Origin = "user") -> bool:
        """Set a value and record the change, or warn; return whether it was set."""
        try:
            before = self._loop.value(name)
            self._loop.set_value(name, value)
        except DiagnosticError as error:
            for problem in error.problems:
                self._warn(problem)
            return False
        self._reporter.use_rates(self._loop.training.rates())
        self._untold.append((name, value))
        self.record(name, value, before, origin)
        if name in LENGTHS:
            self._tell_schedule()
        return True

    def record(self, name: str, value: LiveValue, before: LiveValue, origin: Origin) -> None:
        """Record a change that was made."""
        event = KnobChanged(
            step=self._loop.step,
            epoch=self._loop.epoch,
            name=name,
            value=value,
            before=before,
            origin=origin,
        )
        self._reporter.append(event)

    def is_due(self, step: int) -> bool:
        """Return whether a change is to be replayed after a step, or before its epoch's end."""
        return bool(self._replay) and self._replay[0].step <= step

    def replay(self) -> bool:
        """Make the changes that are due at this position; return whether there was one."""
        position = (self._loop.step, self._loop.epoch)
        is_any = False
        while self._replay and (self._replay[0].step, self._replay[0].epoch) <= position:
            change = self._replay.pop(0)
            if self.set(change.name, change.value, "replay"):
                is_any = True
            else:
                problem = Diagnostic.of(
                    "R498", severity=Severity.WARNING, name=change.name, step=change.step
                )
                self._warn(problem)
        return is_any

    def take(self) -> tuple[tuple[str, LiveValue], ...]:
        """Return, once, what the other ranks have to change as well."""
        untold, self._untold = self._untold, []
        return tuple(untold)

    def _tell_schedule(self) -> None:
        """Tell what the schedule does beyond the steps that it was made for."""
        training = self._loop.training
        count = self._loop.length.count_steps(training.steps_per_epoch)
        told = extension_of(training.spec, training.groups, training.steps_per_epoch, count)
        if told is not None:
            self._warn(told)

    def _warn(self, problem: Diagnostic) -> None:
        self._reporter.append(Warned(problem=problem, step=self._loop.step))
