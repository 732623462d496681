"""Curves in memory: growing ones, and the few points of a long one that can be seen."""

from engine.runs.record.store import Points, RunStore, Steps

MOST_POINTS = 1 << 20
"""Points of a curve that are kept as they are. Longer ones are thinned: what fits a screen a
hundred times over, in 16 MB, whatever the length of the record.
"""


class Curve:
    """One series that is read bit by bit while its run goes on. ``is_repaired`` says that the
    record had points twice or out of order. Of more than ``most`` points the lowest and highest of
    equal stretches are kept, down to between a half and all of ``most`` points; ``thinnings``
    counts how often that was done, ``cuts`` how often points gave way to others of their steps: the
    run went back.
    """

    def __init__(self, name: str, most: int = MOST_POINTS) -> None:
        import numpy as np

        self.name = name
        self.is_repaired = False
        self.thinnings = self.cuts = 0
        self._most = most
        self._stretch = 2  # points of the record for each two that are kept
        self._thinned = 0  # so many of the points here are thinned already
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
        cursor, is_new = self._cursor, False
        for block in store.blocks(self.name, cursor, self._most // 2):
            cursor = block.cursor
            self.is_repaired |= block.is_repaired
            if len(block.steps):
                is_new = True
                self._extend(block.steps, block.values)
        self._cursor = cursor  # only now: a reading that failed is begun again
        return is_new

    def truncate(self, step: int) -> None:
        """Forget the points after a step (the run went back to its checkpoint there)."""
        import numpy as np

        self._size = int(np.searchsorted(self.steps, step, side="right"))
        self._thinned = min(self._thinned, self._size)

    def _extend(self, steps: Steps, values: Points) -> None:
        before = self._size
        self.truncate(int(steps[0]) - 1)
        self.cuts += self._size < before
        size = self._size + len(steps)
        if not self._size:
            self._steps, self._values = steps, values
        else:
            self._reserve(size)
            self._steps[self._size : size] = steps
            self._values[self._size : size] = values
        self._size = size
        if size > self._most:
            self._thin()

    def _thin(self) -> None:
        """Thin the points that came since the last time, then all, until half of the room is free.

        What was handed out stays as it is: the arrays are new ones.
        """
        import numpy as np

        self.thinnings += 1
        old = self.steps[: self._thinned], self.values[: self._thinned]
        new = self.steps[self._thinned :], self.values[self._thinned :]
        new = decimate(*new, max(len(new[0]) // self._stretch, 1))
        steps, values = np.concatenate([old[0], new[0]]), np.concatenate([old[1], new[1]])
        while len(steps) > self._most // 2:
            self._stretch *= 2
            steps, values = decimate(steps, values, len(steps) // 4)
        self._steps, self._values, self._size = steps, values, len(steps)
        self._thinned = self._size

    def _reserve(self, size: int) -> None:
        if size <= len(self._steps):
            return
        import numpy as np

        room = max(size, min(2 * len(self._steps), self._most)) - self._size
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
    index = np.concatenate([chosen.ravel(), rest])
    index = index[np.append(True, index[1:] > index[:-1])]  # ten times as fast as np.unique
    return steps[index], values[index]


def _extremes(values: Points) -> Steps:
    import numpy as np

    finite = np.flatnonzero(~np.isnan(values))
    if not len(finite):
        return np.empty(0, np.int64)
    picked = [finite[np.argmin(values[finite])], finite[np.argmax(values[finite])], len(values) - 1]
    return np.unique(np.asarray(picked, np.int64))
