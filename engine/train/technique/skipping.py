"""Count of the steps that a run leaves out because their loss or gradients are not finite."""

from torch import Tensor
from typing_extensions import override

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.train.technique.base import EpochSamples, StepContext, Technique

MOST_SKIPPED = 20
"""So many steps in a row are no accident of their data: the run ends."""


class Skipping(Technique):
    """Counts the steps left out: ``in_row`` since the last one that was taken, ``in_epoch`` in the
    epoch.
    """

    def __init__(self) -> None:
        self.in_row = 0
        self.in_epoch = 0

    @override
    def updated(self, step: StepContext) -> None:
        self.in_row = 0

    @override
    def skipped(self, step: StepContext) -> None:
        """Count a step. Raises :class:`DiagnosticError` R475 after too many in a row."""
        self.in_row += 1
        self.in_epoch += 1
        if self.in_row >= MOST_SKIPPED:
            raise DiagnosticError.of("R475", step=step.step + 1, count=self.in_row)

    def first_of_epoch(self, step: int, loss: float | Tensor) -> Diagnostic | None:
        """Return that a step was left out, for the first of an epoch: the log is not flooded."""
        if self.in_epoch != 1:
            return None
        params: dict[str, str | int | float] = {"step": step, "loss": str(float(loss))}
        return Diagnostic(code="R476", severity=Severity.WARNING, params=params)

    def count_of_epoch(self, epoch: int, steps: int) -> Diagnostic | None:
        """Return how many steps of an epoch were left out, where that is more than was told."""
        if self.in_epoch <= 1:
            return None
        params: dict[str, str | int | float] = {
            "count": self.in_epoch,
            "epoch": epoch,
            "steps": steps,
        }
        return Diagnostic(code="R477", severity=Severity.WARNING, params=params)

    @override
    def epoch_trained(self, epoch: int, samples: EpochSamples) -> None:
        self.in_epoch = 0

    @override
    def state_dict(self) -> dict[str, object]:
        return {"in_row": self.in_row, "in_epoch": self.in_epoch}

    @override
    def load_state_dict(self, state: dict[str, object]) -> None:
        in_row, in_epoch = state["in_row"], state["in_epoch"]
        if not isinstance(in_row, int) or not isinstance(in_epoch, int):
            raise TypeError(state)
        self.in_row, self.in_epoch = in_row, in_epoch
