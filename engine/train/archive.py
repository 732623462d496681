"""What can be known of a file of tensors before it is loaded: whole, plain and of honest size.

PyTorch writes checksums into its zip files and does not look at them; a compressed member can
unfold to any size. Both are checked here, without torch.
"""

import io
import stat
import zipfile
from pathlib import Path, PurePosixPath
from typing import IO

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import describe_os_error

_MOST_MEMBERS = 100_000


def check_archive(path: Path) -> None:
    """Raise :class:`DiagnosticError` (K001 to K005) unless the file is a whole, plain zip.

    Every member is stored (not compressed), named once, inside the archive, and matches its
    checksum; together they are not larger than the file.
    """
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            raise _refused("K001", path)
        with path.open("rb") as stream:
            _check(path, stream, path.stat().st_size)
    except FileNotFoundError as error:
        raise _refused("K002", path, str(error)) from error
    except OSError as error:
        raise DiagnosticError(describe_os_error(error, path)) from error


def check_piece(path: Path, offset: int, length: int) -> None:
    """Raise :class:`DiagnosticError` as :func:`check_archive` does of a zip that is a piece of a
    file: ``length`` bytes from ``offset`` on.
    """
    with path.open("rb") as stream:
        stream.seek(offset)
        piece = stream.read(length)
    _check(path, io.BytesIO(piece), len(piece))


def _check(path: Path, stream: IO[bytes], size: int) -> None:
    try:
        with zipfile.ZipFile(stream) as archive:
            _check_members(path, archive.infolist(), size)
            broken = archive.testzip()
    except zipfile.BadZipFile as error:
        raise _refused("K003", path, str(error)) from error
    except (NotImplementedError, EOFError, ValueError, RuntimeError) as error:
        raise _refused("K003", path, str(error)) from error
    if broken is not None:
        raise _refused("K003", path, f"checksum of {broken}")


def _check_members(path: Path, members: list[zipfile.ZipInfo], size: int) -> None:
    if len(members) > _MOST_MEMBERS:
        raise _refused("K004", path, f"{len(members)} members")
    if len({member.filename for member in members}) != len(members):
        raise _refused("K004", path, "duplicate member names")
    for member in members:
        if member.compress_type != zipfile.ZIP_STORED:
            raise _refused("K004", path, f"{member.filename} is compressed")
        name = PurePosixPath(member.filename)
        if name.is_absolute() or ".." in name.parts:
            raise _refused("K004", path, f"member {member.filename}")
    if sum(member.file_size for member in members) > size:
        raise _refused("K004", path, "members are larger than the file")


def _refused(code: str, path: Path, detail: str = "") -> DiagnosticError:
    params: dict[str, str | int | float] = {"file": path.name, "folder": str(path.parent)}
    return DiagnosticError(Diagnostic(code=code, params=params, detail=detail))
