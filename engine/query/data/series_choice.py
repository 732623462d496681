"""Choice of a time series for a table: whether its rows follow one another in time."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from engine.catalog.spec import Value
from engine.data.read.array import SUFFIXES as ARRAYS
from engine.data.read.cell import MISSING
from engine.data.read.column_name import SERIES_WORDS, words_in
from engine.data.read.date import likely_date_order, parse_date
from engine.data.read.idx import is_idx
from engine.data.read.number import parse_number, style_of
from engine.data.read.number_table import NumberTable
from engine.data.read.table import read_head
from engine.diagnostics import DiagnosticError
from engine.spec.table import ColumnInfo, TableHead, names_text

_LEAST_ROWS = 30  # that are looked at
_FEWEST, _PIECES = 12, 4  # rows of a series, and pieces of one that is shorter than usual
_REGULAR_SHARE = 0.9  # of the steps: markets close for a weekend, months have 28 days or 31
_TWICE = 0.02  # of the times
MOST_GAPS = 0.1
"""Of the numbers of a column that may be missing in a series."""

_SHORTEST, _LONGEST = 0.5, 4.0  # step, by the usual one


def series_settings(path: Path, *, is_said: bool = False) -> Mapping[str, Value] | None:
    """Return the settings of a time series for a file whose rows are one, by the first of them;
    None for another. It is a single column of numbers, or there is a column of times that rise or
    fall in nearly regular steps, and all others are numbers with few gaps, or times that go with it
    (the ends of its steps): the target is the number that is called as one, else the last. Where it
    ``is_said`` that they are, times may stand in any order, and columns of words beside them.

    Raises :class:`DiagnosticError` D704 for a series of too few rows.
    """
    if path.suffix.lower() in ARRAYS or is_idx(path.name):
        return None
    head = read_head(path)
    if len(head.columns) == 1:
        return _of_length(path, head) if head.columns[0].kind == "number" else None
    times = [at for at, info in enumerate(head.columns) if _may_be_time(info)]
    at = next((at for at in times if _is_regular(_times(head, at))), None)
    if at is None and is_said:
        at = next((at for at in times if _differ(_times(head, at))), None)
    if at is None or "," in head.columns[at].name:
        return None
    beside = _times_beside(head, at)
    others = [info for index, info in enumerate(head.columns) if index not in (at, *beside)]
    if is_said:
        others = [info for info in others if info.is_number]
    most = MOST_GAPS * len(head.rows)
    are_plain = all(info.kind == "number" and info.missing <= most for info in others)
    if not others or any("," in info.name for info in others) or not (is_said or are_plain):
        return None
    names = [info.name for info in others]
    target = head.target if head.target in names else names[-1]
    found = {"time": head.columns[at].name, "targets": names_text([target])}
    return found | _of_length(path, head)


def _of_length(path: Path, head: TableHead) -> dict[str, Value]:
    """Return the setting by which a series of few rows is read in shorter pieces than usual."""
    rows = len(head.rows)
    if not head.is_complete or rows >= _LEAST_ROWS:
        return {}
    if rows < _FEWEST:
        field = "data.source.path"
        raise DiagnosticError.of("D704", field=field, file=path.name, rows=rows, least=_FEWEST)
    return {"length": rows // _PIECES}


def has_many_gaps(table: NumberTable) -> bool:
    """Return whether so many numbers are filled in that nobody would take a table for a series."""
    return any(count > MOST_GAPS * len(table.values) for count in table.filled.values())


def _may_be_time(info: ColumnInfo) -> bool:
    return info.kind == "date" or bool(words_in(info.name) & SERIES_WORDS)


def _times_beside(head: TableHead, time: int) -> list[int]:
    """Return the other columns of dates with a regular step, which reading leaves out as words."""
    return [
        at
        for at, info in enumerate(head.columns)
        if at != time
        and info.kind == "date"
        and not any(_is_plain(row[at]) for row in head.rows)
        and _is_regular(_times(head, at))
    ]


def _is_plain(cell: str) -> bool:
    """Return whether a date is digits alone, which reading takes for a number."""
    return parse_number(cell, ".") is not None


def _times(head: TableHead, column: int) -> Sequence[float | None]:
    """Return when each of the first rows is: days of dates, or numbers as they are."""
    cells = [row[column] for row in head.rows]
    if head.columns[column].kind != "date":
        decimal = style_of(cells, head.format)
        return [None if cell in MISSING else parse_number(cell, decimal) for cell in cells]
    order = likely_date_order(dict.fromkeys(cell for cell in cells if cell not in MISSING))
    return [parse_date(cell, order) for cell in cells]


def _differ(times: Sequence[float | None]) -> bool:
    """Return whether nearly each row has a time that no other one has."""
    return None not in times and len(set(times)) >= (1 - _TWICE) * len(times)


def _is_regular(times: Sequence[float | None]) -> bool:
    """Return whether times rise in nearly regular steps, or fall: the newest may stand first."""
    known = [time for time in times if time is not None]
    if len(known) < len(times) or len(known) < _LEAST_ROWS:
        return False
    steps = np.abs(np.diff(np.array(known)))
    usual = float(np.median(steps))
    is_usual = (steps >= _SHORTEST * usual) & (steps <= _LONGEST * usual)
    is_ordered = _is_rising(known) or _is_rising(known[::-1])
    return is_ordered and float(is_usual.mean()) >= _REGULAR_SHARE


def _is_rising(times: Sequence[float]) -> bool:
    """Return whether times rise; the hour that summer time ends in may be there twice."""
    steps = np.diff(np.array(times))
    return bool((steps >= 0).all()) and float((steps == 0).mean()) <= _TWICE
