"""Check of columns of numbers that have two decimal marks, which cannot be one style."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from engine.data.read.cell import CellColumn, Table
from engine.data.read.number import parse_number
from engine.data.source.table_column import TELLING, decimal_of_column, marks_of_column
from engine.diagnostics import Diagnostic, Severity
from engine.spec.table import unused_options

_OPEN = (re.compile(r"[+-]?\d{1,3}\.\d{3}"), re.compile(r"[+-]?\d{1,3},\d{3}"))
"""Numbers that may be of two sizes, with a point and with a comma."""


def mixed_marks(table: Table, names: Iterable[str]) -> Iterator[Diagnostic]:
    """Yield D610 for each of some columns of numbers in which some have a decimal point and others
    a decimal comma, or may have, with how they are read; D611 where the decimal mark of the file
    is no setting. Nothing where the user has chosen the mark.
    """
    if table.format.is_decimal_chosen:
        return
    is_setting = "decimal" not in unused_options(table.format.kind)
    for name in names:
        column = table.column(name)
        marks = marks_of_column(column) if _has_both(column) else None
        if marks is None:
            continue
        point, comma = marks.point, marks.comma
        if not (marks.points or marks.commas):  # such as 1.234 beside 5,678
            point, comma = (_first(column, form) for form in _OPEN)
        if not (point and comma):
            continue
        decimal = decimal_of_column(table, column)
        example = "1.234" if decimal == "," else "1,234"  # which could be of two sizes
        value = parse_number(example, decimal)
        yield Diagnostic.of(
            "D610" if is_setting else "D611",
            severity=Severity.WARNING,
            field="data.source.decimal" if is_setting else None,
            column=name,
            point=point,
            comma=comma,
            example=example,
            value="" if value is None else f"{value:g}",
        )


def _first(column: CellColumn, form: re.Pattern[str]) -> str:
    """Return the first cell of a form, of those that say how numbers are written."""
    cells = islice(column.cells(), TELLING)
    return next((cell for cell in cells if form.fullmatch(cell)), "")


def _has_both(column: CellColumn) -> bool:
    """Return whether a column has both marks at all, which few do."""
    text = bytes(column.blocks[0].text)
    return b"." in text and b"," in text
