"""Dates and times as people write them, read from the cells of a column."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from itertools import pairwise
from typing import Literal

from engine.data.read.month import MONTHS, WEEKDAYS

DateOrder = Literal[
    "ymd", "dmy", "mdy", "name", "time", "epoch", "ymd or dmy", "ymd or mdy", "ymd or name"
]
"""How dates are written: the order of their numbers, with the ``name`` of the month
(``12 Mar 1990``), times of a day alone (``17:45``), or the time since 1970 in seconds, or a
thousandth or millionth of them; or some beginning with the year and others not, of which none can
be taken for the other. What has no day begins with the year or has a name: ``1990-03``,
``1990-Q1``, ``Q1 1990``, ``1990-W05``, ``Mar 1990``.
"""
DatePart = Literal["", "year", "month", "day", "weekday", "hour"]
"""A number of a date: that of its weekday counts from 0 for Monday, hours have their minutes as a
fraction; empty for all of the date, as days since 1970-01-01.
"""
DATE_PARTS: tuple[DatePart, ...] = ("year", "month", "day", "weekday", "hour")

TIMED_DIGITS = ({10}, {12}, {14})
"""How many digits days with hours, minutes or seconds have, written as one number."""

_YMD = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})|(\d{4})年(\d{1,2})月(\d{1,2})[日号]")
_MONTH = re.compile(
    r"(\d{4})[-/](\d{2})|(\d{4})年(\d{1,2})月|((?:19|20)\d\d)(0[1-9]|1[0-2])(?:\.0)?"
)
_QUARTER = re.compile(
    r"(\d{4})[-/]?[Qq]([1-4])|[Qq]([1-4])[-/]?(\d{4})"
    r"|(\d{4})年第?([1-4])季度?|([1-4])[Qq](\d{4})"
)
_WEEK = re.compile(r"(\d{4})-?[Ww](\d{2})(?:-?([1-7]))?")
_COMPACT = re.compile(r"((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?:\.0)?")
_COMPACT_TIME = re.compile(  # 202401311600, with seconds or without minutes
    r"((?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))"
    r"([01]\d|2[0-3])(?:([0-5]\d)([0-5]\d)?)?(?:\.0)?"
)
_OTHER = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})")
_TIME = re.compile(
    r"(\d{1,2}):(\d{2})(?::(\d{2}(?:[.,]\d+)?))?\s*([AaPp][Mm]|Uhr)?"
    r"\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?"
)
_TEE = re.compile(r"(?<=[\d日])T(?=\d)")  # between a day and its time
_CLOCK = re.compile(r"[\sT,]+(\d{1,2}:\d{2}.*)")  # after a date with the name of its month
_WORD = re.compile(r"[^\W\d_]+")
_NAMED = (  # month, day and year, in groups of these names; w is the name of the month
    re.compile(
        r"(?P<d>\d{1,2})(?:st|nd|rd|th|er| º|º|ª|\.)?(?:\s*[-/]\s*|\s+(?:de\s+|of\s+)?|(?<=\.))"
        r"(?P<w>[^\W\d_]{3,})\.?(?:\s*[-/]\s*|,?\s+(?:de\s+|del\s+)?)(?P<y>\d{4}|'?\d{2})"
    ),
    re.compile(
        r"(?P<w>[^\W\d_]{3,})\.?(?:\s*[-/]\s*|\s+)(?P<d>\d{1,2})(?:st|nd|rd|th)?"
        r"(?:\s*[-/]\s*|,?\s+)(?P<y>\d{4})"
    ),
    re.compile(r"(?P<d>\d{1,2})(?P<w>[^\W\d_]{3})(?P<y>\d{4}|\d{2})"),
    re.compile(r"(?P<y>\d{4})[-/\s](?P<w>[^\W\d_]{3,})\.?[-/\s](?P<d>\d{1,2})"),
    re.compile(r"(?P<w>[^\W\d_]{3,})\.?(?:\s*[-/]\s*|,?\s+(?:de\s+)?)(?P<y>\d{4})"),
    re.compile(r"(?P<w>[^\W\d_]{3})[-']\s?(?P<y>\d{2})"),
    re.compile(r"(?P<y>\d{4})[-/\s](?P<w>[^\W\d_]{3,})"),
)
_UNIX = re.compile(
    r"(?:[^\W\d_]+\s+)?([^\W\d_]{3,}\s+\d{1,2})\s+(\d{2}:\d{2}:\d{2})"
    r"\s+([+-]\d{4}\s+|UTC\s+|GMT\s+)?(\d{4})"
)
_EPOCH = date(1970, 1, 1).toordinal()
_FIRST_WEEKDAY = 3  # of 1970-01-01, a Thursday
_DAY_SECONDS = 86_400
_NEXT_CENTURY = 70  # years of two digits before that are after 2000
_STEPS, _EVEN = 20, 4.0  # as a weekend is long beside the other days
_ORDERS: tuple[DateOrder, ...] = ("ymd", "dmy", "mdy", "name")
_SINGLE: tuple[DateOrder, ...] = (*_ORDERS, "time")
_OTHERS: Mapping[DateOrder, DateOrder] = {
    "ymd or dmy": "dmy",
    "ymd or mdy": "mdy",
    "ymd or name": "name",
}
"""How the dates are written that do not begin with the year, where others do."""

_EPOCH_CELL = re.compile(r"([1-4]\d{9})(\d{3}|\d{6})?(?:\.\d+)?")  # from 2001 on


def date_order(cells: Iterable[str]) -> DateOrder | None:
    """Return how dates are written, None where a cell is no date or where day and month could be
    either in all of them, and follow one another in even steps either way or neither way. Numbers
    since 1970 are no dates by themselves (:func:`is_epoch`).
    """
    looked_at = list(cells)
    orders = _possible(looked_at, _SINGLE) or _possible(looked_at, _OTHERS)
    if len(orders) > 1:
        orders -= {order for order in orders if not _is_even(looked_at, order)}
    return orders.pop() if len(orders) == 1 else None


def has_two_orders(cells: Iterable[str]) -> bool:
    """Return whether all cells are dates whose day and month may stand in either order."""
    looked_at = list(cells)
    orders = _possible(looked_at, _SINGLE) or _possible(looked_at, _OTHERS)
    are_two = orders in ({"dmy", "mdy"}, {"ymd or dmy", "ymd or mdy"})
    return bool(looked_at) and are_two and date_order(looked_at) is None


def _is_even(cells: Sequence[str], order: DateOrder) -> bool:
    """Return whether dates follow one another in nearly even steps, up or down: many hours are only
    those of few days, or the first of many months.
    """
    days = [parse_date(cell, order) or 0.0 for cell in cells]
    steps = [after - before for before, after in pairwise(days)]
    if len(steps) < _STEPS:
        return False
    sizes = [abs(step) for step in steps]
    is_one_way = all(step > 0 for step in steps) or all(step < 0 for step in steps)
    return is_one_way and max(sizes) <= _EVEN * min(sizes)


def _possible(cells: Sequence[str], among: Iterable[DateOrder]) -> set[DateOrder]:
    """Return those of some orders in which all cells are dates."""
    orders: set[DateOrder] = {*among}
    for cell in cells:
        orders -= {order for order in orders if parse_date(cell, order) is None}
        if not orders:
            break
    return orders


def likely_date_order(cells: Iterable[str]) -> DateOrder:
    """Return how most of the cells are written that are called dates."""
    distinct = list(cells)
    if order := date_order(distinct):
        return order
    orders: tuple[DateOrder, ...] = (*_ORDERS, "time", "epoch", *_OTHERS)
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
    if order in _OTHERS:
        days = _days(cell, "ymd")
        return _days(cell, _OTHERS[order]) if days is None else days
    return _days(cell, order)


def _days(cell: str, order: DateOrder) -> float | None:
    """Return what :func:`parse_date` does, for dates of one style."""
    if order == "time":
        seconds = _seconds(cell.strip())
        return None if seconds is None else seconds / _DAY_SECONDS
    if order == "epoch":
        return _days_since_epoch(cell)
    if order == "name":
        head, tail = _without_clock(cell)
    elif _QUARTER.fullmatch(cell.replace(" ", "", 1)):  # Q1 2001
        head, tail = cell.replace(" ", "", 1), ""
    else:
        text = _TEE.sub(" ", _without_weekday(cell), count=1)
        head, _, tail = _spaced(text).partition(" ")
    numbers = _named_numbers(head) if order == "name" else _date_numbers(head, order)
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


def _spaced(text: str) -> str:
    """Return a date and a time that are digits alone as others are written."""
    match = _COMPACT_TIME.fullmatch(text)
    if match is None:
        return text
    return f"{match[1]} {match[2]}:{match[3] or '00'}:{match[4] or '00'}"


def _date_numbers(text: str, order: DateOrder) -> tuple[int, int, int] | None:
    """Return year, month and day; the first day of what has none."""
    if order == "ymd":
        return _from_year(text)
    match = _OTHER.fullmatch(text)
    if match is None or (order == "mdy" and match[2] == "."):
        return None
    first, second, year = int(match[1]), int(match[3]), _year(match[4])
    return (year, second, first) if order == "dmy" else (year, first, second)


def _from_year(text: str) -> tuple[int, int, int] | None:
    """Return year, month and day of a date that begins with the year, or of a quarter or week."""
    if match := _YMD.fullmatch(text) or _COMPACT.fullmatch(text):
        year, month, day = (int(each) for each in match.groups() if each and each.isdigit())
        return year, month, day
    if match := _MONTH.fullmatch(text):
        year, month = (int(each) for each in match.groups() if each)
        return year, month, 1
    if match := _QUARTER.fullmatch(text):
        year, quarter = sorted((int(each) for each in match.groups() if each), reverse=True)
        return year, 3 * quarter - 2, 1
    match = _WEEK.fullmatch(text)
    if match is None:
        return None
    try:
        monday = date.fromisocalendar(int(match[1]), int(match[2]), int(match[3] or "1"))
    except ValueError:
        return None
    return monday.year, monday.month, monday.day


def _named_numbers(text: str) -> tuple[int, int, int] | None:
    """Return year, month and day of a date with the name of its month, behind a weekday."""
    for form in _NAMED:
        match = form.fullmatch(text)
        month = MONTHS.get(match["w"].lower()) if match else None
        if match and month:
            day = match.groupdict().get("d")
            return _year(match["y"].removeprefix("'")), month, int(day or "1")
    rest = _without_weekday(text)
    return None if rest == text else _named_numbers(rest)


def _without_weekday(text: str) -> str:
    """Return a date without the name of a weekday before it."""
    word = _WORD.match(text)
    if word is None or word[0].lower() not in WEEKDAYS:
        return text
    return text[word.end() :].lstrip("., ")


def _without_clock(cell: str) -> tuple[str, str]:
    """Return a date with the name of its month, and the time of day: also of
    ``Mon Mar 12 10:00:00 +0000 1990``.
    """
    text = cell.strip()
    if match := _UNIX.fullmatch(text):
        return f"{match[1]} {match[4]}", f"{match[2]} {(match[3] or '').strip()}"
    match = _CLOCK.search(text)
    return (text, "") if match is None else (text[: match.start()], match[1])


def _year(text: str) -> int:
    year = int(text)
    if len(text) > 2:
        return year
    return year + (2000 if year < _NEXT_CENTURY else 1900)


def _seconds(text: str) -> float | None:
    """Return the seconds of a time since midnight UTC."""
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    hours, minutes = int(match[1]), int(match[2])
    seconds = float((match[3] or "0").replace(",", "."))
    if match[4] and match[4] != "Uhr":
        hours = hours % 12 + (12 if match[4].lower() == "pm" else 0)
    if hours > 24 or minutes > 59 or seconds >= 61:
        return None
    total = hours * 3600 + minutes * 60 + seconds
    if match[5] and match[5][0] in "+-":
        digits = match[5].replace(":", "")
        offset = int(digits[1:3]) * 3600 + int(digits[3:5]) * 60
        total += -offset if digits[0] == "+" else offset
    return total
