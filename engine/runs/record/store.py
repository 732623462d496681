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

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import RunEvent, decode_event
from engine.runs.record.database import DAMAGED, Budget, harden, require_ordinary

FORMAT = 1
STORE_NAME = "events.db"
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
else:
    Steps = Points = Table = object  # numpy is loaded by the first that reads a curve


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

        chosen = (
            "FROM chunks JOIN series ON series.id = chunks.series"
            " WHERE series.name = ? AND chunks.id > ?"
        )
        sizes = f"SELECT max(chunks.id), total(length(steps)) {chosen}"
        last, size = self._rows(sizes, (name, after))[0]
        count = int(size) // 8
        if count and size > self._size():  # room is made at once, so that no point is held twice
            raise _unreadable(sqlite3.DatabaseError("more points than fit in the file"), self._path)
        steps, values = np.empty(count, np.int64), np.empty(count, np.float64)
        end = 0
        rows = f"SELECT steps, points {chosen} AND chunks.id <= ? ORDER BY chunks.id"
        try:
            for row in self._each(rows, (name, after, last or after)):
                piece, points = np.frombuffer(row[0], "<i8"), np.frombuffer(row[1], "<f8")
                if len(piece) != len(points):
                    raise ValueError(f"{len(piece)} steps with {len(points)} values")
                steps[end : end + len(piece)], values[end : end + len(piece)] = piece, points
                end += len(piece)
        except (TypeError, ValueError, AttributeError) as error:
            raise _unreadable(error, self._path) from error
        return Scalars(int(last or after), *_in_order(steps[:end], values[:end]))

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

    keys = msgspec.json.decode(layout, type=tuple[tuple[str, str], ...])
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
