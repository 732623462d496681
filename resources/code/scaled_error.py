"""A squared error of numbers in different units."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


class ScaledMSELoss(nn.Module):
    """Mean squared error of several numbers, each divided by its standard deviation: an error of
    one deviation costs as much in each of them.

    Args:
        deviations: the standard deviation of each number of a sample.
    """

    deviations: Tensor

    def __init__(self, deviations: Sequence[float] = (1.0,)) -> None:
        super().__init__()
        self.register_buffer("deviations", torch.tensor(deviations), persistent=False)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        scale = self.deviations.reshape(target.shape[1:])
        return nn.functional.mse_loss(input / scale, target / scale)
