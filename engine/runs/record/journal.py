"""Journal: the writing side of a run's store. One run has one journal at a time.

Points and progress are buffered and committed twenty times a second at most at first, then ever
more rarely, down to four times; every other event is committed when it is appended. What was
committed survives the end of the process at any moment.
A journal never raises because of the disk: it keeps what it could not write, says so in
:attr:`RunJournal.problem`, and writes it at the next commit that succeeds. A small reserve file
is given up when the disk is full, so that the pause and its reason can still be told.
"""

import contextlib
import math
import sqlite3
import time
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import RunEnded, RunEvent, StepDone, encode_event
from engine.files import describe_os_error
from engine.runs.record.database import DAMAGED, harden, require_ordinary
from engine.runs.record.statistic import Sample
from engine.runs.record.store import SCHEMA, STORE_NAME, TABLES

_RESERVE_NAME = ".reserve"
_FIRST_INTERVAL_S = 0.05
_RESERVE_BYTES = 1 << 20
_BUSY_S = 5.0  # somebody else writes: buffered while training goes on
_START_BUSY_S = 60.0  # and before it begins
_UNDONE_BY_RESUME = ("StepDone", "EpochDone", "KnobChanged", "TensorChanged")


class Mark(NamedTuple):
    """A position in the record: the numbers of the last event and of the last piece of a curve."""

    event: int = 0
    chunk: int = 0


