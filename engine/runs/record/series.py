"""Curves in memory: growing ones, and the few points of a long one that can be seen."""

from engine.runs.record.store import Points, RunStore, Steps


class Curve:
    """One series that is read bit by bit while its run goes on. ``is_repaired`` says that the
    record had points twice or out of order.
    """

    def __init__(self, name: str) -> None:
        import numpy as np

        self.name = name
        self.is_repaired = False
        self._cursor = 0
        self._size = 0
        self._steps: Steps = np.empty(1024, np.int64)
        self._values: Points = np.empty(1024, np.float64)

    @property
    def steps(self) -> Steps:
        """Steps so far, strictly increasing. A view: copy it to keep it."""
        return self._steps[: self._size]

    @property
    def values(self) -> Points:
        """Values at those steps. A view: copy it to keep it."""
        return self._values[: self._size]

    def update(self, store: RunStore) -> bool:
        """Read what was written since the last call; return whether there was anything."""
        found = store.scalars(self.name, self._cursor)
        steps, values = found.steps, found.values
        self._cursor = found.cursor
        if not len(steps):
            return False
        self.is_repaired |= found.is_repaired
        self.truncate(int(steps[0]) - 1)
        if not self._size:
            self._steps, self._values, self._size = steps, values, len(steps)
            return True
        self._reserve(self._size + len(steps))
        self._steps[self._size : self._size + len(steps)] = steps
        self._values[self._size : self._size + len(steps)] = values
        self._size += len(steps)
        return True

    def truncate(self, step: int) -> None:
        """Forget the points after a step (the run went back to its checkpoint there)."""
        import numpy as np

        self._size = int(np.searchsorted(self.steps, step, side="right"))

    def _reserve(self, size: int) -> None:
        if size <= len(self._steps):
            return
        import numpy as np

        room = max(size, 2 * len(self._steps)) - self._size
        self._steps = np.concatenate([self.steps, np.empty(room, np.int64)])
        self._values = np.concatenate([self.values, np.empty(room, np.float64)])


def decimate(steps: Steps, values: Points, columns: int) -> tuple[Steps, Points]:
    """Return the lowest and highest point of each of ``columns`` equal stretches, in order.

    No peak is lost: at most ``2 * columns`` points (and the rest of an uneven division) draw the
    same picture as all of them. NaN is passed over unless a stretch holds nothing else.
    """
    import numpy as np

    if columns < 1:
        raise ValueError("columns must be at least 1")
    width = len(values) // columns
    if width <= 2:
        return steps, values
    size = width * columns
    table = values[:size].reshape(columns, width)
    low, high = table, table
    if np.isnan(np.sum(values)):
        bare = np.isnan(table)
        low, high = np.where(bare, np.inf, table), np.where(bare, -np.inf, table)
    lowest, highest = np.argmin(low, axis=1), np.argmax(high, axis=1)
    start = np.arange(columns) * width
    chosen = np.sort(np.stack([lowest, highest], axis=1), axis=1) + start[:, None]
    rest = _extremes(values[size:]) + size
    index = np.unique(np.concatenate([chosen.ravel(), rest]))
    return steps[index], values[index]


def _extremes(values: Points) -> Steps:
    import numpy as np

    finite = np.flatnonzero(~np.isnan(values))
    if not len(finite):
        return np.empty(0, np.int64)
    picked = [finite[np.argmin(values[finite])], finite[np.argmax(values[finite])], len(values) - 1]
    return np.unique(np.asarray(picked, np.int64))
