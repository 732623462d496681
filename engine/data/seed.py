"""Random numbers that follow from a few numbers alone: seed, epoch, sample, batch."""

import random
from collections.abc import Generator
from contextlib import contextmanager

import numpy as np
import torch

_MASK = (1 << 64) - 1
_EVALUATION = 7  # keeps what is drawn in an evaluation apart from what is drawn for samples


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


def evaluation_seed(seed: int, part: str) -> int:
    """Return what the random numbers of an evaluation of a part of the data follow from: the same
    in a run, afterwards and in exported code.
    """
    return mixed_seed(seed, 0, ("train", "validation", "test").index(part), _EVALUATION)


def drawn_numbers(count: int, seed: int, epoch: int, *numbers: int) -> list[float]:
    """Return so many random numbers in [0, 1) that follow from seed, epoch and further numbers."""
    with seeded(mixed_seed(seed, epoch, *numbers)):
        return torch.rand(count).tolist()


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


@contextmanager
def all_seeded(number: int) -> Generator[None]:
    """Have the random numbers of PyTorch on the CPU, Python and NumPy follow from a number, and go
    on afterwards as if none had been drawn: what the user's own code draws may be any of them.
    """
    of_python, of_numpy = random.getstate(), np.random.get_state()
    random.seed(number)
    np.random.seed(number & 0xFFFFFFFF)
    try:
        with seeded(number):
            yield
    finally:
        random.setstate(of_python)
        np.random.set_state(of_numpy)


def random_states() -> tuple[object, ...]:
    """Return the states of the random numbers of PyTorch on the CPU, Python and NumPy, to tell
    whether some were drawn.
    """
    legacy = np.random.get_state(legacy=True)
    of_numpy = tuple(each.tobytes() if isinstance(each, np.ndarray) else each for each in legacy)
    state = torch.default_generator.get_state().numpy().tobytes()
    return state, random.getstate(), of_numpy


def _mixed(seed: int, number: int) -> int:
    value = (seed * 0x9E3779B97F4A7C15 + number * 0xD1B54A32D192ED03 + 0x632BE59BD9B4E019) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return (value ^ (value >> 31)) >> 1