class RunJournal:
    """Appends events and points to the ``events.db`` of a run folder.

    Not thread-safe: the thread that trains owns it. ``interval_s`` is the time between commits of
    what is buffered; the first ones follow closer, for those who wait for a first step.
    Raises :class:`DiagnosticError`: R153 when the file cannot be opened at all, R151
    when it is damaged, R164 when it holds
    what no record does.
    """

    def __init__(self, folder: Path, interval_s: float = 0.25) -> None:
        self.path = folder / STORE_NAME
        self.problem: Diagnostic | None = None
        self._max_interval_s = interval_s
        self._interval_s = min(_FIRST_INTERVAL_S, interval_s)
        self._reserve = folder / _RESERVE_NAME
        self._due = time.monotonic() + self._interval_s
        self._progress: StepDone | None = None
        self._events: list[RunEvent] = []
        self._points: dict[str, tuple[list[int], list[float]]] = {}
        self._samples: list[tuple[int, Sample]] = []
        self._series: dict[str, int] = {}
        self._replaces_all = False
        try:
            self._connection = self._open()
        except DAMAGED as error:
            is_cut_off = isinstance(error, sqlite3.DatabaseError) and not isinstance(
                error, sqlite3.OperationalError
            )
            code = "R151" if is_cut_off else "R153"
            raise DiagnosticError.of(code, detail=str(error), file=str(self.path)) from error
        self.keep_reserve()

    def append(self, event: RunEvent) -> None:
        """Append an event; all but progress are on disk when this returns (see ``problem``)."""
        self.collect(event)
        if not isinstance(event, StepDone):
            self.commit()

    def collect(self, event: RunEvent) -> None:
        """Buffer an event until the next commit."""
        if isinstance(event, StepDone):
            self._progress = event
        else:
            self._events.append(_with_finite_metrics(event))

    def clear(self) -> None:
        """Forget all of the record with the next commit: it is taken over from another one."""
        self._events, self._points, self._samples, self._progress = [], {}, [], None
        self._replaces_all = True

    def extend(self, name: str, steps: Sequence[int], values: Sequence[float]) -> None:
        """Buffer points of a series. Steps must go on from those written before."""
        buffered_steps, buffered_values = self._points.setdefault(name, ([], []))
        buffered_steps.extend(steps)
        buffered_values.extend(values)

    def extend_statistics(self, step: int, sample: Sample) -> None:
        """Buffer the statistics of a step. Steps must go on from those written before."""
        self._samples.append((step, sample))

    def is_due(self) -> bool:
        """Return whether the buffered points should be committed now."""
        return time.monotonic() >= self._due

    def commit(self, *, durable: bool = False) -> bool:
        """Write all that is buffered in one transaction; return whether that worked, False also
        where it worked only after the reserve was given up: the run should pause.

        ``durable`` also waits until it is on the medium, so that a checkpoint that follows never
        is ahead of its curve, not even after a loss of power.
        """
        self._due = time.monotonic() + self._interval_s
        self._interval_s = min(1.2 * self._interval_s, self._max_interval_s)
        try:
            self._write()
        except sqlite3.Error as error:
            if not self._give_up_reserve():
                return self._note(error)
            try:
                self._write()
            except sqlite3.Error as second:
                return self._note(second)
            return self._note(error)
        self.problem = None
        return self._flush_to_medium() if durable else True

    def mark(self) -> Mark:
        """Return the place in the record after what was committed last."""
        chunk = self._connection.execute("SELECT max(id) FROM chunks").fetchone()[0]
        return Mark(self.last_id(), int(chunk or 0))

    def truncate(self, mark: Mark, step: int) -> None:
        """Forget what came after a mark: a run goes on from its checkpoint at that step.

        Points of later steps go too where a piece of a curve before the mark holds any, so that
        each step is in the record once whatever the mark says.
        """
        kinds = ", ".join("?" * len(_UNDONE_BY_RESUME))
        query = f"DELETE FROM events WHERE id > ? AND kind IN ({kinds})"  # noqa: S608 - only question marks
        self.commit()  # else what is buffered would come after it
        with self._patience(), self._transaction() as cursor:
            cursor.execute("DELETE FROM chunks WHERE id > ?", (mark.chunk,))
            _cut_chunks(cursor, step)
            cursor.execute("DELETE FROM samples WHERE step > ?", (step,))
            cursor.execute(query, (mark.event, *_UNDONE_BY_RESUME))
            cursor.execute(
                "DELETE FROM events WHERE step > ? AND kind = 'CheckpointSaved'", (step,)
            )

    def end(self, event: RunEnded, after: int) -> bool:
        """Append the end unless there is one with a number above ``after`` (where this session of
        the run began); return whether the end is on disk.

        Two processes that both find a dead worker write one end between them.
        """
        self.commit()
        for _ in range(2):
            try:
                self._write_end(event, after)
            except sqlite3.Error as error:
                self._note(error)
                if not self._give_up_reserve():
                    return False
            else:
                return True
        return False

    def last_id(self) -> int:
        """Return the number of the newest event (0: none yet)."""
        row = self._connection.execute("SELECT max(id) FROM events").fetchone()
        return int(row[0] or 0)

    def keep_reserve(self) -> bool:
        """Make the reserve file if it is not there; return whether it is."""
        try:
            if not self._reserve.exists():
                self._reserve.write_bytes(b"\0" * _RESERVE_BYTES)
        except OSError as error:
            self._remove_reserve()
            self.problem = describe_os_error(error, self.path, "write")
            return False
        return True

    def close(self) -> None:
        """Commit what is buffered and let go of the file."""
        self.commit()
        self._connection.close()
        self._remove_reserve()

    def _open(self) -> sqlite3.Connection:
        if self.path.exists() and not self.path.is_file():
            raise sqlite3.OperationalError("not a file")  # a pipe, a folder
        connection = sqlite3.connect(
            self.path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
        )
        try:
            harden(connection)
            require_ordinary(connection, self.path, TABLES)
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.executescript(SCHEMA)
            rows = connection.execute("SELECT name, id FROM series").fetchall()
        except BaseException:
            connection.close()
            raise
        self._series = {str(name): int(row_id) for name, row_id in rows}
        return connection

    def _write(self) -> None:
        has_news = self._events or self._points or self._samples or self._progress
        if not (self._replaces_all or has_news):
            return
        series = dict(self._series)
        with self._transaction() as cursor:
            for table in ("events", "chunks", "samples") if self._replaces_all else ():
                cursor.execute(f"DELETE FROM {table}")  # noqa: S608 - the three names above
            for name, (steps, values) in self._points.items():
                if name not in series:
                    cursor.execute("INSERT INTO series (name) VALUES (?)", (name,))
                    series[name] = int(cursor.lastrowid or 0)
                _insert_chunk(cursor, series[name], steps, values)
            for step, sample in self._samples:
                _insert_sample(cursor, step, sample)
            for event in self._events:
                _insert(cursor, event)
            if self._progress is not None:
                cursor.execute("DELETE FROM events WHERE kind = 'StepDone'")
                _insert(cursor, self._progress)
        self._series = series
        self._points = {}
        self._samples = []
        self._events = []
        self._progress = None
        self._replaces_all = False

    def _flush_to_medium(self) -> bool:
        try:
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        except sqlite3.Error as error:
            return self._note(error)
        return True

    def _write_end(self, event: RunEnded, after: int) -> None:
        query = "SELECT count(*) FROM events WHERE kind = 'RunEnded' AND id > ?"
        with self._transaction() as cursor:
            if not cursor.execute(query, (after,)).fetchone()[0]:
                _insert(cursor, _with_finite_metrics(event))

    @contextlib.contextmanager
    def _patience(self) -> Generator[None]:
        """Wait longer for others that write: what follows has no second attempt."""
        self._connection.execute(f"PRAGMA busy_timeout = {1000 * _START_BUSY_S:.0f}")
        try:
            yield
        finally:
            self._connection.execute(f"PRAGMA busy_timeout = {1000 * _BUSY_S:.0f}")

    def _transaction(self) -> "_Transaction":
        return _Transaction(self._connection)

    def _give_up_reserve(self) -> bool:
        return self._reserve.exists() and self._remove_reserve()

    def _remove_reserve(self) -> bool:
        """Remove the reserve file; return False where the disk does not let it go."""
        try:
            self._reserve.unlink(missing_ok=True)
        except OSError:  # a disk that has become read-only: what is written next tells it
            return False
        return True

    def _note(self, error: sqlite3.Error) -> bool:
        self.problem = Diagnostic(code="R154", params={"file": str(self.path)}, detail=str(error))
        return False


