"""Files of arrays in the cache, mapped into memory: what was computed once of the user's data.

A file is a line that says what it is, the length and the text (JSON) of the head, then the arrays,
each at a multiple of 64 bytes. A checksum over the arrays stands in the head.
"""

import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.data.read.cache import write_cached
from engine.decoding import decode_json
from engine.files import UNDECODABLE, WriteTarget, open_file

Arrays = Mapping[str, NDArray[np.generic]]
DTypes = Mapping[str, type[np.generic]]

_ALIGNMENT = 64
_LONGEST_HEAD = 256 << 20


class StoredArrays(NamedTuple):
    """The head of a file as JSON, and its arrays."""

    head: bytes
    arrays: dict[str, NDArray[np.generic]]


class _File(msgspec.Struct, frozen=True, kw_only=True):
    """The head of a file: what is said of the arrays, how long they are, and their CRC-32."""

    head: msgspec.Raw
    lengths: dict[str, int]
    checksum: int


def map_arrays(file: Path, sign: bytes, dtypes: DTypes) -> StoredArrays | None:
    """Return what a file of the kind ``sign`` holds, its arrays mapped; None for what is none, or
    damaged.
    """
    try:
        with open_file(file, follow=False) as stream:
            if stream.read(len(sign)) != sign:
                return None
            length = int.from_bytes(stream.read(8), "little")
            if length > _LONGEST_HEAD:
                return None
            described = decode_json(stream.read(length), _File)
            arrays = _mapped(file, len(sign) + 8 + length, described.lengths, dtypes)
    except (OSError, ValueError, *UNDECODABLE):
        return None
    if _checksum(arrays) != described.checksum:
        return None
    return StoredArrays(bytes(described.head), arrays)


def store_arrays(file: Path, sign: bytes, head: bytes, arrays: Arrays, limit: int) -> bool:
    """Write arrays, and remove those of the folder that were written longest ago until all take at
    most ``limit`` bytes. Return whether they are written: a full disk costs speed alone.
    """
    described = _File(
        head=msgspec.Raw(head),
        lengths={name: len(values) for name, values in arrays.items()},
        checksum=_checksum(arrays),
    )
    text = msgspec.json.encode(described)

    def content(target: WriteTarget) -> None:
        target.write(sign + len(text).to_bytes(8, "little") + text)
        position = len(sign) + 8 + len(text)
        for values in arrays.values():
            target.write(bytes(-position % _ALIGNMENT))
            position += -position % _ALIGNMENT
            target.write(_bytes(values))
            position += values.nbytes

    return write_cached(file, content, limit)


def _mapped(
    file: Path, position: int, lengths: Mapping[str, int], dtypes: DTypes
) -> dict[str, NDArray[np.generic]]:
    """Map the arrays. Raises ``ValueError`` where the file has another length."""
    arrays: dict[str, NDArray[np.generic]] = {}
    size = file.stat().st_size
    for name, dtype in dtypes.items():
        position += -position % _ALIGNMENT
        length = lengths.get(name, -1)
        end = position + length * np.dtype(dtype).itemsize
        if length < 0 or end > size:
            raise ValueError(name)
        arrays[name] = (
            np.memmap(file, dtype, "r", position, (length,)) if length else np.empty(0, dtype)
        )
        position = end
    if position != size:
        raise ValueError("length")
    return arrays


def _checksum(arrays: Arrays) -> int:
    checksum = 0
    for values in arrays.values():
        checksum = zlib.crc32(_bytes(values), checksum)
    return checksum


def _bytes(values: NDArray[np.generic]) -> memoryview:
    """Return what stands in memory, without a copy."""
    return np.ascontiguousarray(values).view(np.uint8).data
