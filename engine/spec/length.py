"""Length of an epoch, in batches and in steps of the optimizer, and of a run."""

from typing import NamedTuple

from engine.spec.data import DataInfo
from engine.spec.run import DataSpec, RunSpec

LENGTHS = ("epochs", "steps", "minutes")
"""The settings that a run can end by."""
MOST_MINUTES = 525_600.0
"""A year."""


class RunLength(NamedTuple):
    """When a run ends: after so many epochs, steps of the optimizer or minutes of training,
    whichever comes first. What is 0 does not end it.
    """

    epochs: int = 0
    steps: int = 0
    minutes: float = 0.0

    @property
    def unit(self) -> str:
        """The setting that the run ends by, other than early stopping."""
        return "minutes" if self.minutes else "steps" if self.steps else "epochs"

    @property
    def total(self) -> float:
        """How long the run is, in its unit."""
        return self.minutes or self.steps or self.epochs

    def count_steps(self, steps_per_epoch: int) -> int:
        """Return after how many steps the run ends; 0 where it ends by time."""
        of_epochs = self.epochs * steps_per_epoch
        return min(self.steps or of_epochs, of_epochs)

    def is_reached(self, epoch: int, step: int) -> bool:
        """Return whether so many finished epochs or steps are all, whatever time it is."""
        is_last_epoch = bool(self.epochs) and epoch >= self.epochs
        return is_last_epoch or (bool(self.steps) and step >= self.steps)


def length_of(unit: str, total: float, steps_per_epoch: int) -> RunLength:
    """Return the length of a run of so many epochs, steps or minutes."""
    if unit == "minutes":
        return RunLength(minutes=total)
    if unit == "steps":
        return RunLength(-(-int(total) // max(steps_per_epoch, 1)), int(total))
    return RunLength(int(total))


def total_of(spec: RunSpec, unit: str) -> float:
    """Return how many epochs, steps or minutes a specification names, whichever it ends by."""
    return {"epochs": spec.epochs, "steps": spec.steps, "minutes": spec.minutes}[unit]


def run_length(spec: RunSpec, steps_per_epoch: int) -> RunLength:
    """Return the length of a run as its specification has it."""
    return length_of(spec.length, total_of(spec, spec.length), steps_per_epoch)


def planned_steps(spec: RunSpec, steps_per_epoch: int) -> int:
    """Return how many steps a run is to take; 0 where it ends by time."""
    return run_length(spec, steps_per_epoch).count_steps(steps_per_epoch)


def planned_epochs(spec: RunSpec, steps_per_epoch: int) -> int:
    """Return how many epochs a run is to begin; 0 where it ends by time."""
    return run_length(spec, steps_per_epoch).epochs


def batches_per_epoch(samples: int, batch_size: int, *, drop_last: bool) -> int:
    """Return how many batches so many training samples make."""
    return samples // batch_size if drop_last else -(-samples // batch_size)


def known_batches(data: DataSpec, info: DataInfo | None) -> int | None:
    """Return how many batches an epoch of the training has; None while that is not known."""
    train = None if info is None else info.part("train")
    if info is None or train is None or data.batch_size < 1:
        return None
    if data.has_custom_batches:
        return None if info.custom_batches is None else info.custom_batches.count
    return batches_per_epoch(train.samples, data.batch_size, drop_last=data.drop_last)


def steps_per_epoch(batches: int, spec: RunSpec) -> int:
    """Return how many steps the optimizer takes in an epoch of so many batches; each takes the
    gradients of as many as are accumulated, the last one those of the rest.
    """
    return -(-batches // max(spec.accumulation.batches, 1))
