"""NumPy's own files: npy, and npz, which is a zip of them. Never unpickled, never mapped: a file
that is cut off while it is mapped ends the process.
"""

import io
import struct
import tokenize
import warnings
import zipfile
from functools import partial
from math import prod
from pathlib import Path
from typing import IO

import numpy as np

from engine.data.read.stored import (
    BadArrayError,
    StoredArray,
    read_exactly,
    require_plain,
    require_sane_size,
)
from engine.files import open_file

_LONGEST_HEADER = 10_000  # as NumPy's own limit
_MOST_MEMBERS = 10_000
_LONGEST_DIRECTORY = 4 << 20
_END = struct.Struct("<4s4H2LH")  # of a zip: the record after the list of its members
_END_MARK = b"PK\x05\x06"
_LONGEST_COMMENT = 1 << 16
_SYNTAX = (ValueError, SyntaxError, TypeError, RecursionError, MemoryError, tokenize.TokenError)
"""What NumPy raises for a header that is no Python literal of the right form."""

# Filters belong to the whole process, so this one is set once.
warnings.filterwarnings("ignore", "Reading `.npy` or `.npz` file required", UserWarning)


def npy_header(path: Path, stream: IO[bytes]) -> StoredArray:
    """Return the array of an npy file; one in Fortran order is read whole.

    Raises :class:`BadArrayError`.
    """
    shape, is_fortran, dtype = _header(stream)
    offset = stream.tell()
    array = StoredArray(path=path, shape=shape, dtype=dtype, offset=offset)
    array.require_bytes(stream)
    if not is_fortran or len(shape) < 2:
        return array
    unpack = partial(_fortran, path, offset, shape, dtype)
    return StoredArray(path=path, shape=shape, dtype=dtype, unpack=unpack)


def npz_arrays(path: Path, stream: IO[bytes]) -> dict[str, StoredArray]:
    """Return the arrays of an npz file by name; the bytes of each are read when it is.

    Raises :class:`BadArrayError`, and ``zipfile.BadZipFile``.
    """
    _require_short_directory(stream)
    arrays: dict[str, StoredArray] = {}
    with zipfile.ZipFile(stream) as archive:
        for info in archive.infolist():
            if not info.filename.endswith(".npy"):
                continue
            name = info.filename.removesuffix(".npy")
            if name in arrays:
                raise BadArrayError("D142", f"two arrays of the name {name}")
            arrays[name] = _member(path, archive, info)
    if not arrays:
        raise BadArrayError("D144", "no arrays inside")
    return arrays


def _member(path: Path, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> StoredArray:
    require_sane_size(info.file_size, info.compress_size)
    if info.flag_bits & 1:
        raise BadArrayError("D142", f"{info.filename} is encrypted")
    with _opened(archive, info) as stream:
        shape, _, dtype = _header(stream)
        length = info.file_size - stream.tell()
    unpack = partial(_unpacked, path, info.filename)
    array = StoredArray(path=path, shape=shape, dtype=dtype, unpack=unpack)
    if array.nbytes != length:
        raise BadArrayError("D142", f"{length} bytes instead of {array.nbytes}")
    return array


def _unpacked(path: Path, member: str) -> np.ndarray:
    with open_file(path) as stream, zipfile.ZipFile(stream) as archive:
        info = archive.getinfo(member)
        require_sane_size(info.file_size, info.compress_size)
        with _opened(archive, info) as content:
            shape, is_fortran, dtype = _header(content)
            if content.tell() + prod(shape) * dtype.itemsize != info.file_size:
                raise BadArrayError("D142", f"{member} has another size")
            layout = shape[::-1] if is_fortran else shape
            values = _ordered(read_exactly(content, layout, dtype, path), is_fortran=is_fortran)
            content.read(1)  # so that the checksum is compared
            return values


def _opened(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    try:
        return archive.open(info)
    except (NotImplementedError, RuntimeError, UnicodeError) as error:  # of packing, encryption
        raise BadArrayError("D142", str(error)) from error


def _fortran(path: Path, offset: int, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    with open_file(path) as stream:
        stream.seek(offset)
        return _ordered(read_exactly(stream, shape[::-1], dtype, path), is_fortran=True)


def _ordered(values: np.ndarray, *, is_fortran: bool) -> np.ndarray:
    return np.ascontiguousarray(values.T) if is_fortran else values


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype]:
    try:
        version = np.lib.format.read_magic(stream)
        if version == (1, 0):
            header = np.lib.format.read_array_header_1_0(stream, _LONGEST_HEADER)
        elif version == (2, 0):
            header = np.lib.format.read_array_header_2_0(stream, _LONGEST_HEADER)
        else:
            raise BadArrayError("D142", f"version {version} of the npy format")
    except BadArrayError:
        raise
    except _SYNTAX as error:
        raise BadArrayError("D142", str(error)[:200]) from error
    shape, is_fortran, dtype = header
    require_plain(dtype)
    return shape, is_fortran, dtype


def _require_short_directory(stream: IO[bytes]) -> None:
    """Refuse a list of members that ``zipfile`` would need seconds and all memory for."""
    size = stream.seek(0, io.SEEK_END)
    stream.seek(max(0, size - _LONGEST_COMMENT - _END.size))
    tail = stream.read()
    stream.seek(0)
    at = tail.rfind(_END_MARK)
    if at < 0 or at + _END.size > len(tail):
        raise BadArrayError("D142", "the zip has no end")
    _, _, _, _, members, length, _, _ = _END.unpack_from(tail, at)
    if members > _MOST_MEMBERS or length > _LONGEST_DIRECTORY:
        raise BadArrayError("D142", f"{members} members")
