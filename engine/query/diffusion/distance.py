"""How far two sets of samples are from each other, as distributions."""

import torch
from torch import Tensor


def energy_distance(first: Tensor, second: Tensor) -> float:
    """Return the energy distance of samples (n, numbers) and (m, numbers): twice the mean distance
    between both, less the mean distances within each. It is 0 where both hold the same, and near 0
    for samples of one distribution (G. J. Szekely and M. L. Rizzo, Energy statistics, 2013).
    """
    first, second = first.double(), second.double()
    between = torch.cdist(first, second).mean()
    within = torch.cdist(first, first).mean() + torch.cdist(second, second).mean()
    return float(2 * between - within)
