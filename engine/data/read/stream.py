"""Streams of the user's files: plain files only, unpacked within bounds, text line by line."""

import codecs
import errno
import gzip
import io
import os
import zlib
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO

import psutil
from typing_extensions import override

from engine.data.read.listening import tell_progress
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import NoFileError, open_file

GZIP = b"\x1f\x8b"
LONGEST_LINE = 16 << 20
"""How many characters a line of text has at most."""

_PIECE = 1 << 20  # characters
_SIZE_BYTES = 4  # at the end of a gzip: how large its content is
_MEMORY_SHARE = 3  # a table takes up to three times its text in memory
_FIELD = "data.source.path"


def damaged(path: Path, error: object) -> DiagnosticError:
    """Return the failure (D033) of a file whose content is not what its kind promises."""
    return DiagnosticError.of("D033", field=_FIELD, detail=str(error)[:500], file=str(path))


def unreadable(path: Path, error: OSError) -> DiagnosticError:
    """Return the failure of what the system does not let be read: D055 without permission, D021
    else.
    """
    return _failure("D055" if isinstance(error, PermissionError) else "D021", path, error)


@contextmanager
def opened(path: Path) -> Generator[IO[bytes]]:
    """Open a file for reading.

    Raises ``DiagnosticError``: D020 for one that is not there, D055 without permission, D021 for
    what cannot be read else, D035 where it changed before it was closed.
    """
    try:
        stream = open_file(path)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise _failure("D020", path, error) from error
    except PermissionError as error:
        raise _failure("D055", path, error) from error
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        raise _failure("D021", path, error) from error
    with stream:
        before = _version(stream)
        try:
            yield stream
        except OSError as error:
            raise _failure("D021", path, error) from error
        if _version(stream) != before:
            raise DiagnosticError.of("D035", field=_FIELD, file=str(path))


def most_bytes() -> int:
    """Return how much text a table may have now, so that it fits into the memory that is free."""
    return psutil.virtual_memory().available // _MEMORY_SHARE


def require_size(path: Path, size: int) -> None:
    """Raise ``DiagnosticError`` (D031) for a table whose text would not fit into memory."""
    limit = most_bytes()
    if size > limit:
        params: dict[str, str | int | float] = {
            "file": str(path),
            "size": f"{size / 1e9:.1f}",
            "limit": f"{limit / 1e9:.1f}",
        }
        raise DiagnosticError(Diagnostic(code="D031", field=_FIELD, params=params))


def unpacked(stream: IO[bytes], path: Path) -> IO[bytes]:
    """Return the content of a file, unpacked where it is gzip, from its start; more than fits into
    memory is not read of it: a small gzip may hold any amount.
    """
    stream.seek(0)
    is_gzip = stream.read(2) == GZIP
    stream.seek(0)
    if not is_gzip:
        require_size(path, os.fstat(stream.fileno()).st_size)
        return stream
    return io.BufferedReader(_Unpacked(stream, path), 1 << 16)


def require_unpacked_size(path: Path) -> None:
    """Raise ``DiagnosticError`` (D031) for a gzip whose text would not fit into memory, before any
    of it is taken apart: that takes a hundred times as long as unpacking it. Raises as
    :func:`first_bytes` does.
    """
    with opened(path) as stream:
        stream.seek(-_SIZE_BYTES, os.SEEK_END)
        # Of several files in a row it is the size of the last one, modulo 2**32.
        require_size(path, int.from_bytes(stream.read(_SIZE_BYTES), "little"))
        limit, size = most_bytes(), 0
        stream.seek(0)
        source = gzip.GzipFile(fileobj=stream, mode="rb")
        try:
            while piece := source.read(_PIECE):
                size += len(piece)
                tell_progress(path, 0, "rows")
                if size > limit:
                    require_size(path, size)
        except (OSError, EOFError, zlib.error) as error:
            raise damaged(path, error) from error


def unusual_lines(path: Path, count: int) -> bytes:
    """Return the lines of a file that are not plain ASCII, about ``count`` bytes of them: those
    that say which encoding it has. Raises as :func:`opened` does.
    """
    chosen = bytearray()
    with opened(path) as stream:
        source = unpacked(stream, path)
        while len(chosen) < count and (line := source.readline(1 << 16)):
            if not line.isascii():
                chosen += line
    return bytes(chosen)


