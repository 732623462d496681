"""Driver of a training loop: what one process does besides computing."""

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from engine.diagnostics import Diagnostic


@dataclass(slots=True)
class StepResult:
    """What a step left behind. On the CPU the loss is a number; on other devices it stays a
    tensor there until somebody needs it, because reading it would wait for the device. ``ranks``
    holds the loss of each process, where there are several; ``scale`` is what the loss was
    multiplied by for the backward pass, where it was. Of several batches loss, parts and ranks are
    means over their samples. ``is_skipped``: the step was left out, nothing changed by it.
    ``parts`` are of the loss ``terms`` with these numbers, from 0, and ``phases`` those that
    trained, where steps differ in that.
    """

    loss: float | Tensor
    samples: int
    parts: list[Tensor]
    norm: Tensor | None
    ranks: Tensor | None = None
    scale: float | None = None
    batches: int = 1
    is_skipped: bool = False
    terms: Sequence[int] = ()
    phases: Sequence[int] = ()


class Driver:
    """What one process does besides computing: by itself nothing.

    All ranks reach the same method at the same point, so that a driver may call collectives in
    :meth:`synchronize`. A driver changes ``is_time_over`` and ``is_stopping`` of its loop.
    """

    def epoch_started(self) -> None:
        """Prepare the epoch, or the rest of it, whose first step follows."""

    def step_started(self) -> None:
        """Prepare the step that follows."""

    def step_done(self, result: StepResult) -> None:
        """Record a step."""

    def is_sync_due(self) -> bool:
        """Return whether to synchronize after this step; all ranks return the same."""
        return False

    def synchronize(self) -> None:
        """Decide between two steps, together with the other ranks, how the run goes on."""

    def epoch_trained(self) -> None:
        """Record that all steps of the epoch are taken; its validation follows."""

    def is_interrupted(self) -> bool:
        """Return whether to break off an evaluation between two of its batches."""
        return False

    def ended_early(self, reason: Diagnostic) -> None:
        """Record why the epoch that is done is the last one."""

    def epoch_done(self, metrics: dict[str, float]) -> None:
        """Record an epoch and what it was evaluated to."""

    def ended_midway(self, metrics: dict[str, float]) -> None:
        """Record a run that ends in the middle of an epoch, and what it was evaluated to."""

    def test_done(self, metrics: dict[str, float]) -> None:
        """Record what the model was evaluated to on the test part."""
