"""Run store, reading side: events and curves, from any process, while the run goes on.

The file is SQLite in WAL mode, written by :class:`engine.runs.record.journal.RunJournal` only.
Readers never block the writer and the writer never blocks them.
"""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import msgspec

from engine.decoding import decode_json
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import RunEvent, decode_event
from engine.runs.record.database import DAMAGED, Budget, harden, require_ordinary

FORMAT = 1
STORE_NAME = "events.db"
BLOCK = 1 << 20
"""Points that are read at once: 16 MB."""
NO_RECORD = "R150"
"""What is told of a run without a store: its worker may just be making it."""

SCHEMA = """
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS events (
    id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, step INTEGER NOT NULL,
    data TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS events_kind ON events (kind);
CREATE TABLE IF NOT EXISTS series (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT, series INTEGER NOT NULL, first INTEGER NOT NULL,
    last INTEGER NOT NULL, steps BLOB NOT NULL, points BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS chunks_series ON chunks (series, id);
CREATE TABLE IF NOT EXISTS layouts (id INTEGER PRIMARY KEY, keys TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS samples (
    id INTEGER PRIMARY KEY AUTOINCREMENT, step INTEGER NOT NULL, layout INTEGER NOT NULL,
    numbers BLOB NOT NULL, counts BLOB NOT NULL);
INSERT OR IGNORE INTO meta (key, value) VALUES ('format', 'FORMAT');
COMMIT;
""".replace("'FORMAT'", f"'{FORMAT}'")

TABLES = ("meta", "events", "series", "chunks", "layouts", "samples", "sqlite_sequence")

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Steps = npt.NDArray[np.int64]
    Points = npt.NDArray[np.float64]
    Table = npt.NDArray[np.float32] | npt.NDArray[np.uint16]
    Pieces = npt.NDArray[np.void]
else:
    Steps = Points = Table = Pieces = object  # numpy is loaded by the first that reads a curve


class StoredEvent(NamedTuple):
    """An event and its number in the store; numbers only grow, also over a resume."""

    id: int
    event: RunEvent


class Scalars(NamedTuple):
    """Points of one series, their steps strictly increasing, and where the next reading goes on.
    ``is_repaired`` says that the record has some twice or out of order, which no writer leaves.
    """

    cursor: int
    steps: Steps
    values: Points
    is_repaired: bool = False


class StoredSample(NamedTuple):
    """The statistics of the tensors of one step (see ``runs.statistic``): a row of ``numbers``
    (float32) and of ``counts`` (uint16) for each of ``keys``, which are pairs of kind and name.
    """

    id: int
    step: int
    keys: tuple[tuple[str, str], ...]
    numbers: Table
    counts: Table


