"""Reader of matrices of bytes in MATLAB's format of version 5, which SVHN is published in.

Only plain numeric arrays are taken; objects, functions and cells are passed over.
"""

import struct
import zlib
from math import prod
from pathlib import Path

import numpy as np

from engine.data.read.stored import most_unpacked
from engine.files import read_file, require_memory

_HEADER = 128
_ENDIAN = b"IM"
_MATRIX, _COMPRESSED = 14, 15
_TYPES = {1: "i1", 2: "u1", 3: "<i2", 4: "<u2", 5: "<i4", 6: "<u4", 7: "<f4", 9: "<f8"}
_NUMERIC = range(6, 14)  # classes of arrays: double to uint32
_MOST_BYTES = 4 << 30
_MOST_MATRICES = 100
_MOST_DIMENSIONS = 8


def read_matrices(path: Path) -> dict[str, np.ndarray]:
    """Return the numeric arrays of a file by name. Raises ``ValueError`` for what is damaged or in
    another format, and ``OSError``.
    """
    content = memoryview(read_file(path, _MOST_BYTES))
    if len(content) < _HEADER or bytes(content[126:128]) != _ENDIAN:
        raise ValueError("no MATLAB file of version 5")
    matrices: dict[str, np.ndarray] = {}
    at = _HEADER
    while at + 8 <= len(content) and len(matrices) < _MOST_MATRICES:
        kind, start, end, at = _element(content, at, is_padded=False)
        body = content[start:end]
        if kind == _COMPRESSED:
            body = _inflated(body)
            kind, start, end, _ = _element(body, 0)
            body = body[start:end]
        if kind == _MATRIX:
            named = _matrix(body)
            if named is not None:
                matrices[named[0]] = named[1]
    return matrices


def _inflated(packed: memoryview) -> memoryview:
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(packed, most_unpacked(len(packed)))
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not unpacker.eof:
        raise ValueError("cut off, or far larger than it is packed")
    return memoryview(content)


def _element(content: memoryview, at: int, *, is_padded: bool = True) -> tuple[int, int, int, int]:
    """Return kind, start and end of an element, and where the next one begins."""
    if at + 8 > len(content):
        raise ValueError("cut off")
    kind, size = struct.unpack_from("<II", content, at)
    start = at + 8
    if kind >> 16:  # a small one: kind and size in four bytes, the values in the next four
        kind, size, start = kind & 0xFFFF, kind >> 16, at + 4
        after = at + 8
    else:
        after = start + (-(-size // 8) * 8 if is_padded else size)
    if start + size > len(content):
        raise ValueError("cut off")
    return kind, start, start + size, after


def _matrix(body: memoryview) -> tuple[str, np.ndarray] | None:
    """Return name and values of an array; None for one that is not numeric."""
    _, start, end, at = _element(body, 0)
    if end - start < 4 or body[start] not in _NUMERIC or body[start + 1] & 0x08:
        return None
    _, start, end, at = _element(body, at)
    shape = struct.unpack(f"<{(end - start) // 4}i", body[start : start + (end - start) // 4 * 4])
    _, start, end, at = _element(body, at)
    name = bytes(body[start:end]).decode("ascii", "replace")
    kind, start, end, _ = _element(body, at)
    if kind not in _TYPES or len(shape) > _MOST_DIMENSIONS or min(shape, default=-1) < 0:
        raise ValueError("an array of an unknown kind")
    dtype = np.dtype(_TYPES[kind])
    if prod(shape) * dtype.itemsize != end - start:
        raise ValueError(f"{end - start} bytes for the shape {shape}")
    require_memory(end - start)
    return name, np.frombuffer(body[start:end], dtype).reshape(shape, order="F")
