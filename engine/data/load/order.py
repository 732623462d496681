"""Order of the samples in an epoch, and its batches."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from engine.data.load.load import LoadedData
from engine.data.source.source import Part

_MASK = (1 << 64) - 1


def epoch_order(samples: int, seed: int, epoch: int, *, shuffle: bool) -> Tensor:
    """Return the order (int64) of the samples in an epoch, from seed and epoch alone, so that a
    resumed run needs no state for it.
    """
    if not shuffle:
        return torch.arange(samples)
    generator = torch.Generator().manual_seed(_mix(seed, epoch))
    return torch.randperm(samples, generator=generator)


def steps_per_epoch(samples: int, batch_size: int, *, drop_last: bool) -> int:
    """Return the number of batches of an epoch."""
    return samples // batch_size if drop_last else -(-samples // batch_size)


def batches(
    data: LoadedData,
    part: Part,
    order: Tensor,
    batch_size: int,
    *,
    drop_last: bool = False,
    start: int = 0,
    select: Callable[[Tensor], Tensor] = lambda index: index,
) -> Iterator[dict[str, Tensor]]:
    """Yield the batches of a part, each with a tensor for every field, from batch number ``start``
    (from 0) on, which costs nothing to reach. ``select`` returns those indices of a batch that
    this process computes.
    """
    fields = data.parts[part]
    count = steps_per_epoch(len(order), batch_size, drop_last=drop_last)
    rest = order[start * batch_size : count * batch_size]
    for indices in rest.split(batch_size) if len(rest) else ():  # split makes one batch of nothing
        index = select(indices)
        yield {name: values.index_select(0, index) for name, values in fields.items()}


def _mix(seed: int, epoch: int) -> int:
    """Return a well spread 63-bit number (the finaliser of splitmix64; Steele et al. 2014)."""
    value = (seed * 0x9E3779B97F4A7C15 + epoch * 0xD1B54A32D192ED03 + 0x632BE59BD9B4E019) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return (value ^ (value >> 31)) >> 1
