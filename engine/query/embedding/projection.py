"""Projection of features to their principal components."""

from typing import NamedTuple

import torch
from torch import Tensor

_COMPONENTS = 50
_ITERATIONS = 6  # of subspace iteration, which separates components of about the same variance


class Components(NamedTuple):
    """Samples by their principal components, (samples, k), the first one first, and the shares of
    the variance along these, (k,).
    """

    values: Tensor
    shares: Tensor


def principal_components(matrix: Tensor, seed: int = 0) -> Components:
    """Return the first 50 principal components of centred features (samples, all), or as many as
    there are, two at least: those that are missing are 0. A component points to where its largest
    loading is positive; equal seeds give equal results, and no random state changes.
    """
    size = min(*matrix.shape, _COMPONENTS)
    with torch.random.fork_rng([]):
        torch.manual_seed(seed)
        _, _, directions = torch.pca_lowrank(matrix, q=size, center=False, niter=_ITERATIONS)
    largest = directions.gather(0, directions.abs().argmax(dim=0, keepdim=True))
    values = matrix @ (directions * largest.sign())
    total = matrix.square().sum().clamp_min(torch.finfo(torch.float32).tiny)
    shares = values.square().sum(dim=0) / total
    if size < 2:
        values, shares = (torch.nn.functional.pad(each, (0, 1)) for each in (values, shares))
    return Components(values, shares)
