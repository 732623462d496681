"""Statistics of the tensors of a model over the steps of a run, as they are recorded.

At some steps of a run each weight, gradient, update (the change of a weight by the step) and
activation (the output of a layer) leaves a row of numbers and a histogram.
"""

from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.runs.record.store import RunStore

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]
    Counts = npt.NDArray[np.uint16]
    Steps = npt.NDArray[np.int64]
    Shares = npt.NDArray[np.float64]
else:
    Floats = Counts = Steps = Shares = object  # numpy is loaded by the first that reads

BINS = 48
"""Bins of a histogram, of equal width from the least to the greatest element."""


class Kind(StrEnum):
    """What of a layer is looked at."""

    WEIGHT = "weight"
    GRADIENT = "gradient"
    UPDATE = "update"
    ACTIVATION = "activation"


class Statistic(IntEnum):
    """The columns of the numbers. ``ZEROS``, ``DEAD`` (units that are 0 for a whole batch) and
    ``BROKEN`` (NaN or infinite) are shares; what is not known is NaN.
    """

    MEAN = 0
    DEVIATION = 1
    MINIMUM = 2
    MAXIMUM = 3
    NORM = 4
    ZEROS = 5
    DEAD = 6
    BROKEN = 7


Key = tuple[Kind, str]
"""What is looked at, and the name of the parameter, or of the layer whose output it is."""


class Sample(NamedTuple):
    """One step: for each key a row of ``numbers`` (float32) and of ``counts`` (uint16 shares of
    65,535 in :data:`BINS` bins).
    """

    keys: tuple[Key, ...]
    numbers: Floats
    counts: Counts


class Track(NamedTuple):
    """One tensor over the recorded steps: ``steps`` (T), ``numbers`` (T x measures) and ``counts``
    (T x bins).
    """

    steps: Steps
    numbers: Floats
    counts: Counts


class StatisticHistory:
    """The statistics of a run, read bit by bit while it goes on."""

    def __init__(self) -> None:
        import numpy as np

        self.columns: dict[Key, int] = {}
        self._cursor = 0
        self._size = 0
        self._steps: Steps = np.empty(0, np.int64)
        self._numbers: Floats = np.empty((0, 0, len(Statistic)), np.float32)
        self._counts: Counts = np.empty((0, 0, BINS), np.uint16)

    @property
    def steps(self) -> Steps:
        """The recorded steps, ascending. A view: copy it to keep it."""
        return self._steps[: self._size]

    def update(self, store: RunStore) -> bool:
        """Read what was written since the last call; return whether there was anything.

        Raises :class:`engine.diagnostics.DiagnosticError` as the store does.
        """
        import numpy as np

        found = store.samples(self._cursor)
        for stored in found:
            self._size = int(np.searchsorted(self.steps, stored.step))  # a resume went back
            for kind, name in stored.keys:
                self.columns.setdefault((Kind(kind), name), len(self.columns))
            self._reserve()
            at = [self.columns[Kind(kind), name] for kind, name in stored.keys]
            self._steps[self._size] = stored.step
            self._numbers[self._size] = np.nan
            self._counts[self._size] = 0
            self._numbers[self._size, at] = stored.numbers
            self._counts[self._size, at] = stored.counts
            self._size += 1
            self._cursor = stored.id
        return bool(found)

    def track(self, key: Key) -> Track:
        """Return one tensor over the steps at which it was recorded; empty for an unknown one."""
        import numpy as np

        column = self.columns.get(key)
        if column is None:
            return Track(
                np.empty(0, np.int64),
                np.empty((0, len(Statistic)), np.float32),
                np.empty((0, BINS), np.uint16),
            )
        numbers = self._numbers[: self._size, column]
        known = ~np.isnan(numbers[:, Statistic.NORM])
        known |= numbers[:, Statistic.BROKEN] > 0
        return Track(self.steps[known], numbers[known], self._counts[: self._size, column][known])

    def _reserve(self) -> None:
        import numpy as np

        rows, columns = self._numbers.shape[:2]
        if self._size < rows and len(self.columns) <= columns:
            return
        rows = max(rows, 2 * self._size, 16)
        columns = len(self.columns)
        self._steps = _grown(self._steps, (rows,))
        self._numbers = _grown(self._numbers, (rows, columns, len(Statistic)), np.nan)
        self._counts = _grown(self._counts, (rows, columns, BINS))


def _grown(array: Any, shape: tuple[int, ...], fill: float = 0) -> Any:
    import numpy as np

    grown = np.full(shape, fill, array.dtype)
    grown[tuple(slice(0, size) for size in array.shape)] = array
    return grown


def on_one_scale(track: Track, bins: int) -> tuple[Shares, tuple[float, float]]:
    """Return the histograms of a track in the same bins from the least to the greatest element of
    all steps: shares (T x ``bins``, float64) and that range.
    """
    import numpy as np

    low = track.numbers[:, Statistic.MINIMUM].astype(np.float64)
    high = track.numbers[:, Statistic.MAXIMUM].astype(np.float64)
    least, most = (float(low.min()), float(high.max())) if len(low) else (0.0, 1.0)
    if most <= least:
        least, most = least - 0.5, most + 0.5
    edges = np.linspace(least, most, bins + 1)
    shares = np.zeros((len(low), bins))
    for row, counts in enumerate(track.counts):
        width = max(high[row] - low[row], (most - least) / bins)  # one number fills one bin
        own = np.linspace(low[row], low[row] + width, BINS + 1)
        total = np.concatenate([[0.0], np.cumsum(counts / 65_535)])
        shares[row] = np.diff(np.interp(edges, own, total))
    return shares, (least, most)
