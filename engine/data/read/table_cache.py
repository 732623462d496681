"""Cells of large tables in the cache, mapped into memory: a table is taken apart once, and all
processes share its text.
"""

import hashlib
from collections.abc import Callable, Iterator
from itertools import accumulate, pairwise
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.data.read.array_cache import StoredArrays, map_arrays, store_arrays
from engine.data.read.cache import cache_folder
from engine.data.read.cell import CellBlock, CellColumn, Table
from engine.decoding import decode_json
from engine.files import UNDECODABLE
from engine.spec.table import TableFormat, TableOptions

_SIGN = b"trellis table 3\n"
_DTYPES = {"text": np.uint8, "lengths": np.int32, "lines": np.int64}
_FOLDER = "tables"
_LEAST = 4 << 20
"""Bytes of a file from which on it is worth it: smaller ones are read in a quarter of a second."""
_LIMIT = 4 << 30  # bytes of all tables


class _Head(msgspec.Struct, frozen=True, kw_only=True):
    """What is told of a table beside its cells: its columns stand one after the other, each with as
    many bytes of text as ``sizes`` says, in blocks of ``block`` rows.
    """

    form: TableFormat
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    block: int


def cached_table(
    path: Path, options: TableOptions, version: tuple[int, int], read: Callable[[], Table]
) -> Table:
    """Return a table as it was read before by the same options from the same version (size in
    bytes, time of the last change in ns) of a file; what ``read`` returns where it was not.
    Files below 4 MiB and folders are read each time.
    """
    file = _file_of(path, options, version)
    if file is None:
        return read()
    return _mapped(file) or _stored(file, read())


def _file_of(path: Path, options: TableOptions, version: tuple[int, int]) -> Path | None:
    if version[0] < _LEAST or not path.is_file():
        return None
    folder = cache_folder(_FOLDER)
    if folder is None:
        return None
    name = hashlib.blake2b(str(path.absolute()).encode("utf-8", "surrogateescape"), digest_size=16)
    name.update(msgspec.json.encode((options, version)))
    return folder / f"{name.hexdigest()}.table"


def _stored(file: Path, table: Table) -> Table:
    """Return a table from its new file, or itself where none could be written."""
    block = len(table.columns[0].blocks[0]) if table.rows else 1
    head = _Head(
        form=table.format,
        names=table.names,
        sizes=tuple(sum(len(block.text) for block in each.blocks) for each in table.columns),
        block=block,
    )
    blocks = [block for column in table.columns for block in column.blocks]
    arrays = {
        "text": np.frombuffer(b"".join(block.text for block in blocks), np.uint8),
        "lengths": np.concatenate([block.lengths for block in blocks]),
        "lines": table.lines,
    }
    if not store_arrays(file, _SIGN, msgspec.json.encode(head), arrays, _LIMIT):
        return table
    return _mapped(file) or table


def _mapped(file: Path) -> Table | None:
    stored = map_arrays(file, _SIGN, _DTYPES)
    if stored is None:
        return None
    try:
        head = decode_json(stored.head, _Head)
        columns = tuple(_columns(head, stored))
    except (ValueError, *UNDECODABLE):
        return None
    lines = np.asarray(stored.arrays["lines"]).astype(np.int64, copy=False)
    return Table(format=head.form, columns=columns, lines=lines)


def _columns(head: _Head, stored: StoredArrays) -> Iterator[CellColumn]:
    """Yield the columns. Raises ``ValueError`` for a head that does not fit the arrays."""
    lengths = np.asarray(stored.arrays["lengths"]).astype(np.int32, copy=False)
    lengths = lengths.reshape(len(head.names), -1)
    text = np.asarray(stored.arrays["text"]).data
    if lengths.shape[1] != len(stored.arrays["lines"]) or head.block < 1:
        raise ValueError("lines")
    starts = accumulate(head.sizes, initial=0)
    for name, (start, end), sizes in zip(head.names, pairwise(starts), lengths, strict=True):
        yield CellColumn(name, tuple(_blocks(text[start:end], sizes, head.block)))


def _blocks(text: memoryview, lengths: NDArray[np.int32], rows: int) -> Iterator[CellBlock]:
    start = 0
    for first in range(0, len(lengths), rows):
        part = lengths[first : first + rows]
        end = start + int(part.sum(dtype=np.int64))
        if part.min() < 0 or end > len(text):
            raise ValueError("text")
        yield CellBlock(text[start:end], part)
        start = end
