"""Text files: unpacked where they are gzip, decoded whole, bounded; lines and files as spans of one
text.
"""

import gzip
import io
import os
import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from engine.data.read.encoding import detect_encoding, require_wide
from engine.data.read.listening import tell_progress
from engine.data.read.natural import natural_key
from engine.data.read.stream import (
    GZIP,
    damaged,
    known_encoding,
    most_bytes,
    undecodable,
    unreadable,
)
from engine.diagnostics import DiagnosticError
from engine.files import NoFileError, TooLargeError, read_file

LARGEST_TEXT = 1 << 30
SUFFIXES = (".txt", ".md", ".text")
PACKED = ".gz"
ENDINGS = (*SUFFIXES, *(f"{suffix}{PACKED}" for suffix in SUFFIXES))
"""How the names of texts end, those packed with gzip too."""
_LARGEST_FILES = 1_000_000
_SAMPLE = 1 << 16
_BEFORE = 200
_FIELD = "data.source.path"
_CONTROL = re.compile(r"[\x01-\x06\x0e-\x1a\x1c-\x1f\x7f]")
_MOST_CONTROL = 0.01
_PIECE = 1 << 20
_LINE = re.compile(r"[^\n]+")

Span = tuple[int, int]


class FileText(NamedTuple):
    """The text of a file, and the encoding that it is in."""

    text: str
    encoding: str


def read_text(path: Path, encoding: str = "", limit: int = LARGEST_TEXT) -> str:
    """Return the text of a file as :func:`read_file_text` does, and raise as it does."""
    return read_file_text(path, encoding, limit).text


def read_file_text(path: Path, encoding: str = "", limit: int = LARGEST_TEXT) -> FileText:
    """Return the text of a file, its lines ended by line feeds alone; the ``encoding`` is detected
    where none is given.

    Raises :class:`DiagnosticError`: D131 where there is none, D132 for what is no text or damaged,
    D133 for one that is too large, also once it is unpacked, D033 for a damaged gzip, D037 for an
    unknown encoding, D030 and D622 for a text in another, D021 and D055 where the system does not
    let it be read.
    """
    text, encoding = _decoded(_content(path, limit), path, encoding)
    text = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
    return FileText(text, encoding)


def _content(path: Path, limit: int) -> bytes:
    try:
        content = read_file(path, limit)
        return _unpacked(content, path, limit) if content.startswith(GZIP) else content
    except (FileNotFoundError, NoFileError) as error:
        raise DiagnosticError.of("D131", field=_FIELD, file=str(path)) from error
    except TooLargeError as error:
        raise DiagnosticError.of("D133", field=_FIELD, file=path.name, limit=limit >> 20) from error
    except OSError as error:
        raise unreadable(path, error) from error


def _unpacked(content: bytes, path: Path, limit: int) -> bytes:
    """Return what a gzip holds, no more of it than is read of a text and fits into memory."""
    most = max(min(limit, most_bytes()), _PIECE)
    pieces, left = list[bytes](), most + 1
    source = gzip.GzipFile(fileobj=io.BytesIO(content), mode="rb")
    try:
        while left and (piece := source.read(min(_PIECE, left))):
            pieces.append(piece)
            left -= len(piece)
    except (OSError, EOFError, zlib.error) as error:
        raise damaged(path, error) from error
    if not left:
        raise DiagnosticError.of("D133", field=_FIELD, file=path.name, limit=most >> 20)
    return b"".join(pieces)


def is_text_name(name: str) -> bool:
    """Return whether a file of that name is a text, perhaps packed with gzip."""
    return name.lower().endswith(ENDINGS)


def decoded(content: bytes, path: Path, encoding: str = "") -> str:
    """Return the text that a file has as its content. Raises :class:`DiagnosticError` D030, D037
    and D132 as :func:`read_text` does.
    """
    return _decoded(content, path, encoding).text


def _decoded(content: bytes, path: Path, encoding: str) -> FileText:
    try:
        is_chosen = bool(encoding)
        encoding = known_encoding(encoding) if encoding else _encoding_of(content, path)
        if is_chosen:
            require_wide(content[:_SAMPLE], encoding, path)
        text = content.decode(encoding)
    except UnicodeError as error:
        start = error.start if isinstance(error, UnicodeDecodeError) else 0
        raise undecodable(path, encoding, content.count(b"\n", 0, start) + 1, error) from error
    except DiagnosticError as error:
        if error.problems[0].code != "D022":
            raise
        raise _no_text(path) from error
    start = text[:_SAMPLE]
    if "\0" in text or len(_CONTROL.findall(start)) > _MOST_CONTROL * len(start):
        raise _no_text(path)
    return FileText(text, encoding)


def _encoding_of(content: bytes, path: Path) -> str:
    encoding = detect_encoding(content[:_SAMPLE], path)
    if encoding != "utf-8" or content.isascii():
        return encoding
    return _of_all(content, path)


def _of_all(content: bytes, path: Path) -> str:
    """Return the encoding of a text that starts like UTF-8; what comes later may say otherwise."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        start = max(0, error.start - _BEFORE)  # much plain ASCII would be taken for the encoding
        return detect_encoding(content[start : start + _SAMPLE], path)
    return "utf-8"


def _no_text(path: Path) -> DiagnosticError:
    return DiagnosticError.of("D132", field=_FIELD, file=str(path))


def text_files(folder: Path) -> list[Path]:
    """Return the text files of a folder in the order of their names, numbers in them by size; where
    one is there packed and unpacked, the latter.

    Raises :class:`DiagnosticError` D021 and D055 where the system does not let it be read.
    """
    try:
        files = [each for each in folder.iterdir() if _is_text_file(each)]
    except OSError as error:
        raise unreadable(folder, error) from error
    if len(files) > _LARGEST_FILES:
        raise DiagnosticError.of("D133", field=_FIELD, file=folder.name, limit=LARGEST_TEXT >> 20)
    names = {each.name for each in files}
    files = [
        each
        for each in files
        if not each.name.lower().endswith(PACKED) or each.name[: -len(PACKED)] not in names
    ]
    return sorted(files, key=lambda path: natural_key(path.name))


def folders_of(folder: Path) -> list[Path]:
    """Return the folders inside a folder, hidden ones left out, in the order of their names.

    Raises as :func:`text_files` does.
    """
    try:
        inside = [each for each in folder.iterdir() if each.is_dir() and each.name[0] not in "._"]
    except OSError as error:
        raise unreadable(folder, error) from error
    return sorted(inside, key=lambda path: natural_key(path.name))


def _is_text_file(path: Path) -> bool:
    return is_text_name(path.name) and not path.name.startswith(".")


def joined_files(files: Sequence[Path], encoding: str = "") -> tuple[str, np.ndarray]:
    """Return the texts of some files as one, and the span (start, end) of each, (files, 2) int64.

    Raises as :func:`read_text` does.
    """
    texts: list[str] = []
    spans = np.empty((len(files), 2), np.int64)
    folder = None
    if len(files) > 1:
        folder = Path(os.path.commonpath((files[0].parent, files[-1].parent)))
    room, at = LARGEST_TEXT, 0
    for number, file in enumerate(files):
        if folder is not None:
            tell_progress(folder, number, "files", len(files))
        text = read_text(file, encoding, room)
        room -= len(text)
        spans[number] = at, at + len(text)
        at += len(text) + 1
        texts.append(text)
    return "\n".join(texts), spans


def line_spans(text: str) -> list[Span]:
    """Return where the lines that are not blank start and end."""
    return [line.span() for line in _LINE.finditer(text) if not line[0].isspace()]
