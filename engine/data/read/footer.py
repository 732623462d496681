"""Lines below a table that are none of its rows: sources and other notes, as exports have them."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np

from engine.data.read.cell import MISSING, Table
from engine.data.read.csv_format import is_value
from engine.data.read.total import is_total_word
from engine.diagnostics import DiagnosticError

MOST_LINES = 50
_LONGEST = 60
_LEAST_COLUMNS = 3
_MARK = re.compile(r"[*†‡§¹²³©(\[#]|[^\W\d][^:：]{0,40}[:：]")
"""How a note begins that no empty line stands above: ``* estimated``, ``Source: …``."""

NumberedRow = tuple[int, list[str]]
"""The cells of a row, with the line that it starts in, counted from 1."""


class FittedRows:
    """Rows of a text, each with as many cells as the table has columns.

    Lines of other lengths at the end are a footer where they are notes or totals: they are not
    among the rows but in ``below`` afterwards. Raises ``DiagnosticError`` (D027) for all others.
    """

    def __init__(self, path: Path, width: int, rows: Iterator[NumberedRow]) -> None:
        self.below: list[NumberedRow] = []
        self._path = path
        self._width = width
        self._rows = self._read(rows)

    def __iter__(self) -> Iterator[NumberedRow]:
        """Return the rows themselves."""
        return self

    def __next__(self) -> NumberedRow:
        """Return the next row."""
        return next(self._rows)

    def _read(self, rows: Iterator[NumberedRow]) -> Iterator[NumberedRow]:
        width, last = self._width, None
        for line, row in rows:
            cells = row if len(row) == width else fitted(row, width)
            if cells is None:
                self._add(line, row, last)
                continue
            if self.below:
                raise self._wrong(*self.below[0])
            last = (line, cells)
            yield last

    def _add(self, line: int, row: list[str], last: NumberedRow | None) -> None:
        before, above = last or (0, [])
        end = before + sum(cell.count("\n") for cell in above)
        is_apart = bool(self.below) or line > end + 1
        if len(self.below) == MOST_LINES or not (
            above and is_footer(row, above, is_apart=is_apart)
        ):
            raise self._wrong(*(self.below or [(line, row)])[0])
        self.below.append((line, row))

    def _wrong(self, line: int, row: list[str]) -> DiagnosticError:
        return DiagnosticError.of(
            "D027",
            field="data.source.path",
            file=str(self._path),
            row=line,
            cells=len(row),
            columns=self._width,
        )


def fitted(row: list[str], width: int) -> list[str] | None:
    """Return a row with as many cells as there are columns, from which only empty ones are left
    out; None where it has others.
    """
    if len(row) == width:
        return row
    return row[:width] if len(row) > width and not any(row[width:]) else None


def is_footer(row: Sequence[str], above: Sequence[str], *, is_apart: bool) -> bool:
    """Return whether a line that has not the cells of the table is a note or a total below it, and
    no row that is cut off. ``above`` is the last row; ``is_apart``: an empty line, or another line
    of the footer, is between.
    """
    known = [cell.strip() for cell in row if cell.strip() not in MISSING]
    if not known or (is_value(known[0]) and not any(map(is_total_word, known))):
        return False
    words = [cell for cell in known if not is_value(cell)]
    if len(words) == 1 and is_total_word(words[0]):
        return True
    if len(known) == 1:
        return is_apart or is_value(above[0].strip()) or _MARK.match(known[0]) is not None
    return _MARK.match(known[0]) is not None or (is_apart and len(words) == len(known))


def without_footer(rows: Sequence[list[str]], width: int) -> list[list[str]]:
    """Return all rows of a short text without its footer."""
    kept = list(rows)
    while len(kept) > 1 and fitted(kept[-1], width) is None:
        if not is_footer(kept[-1], kept[-2], is_apart=True):
            break
        kept.pop()
    return kept


def footer_text(row: Sequence[str]) -> str:
    """Return what a line of a footer says."""
    first = " ".join(cell.strip() for cell in row if cell.strip())
    return first if len(first) <= _LONGEST else first[: _LONGEST - 1].rstrip() + "…"


def without_notes(table: Table) -> Table:
    """Return a table without last rows that have text in a single cell, as workbooks have notes;
    its format tells what they say. Where the rows above them have as few cells, they are rows.
    """
    rows = list[list[str]]()
    if len(table.columns) < _LEAST_COLUMNS:
        return table
    while len(rows) <= MOST_LINES and len(rows) + 1 < table.rows:
        row = table.row(table.rows - 1 - len(rows))
        if sum(cell not in MISSING for cell in row) > 1:
            break
        rows.append(row)
    while rows and not _is_note(table, rows):
        rows.pop()
    if not rows or len(rows) > MOST_LINES or _fewest_cells(table, len(rows)) <= 1:
        return table
    form = msgspec.structs.replace(table.format, notes=len(rows), note=footer_text(rows[-1]))
    return table.first(table.rows - len(rows), form)


def _is_note(table: Table, rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first of some last rows, the last of ``rows``, is a note."""
    at = table.rows - len(rows)
    row, above = rows[-1], table.row(at - 1)
    column, text = next(((n, cell) for n, cell in enumerate(row) if cell not in MISSING), (0, ""))
    if not text or is_value(text):
        return False
    is_apart = int(table.lines[at]) > int(table.lines[at - 1]) + 1
    return is_apart or is_value(above[column]) or _MARK.match(text) is not None


def _fewest_cells(table: Table, below: int) -> int:
    """Return how many cells the emptiest row has above the last ones."""
    known = np.zeros(table.rows, np.int32)
    for column in table.columns:
        known += np.concatenate([block.lengths > 0 for block in column.blocks])
    return int(known[: table.rows - below].min())
