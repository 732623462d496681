"""Text of a table of numbers in one form, whatever kind of file it stands in."""

import csv
import io
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from engine.data.read.cell import CellColumn, Table
from engine.data.read.csv_format import delimiter_of, plain_rows
from engine.data.read.number import parse_numbers, style_of
from engine.data.read.table import read_table
from engine.data.read.text import PACKED, read_text

_PLAIN = (".csv", ".tsv", ".txt")
_LOOKED_AT = 1000  # rows
_COMMA = re.compile(r"\s*[+-]?[\d.]*\d,\d+\s*")  # a decimal one


def series_text(path: Path) -> str:
    """Return a table as text with a header: that of a plain file as it is; another file (a
    workbook, Parquet, JSON, a database), and one whose numbers have a decimal comma, as CSV with
    decimal points.

    Raises :class:`DiagnosticError` D020 to D041 and D131 to D148 for a file that cannot be read.
    """
    if Path(path.name.lower().removesuffix(PACKED)).suffix in _PLAIN:
        text = read_text(path)
        if not _has_decimal_commas(text):
            return text
    return _written(read_table(path))


def _has_decimal_commas(text: str) -> bool:
    if delimiter_of(text) == "," and '"' not in text:  # none within cells
        return False
    try:
        rows = list(islice(plain_rows(text), 1, _LOOKED_AT))
    except csv.Error:  # told where the rows are read
        return False
    return any(_COMMA.fullmatch(cell) for row in rows for cell in row)


def _written(table: Table) -> str:
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(table.names)
    writer.writerows(zip(*(_cells(column, table) for column in table.columns), strict=True))
    return file.getvalue()


def _cells(column: CellColumn, table: Table) -> Iterator[str]:
    """Yield the cells of a column, its numbers with a decimal point; others are as they stand."""
    decimal = style_of(column.sample(), table.format)
    for block in column.blocks:
        cells = block.cells()
        values, wrong = parse_numbers(cells, decimal)
        others = {*wrong}
        for at, (cell, value) in enumerate(zip(cells, values.tolist(), strict=True)):
            yield cell if at in others or value != value else repr(value)  # noqa: PLR0124 - NaN
