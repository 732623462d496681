"""A norm that does not learn."""

import torch
from torch import Tensor, nn


class FrozenNorm(nn.Module):
    """Scales and shifts each channel by numbers that stay as they are (``FrozenBatchNorm2d``).

    Args:
        num_features: the number of channels.
        eps: keeps the division away from 0.
    """

    def __init__(self, num_features: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.register_buffer("weight", torch.ones(num_features))
        self.register_buffer("bias", torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))

    def forward(self, x: Tensor) -> Tensor:
        weight = self.weight.reshape(1, -1, 1, 1)
        bias = self.bias.reshape(1, -1, 1, 1)
        variance = self.running_var.reshape(1, -1, 1, 1)
        mean = self.running_mean.reshape(1, -1, 1, 1)
        scale = weight * (variance + self.eps).rsqrt()
        return x * scale + (bias - mean * scale)
