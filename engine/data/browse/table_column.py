"""Columns of the samples of a table: each of the file, in memory or not."""

from collections.abc import Iterator
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.data.browse.column import BrowseColumn, CategoryColumn, NumberColumn, TextColumn
from engine.data.read.cell import MISSING
from engine.data.read.number import is_code, parse_number, parse_numbers
from engine.data.read.row import MISSING_NAME
from engine.data.read.shown_date import are_days, shown_day
from engine.data.source.table import TableSource
from engine.data.source.table_column import CodeColumn, read_column
from engine.data.source.table_column import Column as TableColumn
from engine.diagnostics import DiagnosticError
from engine.spec.browse import ColumnKind, SampleColumn
from engine.spec.table import ColumnKind as TableKind

Role = Literal["", "input", "target", "weight"]

TABLE_KINDS: dict[TableKind, ColumnKind] = {
    "number": "number",
    "date": "date",
    "category": "category",
    "binary": "category",
}
"""What the columns of a table are; those of any other kind are texts."""


def column_of_table(source: TableSource, name: str, role: Role) -> BrowseColumn:
    """Return a column of a table, whose cells are shown as they stand in the file."""
    kind = source.plan.kinds[name]
    cells, rows = source.table.column(name), source.rows
    if kind == "id" and _are_numbers(cells.blocks[0].cells() if cells.blocks else []):
        kind = "number"

    def text(index: int) -> str:
        return cells.cell(int(rows[index]))

    has_days = kind == "date" and are_days(cells.sample())

    def written(index: int) -> str:
        cell = text(index)
        return "" if cell in MISSING else shown_day(cell) if has_days else cell

    def every() -> Iterator[str]:
        if len(rows) == len(cells):
            return cells.cells()
        is_kept = np.zeros(len(cells), bool)
        is_kept[rows.numpy()] = True
        return (cell for cell, kept in zip(cells.cells(), is_kept.tolist(), strict=True) if kept)

    shown = TABLE_KINDS.get(kind, "text")
    info = SampleColumn(key=f"data.{name}", kind=shown, name=name, role=role)
    if shown == "text":
        return TextColumn(info=info, text=text, every=every, samples=len(rows))
    if shown == "category":
        load = partial(_table_codes, source, name, kind)
        # What is predicted may be other than in the file: the user gave it another class.
        return CategoryColumn(info=info, load=load, written=None if role == "target" else written)
    return NumberColumn(
        info=info, load=partial(_table_numbers, source, name, kind), written=written
    )


def _are_numbers(cells: list[str]) -> bool:
    values, wrong = parse_numbers(cells, ".")
    return bool(len(values)) and not wrong and not any(map(is_code, cells))


def _table_column(source: TableSource, name: str, kind: TableKind) -> TableColumn:
    """Return a column of the samples: that in memory where the source has it."""
    for column in (*source.columns, *source.targets):
        if column.name == name:
            return column
    return read_column(source.table, name, kind).taken(source.rows)


def _table_codes(
    source: TableSource, name: str, kind: TableKind
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    column = _table_column(source, name, kind)
    if not isinstance(column, CodeColumn):
        column = read_column(source.table, name, "category").taken(source.rows)
    assert isinstance(column, CodeColumn)
    names = column.values
    if names and names[-1] == MISSING_NAME:
        names = names[:-1]
    return _ordered(names, column.codes.numpy())


def _ordered(
    names: tuple[str, ...], codes: NDArray[np.int64]
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Return categories in the order of their letters, capital or not; numbers as they are."""
    if all(parse_number(name, ".") is not None for name in names):
        return names, codes
    order = sorted(range(len(names)), key=lambda at: names[at].casefold())
    ranks = np.full(len(names) + 2, -1, np.int64)  # what is missing is -1 or one too many
    ranks[order] = np.arange(len(names))
    return tuple(names[at] for at in order), ranks[codes]


def _table_numbers(source: TableSource, name: str, kind: TableKind) -> NDArray[np.number]:
    """Return the numbers of a column; those of its values where it turns out to have none."""
    try:
        column = _table_column(source, name, kind)
    except DiagnosticError:  # it is no input: nobody has looked at all of it
        column = read_column(source.table, name, "id").taken(source.rows)
    return (column.codes if isinstance(column, CodeColumn) else column.values).numpy()
