"""Array in a file: shape and type by its header, values when they are asked for."""

import io
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import IO

import numpy as np

from engine.data.read.listening import tell_progress
from engine.diagnostics import DiagnosticError
from engine.files import describe_os_error, open_file, require_memory

_KINDS = "biufUS"
"""Types of elements that are read: truth values, whole and decimal numbers, texts."""

_DAMAGE = (ValueError, EOFError, KeyError, NotImplementedError, zipfile.BadZipFile, zlib.error)
"""What the unpacking of a file raises that is not what its list of contents said."""

_LARGEST = 1 << 62
_TOLD_BYTES = 16 << 20
_MOST_DIMENSIONS = 32
_PACKED_RATIO = 200  # times its packed size, more is no data
_LEAST_UNPACKED = 64 << 20  # bytes that are allowed for any ratio


class BadArrayError(ValueError):
    """A file or an array in it cannot be used; ``code`` is the finding (D142 to D148, D579)."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True, kw_only=True)
class StoredArray:
    """Array of a file: ``offset`` is where its values begin, where they are there row after row,
    else ``unpack`` reads them whole.
    """

    path: Path
    shape: tuple[int, ...]
    dtype: np.dtype
    offset: int | None = None
    unpack: Callable[[], np.ndarray] | None = None

    def __post_init__(self) -> None:
        """Refuse shapes that no array has."""
        if len(self.shape) > _MOST_DIMENSIONS or min(self.shape, default=0) < 0:
            raise BadArrayError("D142", f"the shape {self.shape}")
        if prod(size for size in self.shape if size) * self.dtype.itemsize >= _LARGEST:
            raise BadArrayError("D142", f"the shape {self.shape}")

    @property
    def samples(self) -> int:
        """The length of the first axis, 1 for a single number."""
        return self.shape[0] if self.shape else 1

    @property
    def nbytes(self) -> int:
        """The size of all values."""
        return prod(self.shape) * self.dtype.itemsize

    def require_bytes(self, stream: IO[bytes]) -> None:
        """Refuse a header that claims another size than the file has."""
        assert self.offset is not None
        size = stream.seek(0, io.SEEK_END) - self.offset
        if size != self.nbytes:
            raise BadArrayError("D142", f"{size} bytes instead of {self.nbytes}")

    def read(self) -> np.ndarray:
        """Return all values, in the byte order of this machine. Raises :class:`DiagnosticError`:
        D142 for damage, D148 where memory does not hold them, P0xx where the system fails.
        """
        return self._guarded(self._whole)

    def rows(self, indices: Sequence[int]) -> np.ndarray:
        """Return some rows of an array that has an ``offset``, reading no other. Raises as
        :meth:`read` does.
        """
        return self._guarded(lambda: self._rows(indices))

    def _guarded(self, read: Callable[[], np.ndarray]) -> np.ndarray:
        try:
            values = read()
        except BadArrayError as error:
            raise self._problem(error.code, error) from error
        except _DAMAGE as error:
            raise self._problem("D142", error) from error
        except OSError as error:
            problem = describe_os_error(error, self.path, "read")
            raise DiagnosticError(problem) from error
        return values.astype(values.dtype.newbyteorder("="), copy=False)

    def _problem(self, code: str, error: Exception) -> DiagnosticError:
        return DiagnosticError.of(
            code, detail=str(error), field="data.source.path", file=self.path.name
        )

    def _whole(self) -> np.ndarray:
        require_memory(self.nbytes)
        if self.unpack is not None:
            values = self.unpack()
            if values.shape != self.shape:
                raise BadArrayError("D142", f"the shape {values.shape} instead of {self.shape}")
            return values
        with open_file(self.path) as stream:
            stream.seek(self.offset or 0)
            return read_exactly(stream, self.shape, self.dtype, self.path)

    def _rows(self, indices: Sequence[int]) -> np.ndarray:
        assert self.offset is not None
        width = prod(self.shape[1:]) * self.dtype.itemsize
        room = bytearray(width * len(indices))
        view = memoryview(room)
        with open_file(self.path) as stream:
            for first, last in _runs(indices):
                stream.seek(self.offset + indices[first] * width)
                fill(stream, view[first * width : last * width])
        return np.frombuffer(room, self.dtype).reshape(len(indices), *self.shape[1:])


def require_plain(dtype: np.dtype) -> None:
    """Refuse Python objects (D143), and records and other types that are no real numbers (D579)."""
    if dtype.hasobject:
        raise BadArrayError("D143", str(dtype))
    if dtype.kind not in _KINDS or not dtype.itemsize:
        raise BadArrayError("D579", f"elements of the type {dtype}")


def require_sane_size(size: int, packed: int) -> None:
    """Refuse what would grow beyond all data when it is unpacked."""
    if size > most_unpacked(packed):
        raise BadArrayError("D148", f"{size} bytes from {packed}")


def most_unpacked(packed: int) -> int:
    """Return how many bytes may come out of so many that are packed."""
    return max(packed * _PACKED_RATIO, _LEAST_UNPACKED)


def read_exactly(
    stream: IO[bytes], shape: tuple[int, ...], dtype: np.dtype, path: Path
) -> np.ndarray:
    """Return an array of the next bytes of a stream of a file; one that ends before is damaged.
    Whoever listens is told how far it is.
    """
    room = bytearray(prod(shape) * dtype.itemsize)
    view = memoryview(room)
    for start in range(0, len(room), _TOLD_BYTES):
        tell_progress(path, start, "bytes", len(room))
        fill(stream, view[start : start + _TOLD_BYTES])
    return np.frombuffer(room, dtype).reshape(shape)


def fill(stream: IO[bytes], view: memoryview) -> None:
    """Read exactly as many bytes as there is room for."""
    done = 0
    while done < len(view):
        count = stream.readinto(view[done:])  # pyright: ignore[reportAttributeAccessIssue] - open_file returns a buffered reader
        if not count:
            raise BadArrayError("D142", "the file ends too early")
        done += count


def _runs(indices: Sequence[int]) -> list[tuple[int, int]]:
    """Return where rows that follow each other in the file begin and end among ``indices``."""
    cuts = [0, *(at + 1 for at, (a, b) in enumerate(pairwise(indices)) if b != a + 1)]
    return list(pairwise([*cuts, len(indices)])) if indices else []
