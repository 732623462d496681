"""Files inside Parquet and Arrow files: pictures, sounds and videos of data sets of Hugging Face.

Such a file has a path below the file that holds it: ``train.parquet/17/image.png`` is what the
17th row has in the column ``image``. Whoever reads files finds it by that path; of the rows, those
of a row group are read at once, and a few of these are kept. A row group that is read a second
time, because more are wanted than are kept, is copied to the cache, where each row is read by
itself.
"""

import contextlib
import os
import threading
from bisect import bisect_right
from collections import OrderedDict
from functools import lru_cache
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.parse import quote, unquote

from engine.data.read.enclosed_copy import (
    GroupCopy,
    LostCopyError,
    copy_place,
    open_copy,
    store_copy,
)
from engine.diagnostics import DiagnosticError
from engine.files import is_file
from engine.files.read import open_file

_KEPT = 256 << 20  # bytes of row groups
_LARGEST_GROUP = 1 << 30  # bytes
_BATCH_ROWS = 64
_MOST_OPEN = 256  # files of which is known where their row groups are
_PARQUET = b"PAR1"
_STREAM = b"\xff\xff\xff\xff"
_LONGEST_DETAIL = 300


class Enclosed(NamedTuple):
    """The file that holds another, its row (the first is 1) and its column."""

    file: Path
    row: int
    column: str


def enclosed_place(file: str, row: int, column: str, ending: str) -> str:
    """Return the place of a file inside another, whose row (the first is 1) and column hold it."""
    return f"{file}/{row}/{quote(column, safe='')}.{ending}"


def holder_of(place: str) -> str:
    """Return the place of the file that would hold another, were it one."""
    return place.rsplit("/", 2)[0]


def find_enclosed(path: Path) -> Enclosed | None:
    """Return what holds a file; None for one of its own, which may be there or not."""
    row = path.parent.name
    if not row.isdecimal() or not path.suffix or not is_file(path.parent.parent):
        return None
    return Enclosed(path.parent.parent, int(row), unquote(path.name[: -len(path.suffix)]))


def holding_file(path: Path) -> Path:
    """Return the file that another is inside of, else the file itself."""
    found = find_enclosed(path)
    return path if found is None else found.file


def status_of(path: Path) -> os.stat_result:
    """Return what the system says of a file, or of the one that it is inside of. Raises
    ``OSError``.
    """
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        found = find_enclosed(path)
        if found is None:
            raise
        return found.file.stat()


def read_enclosed(path: Path) -> bytes | None:
    """Return what a file inside another holds; None for one of its own.

    Raises :class:`DiagnosticError`: D032 where pyarrow is not installed, D505 for a damaged file
    around it, D506 where that has no such row any more, D507 for rows that are too large together,
    D056 where the system cannot read it.
    """
    found = find_enclosed(path)
    return None if found is None else _groups.value(found)


def open_enclosed(path: Path) -> "BufferedReader | None":
    """Return a file inside another as an open one; None for one of its own. Raises as
    :func:`read_enclosed` does.
    """
    inside = read_enclosed(path)
    return None if inside is None else cast("BufferedReader", BufferedReader(BytesIO(inside)))


class _Group(NamedTuple):
    """The rows of a column that are read together, of a file as it was at a time."""

    file: Path
    version: object
    number: int
    column: str


