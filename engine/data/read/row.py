"""Reader of one row of a table that somebody types: cells to the numbers that a model reads.

Exported files carry these functions: they need nothing but Python.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine.data.read.cell import MISSING
from engine.data.read.date import DateOrder, DatePart, date_part, parse_date
from engine.data.read.number import Decimal, parse_number, without_unit

MISSING_NAME = "(missing)"
"""How the category of missing values is called."""


class NumberCell(NamedTuple):
    """How a cell of a column becomes a number: ``kind`` is ``number`` (with its ``decimal`` mark,
    and the ``unit`` that may stand behind it), ``date`` (with the ``order`` of its parts, and the
    ``part`` that is taken of it, empty for all) or ``binary`` (with its ``values``). ``fill``
    stands for a missing value; None where rows with one are left out. ``absent`` are the words of
    the column that say that one is missing.
    """

    column: str
    kind: str
    fill: float | None = 0.0
    decimal: Decimal = "."
    order: DateOrder = "ymd"
    values: tuple[str, ...] = ()
    part: DatePart = ""
    unit: str = ""
    absent: tuple[str, ...] = ()


class CategoryCell(NamedTuple):
    """The ``values`` of a category by their number, the first being all that are unknown."""

    column: str
    values: tuple[str, ...]


class FlagCell(NamedTuple):
    """A column of 0 and 1 that says whether a category has a ``value``; None where no sample of
    the training part has it.
    """

    column: str
    value: str | None


class MissingCellError(ValueError):
    """A cell is empty that must not be."""


class WrongCellError(ValueError):
    """A cell holds none of what its column holds."""


def read_number(cell: object, form: NumberCell) -> float:
    """Return the number of a cell. Raises ``ValueError`` for one that is none of its column."""
    if isinstance(cell, int | float) and form.kind == "number":
        return float(cell)
    text = cell_text(cell)
    if text in MISSING or text in form.absent:
        if form.fill is None:
            raise MissingCellError(form.column)
        return form.fill
    number = None
    if form.kind == "number":
        number = parse_number(without_unit(text, form.unit) if form.unit else text, form.decimal)
    elif form.kind == "date":
        days = parse_date(text, form.order)
        number = None if days is None else date_part(days, form.part)
    elif text in form.values:
        number = float(form.values.index(text))
    if number is None:
        raise WrongCellError(form.column)
    return number


def read_category(cell: object, form: CategoryCell) -> int:
    """Return the number of a category, 0 for an unknown one."""
    value = _category(cell)
    return form.values.index(value, 1) if value in form.values[1:] else 0


def read_flag(cell: object, form: FlagCell) -> float:
    """Return 1 where a category has the value, else 0."""
    return float(_category(cell) == form.value)


def cell_text(cell: object) -> str:
    """Return what stands in a cell; nothing for None."""
    return "" if cell is None else str(cell).strip()


def _category(cell: object) -> str:
    text = cell_text(cell)
    return MISSING_NAME if text in MISSING else text


def features_of(row: Mapping[str, object], forms: Sequence[NumberCell | FlagCell]) -> list[float]:
    """Return the numbers of a row, by the names of its columns; a column that is not there counts
    as missing. Raises ``ValueError`` with what is wrong.
    """
    return [
        read_number(row.get(form.column), form)
        if isinstance(form, NumberCell)
        else read_flag(row.get(form.column), form)
        for form in forms
    ]


def categories_of(row: Mapping[str, object], forms: Sequence[CategoryCell]) -> list[int]:
    """Return the numbers of the categories of a row."""
    return [read_category(row.get(form.column), form) for form in forms]