def first_bytes(path: Path, count: int) -> tuple[bytes, bool, bool]:
    """Return the first bytes of a file, unpacked where it is gzip, whether that is all of it, and
    whether it is gzip. Raises as :func:`opened` does, D033 for a damaged gzip.
    """
    with opened(path) as stream:
        is_gzip = stream.read(2) == GZIP
        stream.seek(0)
        source = io.BufferedReader(_Unpacked(stream, path)) if is_gzip else stream
        content = source.read(count + 1)
    return content[:count], len(content) <= count, is_gzip


@contextmanager
def opened_text(path: Path, encoding: str) -> Generator[Iterator[str]]:
    """Open a text, unpacked where it is gzip, for reading its lines. Raises as :func:`opened`,
    :func:`unpacked` and :func:`text_lines` do.
    """
    with (
        opened(path) as stream,
        closing(text_lines(unpacked(stream, path), encoding, path)) as lines,
    ):
        yield lines


def text_lines(stream: IO[bytes], encoding: str, path: Path) -> Generator[str]:
    """Yield the lines of a text with their ends, LF, CRLF and CR alike.

    Raises ``DiagnosticError``: D030 for bytes that are none in the encoding, D036 for a line that
    never ends.
    """
    text = io.TextIOWrapper(stream, encoding=encoding, newline="")
    number = 0
    try:
        while line := text.readline(LONGEST_LINE):
            number += 1
            if len(line) == LONGEST_LINE:
                raise DiagnosticError.of("D036", field=_FIELD, file=str(path), row=number)
            yield line
    except UnicodeError as error:
        raise undecodable(path, encoding, number + 1, error) from error
    finally:
        text.detach()  # who opened the stream closes it


def text_pieces(stream: IO[bytes], encoding: str, path: Path) -> Generator[str]:
    """Yield a text in pieces. Raises ``DiagnosticError`` (D030) as :func:`text_lines` does."""
    text = io.TextIOWrapper(stream, encoding=encoding, newline="")
    lines = 0
    try:
        while piece := text.read(_PIECE):
            lines += piece.count("\n")
            yield piece
    except UnicodeError as error:
        raise undecodable(path, encoding, lines + 1, error) from error
    finally:
        text.detach()  # who opened the stream closes it


def undecodable(path: Path, encoding: str, row: int, error: UnicodeError) -> DiagnosticError:
    """Return the failure of a text that is not in an encoding (D030); ``row`` is a line near it."""
    return DiagnosticError.of(
        "D030",
        field=_ENCODING,
        detail=str(error),
        file=str(path),
        encoding=encoding,
        row=row,
    )


def known_encoding(name: str) -> str:
    """Return an encoding that a user named. Raises ``DiagnosticError`` (D037) for none of text."""
    try:
        info = codecs.lookup(name)
        b"".decode(info.name)
        "".encode(info.name)
        is_text = info.name not in _NOT_TEXT
    except (LookupError, ValueError, TypeError):
        is_text = False
    if not is_text:
        raise DiagnosticError.of(
            "D037",
            field=_ENCODING,
            setting=_ENCODING,
            value=name[:60],
            choices="utf-8, utf-16, gb18030, big5, shift_jis, cp1252",
        )
    return name


_ENCODING = "data.source.encoding"
_NOT_TEXT = ("idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape", "mbcs")


class _Unpacked(io.RawIOBase):
    """Content of a gzip file, no more of it than fits into memory."""

    def __init__(self, stream: IO[bytes], path: Path) -> None:
        self._source = gzip.GzipFile(fileobj=stream, mode="rb")
        self._path = path
        self._left = most_bytes()

    @override
    def readable(self) -> bool:
        return True

    @override
    def readinto(self, buffer: memoryview, /) -> int:  # pyright: ignore[reportIncompatibleMethodOverride] - typeshed's Buffer
        try:
            content = self._source.read(min(len(buffer), 1 << 16))
        except (OSError, EOFError, zlib.error) as error:
            raise damaged(self._path, error) from error
        self._left -= len(content)
        if self._left < 0:
            require_size(self._path, max(most_bytes() + 1, -self._left))
        buffer[: len(content)] = content
        return len(content)


def _failure(code: str, path: Path, error: Exception) -> DiagnosticError:
    detail = str(error)
    if isinstance(error, NoFileError) or getattr(error, "errno", 0) == errno.ELOOP:
        code = "D021"
    return DiagnosticError.of(code, field=_FIELD, detail=detail, file=str(path))


def _version(stream: IO[bytes]) -> tuple[int, int]:
    status = os.fstat(stream.fileno())
    return status.st_size, status.st_mtime_ns
