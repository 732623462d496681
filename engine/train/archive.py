"""What can be known of a file of tensors before it is loaded: whole, plain and of honest size.

PyTorch writes checksums into its zip files and does not look at them; a compressed member can
unfold to any size, and so can the pickle that tells of the tensors. All is checked here, without
torch. What Python's reader of zip files sees has to be what PyTorch's sees, so a file that two
readers could take for two is refused.
"""

import io
import struct
import zipfile
from pathlib import Path, PurePosixPath
from typing import IO

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import NoFileError, describe_os_error, open_file
from engine.train.pickled import DamagedPickleError, ForeignPickleError, PickleError
from engine.train.plain_pickle import LONGEST_PICKLE, require_plain

_MOST_MEMBERS = 100_000
_END = struct.Struct("<4s4H2LH")
_LOCATOR = struct.Struct("<4sLQL")
_END_64 = struct.Struct("<4sQ2H2L4Q")


def check_archive(path: Path) -> None:
    """Raise :class:`DiagnosticError` (K001 to K005) unless the file is a whole, plain zip.

    Every member is stored (not compressed), named once, inside the archive, and matches its
    checksum; together they are not larger than the file. Pickles hold tensors and plain values.
    """
    try:
        with open_file(path) as stream:
            _check(path, stream, path.stat().st_size)
    except (NoFileError, IsADirectoryError) as error:
        raise _refused("K001", path) from error
    except FileNotFoundError as error:
        raise _refused("K002", path, str(error)) from error
    except OSError as error:
        raise DiagnosticError(describe_os_error(error, path)) from error


def check_piece(path: Path, offset: int, length: int) -> None:
    """Raise :class:`DiagnosticError` as :func:`check_archive` does of a zip that is a piece of a
    file: ``length`` bytes from ``offset`` on.
    """
    with open_file(path) as stream:
        stream.seek(offset)
        piece = stream.read(length)
    _check(path, io.BytesIO(piece), len(piece))


def _check(path: Path, stream: IO[bytes], size: int) -> None:
    try:
        with zipfile.ZipFile(stream) as archive:
            _check_members(path, archive.infolist(), size)
            if not _has_one_reading(stream, size):
                raise _refused("K004", path, "the end of the archive")
            broken = archive.testzip()
            if broken is None:
                _check_pickles(path, archive, size)
    except zipfile.BadZipFile as error:
        raise _refused("K003", path, str(error)) from error
    except (NotImplementedError, EOFError, ValueError, RuntimeError) as error:
        raise _refused("K003", path, str(error)) from error
    if broken is not None:
        raise _refused("K003", path, f"checksum of {broken}")


def _check_members(path: Path, members: list[zipfile.ZipInfo], size: int) -> None:
    if len(members) > _MOST_MEMBERS:
        raise _refused("K004", path, f"{len(members)} members")
    # PyTorch takes upper and lower case for the same
    if len({member.filename.lower() for member in members}) != len(members):
        raise _refused("K004", path, "duplicate member names")
    for member in members:
        if member.compress_type != zipfile.ZIP_STORED:
            raise _refused("K004", path, f"{member.filename} is compressed")
        name = PurePosixPath(member.filename)
        if name.is_absolute() or ".." in name.parts:
            raise _refused("K004", path, f"member {member.filename}")
    if sum(member.file_size for member in members) > size:
        raise _refused("K004", path, "members are larger than the file")


def _check_pickles(path: Path, archive: zipfile.ZipFile, size: int) -> None:
    for member in archive.infolist():
        if not member.filename.lower().endswith(".pkl"):
            continue
        if member.file_size > LONGEST_PICKLE:
            raise _refused("K004", path, f"{member.filename} is too large")
        try:
            require_plain(archive.read(member), size)
        except DamagedPickleError as error:
            raise _refused("K003", path, str(error)) from error
        except ForeignPickleError as error:
            raise _refused("K005", path, str(error)) from error
        except PickleError as error:
            raise _refused("K004", path, str(error)) from error


def _has_one_reading(stream: IO[bytes], size: int) -> bool:
    """Return whether the archive ends with its end, and its list of members lies right before."""
    stream.seek(max(size - _END.size - _LOCATOR.size - _END_64.size, 0))
    tail = stream.read()
    if len(tail) < _END.size:
        return False
    mark, *numbers, comment = _END.unpack(tail[-_END.size :])
    if mark != b"PK\5\6" or comment:
        return False
    rest = tail[: -_END.size]
    if rest[-_LOCATOR.size :].startswith(b"PK\6\7"):
        return _has_one_end(rest, numbers, size - _END.size)
    return numbers[4] + numbers[5] == size - _END.size


def _has_one_end(rest: bytes, short: list[int], end: int) -> bool:
    """Return whether the end of a large archive lies where it is said to lie and says the same as
    the short one after it, whose numbers are all ones where they do not fit.
    """
    if len(rest) < _END_64.size + _LOCATOR.size:
        return False
    found = _END_64.unpack(rest[-_END_64.size - _LOCATOR.size : -_LOCATOR.size])
    place = _LOCATOR.unpack(rest[-_LOCATOR.size :])[2]
    long = found[4:]
    is_same = all(
        one in (other, (1 << 8 * width) - 1)
        for one, other, width in zip(short, long, (2, 2, 2, 2, 4, 4), strict=True)
    )
    start = end - _LOCATOR.size - _END_64.size
    is_placed = found[0] == b"PK\6\6" and found[1] == _END_64.size - 12 and place == start
    return is_same and is_placed and long[4] + long[5] == start


def _refused(code: str, path: Path, detail: str = "") -> DiagnosticError:
    params: dict[str, str | int | float] = {"file": path.name, "folder": str(path.parent)}
    return DiagnosticError(Diagnostic(code=code, params=params, detail=detail))
