"""Decimal marks of rows to predict, which need not be those of the table of the run.

A column tells its mark itself (``0.5``, ``1.234,5``), or the rest of its file does. Where all
numbers can be read both ways (``5,123``), the reading that lies among the values of training is
taken, else the mark of the table of the run.
"""

import re
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from engine.data.load.trained_numbers import TrainedNumbers, trained_numbers
from engine.data.read.cell import MISSING
from engine.data.read.number import Decimal, Mark, marks_of, parse_number, without_unit
from engine.data.read.row import NumberCell
from engine.data.source.row_form import RowForm
from engine.data.source.source import Source
from engine.diagnostics import Diagnostic, Severity
from engine.spec.table import TableFormat

_FACTOR = 10.0  # by which one reading is farther from the values of training than the other
_MARKS: tuple[Mark, Mark] = (".", ",")


def marks_of_rows(
    columns: Iterable[NumberCell],
    rows: Sequence[Mapping[str, str]],
    form: TableFormat,
    trained: TrainedNumbers,
) -> tuple[dict[str, Decimal], tuple[Diagnostic, ...]]:
    """Return the decimal mark of each column of numbers by the first rows of a table, and D617 or
    D618 for each of which it can be doubted.
    """
    found: dict[str, Decimal] = {}
    told: list[Diagnostic] = []
    whole = marks_of(_present(chain.from_iterable(row.values() for row in rows))).most
    for column in columns:
        if form.is_decimal_chosen:
            found[column.column] = form.decimal
            continue
        cells = list(_present(row.get(column.column, "") for row in rows))
        numbers = _Numbers(cells, column.decimal, trained.spans.get(column.column))
        found[column.column] = _mark(numbers, whole, form, trained.form)
        notice = numbers.notice(column.column, found[column.column])
        told += [] if notice is None else [notice]
    return found, tuple(told)


def marks_of_typed(
    columns: Iterable[NumberCell], row: Mapping[str, str], source: Source
) -> tuple[dict[str, Decimal], tuple[Diagnostic, ...]]:
    """Return the decimal mark of each number of a row that somebody types, whose mark may be
    another than that of the data, and D620 for each that may be meant in another way.
    """
    cells = {each.column: list(_present((row.get(each.column, ""),))) for each in columns}
    usual: dict[str, Decimal] = {each.column: each.decimal for each in columns}
    plain = {name: _Numbers(of, usual[name], None) for name, of in cells.items()}
    spans = trained_numbers(source, {name for name, of in plain.items() if of.are_open}).spans
    found: dict[str, Decimal] = {}
    told: list[Diagnostic] = []
    for name, of in cells.items():
        numbers = plain[name]
        if numbers.are_open:
            numbers = _Numbers(of, usual[name], spans.get(name))
        found[name] = numbers.style or numbers.nearer or numbers.usual
        notice = numbers.notice(name, found[name])
        told += [] if notice is None else [_typed(notice, of[0])]
    return found, tuple(told)


def _typed(notice: Diagnostic, cell: str) -> Diagnostic:
    """Return what is said of a number that was typed, with two ways to type it that are clear."""
    return Diagnostic.of(
        "D620",
        severity=Severity.WARNING,
        column=str(notice.params["column"]),
        example=cell,
        value=str(notice.params["value"]),
        other=str(notice.params["other"]),
        whole=re.sub(r"[.,]", "", cell),
        fraction=f"{cell}0",
    )


def with_marks(form: RowForm, marks: Mapping[str, Decimal]) -> RowForm:
    """Return the form of rows whose numbers have other decimal marks."""
    features = (
        cell._replace(decimal=marks.get(cell.column, cell.decimal))
        if isinstance(cell, NumberCell)
        else cell
        for cell in form.features
    )
    return replace(form, features=tuple(features))


class _Numbers:
    """The numbers of a column of which each can be read both ways, and what speaks for either."""

    def __init__(
        self, cells: Sequence[str], usual: Decimal, span: tuple[float, float] | None
    ) -> None:
        self.style: Decimal | None = marks_of(cells).style
        self.usual: Decimal = usual
        self.is_told = False
        self._span = span
        readings = ((cell, *(parse_number(cell, mark) for mark in _MARKS)) for cell in cells)
        self._open = [
            (cell, point, comma)
            for cell, point, comma in readings
            if point is not None and comma is not None and point != comma
        ]

    @property
    def are_open(self) -> bool:
        """Whether there are such numbers."""
        return bool(self._open)

    @property
    def have_points(self) -> bool:
        """Whether points stand in most of them, commas in the others."""
        return sum("." in cell for cell, *_ in self._open) * 2 >= len(self._open)

    @property
    def nearer(self) -> Mark | None:
        """The mark with which they are clearly nearer to the values of training."""
        if self._span is None or not self._open:
            return None
        point = self._distance([number for _, number, _ in self._open])
        comma = self._distance([number for *_, number in self._open])
        if max(point, comma) < _FACTOR * min(point, comma):
            return None
        return "." if point < comma else ","

    def notice(self, name: str, mark: Decimal) -> Diagnostic | None:
        """Return what is to be said of a reading: D618 where the file tells one that is far from
        the values of training, D617 where nothing but these values, or the mark of the table of the
        run, speaks for it and the other one might be meant; else None.
        """
        nearer = self.nearer
        if not self._open or self.style is not None or mark == "both":
            return None
        is_far = nearer is not None and nearer != mark
        is_fraction = mark == ("." if self.have_points else ",")
        is_usual = self.usual == mark and (nearer == mark or is_fraction)
        if not is_far and (self.is_told or is_usual):
            return None
        cell, point, comma = self._open[0]
        value, other = (point, comma) if mark == "." else (comma, point)
        low, high = self._span or (0.0, 0.0)
        return Diagnostic.of(
            "D617" if self._span is None or (not is_far and nearer is None) else "D618",
            severity=Severity.WARNING,
            column=name,
            example=cell,
            value=f"{value:g}",
            other=f"{other:g}",
            low=f"{low:g}",
            high=f"{high:g}",
        )

    def _distance(self, numbers: Sequence[float]) -> float:
        """Return the factor by which the usual one of some is outside of the values of training, 1
        where it is among them.
        """
        low, high = self._span or (0.0, 0.0)
        sizes = [abs(number) for number in numbers if number]
        size = statistics.median(sizes) if sizes else low
        return max(low / size, size / high, 1.0)


def _mark(
    numbers: _Numbers, whole: Mark | None, form: TableFormat, trained: TableFormat | None
) -> Decimal:
    """Return the decimal mark of the numbers of a column, and note whether the file tells it."""
    if not numbers.are_open:
        return numbers.style or whole or numbers.usual
    is_alike = trained is not None and (form.kind, form.delimiter) == (
        trained.kind,
        trained.delimiter,
    )
    if not (is_alike and trained is not None and trained.is_decimal_chosen):
        is_divided = form.kind != "csv" or form.delimiter == ","
        by_file = whole or ("." if is_divided and numbers.have_points else None)
        told = numbers.style or by_file
        if told is not None:
            numbers.is_told = True
            return told
    return numbers.nearer or numbers.usual


def _present(cells: Iterable[str]) -> Iterator[str]:
    """Yield the cells with something in them, without units of measure."""
    texts = (cell.strip() for cell in cells)
    return (without_unit(cell) for cell in texts if cell not in MISSING)
