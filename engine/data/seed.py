"""Random numbers that follow from a few numbers alone: seed, epoch, sample, batch."""

from collections.abc import Generator
from contextlib import contextmanager

import torch

_MASK = (1 << 64) - 1


def mixed_seed(seed: int, epoch: int, *numbers: int) -> int:
    """Return a well spread 63-bit number (the finaliser of splitmix64; Steele et al. 2014)."""
    value = _mixed(seed, epoch)
    for number in numbers:
        value = _mixed(value, number)
    return value


@contextmanager
def seeded(number: int) -> Generator[None]:
    """Have PyTorch's random numbers on the CPU follow from a number, and go on afterwards as if
    none had been drawn. Takes a few microseconds (``torch.manual_seed`` takes a hundred: it seeds
    every device).
    """
    generator = torch.default_generator
    state = generator.get_state()
    generator.manual_seed(number)
    try:
        yield
    finally:
        generator.set_state(state)


@contextmanager
def one_thread() -> Generator[None]:
    """Compute in this thread alone: sums over a large image are rounded in another order by several
    threads, and a worker process has one.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _mixed(seed: int, number: int) -> int:
    value = (seed * 0x9E3779B97F4A7C15 + number * 0xD1B54A32D192ED03 + 0x632BE59BD9B4E019) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return (value ^ (value >> 31)) >> 1
