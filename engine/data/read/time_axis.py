"""Times of the rows of a series: their order, what they are called, and those that come next."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from engine.data.read.date import TIMED_DIGITS, DateOrder, date_order, parse_date
from engine.diagnostics import DiagnosticError

_Unit = Literal["D", "m", "s", "us"]

_DAY = np.timedelta64(1, "D")
_DAY_US = 86_400_000_000
_WEEK = 7 * _DAY
_MOST_STEPS = 5  # usual ones between two rows: more are a gap
_ONE_STEP = 1.5  # the same where nearly all steps are alike: not so with weekends, or by chance
_DIGITS = ({6}, {8}, *TIMED_DIGITS)  # of months, days, times of days
_REGULAR, _ALIKE = 0.9, 0.12  # share of the steps; months differ by a tenth
_UNITS: tuple[tuple[_Unit, np.timedelta64], ...] = (
    ("D", _DAY),
    ("m", np.timedelta64(1, "m")),
    ("s", np.timedelta64(1, "s")),
)


@dataclass(frozen=True, eq=False)
class TimeAxis:
    """The times of rows in their order: ``values`` are datetime64[us] or float64, of shape
    (rows,). Those after the last row follow in the usual step: of months where all are as far into
    a month or before its end, of working days where no day is at a weekend, else the median.
    """

    values: np.ndarray

    def texts(self, rows: np.ndarray) -> list[str]:
        """Return the times of some rows, whose numbers start at 0 and may go beyond the last; days
        as ISO 8601 has them, with a time of day where there are such. Empty where a time after the
        last is asked for and there is no step.
        """
        return [self._text(value) for value in self._at(np.asarray(rows, np.int64))]

    def _at(self, rows: np.ndarray) -> np.ndarray:
        known = self.values[np.minimum(rows, len(self.values) - 1)]
        beyond = np.maximum(rows - (len(self.values) - 1), 0)
        if not beyond.any():
            return known
        return np.where(beyond > 0, self._after(beyond), known)

    def _after(self, count: np.ndarray) -> np.ndarray:
        """Return the times so many steps after the last one."""
        values = self.values
        if len(values) < 2:
            return np.full(count.shape, np.nan if values.dtype.kind == "f" else "NaT", values.dtype)
        if values.dtype.kind == "f":
            return values[-1] + count * np.median(np.diff(values))
        for shift in (0 * _DAY, _DAY):  # as far from the start of a month, or from its end
            months = (values + shift).astype("datetime64[M]")
            steps = np.diff(months.astype(np.int64))
            offsets = values + shift - months
            if steps[0] > 0 and (steps == steps[0]).all() and (offsets == offsets[0]).all():
                return (months[-1] + count * steps[0]).astype(values.dtype) + offsets[0] - shift
        step = np.median(np.diff(values).astype(np.int64)).astype("timedelta64[us]")
        days = values.astype("datetime64[D]")
        is_long = step == _DAY and values[-1] - values[0] >= _WEEK
        if is_long and np.is_busday(days).all():
            following = np.busday_offset(days[-1], count, roll="forward")
            return following.astype(values.dtype) + (values[-1] - days[-1])
        return values[-1] + count * step

    def gaps(self) -> np.ndarray:
        """Return the numbers (int64) of the rows after which the next one is missing: it is more
        than some usual steps away (weekends are not).
        """
        steps = np.diff(self.values)
        if not len(steps):
            return np.empty(0, np.int64)
        sizes = steps.astype(np.int64) if steps.dtype.kind == "m" else steps
        usual = float(np.median(sizes))
        if usual <= 0:
            return np.empty(0, np.int64)
        is_regular = float(np.mean(np.abs(sizes - usual) <= _ALIKE * usual)) >= _REGULAR
        return np.flatnonzero(sizes > (_ONE_STEP if is_regular else _MOST_STEPS) * usual)

    @cached_property
    def _unit(self) -> _Unit:
        if len(self.values) == 0:
            return "D"
        since = self.values - self.values[0].astype("datetime64[D]")
        for unit, size in _UNITS:
            if not (since % size).astype(np.int64).any():
                return unit
        return "us"

    def _text(self, value: np.float64 | np.datetime64) -> str:
        if isinstance(value, np.datetime64):
            if np.isnat(value):
                return ""
            return str(np.datetime_as_string(value, unit=self._unit)).replace("T", " ")
        if not np.isfinite(value):
            return ""
        return str(int(value)) if float(value).is_integer() else f"{value:.10g}"


def times_of(
    cells: np.ndarray, name: str, *, are_numbers: bool = False
) -> tuple[np.ndarray, TimeAxis | None]:
    """Return the order of rows by the cells of a column of numbers or dates, and their times in
    it; none of clock times, which have no day. Digits alone may be dates (``2023013123``); they are
    numbers where other rows of the series ``are_numbers``.

    Raises :class:`DiagnosticError` D123 for cells that are neither.
    """
    texts = [cell.strip() for cell in cells.tolist()]
    if not are_numbers and _are_digits_of_dates(texts):
        return _of_days(texts, "ymd")
    for dtype in (np.float64, "datetime64[us]"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", UserWarning)  # of zones, which it takes for UTC
                values = cells.astype(dtype)
        except (ValueError, UserWarning):
            continue
        return _ordered(values)
    order = date_order(dict.fromkeys(texts))
    if order is None:
        raise DiagnosticError.of("D123", field="data.source.time", name=name)
    return _of_days(texts, order)


def _are_digits_of_dates(texts: Sequence[str]) -> bool:
    """Return whether all texts are digits of dates; months of one year alone may be numbers."""
    known = {text.removesuffix(".0") for text in texts}
    digits = {*map(len, known)}
    if digits not in _DIGITS or not all(text.isdecimal() for text in known):
        return False
    is_telling = digits != {6} or len({text[:4] for text in known}) > 1
    return is_telling and date_order(known) == "ymd"


def _of_days(texts: Sequence[str], order: DateOrder) -> tuple[np.ndarray, TimeAxis | None]:
    days = np.array([parse_date(text, order) or 0.0 for text in texts], np.float64)
    if order == "time":
        return np.argsort(days, kind="stable"), None
    return _ordered((days * _DAY_US).round().astype(np.int64).astype("datetime64[us]"))


def _ordered(values: np.ndarray) -> tuple[np.ndarray, TimeAxis]:
    order = np.argsort(values, kind="stable")
    return order, TimeAxis(values[order])
