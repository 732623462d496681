"""Reader of plain arrays in HDF5 files, which PCAM is published in.

Of the format (HDF5 File Format Specification 3.0) this much: a file as h5py writes it when nothing
else is asked for, a group of the old kind as its root, and in it arrays of whole numbers whose
values lie in the file: in one piece, or in chunks, packed by deflate and shuffle or not at all.
What names other files (external links and storage, virtual arrays) or needs code for its chunks
(other filters) is refused by what it is, never followed. See docs/decisions/0039.
"""

import io
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
from typing_extensions import override

from engine.data.read.stored import BadArrayError, StoredArray, fill
from engine.files import open_file, require_memory

_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_ROOT = 56  # where a superblock of version 0 has the entry of the root group
_NOWHERE = (1 << 64) - 1
_SPACE, _LINK_INFO, _TYPE, _LINK, _EXTERNAL = 0x01, 0x02, 0x03, 0x06, 0x07
_LAYOUT, _FILTERS, _CONTINUATION, _GROUP = 0x08, 0x0B, 0x10, 0x11
_COMPACT, _CONTIGUOUS, _CHUNKED = 0, 1, 2
_DEFLATE, _SHUFFLE = 1, 2
_MOST_MESSAGES, _MOST_NODES, _MOST_CHUNKS = 1_000, 1 << 18, 1 << 20
_LONGEST_BLOCK = 1 << 20
_LARGEST_CHUNK = 1 << 28
_MOST_DIMENSIONS = 32


class Chunk(NamedTuple):
    """Where the values of a part of an array lie: address, bytes, and a bit for each filter that
    was passed over.
    """

    address: int
    size: int
    mask: int


