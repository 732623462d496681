"""Reader of delimited text (CSV, TSV): the whole table in blocks of rows."""

import csv
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

import msgspec
import numpy as np

from engine.data.read.block import TableBuilder
from engine.data.read.cell import Head, Table, block_rows, unique_names
from engine.data.read.csv_format import (
    RowReader,
    csv_rows,
    detect_csv,
    has_header,
    sample_rows,
)
from engine.data.read.footer import FittedRows, NumberedRow, footer_text, without_footer
from engine.data.read.listening import tell_progress
from engine.data.read.stream import opened_text
from engine.diagnostics import DiagnosticError
from engine.spec.table import TableFormat, TableOptions

MOST_COLUMNS = 100_000
_FIELD = "data.source.path"


def read_delimited(path: Path, form: TableFormat) -> Table:
    """Return a table of text as it stands in the file.

    Raises ``DiagnosticError``: D023 and D024 for a file without rows, D027 for a row with another
    number of cells, D030 for bytes that are not in the encoding, D031 for one that is too large,
    D036 for a quote that is not closed, D038 for too many columns.
    """
    with delimited_rows(path, form) as (names, rows):
        table = _read(path, form, names, rows)
    if not rows.below:
        return table
    footer = footer_text(rows.below[0][1])
    form = msgspec.structs.replace(form, below=len(rows.below), footer=footer)
    return replace(table, format=form)


@contextmanager
def delimited_rows(path: Path, form: TableFormat) -> Generator[tuple[tuple[str, ...], FittedRows]]:
    """Open a table of text: the names of its columns, and its rows, which are read one by one
    without a footer. Raises as :func:`read_delimited` does, also while they are read.
    """
    with opened_text(path, form.encoding) as lines:
        yield _started(path, form, lines)


def delimited_head(path: Path, text: str, options: TableOptions, *, is_complete: bool) -> Head:
    """Return the first rows of a text that starts a file; encoding and packing are left out.

    Raises ``DiagnosticError``: D023, D024 and D623 for a file without rows, D038 for too many
    columns.
    """
    form = _detected(text, options, is_complete=is_complete)
    if options.header != "auto":
        is_named = options.header == "yes"
        form = msgspec.structs.replace(
            form, has_header=is_named, has_units=is_named and form.has_units
        )
    if options.decimal:
        form = msgspec.structs.replace(form, decimal=options.decimal, is_decimal_chosen=True)
    try:
        rows = sample_rows(text, form, is_complete=is_complete, is_strict=True)
    except csv.Error as error:
        count = len(sample_rows(text, form))
        raise _endless(path, form.skip + count + 1, error) from error
    if not rows:
        raise DiagnosticError.of("D023", field=_FIELD, file=str(path))
    names = [""] * len(rows[0])
    if form.has_header:
        if len(rows) == 1:
            code = "D623" if options.header == "auto" else "D024"  # the line may be a row itself
            raise DiagnosticError.of(code, field=_FIELD, file=str(path))
        names, rows = header_names(rows[0], rows[1]), rows[1 + form.has_units :]
    width = require_width(path, len(names))
    if is_complete:
        rows = without_footer(rows, width)
    rows = [[*row, *[""] * (width - len(row))][:width] for row in rows]
    return Head(form, unique_names(names), rows, is_complete)


def _detected(text: str, options: TableOptions, *, is_complete: bool) -> TableFormat:
    """Return the format of a text, as far as the user has not chosen it."""
    delimiter = _delimiter(options.delimiter)
    if options.skip < 0:
        return detect_csv(text, delimiter=delimiter, is_complete=is_complete)
    lines = text.split("\n", options.skip)
    rest = lines[options.skip] if len(lines) > options.skip else ""
    form = detect_csv(rest, delimiter=delimiter, is_complete=is_complete)
    form = msgspec.structs.replace(form, skip=options.skip, title="", has_units=False)
    named = has_header(sample_rows(text, form, is_complete=is_complete))
    return msgspec.structs.replace(form, has_header=named)


def require_width(path: Path, width: int) -> int:
    """Return a number of columns. Raises ``DiagnosticError`` (D038) where it is too large."""
    if width > MOST_COLUMNS:
        raise DiagnosticError.of("D038", field=_FIELD, file=str(path), limit=MOST_COLUMNS)
    return width


def header_names(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """Return the names in a header with a cell less than the rows below it: what R writes has none
    for the names of the rows, other programs end their rows with a delimiter.
    """
    names = list(first)
    if len(second) == len(names) + 1 and len(names) > 1:
        return [*names, ""] if not second[-1].strip() else ["", *names]
    return names


def _read(
    path: Path, form: TableFormat, names: tuple[str, ...], rows: Iterator[NumberedRow]
) -> Table:
    builder = TableBuilder(names)
    done = 0
    while block := list(islice(rows, block_rows(len(names)))):
        done += len(block)
        tell_progress(path, done, "rows")
        numbers = np.fromiter((number for number, _ in block), np.int64, len(block))
        builder.add([row for _, row in block], numbers)
    return builder.table(form)


def _started(
    path: Path, form: TableFormat, lines: Iterator[str]
) -> tuple[tuple[str, ...], FittedRows]:
    """Return the names of the columns, and the rows, each with as many cells as there are names."""
    for _ in range(form.skip):
        next(lines, "")
    rows = _NumberedRows(path, csv_rows(lines, form), form.skip)
    first = next(rows, None)
    if first is None:
        raise DiagnosticError.of("D023", field=_FIELD, file=str(path))
    second = next(rows, None)
    start = [row for row in (first, second) if row is not None]
    width = len(first[1])
    names = [""] * width
    if form.has_header:
        if second is None:
            raise DiagnosticError.of("D024", field=_FIELD, file=str(path))
        names = header_names([cell.strip() for cell in first[1]], second[1])
        width, start = len(names), [] if form.has_units else [second]
    require_width(path, width)
    return unique_names(names), FittedRows(path, width, chain(start, rows))


def _delimiter(text: str) -> str:
    """Return a delimiter as a user writes it. Raises ``DiagnosticError`` (D037) for none."""
    name = {"auto": "", "tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " "}
    chosen = name.get(text.strip().lower() or text, text)
    if len(chosen) > 1 or chosen in ('"', "\n", "\r", "\0") or ord(chosen or " ") > 0xFFFF:
        raise DiagnosticError.of(
            "D037",
            field="data.source.delimiter",
            setting="data.source.delimiter",
            value=text[:60],
            choices="comma, semicolon, tab, space, |",
        )
    return chosen


def _endless(path: Path, row: int, error: csv.Error) -> DiagnosticError:
    """Return the failure of a cell that goes on for too long: a quote is not closed."""
    return DiagnosticError.of("D036", field=_FIELD, detail=str(error), file=str(path), row=row)


class _NumberedRows:
    """Rows that are not empty, each with the line that it starts in.

    Raises ``DiagnosticError`` (D036) for a quote that is not closed.
    """

    def __init__(self, path: Path, reader: RowReader, skipped: int) -> None:
        self._path = path
        self._reader = reader
        self._skipped = skipped + 1

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        return self

    def __next__(self) -> tuple[int, list[str]]:
        while True:
            line = self._reader.line_num + self._skipped
            try:
                row = next(self._reader)
            except csv.Error as error:
                raise _endless(self._path, line, error) from error
            if any(row):
                return line, row