class RunStore:
    """Reads one ``events.db``. Use it from one thread at a time.

    Every method raises :class:`DiagnosticError` (R150 to R152) when the file is missing, locked
    for longer than the timeout, or not a run store, R164 when it holds what no run store does.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path
        self._budget = Budget(connection, self._size)

    @classmethod
    def open(cls, path: Path | str, timeout_s: float = 5.0) -> "RunStore":
        """Open a store read-only; ``path`` is the file or the run folder that holds it."""
        place = Path(path)
        file = place / STORE_NAME if place.is_dir() else place
        if not file.is_file():
            raise DiagnosticError.of(NO_RECORD, file=str(file))
        try:
            connection = _connect(file, timeout_s)
        except DAMAGED as error:
            raise _unreadable(error, file) from error
        if connection is None:
            raise DiagnosticError.of(NO_RECORD, file=str(file))
        return cls(connection, file)

    @classmethod
    def find(cls, folder: Path) -> "RunStore | None":
        """Open the store of a run as :meth:`open` does; None where it has recorded nothing yet."""
        try:
            return cls.open(folder)
        except DiagnosticError as error:
            if error.problems[0].code == NO_RECORD:
                return None
            raise

    def events(self, after: int = 0) -> list[StoredEvent]:
        """Return the events with a number above ``after``, oldest first."""
        rows = self._rows("SELECT id, data FROM events WHERE id > ? ORDER BY id", (after,))
        try:
            return [StoredEvent(int(row[0]), decode_event(row[1])) for row in rows]
        except (msgspec.MsgspecError, TypeError, ValueError, RecursionError) as error:
            raise _unreadable(error, self._path) from error

    def last_event(self) -> int:
        """Return the number of the newest event (0: none yet)."""
        return int(self._rows("SELECT max(id) FROM events", ())[0][0] or 0)

    def series_names(self) -> list[str]:
        """Return the names of the curves, in the order in which they began."""
        return [str(row[0]) for row in self._rows("SELECT name FROM series ORDER BY id", ())]

    def scalars(self, name: str, after: int = 0) -> Scalars:
        """Return the points of a series that were written after a cursor (0: all of them).

        A resume from an earlier checkpoint removes later points, so a tail can begin at or before
        the last step that was read earlier: drop those then
        (:class:`engine.runs.record.series.Curve` does). Of points that are there twice the one that
        was written last counts.
        """
        import numpy as np

        blocks = list(self.blocks(name, after))
        last = blocks[-1] if blocks else None
        if last is not None and len(last.steps) and last.steps[0] <= blocks[0].steps[0]:
            return last  # the only one, or one that replaces the others
        if last is None:
            return Scalars(after, np.empty(0, np.int64), np.empty(0, np.float64))
        return Scalars(
            last.cursor,
            np.concatenate([block.steps for block in blocks]),
            np.concatenate([block.values for block in blocks]),
            any(block.is_repaired for block in blocks),
        )

    def blocks(self, name: str, after: int = 0, most: int = BLOCK) -> Iterator[Scalars]:
        """Yield the points that :meth:`scalars` returns bit by bit, about ``most`` at a time, each
        block with steps above those of the blocks before it; nothing where there is nothing new.

        Of a record whose pieces lie across each other as many come at once as cannot be told apart;
        where pieces hold other steps than they say, one last block holds all points again. The
        file is read in one transaction that lasts as long as the generator.
        """
        self._connection.execute("BEGIN")
        try:
            pieces = self._pieces(name, after)
            if not len(pieces):
                return
            if 8 * int(pieces["count"].sum()) > self._size():
                message = "more points than fit in the file"
                raise _unreadable(sqlite3.DatabaseError(message), self._path)
            cursor = int(pieces["id"][-1])
            is_shuffled = bool((pieces["first"][1:] <= pieces["last"][:-1]).any())
            for block in _blocks_of(pieces, most):
                steps, values, is_repaired = self._points(block)
                if len(steps) and not _holds(block, steps):  # its pieces are not what they say
                    yield Scalars(cursor, *self._points(pieces)[:2], is_repaired=True)
                    return
                yield Scalars(cursor, steps, values, is_repaired or is_shuffled)
        finally:
            self._connection.execute("COMMIT")

    def samples(self, after: int = 0) -> list[StoredSample]:
        """Return the statistics that were written after a number, in the order of their writing.

        After a resume steps begin again at an earlier one, as in :meth:`scalars`. A run of an
        earlier version of the program has none.
        """
        if not self._rows("SELECT 1 FROM sqlite_master WHERE name = ?", ("samples",)):
            return []
        rows = self._rows(
            "SELECT samples.id, step, keys, numbers, counts FROM samples JOIN layouts"
            " ON layouts.id = samples.layout WHERE samples.id > ? ORDER BY samples.id",
            (after,),
        )
        try:
            return [_sample(*row) for row in rows]
        except (msgspec.MsgspecError, TypeError, ValueError, RecursionError) as error:
            raise _unreadable(error, self._path) from error

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        """Return the store itself; leaving the block closes it."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the store."""
        self.close()

    def _pieces(self, name: str, after: int) -> Pieces:
        """Return id, first and last step and number of points of the pieces of a curve."""
        import numpy as np

        query = (
            "SELECT chunks.id, first, last, length(steps) / 8"
            " FROM chunks JOIN series ON series.id = chunks.series"
            " WHERE series.name = ? AND chunks.id > ? ORDER BY chunks.id"
        )
        names = ("id", "first", "last", "count")
        try:
            return np.fromiter(self._each(query, (name, after)), [(key, "i8") for key in names])
        except (TypeError, ValueError, OverflowError) as error:
            raise _unreadable(error, self._path) from error

    def _points(self, pieces: Pieces) -> tuple[Steps, Points, bool]:
        """Return the points of some pieces as :func:`_in_order` does."""
        import numpy as np

        numbers = msgspec.json.encode(pieces["id"].tolist()).decode()
        query = (
            "SELECT steps, points FROM chunks"
            " WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id"
        )
        steps: list[bytes] = []
        values: list[bytes] = []
        try:
            for row in self._each(query, (numbers,)):
                if len(row[0]) != len(row[1]):
                    raise ValueError(f"{len(row[0])} bytes of steps with {len(row[1])} of values")
                steps.append(row[0])
                values.append(row[1])
            return _in_order(
                np.frombuffer(bytearray().join(steps), "<i8"),
                np.frombuffer(bytearray().join(values), "<f8"),
            )
        except (TypeError, ValueError, AttributeError) as error:
            raise _unreadable(error, self._path) from error

    def _rows(self, query: str, values: tuple[int | str, ...]) -> list[tuple[Any, ...]]:
        return list(self._each(query, values))

    def _each(self, query: str, values: tuple[int | str, ...]) -> Iterator[tuple[Any, ...]]:
        self._budget.begin()
        try:
            yield from self._budget.each(self._connection.execute(query, values))
        except (*DAMAGED, OverflowError, MemoryError) as error:
            raise _unreadable(error, self._path) from error

    def _size(self) -> int:
        """Return how large the file is, with what was written beside it last."""
        wal = self._path.with_name(f"{self._path.name}-wal")
        return sum(path.stat().st_size for path in (self._path, wal) if path.exists())


