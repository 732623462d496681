"""Copies of row groups in the cache: the files that are inside, one after the other, so that one is
read without the others.

A copy is a line that says what it is, the number of rows, the length of what each row has (int64,
-1 for nothing), its CRC-32 (uint32), then the bytes of the rows.
"""

import hashlib
import shutil
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.data.read.cache import cache_folder, write_cached
from engine.files import WriteTarget, open_file

SIGN = b"trellis row group 1\n"
_FOLDER = "row-groups"
_LIMIT = 32 << 30  # bytes of all copies
_LEFT_FREE = 4 << 30  # bytes of the disk that stay free
_LENGTHS = np.dtype("<i8")
_CHECKSUMS = np.dtype("<u4")


class LostCopyError(Exception):
    """A copy is not there any more, or damaged."""


class GroupCopy:
    """Where the rows of a copy are; their bytes are read when they are asked for."""

    def __init__(self, file: Path, lengths: NDArray[np.int64], checksums: NDArray[np.uint32]):
        self._file = file
        self._lengths = lengths
        self._checksums = checksums
        self._ends = _start(len(lengths)) + np.cumsum(lengths.clip(0))

    @property
    def size(self) -> int:
        """The bytes of the copy."""
        return int(self._ends[-1])

    def value(self, row: int) -> bytes | None:
        """Return what a row of the group has (the first is 0). Raises :class:`LostCopyError`."""
        length = int(self._lengths[row])
        if length < 0:
            return None
        try:
            with open_file(self._file, follow=False) as stream:
                stream.seek(int(self._ends[row]) - length)
                content = stream.read(length)
        except OSError as error:
            raise LostCopyError from error
        if len(content) != length or zlib.crc32(content) != self._checksums[row]:
            raise LostCopyError
        return content


def copy_place(path: Path, version: object, group: int, column: str) -> Path | None:
    """Return where the copy of a row group lies in the cache, by the file, its version, and the
    column; None where there is no cache.
    """
    folder = cache_folder(_FOLDER)
    if folder is None:
        return None
    text = f"{path.absolute()}\0{version}\0{group}\0{column}".encode("utf-8", "surrogateescape")
    return folder / f"{hashlib.blake2b(text, digest_size=16).hexdigest()}.rows"


def open_copy(file: Path) -> GroupCopy | None:
    """Return a copy that lies in the cache; None for what is none, or of another length."""
    try:
        size = file.stat().st_size
        with open_file(file, follow=False) as stream:
            if stream.read(len(SIGN)) != SIGN:
                return None
            count = int.from_bytes(stream.read(_LENGTHS.itemsize), "little")
            if not 0 < count * (_LENGTHS.itemsize + _CHECKSUMS.itemsize) < size:
                return None
            lengths = np.frombuffer(stream.read(count * _LENGTHS.itemsize), _LENGTHS)
            checksums = np.frombuffer(stream.read(count * _CHECKSUMS.itemsize), _CHECKSUMS)
            copy = GroupCopy(file, lengths, checksums)
    except (OSError, ValueError):
        return None
    return copy if copy.size == size and not (lengths > size).any() else None


def store_copy(file: Path, batches: Sequence[Any], in_use: int) -> GroupCopy | None:
    """Write the rows of Arrow arrays of bytes as a copy, and return it; None where there is no room
    for it beside the ``in_use`` bytes of copies that this process reads, or it cannot be written.
    What no process has written for longest makes room.
    """
    values = [value.as_buffer() for batch in batches for value in batch]
    lengths = [-1 if value is None else value.size for value in values]
    size = _start(len(lengths)) + sum(max(0, length) for length in lengths)
    if in_use + size > _LIMIT or not values:
        return None
    try:
        if shutil.disk_usage(file.parent).free - size < _LEFT_FREE:
            return None
    except OSError:
        return None
    head = np.array(lengths, _LENGTHS).tobytes()
    checksums = [0 if value is None else zlib.crc32(value) for value in values]

    def content(target: WriteTarget) -> None:
        target.write(SIGN + len(values).to_bytes(_LENGTHS.itemsize, "little") + head)
        target.write(np.array(checksums, _CHECKSUMS).tobytes())
        for value in values:
            if value is not None:
                target.write(memoryview(value))

    return open_copy(file) if write_cached(file, content, _LIMIT) else None


def _start(rows: int) -> int:
    """Return where the bytes of the first row are."""
    return len(SIGN) + _LENGTHS.itemsize + rows * (_LENGTHS.itemsize + _CHECKSUMS.itemsize)
