"""Rows of totals at the end of a table, as spreadsheets have them: no samples."""

from collections.abc import Sequence
from itertools import islice

import msgspec
import numpy as np

from engine.data.read.cell import MISSING, CellColumn, Table
from engine.data.read.number import parse_number, parse_numbers, style_of
from engine.spec.table import TableFormat

_LEAST_ROWS = 10
MOST_TOTALS = 4
_LOOKED_AT = 1000  # cells that tell whether a column has words
_LARGE_SHARE = 0.9
_ROUNDED = 1e-3  # of a sum, whose numbers may be rounded
_SUM_WORDS = """
    total, totals, grand total, sum, summe, gesamt, insgesamt, gesamtsumme, somme, total général,
    totale, suma, total general, soma, total geral, 合计, 总计, 共计, 總計, 合計
"""
_MEAN_WORDS = """
    average, mean, avg, durchschnitt, mittelwert, mittel, moyenne, promedio, media, média, 平均,
    平均值, 平均値
"""
_SUMS = frozenset(word.strip() for word in _SUM_WORDS.split(","))
_MEANS = frozenset(word.strip() for word in _MEAN_WORDS.split(","))


def is_total_word(cell: str) -> bool:
    """Return whether a cell says that its row sums others up."""
    return _plain(cell) in _SUMS or _plain(cell) in _MEANS


def total_of(row: Sequence[str]) -> str:
    """Return the word for a total in a row, if all else that stands there is numbers, at least one;
    else nothing.
    """
    known = [cell for cell in row if cell not in MISSING]
    words = [cell for cell in known if is_total_word(cell)]
    if len(words) != 1 or len(known) < 2:
        return ""
    others = (cell for cell in known if cell != words[0])
    return words[0] if all(map(_is_number, others)) else ""


def without_totals(table: Table) -> Table:
    """Return a table without last rows of totals, whose format has their words then.

    A row is one where it has no word but that for a total, which its column has nowhere else, and
    where a column of words is empty in it or one of its numbers is the sum (or mean) of the others.
    """
    found = list[tuple[list[str], str]]()
    for at in reversed(range(max(0, table.rows - MOST_TOTALS), table.rows)):
        row = table.row(at)
        if not (word := total_of(row)):
            break
        found.append((row, word))
    if not found or table.rows < _LEAST_ROWS:
        return table
    above = table.first(table.rows - len(found), table.format)
    words = list[str]()
    for row, word in found:
        at = row.index(word)
        same = sum(_plain(cell) == _plain(word) for cell in table.columns[at].cells())
        if same > 1 or not _sums_up(row, at, above):
            break
        words.append(word)
    if not words:
        return table
    form = msgspec.structs.replace(table.format, totals=tuple(words))
    return table.first(table.rows - len(words), form)


def _sums_up(row: Sequence[str], at: int, above: Table) -> bool:
    others = [(cell, above.columns[index]) for index, cell in enumerate(row) if index != at]
    is_mean = _plain(row[at]) in _MEANS
    if any(cell in MISSING and _has_words(column) for cell, column in others):
        return True
    return any(
        cell not in MISSING and _is_sum(cell, list(column.cells()), above.format, is_mean=is_mean)
        for cell, column in others
    )


def _has_words(column: CellColumn) -> bool:
    """Return whether a column has words or dates in nearly all of its rows."""
    looked_at = list(islice(column.cells(), _LOOKED_AT))
    words = [cell for cell in looked_at if cell not in MISSING and not _is_number(cell)]
    return len(words) >= _LARGE_SHARE * len(looked_at) > 0


def _is_sum(cell: str, above: Sequence[str], form: TableFormat, *, is_mean: bool) -> bool:
    """Return whether a number is the sum of others, or their mean, as far as it is written."""
    style = style_of(above[:_LOOKED_AT], form)
    value = parse_number(cell, style)
    numbers, wrong = parse_numbers(above, style)
    known = np.delete(numbers, wrong)
    known = known[np.isfinite(known)]
    if not value or not np.isfinite(value) or len(known) < _LARGE_SHARE * len(above):
        return False
    if is_mean:
        return abs(value - float(known.mean())) <= _ROUNDED * float(np.abs(known).mean())
    return abs(value - float(known.sum())) <= _ROUNDED * float(np.abs(known).sum())


def _plain(cell: str) -> str:
    return cell.strip().rstrip(" :：").lower()


def _is_number(cell: str) -> bool:
    return parse_number(cell, ".") is not None or parse_number(cell, ",") is not None