def _blocks_of(pieces: Pieces, most: int) -> "list[Pieces]":
    """Return pieces by their steps in blocks of at least ``most`` points (the last: what is left),
    cut only where no piece of a later block has steps among those before.
    """
    import numpy as np

    pieces = pieces[np.argsort(pieces["first"], kind="stable")]
    reach = np.maximum.accumulate(pieces["last"])
    possible = np.flatnonzero(pieces["first"][1:] > reach[:-1]) + 1
    totals = np.cumsum(pieces["count"])[possible - 1]
    cuts: list[int] = []
    taken = 0
    while (index := int(np.searchsorted(totals, taken + most))) < len(possible):
        cuts.append(int(possible[index]))
        taken = int(totals[index])
    return np.split(pieces, cuts)


def _holds(pieces: Pieces, steps: Steps) -> bool:
    """Return whether sorted steps lie between the first and the last that pieces say they hold."""
    return bool(pieces["first"].min() <= steps[0] and steps[-1] <= pieces["last"].max())


def _in_order(steps: Steps, values: Points) -> tuple[Steps, Points, bool]:
    """Return points in the order of their steps, of equal steps the last, and whether that is not
    how they were.
    """
    import numpy as np

    if bool((steps[1:] > steps[:-1]).all()):
        return steps, values, False
    order = np.argsort(steps, kind="stable")
    steps, values = steps[order], values[order]
    is_last = np.append(steps[1:] != steps[:-1], True)
    return steps[is_last], values[is_last], True


def _sample(number: int, step: int, layout: str, numbers: bytes, counts: bytes) -> StoredSample:
    import numpy as np

    keys = decode_json(layout, tuple[tuple[str, str], ...])
    return StoredSample(
        int(number),
        int(step),
        keys,
        np.frombuffer(numbers, dtype="<f4").reshape(len(keys), -1),
        np.frombuffer(counts, dtype="<u2").reshape(len(keys), -1),
    )


def _connect(file: Path, timeout_s: float) -> sqlite3.Connection | None:
    """Open read-only; in a folder that cannot be written, as a file that nobody writes."""
    uri = file.absolute().as_uri()
    try:
        return _checked(f"{uri}?mode=ro", file, timeout_s)
    except sqlite3.OperationalError:
        if file.with_name(f"{file.name}-wal").exists():
            raise
        return _checked(f"{uri}?mode=ro&immutable=1", file, timeout_s)


def _checked(uri: str, file: Path, timeout_s: float) -> sqlite3.Connection | None:
    """Return a connection to a store; None where the writer has made the file and nothing in it."""
    connection = sqlite3.connect(
        uri, uri=True, timeout=timeout_s, isolation_level=None, check_same_thread=False
    )
    try:
        harden(connection)
        if connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None:
            connection.close()
            return None
        require_ordinary(connection, file, TABLES)
        row = connection.execute("SELECT value FROM meta WHERE key = 'format'").fetchone()
        format_text = "" if row is None else str(row[0])[:9]
        if not format_text.isdecimal() or int(format_text) > FORMAT:
            raise sqlite3.DatabaseError(f"run store of format {format_text!r}")
    except BaseException:
        connection.close()
        raise
    return connection


def _unreadable(error: Exception, file: Path) -> DiagnosticError:
    locked = isinstance(error, sqlite3.OperationalError) and "locked" in str(error)
    code = "R152" if locked else "R151"
    return DiagnosticError(Diagnostic(code=code, params={"file": str(file)}, detail=str(error)))
