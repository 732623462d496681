"""Column of a table of labels that says how much the loss of each file counts."""

import csv
import math
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from engine.data.read.csv_format import plain_rows
from engine.data.read.text import decoded
from engine.data.source.image_index import ImageIndex, spellings
from engine.data.source.image_labels import MOST_BYTES, label_columns, written
from engine.diagnostics import DiagnosticError
from engine.files import read_file

_FIELD = "data.source.weight"
_LETTERS = 60
_MOST_NAMES = 200  # letters of the columns that there are


def file_weights(index: ImageIndex, column: str) -> Tensor:
    """Return the weights of the files of an index, float32 of shape (files,), from a column of the
    table that gives their labels; of a file that stands in two rows from the first.

    Raises :class:`DiagnosticError`: D587 without a table, D588 where it has no such column, D565
    for a cell that is no weight, D066 where it cannot be read.
    """
    if not index.head.report.table:
        raise DiagnosticError.of("D587", field=_FIELD, column=column[:_LETTERS])
    table = Path(index.head.report.table)
    cells = _cells(table, column)
    weights = np.zeros(len(index), np.float32)
    wrong: list[tuple[int, str]] = []
    for at in range(len(index)):
        row, cell = next((cells[key] for key in spellings(index, at) if key in cells), (0, ""))
        weight = _weight(cell)
        if weight is None:
            wrong.append((row, cell))
        else:
            weights[at] = weight
    if wrong:
        row, cell = min(wrong)
        raise DiagnosticError.of(
            "D565",
            field=_FIELD,
            row=row,
            column=column[:_LETTERS],
            value=cell[:_LETTERS],
            count=len(wrong),
        )
    return torch.from_numpy(weights)


def weight_columns(table: Path) -> list[str]:
    """Return the columns of a table of labels besides those of file and label; nothing where it has
    no heads, or cannot be read.
    """
    try:
        head = next(plain_rows(decoded(read_file(table, MOST_BYTES), table)), [])
    except (OSError, ValueError, csv.Error, DiagnosticError):
        return []
    file, label, is_head = label_columns(head)
    names = [name.strip() for at, name in enumerate(head) if at not in (file, label)]
    return names if is_head else []


def _cells(table: Path, column: str) -> dict[str, tuple[int, str]]:
    """Return row (from 1, the head is the first) and weight, as it is written, by file."""
    try:
        rows = plain_rows(decoded(read_file(table, MOST_BYTES), table))
        head = next(rows, [])
        file, _, is_head = label_columns(head)
        names = [name.strip() for name in head] if is_head else []
        if column not in names:
            known = ", ".join(names)[:_MOST_NAMES] or "–"
            raise DiagnosticError.of(
                "D588", field=_FIELD, column=column[:_LETTERS], file=table.name, names=known
            )
        found: dict[str, tuple[int, str]] = {}
        at = names.index(column)
        for number, row in enumerate(rows, 2):
            if len(row) > file and row[file].strip():
                cell = row[at].strip() if at < len(row) else ""
                found.setdefault(written(row[file]), (number, cell))
    except (OSError, ValueError, csv.Error) as error:
        detail = str(error)
        raise DiagnosticError.of(
            "D066", field="data.source.labels", file=str(table), detail=detail
        ) from error
    return found


def _weight(cell: str) -> float | None:
    """Return a weight; None for what is none: a finite number of float32 from 0 on."""
    try:
        number = float(cell.replace(",", ".") if cell.count(",") == 1 else cell)
    except ValueError:
        return None
    is_weight = math.isfinite(number) and 0 <= number <= torch.finfo(torch.float32).max
    return number if is_weight else None
