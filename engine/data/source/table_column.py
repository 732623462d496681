"""Columns of a table as tensors: numbers, or numbers of the values that come up."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np
import torch
from torch import Tensor

from engine.data.read.absent import missing_words
from engine.data.read.cell import MISSING, CellColumn, Table
from engine.data.read.date import DateOrder, likely_date_order, parse_date
from engine.data.read.number import (
    Decimal,
    Marks,
    marks_of,
    parse_number,
    parse_numbers,
    style_of,
    unit_of,
    without_unit,
)
from engine.data.read.row import MISSING_NAME
from engine.diagnostics import DiagnosticError
from engine.spec.table import ColumnKind

_TRUE = frozenset(("true", "yes", "y", "t", "on", "1", "是"))
_NAN = float("nan")
TELLING = 1000
"""Cells that say how numbers are written."""


@dataclass(frozen=True)
class NumberColumn:
    """Numbers of all rows, float64, NaN where one is missing; ``absent`` are the words that stand
    for a missing one in the file, with how many of its cells have each.
    """

    name: str
    values: Tensor
    absent: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def is_missing(self) -> Tensor:
        """Whether the value of a row is missing, bool."""
        return self.values.isnan()

    def taken(self, rows: Tensor) -> "NumberColumn":
        """Return the column of some rows (int64, ascending)."""
        if len(rows) == len(self.values):
            return self
        return replace(self, values=self.values[rows])


@dataclass(frozen=True)
class CodeColumn:
    """Numbers of the values of all rows, int64, -1 where one is missing; ``values`` are sorted."""

    name: str
    codes: Tensor
    values: tuple[str, ...]

    @property
    def is_missing(self) -> Tensor:
        """Whether the value of a row is missing, bool."""
        return self.codes < 0

    def taken(self, rows: Tensor) -> "CodeColumn":
        """Return the column of some rows (int64, ascending); a value that none of them has goes."""
        if len(rows) == len(self.codes):
            return self
        return CodeColumn(self.name, self.codes[rows], self.values).compact()

    def compact(self) -> "CodeColumn":
        """Return the column without the values that no row has."""
        counts = torch.bincount(self.codes[self.codes >= 0], minlength=len(self.values))
        present = counts.nonzero().flatten()
        if len(present) == len(self.values):
            return self
        new = torch.full((len(self.values) + 1,), -1, dtype=torch.int64)
        new[present] = torch.arange(len(present))
        values = tuple(self.values[code] for code in present.tolist())
        return CodeColumn(self.name, new[self.codes], values)

    def with_missing(self) -> "CodeColumn":
        """Return the column with missing values as the last of its categories."""
        if not bool(self.is_missing.any()):
            return self
        codes = torch.where(self.is_missing, len(self.values), self.codes)
        return CodeColumn(self.name, codes, (*self.values, MISSING_NAME))


Column = NumberColumn | CodeColumn


def read_column(table: Table, name: str, kind: ColumnKind) -> Column:
    """Return a column of a table as a kind of values: ``number`` and ``date`` (days since
    1970-01-01) as numbers, all others as codes; the one of two values that affirms has the code 1.
    Words that come again among numbers (``k.A.``, ``unknown``) stand for missing ones.

    Raises ``DiagnosticError`` (D028) with the first cell that is none of the kind.
    """
    column = table.column(name)
    if kind == "number":
        return _numbers(table, column)
    if kind == "date":
        return NumberColumn(name, _dates(table, column))
    coded = _codes(column)
    if kind == "binary":
        return _binary(table, coded)
    return coded


def decimal_of_column(table: Table, column: CellColumn) -> Decimal:
    """Return the decimal mark of the numbers of a column."""
    return style_of(islice(_present(column), TELLING), table.format)


def marks_of_column(column: CellColumn) -> Marks:
    """Return what the numbers of a column tell of their decimal mark."""
    return marks_of(map(without_unit, islice(_present(column), TELLING)))


def unit_of_column(column: CellColumn) -> str:
    """Return the unit that stands behind the numbers of a column, empty for none."""
    return unit_of(islice(_present(column), TELLING))


def date_order_of(column: CellColumn) -> DateOrder:
    """Return how the dates of a column are written."""
    return likely_date_order(dict.fromkeys(_present(column)))


def _numbers(table: Table, column: CellColumn) -> NumberColumn:
    decimal = decimal_of_column(table, column)
    unit = unit_of_column(column)
    parts = list[np.ndarray]()
    wrong = dict[int, str]()
    start = 0
    for block in column.blocks:
        cells = block.cells()
        values, failures = parse_numbers(cells, decimal, unit)
        wrong |= {start + index: cells[index] for index in failures}
        start += len(cells)
        parts.append(values)
    absent = dict[str, int]()
    if wrong:
        present = sum(1 for _ in _present(column))
        absent = missing_words(list(wrong.values()), present)
        failures = [row for row, cell in wrong.items() if cell not in absent]
        if failures:
            raise _wrong(table, column, failures, "number")
    return NumberColumn(column.name, torch.from_numpy(np.concatenate(parts)), absent)


def _dates(table: Table, column: CellColumn) -> Tensor:
    distinct = dict.fromkeys(_present(column))
    order = likely_date_order(distinct)
    days = {cell: parse_date(cell, order) for cell in distinct}
    values = np.fromiter(
        (_NAN if (day := days.get(cell)) is None else day for cell in column.cells()),
        np.float64,
        len(column),
    )
    if any(day is None for day in days.values()):
        failures = [
            row
            for row, cell in enumerate(column.cells())
            if cell not in MISSING and days[cell] is None
        ]
        raise _wrong(table, column, failures, "date")
    return torch.from_numpy(values)


def _codes(column: CellColumn) -> CodeColumn:
    numbers: dict[str, int] = {}
    codes = np.fromiter(
        (
            -1 if cell in MISSING else numbers.setdefault(cell, len(numbers))
            for cell in column.cells()
        ),
        np.int64,
        len(column),
    )
    values = _sorted(numbers)
    rank = np.empty(len(values) + 1, np.int64)
    rank[-1] = -1
    rank[[numbers[value] for value in values]] = np.arange(len(values))
    return CodeColumn(column.name, torch.from_numpy(rank[codes]), tuple(values))


def _sorted(values: Collection[str]) -> list[str]:
    """Return values in order: that of numbers where all are, else of their letters."""
    numbers = dict[str, float]()
    for value in values:
        number = parse_number(value, ".")
        if number is None:
            return sorted(values)
        numbers[value] = number
    return sorted(numbers, key=lambda value: (numbers[value], value))


def _binary(table: Table, coded: CodeColumn) -> CodeColumn:
    """Return a column of two values, of which the one that affirms has the code 1."""
    if len(coded.values) > 2:
        column = table.column(coded.name)
        rows = (coded.codes >= 2).nonzero().flatten().tolist()
        raise _wrong(table, column, rows, "binary")
    if len(coded.values) == 2 and coded.values[0].lower() in _TRUE:
        codes = torch.where(coded.codes < 0, coded.codes, 1 - coded.codes)
        return CodeColumn(coded.name, codes, coded.values[::-1])
    return coded


def _present(column: CellColumn) -> Iterator[str]:
    return (cell for cell in column.cells() if cell not in MISSING)


def _wrong(table: Table, column: CellColumn, rows: Sequence[int], kind: str) -> DiagnosticError:
    return DiagnosticError.of(
        "D028",
        field="data.source.kinds",
        row=int(table.lines[rows[0]]),
        column=column.name,
        value=column.cell(rows[0])[:60],
        kind=kind,
        count=len(rows),
    )
