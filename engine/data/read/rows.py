"""Rows of a table, read one by one: of a large file only a few are held at a time."""

from collections import deque
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from engine.data.read.cell import MISSING, Table
from engine.data.read.delimited import delimited_rows
from engine.data.read.encoding import detect_encoding
from engine.data.read.footer import MOST_LINES
from engine.data.read.json_lines import json_lines_rows
from engine.data.read.stream import opened, unusual_lines
from engine.data.read.table import read_head, read_table
from engine.data.read.total import MOST_TOTALS, total_of
from engine.spec.table import TableFormat, TableOptions

_PIECE = 1 << 20
_SAMPLE = 1 << 18
_HELD = MOST_LINES + MOST_TOTALS
_LEAST_CELLS = 2

Row = tuple[int, Mapping[str, str]]
"""The cells of a row by the names of their columns, with its number in the file."""


class TableRows(NamedTuple):
    """The ``names`` of the columns of a table and its rows, and how they stand in the file;
    ``total`` is about how many there are, 0 where that is not known.
    """

    names: tuple[str, ...]
    total: int
    rows: Iterator[Row]
    form: TableFormat


@contextmanager
def table_rows(path: Path, options: TableOptions) -> Generator[TableRows]:
    """Open a table. CSV and JSON lines are read as their rows are asked for, all else at once, as
    compact text.

    Raises :class:`~engine.diagnostics.DiagnosticError` as
    :func:`~engine.data.read.table.read_table` does, also while the rows are read.
    """
    head = read_head(path, options)
    names = tuple(column.name for column in head.columns)
    form = head.format
    if form.kind not in ("csv", "jsonl"):
        table = read_table(path, options)
        yield TableRows(table.names, table.rows, _rows_of(table), table.format)
        return
    if not options.encoding and form.encoding == "utf-8":
        encoding = detect_encoding(unusual_lines(path, _SAMPLE), path)
        form = msgspec.structs.replace(form, encoding=encoding)
    total = _lines(path, form)
    if form.kind == "jsonl":
        with json_lines_rows(path, form) as rows:
            yield TableRows(names, total, _without_end(path, options, rows), form)
        return
    with delimited_rows(path, form) as (names, rows):
        named = ((number, dict(zip(names, cells, strict=True))) for number, cells in rows)
        yield TableRows(names, total, _without_end(path, options, named), form)


def _without_end(path: Path, options: TableOptions, rows: Iterator[Row]) -> Iterator[Row]:
    """Yield rows without the totals and notes at the end that a whole table is read without: where
    the last ones may be such, all are looked at once more.
    """
    held = deque[Row]()
    for row in rows:
        held.append(row)
        if len(held) > _HELD:
            yield held.popleft()
    if held and not options.keeps_totals and _may_be_none(held[-1][1]):
        end = int(read_table(path, options).lines[-1])
        yield from (row for row in held if row[0] <= end)
        return
    yield from held


def _may_be_none(row: Mapping[str, str]) -> bool:
    cells = [cell.strip() for cell in row.values()]
    return sum(cell not in MISSING for cell in cells) < _LEAST_CELLS or bool(total_of(cells))


def _rows_of(table: Table) -> Iterator[Row]:
    cells = zip(*(column.cells() for column in table.columns), strict=True)
    for line, row in zip(table.lines.tolist(), cells, strict=True):
        yield line, dict(zip(table.names, row, strict=True))


def _lines(path: Path, form: TableFormat) -> int:
    """Return about how many rows a text has: its lines, which cells may have, too."""
    if form.is_gzip:
        return 0
    count = 0
    with opened(path) as stream:
        while piece := stream.read(_PIECE):
            count += piece.count(b"\n")
    return max(0, count - form.skip - form.has_header)
