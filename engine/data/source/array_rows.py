"""Rows of arrays, in memory or in files, one array after the other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from engine.data.read.stored import StoredArray

_BLOCK_BYTES = 16 << 20


@dataclass(frozen=True)
class ArrayRows:
    """The rows of arrays whose shapes differ in the number of rows alone; those in files are read
    when they are asked for.
    """

    arrays: tuple[np.ndarray | StoredArray, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of all rows together."""
        rows = sum(each.shape[0] for each in self.arrays)
        return (rows, *self.arrays[0].shape[1:])

    @property
    def dtype(self) -> np.dtype:
        """The type of the elements."""
        return self.arrays[0].dtype

    def read(self, indices: Sequence[int]) -> np.ndarray:
        """Return some rows. Raises :class:`~engine.diagnostics.DiagnosticError` where a file cannot
        be read.
        """
        if len(self.arrays) == 1:
            return _rows(self.arrays[0], indices)
        wanted = np.asarray(indices, dtype=np.int64)
        result = np.empty((len(wanted), *self.shape[1:]), self.dtype.newbyteorder("="))
        ends = list(accumulate(each.shape[0] for each in self.arrays))
        owner = np.searchsorted(ends, wanted, side="right")
        for number, array in enumerate(self.arrays):
            chosen = np.flatnonzero(owner == number)
            if len(chosen):
                start = ends[number] - array.shape[0]
                result[chosen] = _rows(array, (wanted[chosen] - start).tolist())
        return result

    def blocks(self) -> Iterator[np.ndarray]:
        """Yield all rows in their order, some at a time."""
        rows = self.shape[0]
        width = max(1, int(np.prod(self.shape[1:], dtype=np.int64)) * self.dtype.itemsize)
        step = max(1, _BLOCK_BYTES // width)
        for start in range(0, rows, step):
            yield self.read(range(start, min(start + step, rows)))


def _rows(array: np.ndarray | StoredArray, indices: Sequence[int]) -> np.ndarray:
    if isinstance(array, StoredArray):
        return array.rows(indices)
    return array[np.asarray(indices, dtype=np.int64)]
