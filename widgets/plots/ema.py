"""Smoothing: the exponential moving average with its bias corrected, over a million points."""

import numpy as np

from widgets.plots.view_model import Floats

_BLOCK = 32


class Smoother:
    """Smooths a stream: ``y_t = sum(w^(t-i) x_i) / sum(w^(t-i))``, the first y being the first x.

    Values that are not finite count for nothing and stay NaN in the answer. The correction is the
    one of Adam (Kingma and Ba 2015, section 3), exact also after gaps.
    """

    def __init__(self, weight: float) -> None:
        self.weight = weight
        self._sum = 0.0
        self._mass = 0.0

    def extend(self, values: Floats) -> Floats:
        """Return the smoothed values for the next values of the stream."""
        if not self.weight or not values.size:
            return values.copy()
        is_finite = np.isfinite(values)
        sums = decayed_sum(np.where(is_finite, values, 0.0), self.weight, self._sum)
        mass = decayed_sum(is_finite.astype(np.float64), self.weight, self._mass)
        self._sum, self._mass = float(sums[-1]), float(mass[-1])
        result = np.full(values.size, np.nan)
        np.divide(sums, mass, out=result, where=is_finite & (mass > 0))
        return result


def decayed_sum(values: Floats, weight: float, start: float) -> Floats:
    """Return ``s`` with ``s_t = weight * s_(t-1) + values_t`` and ``s_(-1) = start``.

    Blocks are summed by one matrix product; what each hands on is the same problem, 32 times
    smaller.
    """
    size = values.size
    if size <= _BLOCK:
        result = np.empty(size)
        state = start
        for index, value in enumerate(values.tolist()):
            state = weight * state + value
            result[index] = state
        return result
    blocks = -(-size // _BLOCK)
    padded = np.zeros(blocks * _BLOCK)
    padded[:size] = values
    powers = weight ** np.arange(_BLOCK + 1, dtype=np.float64)
    lag = np.subtract.outer(np.arange(_BLOCK), np.arange(_BLOCK))
    kernel = np.where(lag >= 0, powers[np.abs(lag)], 0.0)
    local = padded.reshape(blocks, _BLOCK) @ kernel.T
    carried = decayed_sum(local[:, -1], float(powers[_BLOCK]), start)
    previous = np.concatenate(([start], carried[:-1]))
    local += previous[:, None] * powers[1:][None, :]
    return local.reshape(-1)[:size]
