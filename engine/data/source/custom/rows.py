"""Rows of the user's data sets: by number, or one after the other from a stream.

What the user's code draws at random follows from seed, epoch and number of the sample, so that it
is the same with any number of workers and after a resume.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

from torch.utils.data._utils import worker as pytorchs_worker
from typing_extensions import override

from engine.data.seed import all_seeded, mixed_seed

_MOST_COUNTED = 10_000_000
_COUNTED_S = 10.0
_WORKER = "_worker_info"
ROW_STREAM = 1
"""Keeps what a sample draws apart from what its transforms draw."""


class EndlessError(Exception):
    """A stream has no length and does not come to its end in time."""


class EarlyEndError(Exception):
    """A stream has fewer samples than it said: so many."""

    def __init__(self, count: int) -> None:
        super().__init__(f"{count} samples")
        self.count = count


class Rows(ABC):
    """Samples of one data set, whose numbers begin at ``start`` among those of the source."""

    is_stream = False

    def __init__(self, dataset: Any, start: int) -> None:
        self.dataset = dataset
        self.start = start

    @abstractmethod
    def count(self) -> int:
        """Return the number of samples. Raises what the user's code raises."""

    @abstractmethod
    def row(self, index: int, seed: int, epoch: int) -> Any:
        """Return a sample by its number in the source. Raises what the user's code raises."""


class MapRows(Rows):
    """Samples that are read by their number."""

    @override
    def count(self) -> int:
        return len(self.dataset)

    @override
    def row(self, index: int, seed: int, epoch: int) -> Any:
        with all_seeded(mixed_seed(seed, epoch, index, ROW_STREAM)):
            return self.dataset[index - self.start]


class StreamRows(Rows):
    """Samples that come one after the other: the position is kept by count, and what comes before
    one that is wanted is read and dropped. Each epoch begins anew.
    """

    is_stream = True

    def __init__(self, dataset: Any, start: int) -> None:
        super().__init__(dataset, start)
        self._iterator: Iterator[Any] | None = None
        self._next = 0
        self._of: tuple[int, int] | None = None

    @override
    def count(self) -> int:
        if hasattr(type(self.dataset), "__len__"):
            return len(self.dataset)
        end = time.monotonic() + _COUNTED_S
        count = 0
        with all_seeded(0), _alone():
            for _ in self.dataset:
                count += 1
                if count > _MOST_COUNTED or time.monotonic() > end:
                    raise EndlessError
        return count

    @override
    def row(self, index: int, seed: int, epoch: int) -> Any:
        wanted = index - self.start
        if self._iterator is None or self._of != (seed, epoch) or wanted < self._next:
            self._of, self._next = (seed, epoch), 0
            with all_seeded(mixed_seed(seed, epoch)), _alone():
                self._iterator = iter(self.dataset)
        while True:
            number = self._next + self.start
            with all_seeded(mixed_seed(seed, epoch, number, ROW_STREAM)), _alone():
                try:
                    sample = next(self._iterator)
                except StopIteration:
                    found, self._iterator = self._next, None
                    raise EarlyEndError(found) from None
            self._next += 1
            if self._next > wanted:
                return sample


@contextmanager
def _alone() -> Generator[None]:
    """Have the user's stream see no workers: it would share its samples among them a second time,
    for a worker takes those of its own batches here.
    """
    kept = getattr(pytorchs_worker, _WORKER)  # PyTorch has no other door
    setattr(pytorchs_worker, _WORKER, None)
    try:
        yield
    finally:
        setattr(pytorchs_worker, _WORKER, kept)


def rows_of(dataset: Any, start: int) -> Rows:
    """Return the samples of a data set: of a stream, where it can be read in no other way. Raises
    ``TypeError`` for what has no samples.
    """
    from torch.utils.data import IterableDataset

    if isinstance(dataset, IterableDataset) or not hasattr(type(dataset), "__getitem__"):
        if not hasattr(type(dataset), "__iter__"):
            raise TypeError(f"{type(dataset).__name__} has neither __getitem__ nor __iter__")
        return StreamRows(dataset, start)
    return MapRows(dataset, start)
