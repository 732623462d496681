"""Bringing input fields to a common scale, with figures from the training part only."""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from engine.spec.data import FieldInfo


@dataclass(frozen=True, kw_only=True)
class Scaling:
    """``(values - shift) / scale``; both have the shape of a sample or broadcast to it."""

    shift: Tensor
    scale: Tensor

    def apply(self, values: Tensor) -> Tensor:
        """Return values of shape (samples, ...) brought to scale."""
        return (values - self.shift) / self.scale


def fit_scaling(
    kind: Literal["none", "standard", "minmax"], info: FieldInfo, training: Tensor
) -> Scaling | None:
    """Return the scaling of an input field, found from its training samples alone.

    ``standard`` gives mean 0 and standard deviation 1, ``minmax`` the range from 0 to 1; per column
    of a vector, per channel of an image. What is constant is only shifted. None where nothing is
    to be done: no normalisation, a target, class numbers, or no training samples.
    """
    if kind == "none" or info.role != "input" or info.dtype != "float32" or len(training) == 0:
        return None
    if info.kind == "image":
        axes = (0, *range(2, training.ndim))
        kept = (-1, *(1 for _ in info.shape[1:]))
    else:
        axes, kept = (0,), info.shape
    if kind == "standard":
        shift, scale = training.mean(dim=axes), training.std(dim=axes, correction=0)
    else:
        shift = training.amin(dim=axes)
        scale = training.amax(dim=axes) - shift
    scale = torch.where(scale > 0, scale, torch.ones_like(scale))
    return Scaling(shift=shift.reshape(kept), scale=scale.reshape(kept))