class RowGroups:
    """Row groups that were read last, as many as fit, and where the others are copied to; any
    thread may ask.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        if hasattr(os, "register_at_fork"):  # another thread may hold it just then
            os.register_at_fork(after_in_child=self._unlock)
        self._kept: OrderedDict[_Group, list[Any]] = OrderedDict()
        self._bytes = 0
        self._copies = _Copies()

    def __len__(self) -> int:
        """How many row groups are kept."""
        return len(self._kept)

    def _unlock(self) -> None:
        self._lock = threading.Lock()

    def value(self, wanted: Enclosed) -> bytes:
        """Return the bytes of a row. Raises as :func:`read_enclosed` does."""
        try:
            import pyarrow as pa
        except ImportError as error:  # an extra
            raise DiagnosticError.of("D032", detail=str(error)) from error
        try:
            status = wanted.file.stat()
            with self._lock:
                found = self._value(wanted, (status.st_size, status.st_mtime_ns))
        except (pa.ArrowException, KeyError, NotImplementedError, ValueError) as error:
            raise _told("D505", wanted, str(error)) from error
        except OSError as error:
            code = "D056" if error.errno else "D505"  # of the system, or of the content
            raise _told(code, wanted, str(error)) from error
        if found is None:
            raise _told("D506", wanted, "")
        return found

    def _value(self, wanted: Enclosed, version: object) -> bytes | None:
        file = _opened(wanted.file, version)
        row = wanted.row - 1
        if not 0 <= row < file.starts[-1]:
            return None
        number = bisect_right(file.starts, row) - 1
        group = _Group(wanted.file, version, number, wanted.column)
        at = row - file.starts[number]
        if group in self._kept or isinstance(file, _ArrowFile):
            return _row(self._batches(file, group, wanted), at)
        with contextlib.suppress(LostCopyError):
            copy = self._copies.find(group)
            if copy is not None:
                return copy.value(at)
        return _row(self._batches(file, group, wanted), at)

    def _batches(
        self, file: "ParquetFile | _ArrowFile", group: _Group, wanted: Enclosed
    ) -> list[Any]:
        """Return the rows of a group, and keep them, or a copy of what was read before."""
        batches = self._kept.pop(group, None)
        if batches is None:
            batches = file.read(group.number, wanted)
            if isinstance(file, ParquetFile) and self._copies.take(group, batches):
                return batches
            self._bytes += _size(batches)
        self._kept[group] = batches
        while self._bytes > _KEPT and len(self._kept) > 1:
            self._bytes -= _size(self._kept.popitem(last=False)[1])
        return batches


class _Copies:
    """Copies of row groups in the cache that this process reads, and what it has read once."""

    def __init__(self) -> None:
        self._found: dict[_Group, GroupCopy] = {}
        self._bytes = 0
        self._read: set[_Group] = set()
        self._refused: set[_Group] = set()

    def find(self, group: _Group) -> GroupCopy | None:
        """Return the copy of a group, which another process may have made."""
        if group not in self._found and group not in self._refused:
            file = copy_place(*group)
            self._keep(group, None if file is None else open_copy(file))
        return self._found.get(group)

    def take(self, group: _Group, batches: list[Any]) -> bool:
        """Copy what has been read of a group, where it was read before; return whether it is."""
        file = copy_place(*group)
        is_lost = self._found.pop(group, None) is not None
        if file is None or (is_lost and not file.exists()):
            self._refused.add(group)  # others need the room that there is, and would again
        is_first = group not in self._read
        self._read.add(group)
        if file is None or group in self._refused or (is_first and not is_lost):
            return False
        copy = store_copy(file, batches, self._bytes)
        if copy is None:
            self._refused.add(group)
        self._keep(group, copy)
        return copy is not None

    def _keep(self, group: _Group, copy: GroupCopy | None) -> None:
        if copy is not None:
            self._found[group] = copy
            self._bytes += copy.size


class ParquetFile:
    """Where the row groups of a Parquet file begin; it is open only while one is read."""

    def __init__(self, path: Path) -> None:
        from pyarrow import parquet

        with parquet.ParquetFile(path) as file:
            self._metadata = file.metadata
        counts = [self._metadata.row_group(at).num_rows for at in range(file.num_row_groups)]
        self.starts = _starts(counts)

    def read(self, group: int, wanted: Enclosed) -> list[Any]:
        """Return the bytes of the rows of a group, in pieces."""
        from pyarrow import parquet

        with parquet.ParquetFile(wanted.file, metadata=self._metadata, pre_buffer=False) as file:
            name = wanted.column
            has_structure = file.schema_arrow.field(name).type.num_fields > 0
            rows = file.iter_batches(
                _BATCH_ROWS,
                row_groups=[group],
                columns=[f"{name}.bytes" if has_structure else name],
                use_threads=False,
            )
            batches, size = list[Any](), 0
            for batch in rows:
                batches.append(_bytes_of(batch.column(0)))
                size += batches[-1].nbytes
                if size > _LARGEST_GROUP:
                    raise _told("D507", wanted, f"{size:,}", limit=f"{_LARGEST_GROUP >> 20} MB")
        return batches


class _ArrowFile:
    """Rows of an Arrow file, which are mapped from it: of those that are read, no copy is made."""

    def __init__(self, path: Path, *, is_stream: bool) -> None:
        import pyarrow as pa
        from pyarrow import ipc

        source = pa.memory_map(str(path))
        self._table = (ipc.open_stream if is_stream else ipc.open_file)(source).read_all()
        self._names = self._table.schema.names
        self.starts = _starts([len(batch) for batch in self._table.to_batches()])

    def read(self, group: int, wanted: Enclosed) -> list[Any]:
        """Return the bytes of the rows of a piece."""
        start, end = self.starts[group], self.starts[group + 1]
        column = self._table.column(wanted.column).slice(start, end - start)
        chunks = [_bytes_of(chunk) for chunk in column.chunks]
        for chunk in chunks:
            chunk.validate(full=True)  # what somebody wrote leads nowhere else
        return chunks


@lru_cache(maxsize=_MOST_OPEN)
def _opened(path: Path, version: object) -> ParquetFile | _ArrowFile:
    del version
    with open_file(path) as stream:
        start = stream.read(4)
    return ParquetFile(path) if start == _PARQUET else _ArrowFile(path, is_stream=start == _STREAM)


def _bytes_of(column: Any) -> Any:
    """Return the bytes in a column, which are alone or beside the name of a file."""
    from pyarrow import compute

    if not column.type.num_fields:
        return column
    return compute.call_function(
        "struct_field", [column], compute.StructFieldOptions([column.type.get_field_index("bytes")])
    )


def _starts(counts: list[int]) -> list[int]:
    starts = [0]
    for count in counts:
        starts.append(starts[-1] + count)
    return starts


def _row(batches: list[Any], at: int) -> bytes | None:
    for batch in batches:
        if at < len(batch):
            value = batch[at]
            return value.as_py() if value.is_valid else None
        at -= len(batch)
    return None


def _size(batches: list[Any]) -> int:
    return sum(batch.nbytes for batch in batches)


def _told(code: str, wanted: Enclosed, detail: str, **more: str) -> DiagnosticError:
    return DiagnosticError.of(
        code,
        file=str(wanted.file),
        row=wanted.row,
        column=wanted.column,
        detail=detail[:_LONGEST_DETAIL],
        **more,
    )


_groups = RowGroups()
