"""Dates as a model reads them, days since 1970-01-01, written in ISO form."""

import math
from datetime import date
from typing import NamedTuple

_EPOCH = date(1970, 1, 1).toordinal()
_LONGEST_TIME = 2.0  # days: times alone lie within a day, but for their zone
_MINUTES = 24 * 60


class DayTexts(NamedTuple):
    """Mean, lowest and highest of dates as they are written, and the deviation in days."""

    mean: str
    deviation: float
    lowest: str
    highest: str

    @classmethod
    def of(cls, mean: float, deviation: float, lowest: float, highest: float) -> "DayTexts":
        """Return statistics of days: those of times of a day alone are times."""
        is_clock = 0 <= lowest <= highest < _LONGEST_TIME
        write = _clock_text if is_clock else day_text
        return cls(write(mean), deviation, write(lowest), write(highest))


def day_text(days: float) -> str:
    """Return the date of a day (2024-02-29), the number where it is outside of the calendar."""
    try:
        return date.fromordinal(_EPOCH + math.floor(days)).isoformat()
    except (ValueError, OverflowError):
        return f"{days:g}"


def _clock_text(days: float) -> str:
    minutes = round(days * _MINUTES) % _MINUTES
    return f"{minutes // 60:02}:{minutes % 60:02}"
