"""Evaluations within an epoch: because the user asked for one, or every so many steps."""

from typing import NamedTuple

from engine.diagnostics import Diagnostic, Severity
from engine.events import Evaluated
from engine.train.devices import random_state, set_random_state
from engine.train.live_changes import LiveChanges
from engine.train.loop import TrainingLoop
from engine.train.part_evaluation import evaluate_part
from engine.train.ranks.world import Orders, Task
from engine.train.report import LOSS, Reporter
from engine.train.training import named


class Evaluation(NamedTuple):
    """What was measured within an epoch, and whether the user asked for it."""

    metrics: dict[str, float]
    is_asked: bool


class Evaluations:
    """The evaluations of rank 0 between two steps. What one draws at random is taken back, so that
    the run goes on as it would have.
    """

    def __init__(self, loop: TrainingLoop, reporter: Reporter, changes: LiveChanges) -> None:
        self._loop = loop
        self._changes = changes
        self._reporter = reporter
        self._every = loop.training.spec.validate_every
        self._is_asked = False
        self.is_due = False  # as the recipe has it

    def ask(self) -> None:
        """Evaluate as soon as a step is done."""
        self._is_asked = True

    def step_done(self) -> None:
        """Note whether the recipe has an evaluation follow."""
        self.is_due = self._is_wanted(self._loop.step, self._loop.batch)

    def follows_next_step(self) -> bool:
        """Return whether one is due after the step that follows."""
        loop, batch = self._loop, self._loop.batch
        end = batch + len(loop.training.step_sizes(loop.epoch, batch)) if self._every else batch
        return self._is_wanted(self._loop.step + 1, end)

    def _is_wanted(self, step: int, batch: int) -> bool:
        """Return whether one follows a step that takes an epoch up to a batch. At the end of an
        epoch it is validated anyway.
        """
        training = self._loop.training
        return (
            self._every > 0
            and step % self._every == 0
            and bool(training.step_sizes(self._loop.epoch, batch))
        )

    def take(self) -> Evaluation | Diagnostic | None:
        """Evaluate the validation part where it is time to, with all ranks, and record it; return
        why that cannot be where the user asked for it.
        """
        is_asked, is_due = self._is_asked, self.is_due
        self._is_asked = self.is_due = False
        if not is_asked and not is_due:
            return None
        training = self._loop.training
        if not training.data.samples("validation"):
            hint = Diagnostic(code="R460", severity=Severity.HINT, field="data.split.validation")
            return hint if is_asked else None
        training.world.broadcast(Orders(values=self._changes.take(), task=Task.EVALUATE), Orders)
        before = random_state(training.device)
        metrics = named("validation", evaluate_part(training, "validation") or {})
        set_random_state(before, training.device)
        self.record(metrics, is_asked=is_asked)
        return Evaluation(metrics, is_asked)

    def record(self, metrics: dict[str, float], *, is_asked: bool = False) -> None:
        """Record what was measured at the step that is done."""
        step = self._loop.step
        values = {name: value for name, value in metrics.items() if name != LOSS}
        self._reporter.record(step, values)
        self._reporter.append(Evaluated(step=step, metrics=metrics, is_asked=is_asked))
