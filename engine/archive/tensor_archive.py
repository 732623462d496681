"""Files that ``torch.save`` wrote, read without ``torch.load``.

A confined process parses the file (:mod:`engine.sandbox.archive`) and describes its content; here
tensors are made from that description, and from the bytes at the offsets in it.
"""

import os
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import torch

from engine.archive.plain_values import PlainValues
from engine.diagnostics import DiagnosticError
from engine.files import NoFileError, describe_os_error, open_file, require_memory
from engine.sandbox import archive, reading
from engine.sandbox.answer import Archive, Archives, Refused
from engine.sandbox.inert import (
    DamagedPickleError,
    ExcessivePickleError,
    ForeignPickleError,
    from_table,
)
from engine.sandbox.reading import NoAnswerError, Reader

_AT_ONCE = 500  # archives: their offsets have to fit on a command line
_CODES = {"K003", "K004", "K005"}


def read_archive(path: Path, *, is_own: bool = False) -> object:
    """Return the object that a file holds, its tensors on the CPU. No code in it is ever run.

    A file that this process has just written (``is_own``) is read without another process.
    Raises :class:`DiagnosticError`: K001 for what is no file, K002 where there is none, K003 for
    damage, K004 for an archive of another make, K005 for objects that are no plain values, V008
    where the process that reads gives no answer, P0xx where the system does not let it be read, or
    has not the memory.
    """
    return _read(path, (), is_own=is_own)[0]


def read_pieces(path: Path, spans: Sequence[archive.Span]) -> list[object]:
    """Return the objects of the archives that lie in a file at ``spans``, as :func:`read_archive`
    does.
    """
    objects: list[object] = []
    for first in range(0, len(spans), _AT_ONCE):
        objects += _read(path, spans[first : first + _AT_ONCE], is_own=False)
    return objects


def _read(path: Path, spans: Sequence[archive.Span], *, is_own: bool) -> list[object]:
    try:
        with open_file(path) as stream:
            if is_own:
                answer = archive.read_archives(stream, spans)
            else:
                told = (f"{at}+{size}" for at, size in spans)
                answer = reading.ask(Reader.ARCHIVES, stream, *told)
            if isinstance(answer, Refused):
                code = answer.code if answer.code in _CODES else "K003"
                raise _refused(code, path, answer.detail)
            if not isinstance(answer, Archives) or len(answer.archives) != max(len(spans), 1):
                raise _refused("V008", path)
            require_memory(_size(answer, stream))
            return [_made(path, stream, one) for one in answer.archives]
    except (NoFileError, IsADirectoryError) as error:
        raise _refused("K001", path) from error
    except FileNotFoundError as error:
        raise _refused("K002", path, str(error)) from error
    except OSError as error:
        raise DiagnosticError(describe_os_error(error, path, "read")) from error
    except NoAnswerError as error:
        raise _refused("V008", path, str(error)) from error


def _size(answer: Archives, stream: IO[bytes]) -> int:
    """Return how many bytes all storages have; those of an archive are not larger than the file,
    which is asked again where they are read.
    """
    most = os.fstat(stream.fileno()).st_size
    return sum(
        min(sum(member.size for member in one.storages.values()), most) for one in answer.archives
    )


def _made(path: Path, stream: IO[bytes], description: Archive) -> object:
    try:
        numbers = _Numbers(stream, description)
        return PlainValues(numbers.storage, numbers.size).make(from_table(description.content))
    except ForeignPickleError as error:
        raise _refused("K005", path, str(error)) from error
    except ExcessivePickleError as error:
        raise _refused("K004", path, str(error)) from error
    except OSError:
        raise  # it is the system that does not go on reading
    except Exception as error:  # PyTorch tells in a dozen types what does not fit together
        raise _refused("K003", path, str(error)) from error


class _Numbers:
    """The storages of one archive, each read once."""

    def __init__(self, stream: IO[bytes], description: Archive) -> None:
        self._stream = stream
        self._description = description
        self._read: dict[str, torch.UntypedStorage] = {}
        self.size = os.fstat(stream.fileno()).st_size
        if sum(one.size for one in description.storages.values()) > self.size:
            raise ExcessivePickleError("storages are larger than the file")
        if description.byte_order not in {"", "little", "big"}:
            raise DamagedPickleError(f"byte order {description.byte_order}")

    def storage(self, key: str, dtype: torch.dtype, count: int) -> torch.UntypedStorage:
        """Return the storage that is kept by a key, of ``count`` numbers at least."""
        storage = self._read.get(key)
        if storage is None:
            storage = self._bytes(key)
            if self._description.byte_order not in {"", sys.byteorder}:
                storage.byteswap(dtype)
            self._read[key] = storage
        if storage.nbytes() < count * dtype.itemsize:
            raise DamagedPickleError(f"storage {key} is cut off")
        return storage

    def _bytes(self, key: str) -> torch.UntypedStorage:
        member = self._description.storages.get(key)
        if member is None:
            raise DamagedPickleError(f"storage {key} is missing")
        if member.offset < 0 or not 0 <= member.size <= self.size:
            raise DamagedPickleError(f"storage {key} is elsewhere")
        room = torch.empty(member.size, dtype=torch.uint8)
        view = memoryview(room.numpy())  # pyright: ignore[reportArgumentType] - numpy's arrays are buffers
        self._stream.seek(member.offset)
        done = 0
        while done < member.size:
            count = self._stream.readinto(view[done:])  # pyright: ignore[reportAttributeAccessIssue] - open_file returns a buffered reader
            if not count:
                raise DamagedPickleError(f"storage {key} is cut off")
            done += count
        if zlib.crc32(view) != member.checksum:
            raise DamagedPickleError(f"checksum of storage {key}")
        return room.untyped_storage()


def _refused(code: str, path: Path, detail: str = "") -> DiagnosticError:
    return DiagnosticError.of(code, detail=detail, file=path.name, folder=str(path.parent))
