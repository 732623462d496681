"""Reader of JSON lines: an object a line, whose names are the columns."""

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import msgspec
import numpy as np

from engine.data.read.cell import CellBlock, CellColumn, Head, Table, unique_names
from engine.data.read.delimited import require_width
from engine.data.read.listening import tell_progress
from engine.data.read.stream import opened_text
from engine.decoding import json_decoder
from engine.diagnostics import DiagnosticError
from engine.files import UNDECODABLE
from engine.spec.table import TableFormat, TableOptions

_BLOCK_ROWS = 1 << 11
_FIELD = "data.source.path"
_DECODER = json_decoder(dict[str, object])

JsonCells = dict[str, str]
JsonRow = tuple[int, dict[str, object]]
"""An object of a file, with the number of its line or its place, counted from 1."""


def is_json_lines(text: str) -> bool:
    """Return whether the first line of a text is a JSON object."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    return first.lstrip().startswith("{") and _object(first) is not None


def json_lines_head(path: Path, text: str, options: TableOptions, *, is_complete: bool) -> Head:
    """Return the first rows of a text that starts a file. Raises as :func:`read_json_lines`."""
    del options
    lines = text.splitlines()
    if not is_complete and len(lines) > 1:
        lines.pop()
    rows = list(_objects(path, lines))
    return head_of_rows(path, rows, TableFormat(kind="jsonl"), is_complete=is_complete)


def read_json_lines(path: Path, form: TableFormat) -> Table:
    """Return a whole table; a name that an object lacks is a missing value.

    Raises ``DiagnosticError``: D030 and D031 as for other text, D042 for a line that is no object,
    D038 for too many names.
    """
    with opened_text(path, form.encoding) as lines:
        return table_of_rows(path, _objects(path, lines), form)


@contextmanager
def json_lines_rows(path: Path, form: TableFormat) -> Generator[Iterator[tuple[int, JsonCells]]]:
    """Open a table: its rows, read one by one, as cells by the names of their columns. Raises as
    :func:`read_json_lines` does, also while they are read.
    """
    with opened_text(path, form.encoding) as lines:
        yield (
            (number, {" ".join(name.split()): _cell(value).strip() for name, value in one.items()})
            for number, one in _objects(path, lines)
        )


def head_of_rows(
    path: Path, rows: Sequence[JsonRow], form: TableFormat, *, is_complete: bool
) -> Head:
    """Return the first rows of a table. Raises ``DiagnosticError`` (D038) for too many names."""
    names = dict.fromkeys(name for _, one in rows for name in one)
    require_width(path, len(names))
    cells = [[_cell(one.get(name)).strip() for name in names] for _, one in rows]
    return Head(form, unique_names(list(names)), cells, is_complete)


def table_of_rows(path: Path, rows: Iterator[JsonRow], form: TableFormat) -> Table:
    """Return a whole table of rows that are read one by one. Raises what reading them does, and
    ``DiagnosticError`` (D038) for too many names.
    """
    blocks: dict[str, list[CellBlock]] = {}
    numbers = list[np.ndarray]()
    done = 0
    while chunk := list(islice(rows, _BLOCK_ROWS)):
        done += len(chunk)
        tell_progress(path, done, "rows")
        before = [CellBlock.empty(len(each)) for each in numbers]
        numbers.append(np.fromiter((line for line, _ in chunk), np.int64, len(chunk)))
        for name in dict.fromkeys(name for _, one in chunk for name in one):
            blocks.setdefault(name, list(before))
        require_width(path, len(blocks))
        for name, column in blocks.items():
            column.append(CellBlock.of([_cell(one.get(name)) for _, one in chunk]))
    columns = tuple(
        CellColumn(name, tuple(column))
        for name, column in zip(unique_names(list(blocks)), blocks.values(), strict=True)
    )
    return Table(format=form, columns=columns, lines=np.concatenate(numbers))


def _objects(path: Path, lines: Iterable[str]) -> Iterator[JsonRow]:
    """Yield the objects of lines that are not empty, each with the number of its line."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        one = _object(line)
        if one is None:
            raise DiagnosticError.of("D042", field=_FIELD, file=str(path), row=number)
        yield number, one


def _object(line: str) -> dict[str, object] | None:
    try:
        return _DECODER.decode(line)
    except UNDECODABLE:
        return None


def _cell(value: object) -> str:
    """Return a value as a cell; what holds other values stays JSON."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    try:
        return msgspec.json.encode(value).decode()
    except RecursionError:
        return ""
