"""Numbers and dates as people write them, read from the cells of a column."""

import math
import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.data.read.cell import MISSING

Decimal = Literal[".", ","]
DateOrder = Literal["ymd", "dmy", "mdy", "time", "epoch"]
"""How dates are written: the order of their numbers, times of a day alone (``17:45``), or the time
since 1970 in seconds, or a thousandth or millionth of them.
"""
DatePart = Literal["", "year", "month", "day", "weekday", "hour"]
"""A number of a date: that of its weekday counts from 0 for Monday, hours have their minutes as a
fraction; empty for all of the date, as days since 1970-01-01.
"""
DATE_PARTS: tuple[DatePart, ...] = ("year", "month", "day", "weekday", "hour")
Values = NDArray[np.float64]

_NAN = float("nan")
_SPACES = " \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}"
_UNITS = re.compile(r"^([+-]?)\s*[$€£¥₹]\s*|\s*[%$€£¥₹]$")
_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?", re.IGNORECASE)
_GROUPS = {
    ".": re.compile(rf"[+-]?\d{{1,3}}([,'{_SPACES}]\d{{3}})+(\.\d+)?"),
    ",": re.compile(rf"[+-]?\d{{1,3}}([.'{_SPACES}]\d{{3}})+(,\d+)?"),
}
_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
_MARKS = re.compile(rf"[,.'{_SPACES}]")
_IS_COMMA = re.compile(
    r"[+-]?(\d*,(\d{1,2}|\d{4,})|0,\d+|\d{4,},\d+|[\d.]*\.\d{3},\d+)([eE][+-]?\d+)?"
)
_IS_POINT = re.compile(
    r"[+-]?(\d*\.(\d{1,2}|\d{4,})|0\.\d+|\d{4,}\.\d+|[\d,]*,\d{3}\.\d+)([eE][+-]?\d+)?"
)
_CODE = re.compile(r"[+-]?0\d+")
_YMD = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})|(\d{4})年(\d{1,2})月(\d{1,2})日")
_MONTH = re.compile(r"(\d{4})[-/](\d{2})|(\d{4})年(\d{1,2})月")
_COMPACT = re.compile(r"((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")
_OTHER = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})")
_TIME = re.compile(
    r"(\d{1,2}):(\d{2})(?::(\d{2}(?:[.,]\d+)?))?\s*([AaPp][Mm])?\s*(Z|UTC|[+-]\d{2}:?\d{2})?"
)
_EPOCH = date(1970, 1, 1).toordinal()
_FIRST_WEEKDAY = 3  # of 1970-01-01, a Thursday
_DAY_SECONDS = 86_400
_ORDERS: tuple[DateOrder, ...] = ("ymd", "dmy", "mdy")
_EPOCH_CELL = re.compile(r"([1-4]\d{9})(\d{3}|\d{6})?(?:\.\d+)?")  # from 2001 on


def decimal_of(cells: Iterable[str]) -> Decimal | None:
    """Return the decimal mark of numbers, None where they say nothing: ``1.5`` and ``1,234.56``
    have a point, ``1,5`` and ``1.234,56`` a comma, ``1.234`` may be either.
    """
    points = commas = 0
    for cell in cells:
        text = _UNITS.sub(_sign, cell)
        points += _IS_POINT.fullmatch(text) is not None
        commas += _IS_COMMA.fullmatch(text) is not None
    if points == commas:
        return None
    return "." if points > commas else ","


def _sign(unit: re.Match[str]) -> str:
    # A template (r"\1") has Python look up a module for every cell.
    return unit[1] or ""


def parse_number(cell: str, decimal: Decimal) -> float | None:
    """Return the number of a cell, NaN for a missing one, None for anything else."""
    if cell in MISSING:
        return _NAN
    text = cell
    if not _PLAIN.fullmatch(cell):  # most are
        text = _UNITS.sub(_sign, cell).replace("\N{MINUS SIGN}", "-")
    if _PLAIN.fullmatch(text) and (decimal == "." or "." not in text):
        return float(text)
    if decimal == "," and _COMMA.fullmatch(text):
        return float(text.replace(",", "."))
    if _GROUPS[decimal].fullmatch(text):
        fraction = decimal in text
        digits = _MARKS.sub(lambda mark: "." if fraction and mark[0] == decimal else "", text)
        return float(digits)
    if decimal == "," and _PLAIN.fullmatch(text):
        return float(text)  # 3.5 cannot be a number with groups of three
    return None


def parse_numbers(cells: Sequence[str], decimal: Decimal) -> tuple[Values, list[int]]:
    """Return numbers (float64, NaN where one is missing) and the positions of the cells that are
    neither.
    """
    if decimal == "." and "_" not in "".join(cells):
        try:
            return np.fromiter(map(float, cells), np.float64, len(cells)), []
        except ValueError:
            pass  # one is missing, or no number
        try:
            return np.array([_NAN if cell in MISSING else float(cell) for cell in cells]), []
        except ValueError:
            pass  # one by one, then
    numbers = [parse_number(cell, decimal) for cell in cells]
    wrong = [index for index, number in enumerate(numbers) if number is None]
    return np.array([_NAN if number is None else number for number in numbers]), wrong


