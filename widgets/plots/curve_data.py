"""Points of one curve, growing in place, with what drawing needs kept up to date."""

import math

import numpy as np

from widgets.plots.ema import Smoother
from widgets.plots.view_model import AxisKind, Floats, SeriesView


class GrowingArray:
    """A float64 array that doubles its room when it is full."""

    def __init__(self) -> None:
        self._room = np.empty(1024)
        self.size = 0

    def extend(self, values: Floats) -> None:
        """Add values at the end."""
        needed = self.size + values.size
        if needed > self._room.size:
            room = np.empty(max(needed, 2 * self._room.size))
            room[: self.size] = self._room[: self.size]
            self._room = room
        self._room[self.size : needed] = values
        self.size = needed

    def cut(self, size: int) -> None:
        """Forget everything from an index on."""
        self.size = min(self.size, size)

    def view(self) -> Floats:
        """Return the values, without a copy; valid until the next change."""
        return self._room[: self.size]


class CurveData:
    """Points of one series: raw, smoothed and their logarithms, each computed once a point."""

    def __init__(self, view: SeriesView) -> None:
        self.view = view
        self.is_visible = view.is_visible
        self._steps = GrowingArray()
        self._values = GrowingArray()
        self._times = GrowingArray()
        self._smooth = GrowingArray()
        self._log_values: GrowingArray | None = None
        self._log_smooth: GrowingArray | None = None
        self._smoother = Smoother(0.0)
        self.is_finite = True
        self.append(view.steps, view.values, view.times)

    @property
    def size(self) -> int:
        """Return the number of points."""
        return self._values.size

    def append(self, steps: Floats, values: Floats, times: Floats | None = None) -> None:
        """Add points; where steps begin again (a resume), what lay behind them is replaced."""
        if not steps.size:
            return
        if self.size and steps[0] <= self._steps.view()[-1]:
            self._cut(int(np.searchsorted(self._steps.view(), steps[0])))
        self._steps.extend(steps)
        self._values.extend(values)
        has_times = times is not None and times.size == steps.size
        self._times.extend(
            times if has_times and times is not None else np.full(steps.size, np.nan)
        )
        smooth = self._smoother.extend(values)
        self._smooth.extend(smooth)
        if self._log_values is not None and self._log_smooth is not None:
            self._log_values.extend(logarithm(values))
            self._log_smooth.extend(logarithm(smooth))
        self.is_finite = self.is_finite and bool(np.isfinite(values).all())

    def _cut(self, size: int) -> None:
        for array in (self._steps, self._values, self._times):
            array.cut(size)
        self.is_finite = bool(np.isfinite(self._values.view()).all())
        self.set_smoothing(self._smoother.weight)
        self._drop_logarithms()

    def set_smoothing(self, weight: float) -> None:
        """Smooth everything with a weight from 0 (not at all) to below 1."""
        self._smoother = Smoother(weight)
        self._smooth = GrowingArray()
        self._smooth.extend(self._smoother.extend(self._values.view()))
        self._drop_logarithms()

    def spacing(self) -> float:
        """Return the usual distance between two steps; infinite with fewer than two points."""
        steps = self._steps.view()[:100]
        if steps.size < 2:
            return math.inf
        # Not np.median: its first call imports numpy.ma, 20 ms in the middle of a run.
        return float(np.sort(np.diff(steps))[(steps.size - 1) // 2])

    def _drop_logarithms(self) -> None:
        self._log_values = self._log_smooth = None

    def x(self, axis: AxisKind) -> Floats:
        """Return the places on the axis; epochs are steps on another scale."""
        return self._times.view() if axis == "time" else self._steps.view()

    def has_times(self) -> bool:
        """Return whether the points can be laid out over time."""
        return self.size > 0 and bool(np.isfinite(self._times.view()[-1]))

    def y(self, *, is_smooth: bool, is_log: bool) -> Floats:
        """Return the heights; logarithms of what is not positive are NaN."""
        if not is_log:
            return (self._smooth if is_smooth else self._values).view()
        if self._log_values is None or self._log_smooth is None:
            self._log_values, self._log_smooth = GrowingArray(), GrowingArray()
            self._log_values.extend(logarithm(self._values.view()))
            self._log_smooth.extend(logarithm(self._smooth.view()))
        return (self._log_smooth if is_smooth else self._log_values).view()

    def nearest(self, x: float, axis: AxisKind) -> int:
        """Return the index of the point nearest to a place, -1 without points."""
        places = self.x(axis)
        if not places.size:
            return -1
        index = int(np.searchsorted(places, x))
        if index == 0:
            return 0
        if index == places.size:
            return index - 1
        return index if places[index] - x < x - places[index - 1] else index - 1


def logarithm(values: Floats) -> Floats:
    """Return log10, NaN where a value is not positive."""
    result = np.full(values.size, np.nan)
    np.log10(values, out=result, where=values > 0)
    return result


def finite_bounds(values: Floats) -> tuple[float, float] | None:
    """Return the least and the largest finite value; None when there is none."""
    if not values.size:
        return None
    low, high = float(np.fmin.reduce(values)), float(np.fmax.reduce(values))
    if math.isfinite(low) and math.isfinite(high):
        return low, high
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else None