@dataclass(frozen=True, kw_only=True)
class ChunkedArray(StoredArray):
    """Array in chunks of one shape, by their place in the grid of them."""

    chunk: tuple[int, ...]
    filters: tuple[int, ...]
    chunks: Mapping[tuple[int, ...], Chunk]

    @override
    def _whole(self) -> np.ndarray:
        require_memory(self.nbytes)
        return self._rows(range(self.samples))

    @override
    def _rows(self, indices: Sequence[int]) -> np.ndarray:
        wanted = np.asarray(indices, np.int64)
        result = np.empty((len(wanted), *self.shape[1:]), self.dtype)
        sides = zip(self.shape[1:], self.chunk[1:], strict=True)
        grid = [range(-(-size // side)) for size, side in sides]
        numbers = wanted // self.chunk[0]
        with open_file(self.path) as stream:
            for number in np.unique(numbers).tolist():
                chosen = np.flatnonzero(numbers == number)
                rows = (wanted[chosen] % self.chunk[0]).tolist()
                for place in product(*grid):
                    starts = [at * side for at, side in zip(place, self.chunk[1:], strict=True)]
                    into = tuple(map(slice, starts, map(int.__add__, starts, self.chunk[1:])))
                    values = self._rows_of(stream, (number, *place), rows)
                    within = result[(slice(0, 1), *into)].shape[1:]
                    result[(chosen, *into)] = values[(slice(None), *map(slice, within))]
        return result

    def _rows_of(self, stream: IO[bytes], place: tuple[int, ...], rows: list[int]) -> np.ndarray:
        """Return some rows of a chunk; of one that is not packed no other is read."""
        found = self.chunks.get(place)
        if found is None:
            raise BadArrayError("D142", "values that were never written")
        shape = (len(rows), *self.chunk[1:])
        width = prod(self.chunk[1:]) * self.dtype.itemsize
        if not any(True for at in range(len(self.filters)) if not found.mask >> at & 1):
            room = bytearray(width * len(rows))
            view = memoryview(room)
            for number, row in enumerate(rows):
                stream.seek(found.address + row * width)
                fill(stream, view[number * width : (number + 1) * width])
            return np.frombuffer(room, self.dtype).reshape(shape)
        content = bytearray(found.size)
        stream.seek(found.address)
        fill(stream, memoryview(content))
        whole = self._unpacked(bytes(content), found.mask)
        return np.frombuffer(whole, self.dtype).reshape(self.chunk)[rows]

    def _unpacked(self, content: bytes, mask: int) -> bytes:
        size = prod(self.chunk) * self.dtype.itemsize
        for at in reversed(range(len(self.filters))):
            if mask >> at & 1:
                continue
            if self.filters[at] == _DEFLATE:
                content = zlib.decompressobj().decompress(content, size + 1)
            elif len(content) == size:  # shuffled: the first byte of each number, the second, ...
                pieces = np.frombuffer(content, np.uint8).reshape(self.dtype.itemsize, -1)
                content = pieces.T.tobytes()
        if len(content) != size:
            raise BadArrayError("D142", f"a chunk of {len(content)} bytes instead of {size}")
        return content


def hdf5_array(path: Path, name: str) -> StoredArray:
    """Return an array of the root group of a file: whole numbers, their values unread.

    Raises ``ValueError`` (:class:`~engine.data.read.stored.BadArrayError` among them) for a damaged
    file and for what is not read, and ``OSError``.
    """
    try:
        with open_file(path) as stream:
            file = _File(stream)
            return _array(path, file, file.find(name))
    except struct.error as error:
        raise BadArrayError("D142", str(error)) from error


class _File:
    """The pieces of a file by their addresses, none of which is beyond its end."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.size = stream.seek(0, io.SEEK_END)
        head = self.at(0, _ROOT + 40)
        if head[:8] != _SIGNATURE:
            raise BadArrayError("D144", "no HDF5 file")
        base = struct.unpack_from("<Q", head, 24)[0]
        if head[8] != 0 or head[13:15] != b"\x08\x08" or base:
            raise BadArrayError("D142", "a newer kind of HDF5, which is not read")
        self._root = struct.unpack_from("<Q", head, _ROOT + 8)[0]

    def at(self, address: int, size: int) -> bytes:
        """Return the bytes at an address."""
        if size > _LONGEST_BLOCK:
            raise BadArrayError("D142", f"a block of {size} bytes")
        self.require(address, size)
        self._stream.seek(address)
        room = bytearray(size)
        fill(self._stream, memoryview(room))
        return bytes(room)

    def require(self, address: int, size: int) -> None:
        """Refuse what is not in the file."""
        if address + size > self.size:
            raise BadArrayError("D142", "the file ends too early")

    def find(self, name: str) -> int:
        """Return the address of the header of an array in the root group."""
        messages = self.messages(self._root)
        if _GROUP not in messages:
            raise BadArrayError("D142", "a group of links, which is not read")
        tree, heap_at = struct.unpack_from("<QQ", messages[_GROUP])
        heap = self.at(heap_at, 32)
        length, _, names_at = struct.unpack_from("<QQQ", heap, 8)
        names = self.at(names_at, length)
        for _, leaf in self.leaves(tree, kind=0, key=8):
            node = self.at(leaf, 8)
            count = struct.unpack_from("<H", node, 6)[0]
            for start in range(0, count * 40, 40):
                entry = self.at(leaf + 8 + start, 40)
                offset, header, cached = struct.unpack_from("<QQI", entry)
                if names[offset:].partition(b"\x00")[0] == name.encode():
                    if cached == 2:
                        raise BadArrayError("D142", f"{name} is a link, which is not followed")
                    return header
        raise BadArrayError("D142", f"no array {name}")

    def messages(self, address: int) -> dict[int, bytes]:
        """Return the messages of an object header by their kinds, the first of each."""
        head = self.at(address, 16)
        if head[0] != 1:
            raise BadArrayError("D142", "a newer kind of header, which is not read")
        blocks = [(address + 16, struct.unpack_from("<I", head, 8)[0])]
        found: dict[int, bytes] = {}
        count = 0
        while blocks:
            block = self.at(*blocks.pop())
            at = 0
            while at + 8 <= len(block):
                kind, size, flags = struct.unpack_from("<HHB", block, at)
                body = block[at + 8 : at + 8 + size]
                at += 8 + size
                count += 1
                if count > _MOST_MESSAGES or len(body) < size or flags & 2:
                    raise BadArrayError("D142", "a header that is not read")
                if kind == _CONTINUATION:
                    blocks.append(struct.unpack_from("<QQ", body))
                else:
                    found.setdefault(kind, body)
        return found

    def leaves(self, tree: int, *, kind: int, key: int) -> Iterator[tuple[bytes, int]]:
        """Yield key and address of what a tree (version 1) holds, ``key`` bytes long each."""
        left = [(tree, -1)]
        nodes = 0
        while left:
            address, expected = left.pop()
            head = self.at(address, 24)
            level, count = struct.unpack_from("<BH", head, 5)
            nodes += 1
            if head[:4] != b"TREE" or head[4] != kind or nodes > _MOST_NODES:
                raise BadArrayError("D142", "a damaged tree")
            if expected >= 0 and level != expected:  # each step goes down, so none leads back
                raise BadArrayError("D142", "a damaged tree")
            body = self.at(address + 24, count * (key + 8))
            for start in range(0, len(body), key + 8):
                child = struct.unpack_from("<Q", body, start + key)[0]
                if level:
                    left.append((child, level - 1))
                else:
                    yield body[start : start + key], child


def _array(path: Path, file: _File, header: int) -> StoredArray:
    messages = file.messages(header)
    if _EXTERNAL in messages:
        raise BadArrayError("D142", "values in another file, which is not opened")
    if not {_SPACE, _TYPE, _LAYOUT} <= messages.keys():
        raise BadArrayError("D142", "no array")
    shape, dtype = _shape(messages[_SPACE]), _dtype(messages[_TYPE])
    layout = messages[_LAYOUT]
    if layout[0] != 3:
        raise BadArrayError("D142", f"an arrangement of values (version {layout[0]}) that is not"
                            " read")  # fmt: skip
    if layout[1] == _CHUNKED:
        return _chunked(path, file, shape, dtype, messages)
    if layout[1] != _CONTIGUOUS:
        raise BadArrayError("D142", "values in the header, which are not read")
    address, size = struct.unpack_from("<QQ", layout, 2)
    array = StoredArray(path=path, shape=shape, dtype=dtype, offset=address)
    if address == _NOWHERE or size != array.nbytes:
        raise BadArrayError("D142", f"{size} bytes instead of {array.nbytes}")
    file.require(address, size)
    return array


def _shape(message: bytes) -> tuple[int, ...]:
    version, rank = message[0], message[1]
    if version not in (1, 2) or not 0 < rank <= _MOST_DIMENSIONS:
        raise BadArrayError("D142", f"{rank} dimensions")
    return struct.unpack_from(f"<{rank}Q", message, 8 if version == 1 else 4)


def _dtype(message: bytes) -> np.dtype:
    kind, flags, size = message[0] & 15, message[1], struct.unpack_from("<I", message, 4)[0]
    offset, precision = struct.unpack_from("<HH", message, 8)
    if kind or size not in (1, 2, 4, 8) or offset or precision != size * 8:
        raise BadArrayError("D142", "elements that are no whole numbers")
    return np.dtype(f"{'>' if flags & 1 else '<'}{'i' if flags & 8 else 'u'}{size}")


def _chunked(
    path: Path, file: _File, shape: tuple[int, ...], dtype: np.dtype, messages: Mapping[int, bytes]
) -> ChunkedArray:
    layout = messages[_LAYOUT]
    rank = len(shape)
    tree = struct.unpack_from("<Q", layout, 3)[0]
    *chunk, width = struct.unpack_from(f"<{rank + 1}I", layout, 11)
    if layout[2] != rank + 1 or width != dtype.itemsize or min(chunk) < 1:
        raise BadArrayError("D142", f"chunks of the shape {chunk}")
    size = prod(chunk) * width
    if size > _LARGEST_CHUNK:
        raise BadArrayError("D148", f"chunks of {size} bytes")
    filters = _filters(messages[_FILTERS]) if _FILTERS in messages else ()
    chunks: dict[tuple[int, ...], Chunk] = {}
    for key, address in file.leaves(tree, kind=1, key=16 + 8 * rank):
        packed, mask, *starts = struct.unpack_from(f"<II{rank}Q", key)
        file.require(address, packed)
        is_plain = all(mask >> at & 1 for at in range(len(filters)))
        if packed > 2 * size + 1024 or (is_plain and packed != size):
            raise BadArrayError("D142", f"a chunk of {packed} bytes instead of {size}")
        place = tuple(start // side for start, side in zip(starts, chunk, strict=True))
        chunks[place] = Chunk(address, packed, mask)
        if len(chunks) > _MOST_CHUNKS:
            raise BadArrayError("D142", "too many chunks")
    if len(chunks) < prod(-(-size // side) for size, side in zip(shape, chunk, strict=True)):
        raise BadArrayError("D142", "values that were never written")
    return ChunkedArray(
        path=path, shape=shape, dtype=dtype, chunk=tuple(chunk), filters=filters, chunks=chunks
    )


def _filters(message: bytes) -> tuple[int, ...]:
    """Return the filters of chunks. Raises ``BadArrayError`` for any but deflate and shuffle, for
    which HDF5 would load a program.
    """
    if message[0] != 1:
        raise BadArrayError("D142", "a newer kind of packing, which is not read")
    found: list[int] = []
    at = 8
    for _ in range(message[1]):
        number, name, _, values = struct.unpack_from("<HHHH", message, at)
        if number not in (_DEFLATE, _SHUFFLE):
            raise BadArrayError("D142", f"packed by the filter {number}, which is not read")
        at += 8 + -(-name // 8) * 8 + 4 * (values + values % 2)
        found.append(number)
    return tuple(found)
