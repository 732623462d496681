"""Heads of WAV files: libsndfile reads one that was cut off as if it had been shorter."""

import os
import struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from io import BufferedReader

_MOST_CHUNKS = 1000
_UNKNOWN = 0x7FFFF000
"""From this size on a program said that it did not know it: it wrote to a pipe."""


class MissingBytes(NamedTuple):
    """How many bytes of sound a file says that it has, and how many are there."""

    told: int
    there: int


def missing_bytes(stream: "BufferedReader") -> MissingBytes | None:
    """Return what a WAV file (RIFF or RF64) lacks of what its head says; None for one that is
    whole, does not know its size, or is no WAV file. The stream stays at its start.
    """
    try:
        return _missing_bytes(stream)
    finally:
        stream.seek(0)


def _missing_bytes(stream: "BufferedReader") -> MissingBytes | None:
    end = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    head = stream.read(12)
    if head[:4] not in (b"RIFF", b"RF64") or head[8:] != b"WAVE":
        return None
    long_size = 0
    for _ in range(_MOST_CHUNKS):
        chunk = stream.read(8)
        if len(chunk) < 8:
            return None
        name, size = chunk[:4], struct.unpack("<I", chunk[4:])[0]
        start = stream.tell()
        if name == b"ds64":
            content = stream.read(16)
            long_size = struct.unpack("<Q", content[8:])[0] if len(content) == 16 else 0
        if name == b"data":
            told = size if size < _UNKNOWN else long_size
            there = end - start
            return MissingBytes(told, there) if there < told else None
        stream.seek(start + size + size % 2)
    return None
