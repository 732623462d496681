"""The vertical axis of charts: on a logarithmic one only as many numbers as have room."""

import math
from collections.abc import Sequence
from datetime import date
from itertools import pairwise

import pyqtgraph as pg
from typing_extensions import override

_LEAST_PIXELS = 22.0  # between two numbers
_MOST = 200  # ticks that are looked at
_STEPS = (1.0, 2.0, 5.0, 10.0)
_RAISED = dict(zip("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹", strict=True))
_MANTISSAS = ((1, 2, 3, 4, 5, 6, 7, 8, 9), (1, 2, 5), (1,))


_EPOCH = date(1970, 1, 1).toordinal()


def day_texts(days: Sequence[float]) -> list[str]:
    """Return the dates (2024-02-29) of whole days since 1970-01-01, nothing for what is no whole
    day, or outside of the calendar.
    """
    last = date.max.toordinal()
    return [
        date.fromordinal(_EPOCH + int(day)).isoformat()
        if day == int(day) and 1 <= _EPOCH + day <= last
        else ""
        for day in days
    ]


class HeightAxis(pg.AxisItem):
    """Numbers at round heights. In logarithmic mode places are powers of ten. Days since 1970-01-01
    are dates where ``is_date``.
    """

    is_date = False

    @override
    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return day_texts(values) if self.is_date else super().tickStrings(values, scale, spacing)

    @override
    def tickValues(
        self, minVal: float, maxVal: float, size: float
    ) -> list[tuple[float, list[float]]]:
        if not self.logMode:
            return super().tickValues(minVal, maxVal, size)
        low, high = sorted((minVal, maxVal))
        return [(1.0, log_ticks(low, high, size))]

    @override
    def logTickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [number_text(10.0**value * scale) for value in values]


def log_ticks(low: float, high: float, pixels: float) -> list[float]:
    """Return places between two powers of ten for numbers that lie apart: 1 to 9 of each decade, 1,
    2 and 5, or decades; within a decade round numbers at equal distances.
    """
    if not (math.isfinite(low) and math.isfinite(high) and high > low and abs(high) < 300):
        return []
    apart = _LEAST_PIXELS * (high - low) / max(pixels, 1.0)
    first, last = math.floor(low), math.ceil(high)
    if last - first <= _MOST:
        for mantissas in _MANTISSAS:
            places = [
                decade + math.log10(mantissa)
                for decade in range(first, last + 1)
                for mantissa in mantissas
            ]
            ticks = [tick for tick in places if low <= tick <= high]
            if len(ticks) > 1 and _least_gap(ticks) >= apart:
                return ticks
    if high - low > 1:
        step = math.ceil(apart)
        return [float(tick) for tick in range(first - first % step, last + 1, step) if tick >= low]
    return _within(low, high, apart)


def _within(low: float, high: float, apart: float) -> list[float]:
    """Return round numbers at equal distances that are not too near to one another at the top."""
    bottom, top = 10.0**low, 10.0**high
    needed = top - 10.0 ** (high - apart)  # there the numbers are nearest to one another
    power = 10.0 ** math.floor(math.log10(needed))
    step = next(power * factor for factor in _STEPS if power * factor >= needed * 0.999)
    start = math.ceil(bottom / step)
    count = min(int(top / step) - start + 1, _MOST)
    return [math.log10((start + index) * step) for index in range(count) if start + index > 0]


def _least_gap(places: list[float]) -> float:
    return min(upper - lower for lower, upper in pairwise(places))


def number_text(value: float) -> str:
    """Return a number as it is written on an axis: ``0.05``, ``300``, ``2·10⁻⁶``."""
    if value and not 1e-4 <= abs(value) < 9999.5:  # four digits are written out
        mantissa, _, exponent = f"{value:.3g}".partition("e")
        if exponent:
            power = "".join(_RAISED[sign] for sign in str(int(exponent)))
            return f"10{power}" if mantissa == "1" else f"{mantissa}·10{power}"
    return f"{value:.4g}"
