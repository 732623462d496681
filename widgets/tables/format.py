"""Formats of cells: short, aligned, the same in every language."""

import math
import re
from datetime import UTC, datetime

from widgets.tables.trend import Trend
from widgets.tables.view_model import Cell, ColumnView

_BREAK = re.compile("[ \t]*(?:\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029])[ \t]*")
_MARK = "⏎"
_DIGITS = 6  # of a number
_MANY_DECIMALS = re.compile(
    r"(?P<sign>[-+−]?)(?P<whole>\d{1,15})(?P<mark>[.,])(?P<rest>\d{7,}(?:[eE][-+]?\d{1,3})?)"
)
_SIZES = ("B", "kB", "MB", "GB", "TB")


def cell_text(value: Cell, kind: str) -> str:
    """Return what stands in a cell; empty for none, ``nan`` and ``inf`` as such."""
    if value is None or value is False:
        return ""
    if value is True:
        return "✓"
    if isinstance(value, str):
        return value
    if isinstance(value, Trend):
        value = value.value
    if not math.isfinite(value):
        return str(value)
    write = _WRITERS.get(kind)
    if write is not None:
        return write(value)
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def short_number(text: str) -> str:
    """Return a number that is written with many decimals with six digits, or as many as it has
    before the decimal mark, which stays; any other text as it is.
    """
    found = _MANY_DECIMALS.fullmatch(text)
    if found is None:
        return text
    digits = max(_DIGITS, len(found["whole"].lstrip("0")))
    number = float(f"{found['whole']}.{found['rest']}")
    return f"{found['sign']}{number:.{digits}g}".replace(".", found["mark"])


def one_line(text: str) -> str:
    """Return a text of several lines as one, with a mark for each break: a row has one line."""
    return _BREAK.sub(f" {_MARK} ", text)


def _percent_text(value: float) -> str:
    return f"{value * 100:.2f} %"


def _count_text(value: float) -> str:
    return f"{round(value):,}"


def _time_text(value: float) -> str:
    return datetime.fromtimestamp(value, tz=UTC).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def duration_text(seconds: float) -> str:
    """Return a duration: ``850 ms``, ``12.3 s``, ``4:05``, ``2:03:04``."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def size_text(size: float) -> str:
    """Return a number of bytes with a decimal unit: ``4.2 MB``."""
    for unit in _SIZES[:-1]:
        if abs(size) < 1000:
            return f"{size:.3g} {unit}" if unit != "B" else f"{size:.0f} B"
        size /= 1000
    return f"{size:.3g} {_SIZES[-1]}"


_WRITERS = {
    "trend": "{:.4g}".format,
    "percent": _percent_text,
    "count": _count_text,
    "duration": duration_text,
    "size": size_text,
    "time": _time_text,
}


def is_right_aligned(column: ColumnView) -> bool:
    """Return whether the column holds quantities."""
    return column.kind in ("number", "percent", "count", "duration", "size", "trend")


def sort_key(value: Cell) -> tuple[int, float, str]:
    """Return what a column is ordered by: nothing first, then numbers (NaN before), then text in
    its natural order without regard to case.
    """
    if value is None:
        return (0, 0.0, "")
    if isinstance(value, str):
        return (3, 0.0, natural_key(value))
    if isinstance(value, Trend):
        return sort_key(value.value)
    if isinstance(value, float) and math.isnan(value):
        return (1, 0.0, "")
    return (2, float(value), "")


def natural_key(text: str) -> str:
    """Return a key that puts ``run-9`` before ``run-10``."""
    parts: list[str] = []
    digits = ""
    for letter in text.casefold():
        if letter.isdecimal():
            digits += letter
            continue
        if digits:
            parts.append(digits.zfill(12))
            digits = ""
        parts.append(letter)
    return "".join(parts) + (digits.zfill(12) if digits else "")
