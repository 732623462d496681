"""Unpacking of archives that somebody else made: plain files, inside the folder, of sane size.

Everything is unpacked beside its place first and put there when the archive has been read to its
end, so that an archive that is refused, or interrupted, leaves nothing.
"""

import bz2
import gzip
import lzma
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, cast

from engine.data.fetch.progress import Tell
from engine.data.read.stored import most_unpacked
from engine.diagnostics import DiagnosticError
from engine.files import confined, describe_os_error, is_link, open_file

_FIELD = "data.source.path"
_SUFFIX = ".unpacking"
_PIECE = 1 << 20
_MOST_MEMBERS = 3_000_000
_TAR_ENDINGS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tbz", ".tar.xz")
_DAMAGE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    ValueError,
    NotImplementedError,  # a version of zip
    RuntimeError,  # a zip with a password
)


class _Budget:
    """How much may come out of an archive."""

    def __init__(self, archive: Path) -> None:
        self._archive = archive
        self._left = most_unpacked(archive.stat().st_size)
        self._members = 0

    def spend(self, size: int) -> None:
        """Count bytes. Raises :class:`DiagnosticError` (D252) where there are too many."""
        self._left -= size
        if self._left < 0:
            raise self._excess()

    def count(self) -> None:
        """Count a member. Raises :class:`DiagnosticError` (D252) where there are too many."""
        self._members += 1
        if self._members > _MOST_MEMBERS:
            raise self._excess()

    def _excess(self) -> DiagnosticError:
        folder = str(self._archive.parent)
        return DiagnosticError.of("D252", field=_FIELD, file=self._archive.name, folder=folder)


def unpack(archive: Path, folder: Path, tell: Tell) -> None:
    """Unpack a tar, zip, gz, bz2 or xz file into a folder; other files of the folder stay.

    Raises :class:`DiagnosticError`: D250 for a member outside of the folder, a link or a device,
    D252 for what grows beyond all data, D253 for a damaged archive, or the file findings.
    """
    beside = folder / f".{archive.name}{_SUFFIX}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _discard(beside)
        beside.mkdir()
        try:
            _unpack(archive, beside, tell)
            _move(beside, folder)
        finally:
            _discard(beside)
    except DiagnosticError:
        raise
    except _DAMAGE as error:
        detail = f"{type(error).__name__}: {error}"
        raise DiagnosticError.of("D253", field=_FIELD, detail=detail, file=str(archive)) from error
    except OSError as error:
        if error.errno is None:  # of bz2: not the system's
            raise DiagnosticError.of(
                "D253", field=_FIELD, detail=str(error), file=str(archive)
            ) from error
        raise DiagnosticError(describe_os_error(error, folder, "write")) from error


def _unpack(archive: Path, folder: Path, tell: Tell) -> None:
    name = archive.name.lower()
    total = archive.stat().st_size
    if not total:
        raise ValueError("an empty file")
    budget = _Budget(archive)
    with open_file(archive) as packed:

        def heard() -> None:
            tell("unpack", archive.name, min(packed.tell(), total), total)

        if name.endswith(".zip"):
            members = _zip_members(archive, packed)
        elif name.endswith(_TAR_ENDINGS):
            members = _tar_members(archive, packed, budget)
        else:
            members = iter([(Path(archive.name).stem, _opened(packed, name))])
        for place, content in members:
            budget.count()
            _write(_target(archive, folder, place), content, budget)
            heard()


def _target(archive: Path, folder: Path, place: str) -> Path:
    """Return where a member goes. Raises :class:`DiagnosticError` (D250) where that is outside."""
    parts = [part for part in PurePosixPath(place).parts if part != "."]
    if PurePosixPath(place).is_absolute():
        raise _foreign(archive, place)
    try:
        return confined(folder, "/".join(parts))
    except DiagnosticError as error:
        raise _foreign(archive, place) from error


def _foreign(archive: Path, place: str) -> DiagnosticError:
    return DiagnosticError.of("D250", field=_FIELD, file=archive.name, member=place[:100])


def _write(target: Path, content: IO[bytes], budget: _Budget) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as stream:
        while piece := content.read(_PIECE):
            budget.spend(len(piece))
            stream.write(piece)


def _zip_members(archive: Path, packed: IO[bytes]) -> Iterator[tuple[str, IO[bytes]]]:
    with zipfile.ZipFile(packed) as opened:
        for member in opened.infolist():
            mode = member.external_attr >> 16
            if member.is_dir():
                continue
            if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                raise _foreign(archive, member.filename)
            with opened.open(member) as content:
                yield member.filename, content


def _tar_members(
    archive: Path, packed: IO[bytes], budget: _Budget
) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield the files of a tar. Its own headers count too: they can be as long as they say."""
    name = archive.name.lower()
    stream = _Counted(_opened(packed, name) if not name.endswith(".tar") else packed, budget)
    with tarfile.open(fileobj=cast("IO[bytes]", stream), mode="r|") as opened:
        for member in opened:
            if member.isdir():
                continue
            content = opened.extractfile(member) if member.isreg() else None
            if content is None:
                raise _foreign(archive, member.name)
            yield member.name, content


class _Counted:
    """Stream whose bytes are counted as they are read."""

    def __init__(self, stream: IO[bytes], budget: _Budget) -> None:
        self._stream = stream
        self._budget = budget

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""
        found = self._stream.read(min(size, _PIECE) if size >= 0 else _PIECE)
        self._budget.spend(len(found))
        return found


def _opened(packed: IO[bytes], name: str) -> IO[bytes]:
    """Return what a packed file holds, as a stream."""
    if name.endswith((".bz2", ".tbz", ".tbz2")):
        return cast("IO[bytes]", bz2.BZ2File(packed))
    if name.endswith(".xz"):
        return cast("IO[bytes]", lzma.LZMAFile(packed))
    if name.endswith((".gz", ".tgz")):
        return cast("IO[bytes]", gzip.GzipFile(fileobj=packed))
    raise ValueError(f"no archive: {name}")


def _move(beside: Path, folder: Path) -> None:
    """Put everything where it belongs, file by file: other files of the folders stay."""
    for path in sorted(beside.rglob("*")):
        if path.is_dir():
            continue
        target = folder / path.relative_to(beside)
        target.parent.mkdir(parents=True, exist_ok=True)
        path.replace(target)


def _discard(folder: Path) -> None:
    """Remove what an interrupted attempt left."""
    if is_link(folder):
        folder.unlink()
    elif folder.is_dir():
        shutil.rmtree(folder)
