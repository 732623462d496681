"""Order of the samples in an epoch."""

import torch
from torch import Tensor

from engine.data.seed import mixed_seed


def epoch_order(samples: int, seed: int, epoch: int, *, shuffle: bool) -> Tensor:
    """Return the order (int64) of the samples in an epoch, from seed and epoch alone, so that a
    resumed run needs no state for it.
    """
    if not shuffle:
        return torch.arange(samples)
    return torch.randperm(samples, generator=epoch_generator(seed, epoch))


def epoch_generator(seed: int, epoch: int) -> torch.Generator:
    """Return the generator of an epoch, from which its order is drawn."""
    return torch.Generator().manual_seed(mixed_seed(seed, epoch))