class _Transaction:
    """BEGIN IMMEDIATE ... COMMIT, or ROLLBACK when the block raises."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> sqlite3.Cursor:
        return self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        try:
            if kind is None:
                self._connection.execute("COMMIT")
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")


def _insert(cursor: sqlite3.Cursor, event: RunEvent) -> None:
    cursor.execute(
        "INSERT INTO events (kind, step, data) VALUES (?, ?, ?)",
        (type(event).__name__, getattr(event, "step", 0), encode_event(event).decode()),
    )


def _insert_chunk(
    cursor: sqlite3.Cursor, series: int, steps: Sequence[int], values: Sequence[float]
) -> None:
    import numpy as np

    cursor.execute(
        "INSERT INTO chunks (series, first, last, steps, points) VALUES (?, ?, ?, ?, ?)",
        (
            series,
            steps[0],
            steps[-1],
            np.asarray(steps, dtype="<i8").tobytes(),
            np.asarray(values, dtype="<f8").tobytes(),
        ),
    )


def _cut_chunks(cursor: sqlite3.Cursor, step: int) -> None:
    """Remove the points of steps after ``step`` from the pieces that hold some."""
    import numpy as np

    query = "SELECT id, steps, points FROM chunks WHERE last > ?"
    for number, steps, points in cursor.execute(query, (step,)).fetchall():
        kept = np.frombuffer(steps, dtype="<i8")
        kept = kept[: np.searchsorted(kept, step, side="right")]
        if not len(kept):
            cursor.execute("DELETE FROM chunks WHERE id = ?", (number,))
            continue
        cursor.execute(
            "UPDATE chunks SET last = ?, steps = ?, points = ? WHERE id = ?",
            (int(kept[-1]), kept.tobytes(), points[: kept.nbytes], number),
        )


def _insert_sample(cursor: sqlite3.Cursor, step: int, sample: Sample) -> None:
    keys = msgspec.json.encode(sample.keys).decode()
    cursor.execute("INSERT OR IGNORE INTO layouts (keys) VALUES (?)", (keys,))
    layout = cursor.execute("SELECT id FROM layouts WHERE keys = ?", (keys,)).fetchone()[0]
    cursor.execute(
        "INSERT INTO samples (step, layout, numbers, counts) VALUES (?, ?, ?, ?)",
        (step, layout, sample.numbers.tobytes(), sample.counts.tobytes()),
    )


def _with_finite_metrics(event: RunEvent) -> RunEvent:
    """JSON has no NaN: such values stand in the curves only."""
    metrics: dict[str, float] | None = getattr(event, "metrics", None)
    if metrics is None or all(math.isfinite(value) for value in metrics.values()):
        return event
    finite = {name: value for name, value in metrics.items() if math.isfinite(value)}
    return msgspec.structs.replace(event, metrics=finite)
