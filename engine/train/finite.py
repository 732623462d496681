"""Whether the loss and the gradients of a step are finite, and what is raised where not."""

import math

import torch
from torch import Tensor
from torch.nn.utils import get_total_norm

from engine.train.losses import Batch
from engine.train.training import Training


class NotFiniteError(Exception):
    """The loss became NaN or infinite. ``batch`` (on the CPU) is the one it happened on, the
    weights being untouched by it; ``step`` is 0 where it is the one after the last.
    """

    def __init__(self, loss: float, batch: Batch | None = None, step: int = 0) -> None:
        super().__init__(f"loss is {loss}")
        self.loss = loss
        self.batch = batch
        self.step = step


class NotFiniteWeightError(NotFiniteError):
    """A weight became NaN or infinite in the step before, whatever the loss was: ``weight`` is its
    name, nothing where another process has it.
    """

    def __init__(self, weight: str, step: int) -> None:
        super().__init__(math.nan, step=step)
        self.weight = weight


class NotFiniteGradientError(NotFiniteError):
    """A gradient became NaN or infinite, the loss and the weights being finite: ``weight`` is the
    name of the first parameter that has one.
    """

    def __init__(self, loss: float, weight: str) -> None:
        super().__init__(loss)
        self.weight = weight


def has_finite_gradients(training: Training) -> bool:
    """Return whether no gradient is NaN or infinite, the same on all ranks. Gradients that are
    scaled are left to the scaler, which looks at them itself.
    """
    if training.precision.scale is not None:
        return True
    world = training.world
    weights = training.model.parameters()
    found = [world.to_local(weight.grad) for weight in weights if weight.grad is not None]
    largest = get_total_norm([each for each in found if each.numel()], norm_type=math.inf)
    is_finite = bool(torch.isfinite(largest))
    if not world.is_sharded:  # all ranks have the same gradients
        return is_finite
    return not world.all_reduce([not is_finite])[0]


def non_finite_gradient(training: Training) -> str:
    """Return the name of the first parameter whose gradient is NaN or infinite."""
    gradients = {name: weight.grad for name, weight in training.model.named_parameters()}
    return next(
        (
            name
            for name, value in gradients.items()
            if value is not None and not torch.isfinite(value).all()
        ),
        "",
    )


def checked_loss(loss: Tensor, batch: Batch, *, is_read: bool = False) -> float | Tensor:
    """Return the loss for the record; on the CPU, or where it is to be read from the device, as a
    number that is known to be finite. Raises :class:`NotFiniteError`.
    """
    if not (loss.is_cpu or is_read):
        return loss.detach()
    value = loss.item()
    if not math.isfinite(value):
        raise NotFiniteError(value, batch)
    return value
