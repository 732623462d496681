"""Nearest neighbours of samples, found exactly, a block of samples at a time."""

from collections.abc import Iterator

import torch
from torch import Tensor

_BLOCK = 1 << 22  # distances


class Neighbors:
    """The ``count`` nearest other samples of each by features (samples, all): ``positions`` (int64)
    and squared ``distances``, (samples, count), the nearest first; fewer where there are not so
    many samples. They are there when :meth:`search` is through.
    """

    def __init__(self, matrix: Tensor, count: int) -> None:
        self._matrix = matrix
        self.count = min(count, len(matrix) - 1)
        self.positions = torch.empty(len(matrix), self.count, dtype=torch.int64)
        self.distances = torch.empty(len(matrix), self.count)

    def search(self) -> Iterator[int]:
        """Go through the samples; yield how many are done."""
        squares = self._matrix.square().sum(dim=1)
        size = max(1, _BLOCK // len(self._matrix))
        for start in range(0, len(self._matrix), size):
            rows = slice(start, start + size)
            block = self._matrix[rows]
            distances = torch.addmm(squares, block, self._matrix.T, alpha=-2)
            distances += squares[rows, None]
            itself = torch.arange(len(block))
            distances[itself, itself + start] = torch.inf
            nearest = distances.topk(self.count, dim=1, largest=False)
            self.positions[rows] = nearest.indices
            self.distances[rows] = nearest.values.clamp_min(0)
            yield start + len(block)
