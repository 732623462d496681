"""Header and names of the idx format, in which MNIST and its kin are published (yann.lecun.com,
1998).
"""

import struct
from typing import IO, Protocol

import numpy as np

from engine.data.read.stored import BadArrayError

_DTYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
_MOST_DIMENSIONS = 8
ENDINGS = (".idx", ".idx.gz")
"""What idx files end in that are not called as MNIST's are."""


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def is_idx(name: str) -> bool:
    """Return whether a file is of the idx format, by its name, packed or not."""
    return "ubyte" in name.lower() or name.lower().endswith(ENDINGS)


def idx_header(stream: IO[bytes] | _Readable) -> tuple[tuple[int, ...], np.dtype]:
    """Return shape and type of the values that follow; the stream then stands at the first one.

    Raises :class:`BadArrayError` for what is no such header.
    """
    start = stream.read(4)
    if len(start) < 4 or start[:2] != b"\0\0" or start[2] not in _DTYPES:
        raise BadArrayError("D144", "no header of an idx file")
    count = start[3]
    sizes = stream.read(4 * count)
    if not 1 <= count <= _MOST_DIMENSIONS or len(sizes) < 4 * count:
        raise BadArrayError("D142", f"an idx header of {count} dimensions")
    return struct.unpack(f">{count}I", sizes), np.dtype(_DTYPES[start[2]])
