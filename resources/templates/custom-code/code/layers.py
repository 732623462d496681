"""Layers of your own: a class each, with forward and, where it learns, parameters."""

import torch
from torch import Tensor, nn


class Norm(nn.Module):
    """Brings numbers to mean 0 and standard deviation 1; it has nothing to learn.

    Args:
        dim: the axis over which mean and deviation are taken.
    """

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, x: Tensor) -> Tensor:
        mean = x.mean(self.dim, keepdim=True)
        return (x - mean) / x.std(self.dim, keepdim=True)


class TwoLayerNet(nn.Module):
    """Two matrices with a ReLU between them, written out with mm and clamp.

    Args:
        in_features: how many numbers a sample has.
        hidden: how many numbers are in between.
        out_features: how many numbers come out.
    """

    def __init__(self, in_features: int, hidden: int = 16, out_features: int = 3) -> None:
        super().__init__()
        self.w1 = nn.Parameter(torch.randn(in_features, hidden) * in_features**-0.5)
        self.w2 = nn.Parameter(torch.randn(hidden, out_features) * hidden**-0.5)

    def forward(self, x: Tensor) -> Tensor:
        return x.mm(self.w1).clamp(min=0).mm(self.w2)


class LinearModel(nn.Module):
    """A linear model from scratch: a weight for each number, and a bias.

    Args:
        in_features: how many numbers a sample has.
    """

    def __init__(self, in_features: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(in_features, 1))
        self.bias = nn.Parameter(torch.randn(1))

    def forward(self, x: Tensor) -> Tensor:
        return x.mm(self.weight) + self.bias
