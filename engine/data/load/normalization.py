"""Normalisation of input fields, with statistics of the training part only."""

import math
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from engine.data.transform.plan import Norm
from engine.spec.data import FieldInfo
from engine.spec.statistics import FieldStatistics


@dataclass(frozen=True, kw_only=True)
class Scaling:
    """``(values - shift) / scale``; both have the shape of a sample or broadcast to it."""

    shift: Tensor
    scale: Tensor

    def apply(self, values: Tensor) -> Tensor:
        """Return normalised values of shape (samples, ...)."""
        return (values - self.shift) / self.scale

    def undo(self, values: Tensor) -> Tensor:
        """Return the values of shape (samples, ...) that were normalised."""
        return values * self.scale + self.shift


def image_scaling(norm: Norm, axes: int) -> Scaling:
    """Return the scaling of images or videos (samples, channels, ...) by given numbers; ``axes`` is
    how many there are behind the channels.
    """
    shape = (-1, *[1] * axes)
    shift, scale = (torch.tensor(numbers).reshape(shape) for numbers in (norm.mean, norm.std))
    return Scaling(shift=shift, scale=scale)


def fit_scaling(
    kind: Literal["none", "standard", "minmax"], info: FieldInfo, training: Tensor
) -> Scaling | None:
    """Return the scaling of an input field, computed from its training samples alone.

    ``standard`` gives mean 0 and standard deviation 1, ``minmax`` the range from 0 to 1; per column
    of a vector or of a series, per channel of an image, a sound or a video. Constant values are
    only shifted. None where there is nothing to do: no normalisation, a target, class numbers, no
    training samples.
    """
    if kind == "none" or not info.can_be_scaled or len(training) == 0:
        return None
    if info.has_channels:
        axes = (0, *range(2, training.ndim))
        shape = (-1, *(1 for _ in info.shape[1:]))
    elif info.kind == "sequence" and training.ndim > 2:
        axes, shape = (0, 1), (1, *info.shape[1:])
    else:
        axes, shape = (0,), info.shape
    if kind == "standard":
        shift, scale = training.mean(dim=axes), training.std(dim=axes, correction=0)
    else:
        shift = training.amin(dim=axes)
        scale = training.amax(dim=axes) - shift
    scale = torch.where(scale > 0, scale, torch.ones_like(scale))
    return Scaling(shift=shift.reshape(shape), scale=scale.reshape(shape))


def measured_scaling(
    kind: Literal["none", "standard", "minmax"], info: FieldInfo, statistics: FieldStatistics
) -> Scaling | None:
    """Return the scaling of a field by statistics of its training samples, as :func:`fit_scaling`
    does; None where they are not of such a field.
    """
    count = info.shape[0] if info.has_channels else math.prod(info.shape)
    if info.kind == "sequence" and len(info.shape) > 1:
        count = info.shape[-1]
    shape = info.shape
    if shape == (-1,):  # vectors of different sizes have one for all entries
        count, shape = 1, (1,)
    if info.has_channels:
        shape = (-1, *(1 for _ in info.shape[1:]))
    elif info.kind == "sequence" and len(info.shape) > 1:
        shape = (*(1 for _ in info.shape[:-1]), count)
    mean, std, low, high = (
        torch.tensor(numbers, dtype=torch.float64)
        for numbers in (statistics.mean, statistics.std, statistics.low, statistics.high)
    )
    if kind == "none" or any(len(each) != count for each in (mean, std, low, high)):
        return None
    shift, scale = (mean, std) if kind == "standard" else (low, high - low)
    scale = torch.where(scale > 0, scale, torch.ones_like(scale))
    shift, scale = (each.to(torch.float32).reshape(shape) for each in (shift, scale))
    if not bool(shift.isfinite().all() and scale.isfinite().all()):
        return None
    return Scaling(shift=shift, scale=scale)