def is_code(cell: str) -> bool:
    """Return whether digits are no number: those of a postal code or of a telephone have a 0 in
    front.
    """
    return _CODE.fullmatch(cell) is not None


def date_order(cells: Iterable[str]) -> DateOrder | None:
    """Return how dates are written, None where a cell is no date or where day and month could be
    either in all of them. Numbers since 1970 are no dates by themselves (:func:`is_epoch`).
    """
    orders: set[DateOrder] = {*_ORDERS, "time"}
    for cell in cells:
        orders = {order for order in orders if parse_date(cell, order) is not None}
        if not orders:
            return None
    return orders.pop() if len(orders) == 1 else None


def likely_date_order(cells: Iterable[str]) -> DateOrder:
    """Return how most of the cells are written that are called dates."""
    distinct = list(cells)
    if order := date_order(distinct):
        return order
    orders: tuple[DateOrder, ...] = (*_ORDERS, "time", "epoch")
    counts = [sum(parse_date(cell, one) is not None for cell in distinct) for one in orders]
    return orders[counts.index(max(counts))]


def is_epoch(cells: Iterable[str]) -> bool:
    """Return whether all cells can be a time since 1970, in one unit."""
    matches = [_EPOCH_CELL.fullmatch(cell) for cell in cells]
    units = {len(match[2] or "") for match in matches if match is not None}
    return all(matches) and len(units) == 1


def parse_date(cell: str, order: DateOrder) -> float | None:
    """Return a date as days since 1970-01-01 (UTC where it has a zone), with the time of day as a
    fraction; a time alone is that fraction. None where a cell is no date.

    With points between its numbers (``3.4.2024``) a date begins with the day.
    """
    if order == "time":
        seconds = _seconds(cell.strip())
        return None if seconds is None else seconds / _DAY_SECONDS
    if order == "epoch":
        return _days_since_epoch(cell)
    head, _, tail = cell.replace("T", " ", 1).partition(" ")
    numbers = _date_numbers(head, order)
    if numbers is None:
        return None
    try:
        days = date(*numbers).toordinal() - _EPOCH
    except ValueError:
        return None
    if not tail.strip():
        return float(days)
    seconds = _seconds(tail.strip())
    return None if seconds is None else days + seconds / _DAY_SECONDS


def date_part(days: float, part: DatePart) -> float:
    """Return a part of a date that is given as days since 1970-01-01."""
    if not part:
        return days
    whole = math.floor(days)
    if part == "hour":
        return round((days - whole) * 24, 6)
    if part == "weekday":
        return float((whole + _FIRST_WEEKDAY) % 7)
    day = date.fromordinal(min(max(whole + _EPOCH, 1), date.max.toordinal()))
    return float(day.year if part == "year" else day.month if part == "month" else day.day)


def _days_since_epoch(cell: str) -> float | None:
    match = _EPOCH_CELL.fullmatch(cell)
    if match is None:
        return None
    return float(cell) / 10 ** len(match[2] or "") / _DAY_SECONDS


def _date_numbers(text: str, order: DateOrder) -> tuple[int, int, int] | None:
    if order == "ymd":
        if match := _YMD.fullmatch(text):
            year, month, day = match.group(1, 3, 4) if match[1] else match.group(5, 6, 7)
            return int(year), int(month), int(day)
        if match := _MONTH.fullmatch(text):
            return int(match[1] or match[3]), int(match[2] or match[4]), 1
        match = _COMPACT.fullmatch(text)
        return (int(match[1]), int(match[2]), int(match[3])) if match else None
    match = _OTHER.fullmatch(text)
    if match is None or (order == "mdy" and match[2] == "."):
        return None
    first, second, year = int(match[1]), int(match[3]), int(match[4])
    if len(match[4]) == 2:
        year += 2000 if year < 70 else 1900
    return (year, second, first) if order == "dmy" else (year, first, second)


def _seconds(text: str) -> float | None:
    """Return the seconds of a time since midnight UTC."""
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    hours, minutes = int(match[1]), int(match[2])
    seconds = float((match[3] or "0").replace(",", "."))
    if match[4]:
        hours = hours % 12 + (12 if match[4].lower() == "pm" else 0)
    if hours > 24 or minutes > 59 or seconds >= 61:
        return None
    total = hours * 3600 + minutes * 60 + seconds
    if match[5] and match[5][0] in "+-":
        digits = match[5].replace(":", "")
        offset = int(digits[1:3]) * 3600 + int(digits[3:5]) * 60
        total += -offset if digits[0] == "+" else offset
    return total
