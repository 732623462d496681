"""Texts that are tables: the same number of cells in each line, and values among them."""

import csv
from collections.abc import Sequence
from pathlib import Path

from engine.data.read.cell import MISSING
from engine.data.read.date import date_order
from engine.data.read.encoding import decoded_start
from engine.data.read.number import parse_number
from engine.data.read.stream import first_bytes
from engine.data.read.table import read_head
from engine.diagnostics import DiagnosticError

_HEAD_BYTES = 1 << 16
_ENDINGS = (".txt", ".txt.gz")
_DELIMITERS = "\t;|, "
_LEAST_ROWS = 4
_VALUES = 0.9  # of the cells of a column of numbers or dates
_SHORT = 3.0  # words in a cell, at most: a sentence has more
_SHORT_COLUMNS = 3


def is_text_table(path: Path) -> bool:
    """Return whether a text is a table, by its first lines: all have the same number of tabs,
    semicolons, bars or commas (numbers may have spaces between them), and a column holds numbers or
    dates, or there are three columns of a few words each. Sentences have commas, too.
    """
    if not path.name.lower().endswith(_ENDINGS):
        return False
    try:
        sample, is_all, _ = first_bytes(path, _HEAD_BYTES)
        lines = [each for each in decoded_start(sample, path).splitlines() if each.strip()]
        if not any(_are_even(lines if is_all else lines[:-1], each) for each in _DELIMITERS):
            return False
        head = read_head(path)
    except (DiagnosticError, csv.Error):
        return False
    if len(head.columns) < 2 or len(head.rows) < _LEAST_ROWS:
        return False
    columns = list(zip(*head.rows, strict=True))
    are_values = any(map(_are_values, columns))
    return are_values or (len(columns) >= _SHORT_COLUMNS and all(map(_are_short, columns)))


def _are_even(lines: Sequence[str], delimiter: str) -> bool:
    """Return whether lines have the same number of cells, two at least."""
    rows = csv.reader(
        (" ".join(line.split()) for line in lines) if delimiter == " " else lines,
        delimiter=delimiter,
    )
    widths = {len(row) for row in rows}
    return len(widths) == 1 and widths != {1}


def _are_values(cells: Sequence[str]) -> bool:
    known = [cell for cell in cells if cell not in MISSING]
    values = sum(parse_number(cell, ".") is not None or _is_date(cell) for cell in known)
    return bool(known) and values >= _VALUES * len(known)


def _is_date(cell: str) -> bool:
    return date_order([cell]) is not None


def _are_short(cells: Sequence[str]) -> bool:
    return sum(len(cell.split()) for cell in cells) <= _SHORT * len(cells)
