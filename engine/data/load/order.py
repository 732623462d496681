"""Order of the samples in an epoch."""

import torch
from torch import Tensor

_MASK = (1 << 64) - 1


def epoch_order(samples: int, seed: int, epoch: int, *, shuffle: bool) -> Tensor:
    """Return the order (int64) of the samples in an epoch, from seed and epoch alone, so that a
    resumed run needs no state for it.
    """
    if not shuffle:
        return torch.arange(samples)
    return torch.randperm(samples, generator=epoch_generator(seed, epoch))


def epoch_generator(seed: int, epoch: int) -> torch.Generator:
    """Return the generator of an epoch, from which its order is drawn."""
    return torch.Generator().manual_seed(_mix(seed, epoch))


def steps_per_epoch(samples: int, batch_size: int, *, drop_last: bool) -> int:
    """Return the number of batches of an epoch."""
    return samples // batch_size if drop_last else -(-samples // batch_size)


def _mix(seed: int, epoch: int) -> int:
    """Return a well spread 63-bit number (the finaliser of splitmix64; Steele et al. 2014)."""
    value = (seed * 0x9E3779B97F4A7C15 + epoch * 0xD1B54A32D192ED03 + 0x632BE59BD9B4E019) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return (value ^ (value >> 31)) >> 1
