"""Call of the user's function as a transform; exported files carry it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor


class NoTensorError(TypeError):
    """A function gave back what is no tensor of numbers; the text says what."""


class CustomTransform:
    """A function of one tensor as a transform: it is given a copy, and what it gives back becomes a
    tensor of the kind of ``value`` (a subclass such as ``tv_tensors.Image``), never float64.
    """

    def __init__(self, function: Callable[..., Any], **settings: object) -> None:
        self.function = function
        self.settings = settings

    def __call__(self, value: Tensor) -> Tensor:
        """Return a tensor transformed. Raises as :func:`plain_tensor` does."""
        given = self.function(value.clone(), **self.settings)
        return plain_tensor(given).as_subclass(type(value))


def plain_tensor(given: object) -> Tensor:
    """Return a tensor, an array or a number as a tensor on the CPU, float64 as float32. Raises
    :class:`NoTensorError` for anything else.
    """
    if isinstance(given, np.ndarray | np.generic | bool | int | float):
        given = torch.as_tensor(np.array(given))
    if not isinstance(given, Tensor) or given.is_complex() or given.layout is not torch.strided:
        raise NoTensorError(type(given).__name__)
    tensor = given.detach().as_subclass(Tensor).cpu()
    return tensor.to(torch.float32) if tensor.dtype is torch.float64 else tensor
