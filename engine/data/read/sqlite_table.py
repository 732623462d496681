"""Reader of a table in an SQLite database, which is opened for reading alone.

Nothing of the file is carried out: views, virtual tables, triggers and generated columns are left
alone, and the one statement that is run is a SELECT of the plain columns of one plain table.
"""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import numpy as np

from engine.data.read.block import TableBuilder
from engine.data.read.cell import Head, Table, block_rows, unique_names
from engine.data.read.delimited import require_width
from engine.data.read.listening import tell_progress
from engine.data.read.stream import damaged, opened, require_size
from engine.diagnostics import DiagnosticError
from engine.spec.table import TableFormat, TableOptions

_FIELD = "data.source.path"
_DAMAGED = (sqlite3.Error, UnicodeDecodeError, OverflowError)
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 64 << 20,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 8 << 20,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
_PRAGMAS = ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0", "query_only = ON")
_TABLES = (
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    " AND sql LIKE 'CREATE TABLE%' ORDER BY rowid"
)
_INSTRUCTIONS = 1_000_000  # of SQLite's machine between two looks
_MOST_TABLES = 1_000  # that are looked at for one to learn from
_LEAST_COLUMNS, _LEAST_ROWS = 2, 2  # of one to learn from
_SLACK = 1_000  # looks that any file may take
_FACTOR = 8  # times its size that a file may hold: rows that stand in it once are told once


def sqlite_head(path: Path, options: TableOptions, count: int) -> Head:
    """Return the first rows of a table. Raises as :func:`read_sqlite` does."""
    with _connected(path) as connection:
        form, columns = _chosen(connection, path, options.sheet)
        cursor = connection.execute(_select(form.sheet, columns))
        rows = [[_cell(value).strip() for value in row] for row in islice(cursor, count + 1)]
    if not rows:
        raise DiagnosticError.of("D024", field=_FIELD, file=str(path))
    return Head(form, unique_names(columns), rows[:count], len(rows) <= count)


def read_sqlite(path: Path, form: TableFormat) -> Table:
    """Return a whole table of a database.

    Raises ``DiagnosticError``: D020, D021 and D035 as for other files, D024 for a table without
    rows, D031 for one that is too large, D033 for a damaged file, D041 where there is no such
    table.
    """
    with opened(path) as stream:
        size = stream.seek(0, 2)
        require_size(path, size)
    total = 0
    with _connected(path) as connection:
        form, columns = _chosen(connection, path, form.sheet)
        builder = TableBuilder(unique_names(columns))
        cursor = connection.execute(_select(form.sheet, columns))
        start = 1
        while block := [list(map(_cell, row)) for row in islice(cursor, block_rows(len(columns)))]:
            builder.add(block, np.arange(start, start + len(block), dtype=np.int64))
            start += len(block)
            tell_progress(path, start - 1, "rows")
            total += sum(len(cell) for row in block for cell in row)
            if total > _FACTOR * size + (64 << 20):
                raise damaged(path, "more rows than the file can hold")
    if start == 1:
        raise DiagnosticError.of("D024", field=_FIELD, file=str(path))
    return builder.table(form)


@contextmanager
def _connected(path: Path) -> Generator[sqlite3.Connection]:
    with opened(path) as stream:
        size = stream.seek(0, 2)
    address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    looks = 0
    most = _SLACK + size // 10_000

    def is_spent() -> bool:
        nonlocal looks
        looks += 1
        return looks > most

    try:
        connection = sqlite3.connect(address, uri=True, isolation_level=None)
        try:
            connection.text_factory = _text
            connection.set_progress_handler(is_spent, _INSTRUCTIONS)
            for limit, value in _LIMITS.items():
                connection.setlimit(limit, value)
            for pragma in _PRAGMAS:
                connection.execute(f"PRAGMA {pragma}").fetchall()
            yield connection
        finally:
            connection.close()
    except _DAMAGED as error:
        raise damaged(path, error) from error


def _chosen(
    connection: sqlite3.Connection, path: Path, wanted: str
) -> tuple[TableFormat, list[str]]:
    """Return the table that was asked for, or one to learn from, and its plain columns."""
    tables = [str(name) for (name,) in connection.execute(_TABLES)]
    if not tables or (wanted and wanted not in tables):
        raise DiagnosticError.of(
            "D041",
            field="data.source.sheet",
            file=str(path),
            name=wanted,
            names=", ".join(tables[:20]),
        )
    sheet = wanted or _first_of(connection, tables)
    form = TableFormat(kind="sqlite", sheet=sheet, sheets=tuple(tables))
    columns = _columns(connection, sheet)
    require_width(path, len(columns))
    return form, columns


def _first_of(connection: sqlite3.Connection, tables: list[str]) -> str:
    """Return the first of some tables that can be learned from, else the first one: settings and
    versions are often before what is meant.
    """
    for table in tables[:_MOST_TABLES]:
        columns = _columns(connection, table)
        if len(columns) >= _LEAST_COLUMNS:
            query = f"{_select(table, columns[:1])} LIMIT {_LEAST_ROWS}"
            if len(connection.execute(query).fetchall()) == _LEAST_ROWS:
                return table
    return tables[0]


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    query = "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0"
    return [str(name) for (name,) in connection.execute(query, (table,))]


def _select(table: str, columns: list[str]) -> str:
    names = ", ".join(map(_quoted, columns))
    return f"SELECT {names} FROM {_quoted(table)}"  # noqa: S608 - names are quoted


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _cell(value: object) -> str:
    """Return a value as a cell; bytes are no value of a table."""
    if value is None or isinstance(value, bytes):
        return ""
    return str(value)
