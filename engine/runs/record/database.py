"""Connection to SQLite files that somebody else may have made.

A file of SQLite holds more than rows: views and triggers that run when a table is read or written,
tables of an extension, generated columns, pages that stand in the tree a million times. The program
makes none of that, so a file that has any is refused before anything of it is used.
"""

import sqlite3
import sys
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from engine.diagnostics import Diagnostic, DiagnosticError

DAMAGED = (sqlite3.Error, UnicodeDecodeError)
"""What Python's ``sqlite3`` raises for a damaged file: the second where the message itself quotes a
name in it that is no text.
"""

FOREIGN = "R164"
"""What is told of a file that holds what the program never makes."""

_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 256 << 20,  # a row; the statistics of a step take a few MB
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 100,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
_PRAGMAS = ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0")
_MOST_OBJECTS = 200
_BETWEEN = 1_000_000  # instructions of SQLite's machine from one look to the next
_MOST_LOOKS = 3_000  # about a minute of nothing else
_FACTOR, _SLACK = 8, 64 << 20
_ORDINARY = ("CREATE TABLE ", "CREATE INDEX ", "CREATE UNIQUE INDEX ")


class Budget:
    """How much one question may cost: instructions and bytes of its rows. What stands in a file
    once is told once, so rows are never much larger than the file.
    """

    def __init__(self, connection: sqlite3.Connection, files: Callable[[], int]) -> None:
        self._looks = 0
        self._files = files
        connection.set_progress_handler(self._is_spent, _BETWEEN)

    def rows(self, cursor: sqlite3.Cursor) -> list[tuple[object, ...]]:
        """Return all rows of a question. Raises as :meth:`each` does."""
        return list(self.each(cursor))

    def each(self, cursor: sqlite3.Cursor) -> Iterator[tuple[object, ...]]:
        """Yield the rows of a question. Raises ``sqlite3.DatabaseError`` beyond the budget."""
        left = _SLACK
        is_sized = False
        for row in cursor:
            left -= 8
            for value in row:
                if isinstance(value, bytes | str):
                    left -= len(value)
            if left < 0 and not is_sized:
                is_sized, left = True, left + _FACTOR * self._files()
            if left < 0:
                raise sqlite3.DatabaseError("more rows than the file can hold")
            yield row

    def begin(self) -> None:
        """Begin another question."""
        self._looks = 0

    def _is_spent(self) -> bool:
        self._looks += 1
        return self._looks > _MOST_LOOKS


def harden(connection: sqlite3.Connection) -> None:
    """Let nothing of the file run: no function of its making, no trigger, no view, no extension."""
    for limit, value in _LIMITS.items():
        connection.setlimit(limit, value)
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}").fetchall()
    if sys.version_info >= (3, 12):
        options = {
            sqlite3.SQLITE_DBCONFIG_DEFENSIVE: True,
            sqlite3.SQLITE_DBCONFIG_ENABLE_TRIGGER: False,
            sqlite3.SQLITE_DBCONFIG_ENABLE_VIEW: False,
        }
        for option, is_on in options.items():
            connection.setconfig(option, is_on)


def require_ordinary(connection: sqlite3.Connection, file: Path, tables: Collection[str]) -> None:
    """Raise :class:`DiagnosticError` (R164) for a file that holds anything but plain tables of
    these names and plain indexes of them, ``sqlite3.Error`` for one that is damaged.
    """
    rows = connection.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_master LIMIT ?", (_MOST_OBJECTS + 1,)
    ).fetchall()
    for kind, name, table, sql in rows:
        owner = table if kind == "index" else name
        is_known = kind in ("table", "index") and owner in tables and len(rows) <= _MOST_OBJECTS
        if not (is_known and (sql is None or str(sql).startswith(_ORDINARY))):
            raise _foreign(file, kind, name)
    for kind, name, _, _ in rows:  # no table of theirs answers for SQLite any more
        if not _is_plain(connection, kind, name):
            raise _foreign(file, kind, name)


def _foreign(file: Path, kind: object, name: object) -> DiagnosticError:
    what = f"{str(kind)[:20]} {str(name)[:60]!r}"
    return DiagnosticError(Diagnostic(code=FOREIGN, params={"file": str(file), "what": what}))


def _is_plain(connection: sqlite3.Connection, kind: str, name: str) -> bool:
    """Return whether a table computes no column, and an index stands for columns alone."""
    if kind == "index":
        query = "SELECT count(*) FROM pragma_index_xinfo(?) WHERE cid < -1"
    else:
        query = "SELECT count(*) FROM pragma_table_xinfo(?) WHERE hidden <> 0"
    return connection.execute(query, (name,)).fetchone()[0] == 0
