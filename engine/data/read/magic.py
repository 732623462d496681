"""Kind of a binary file by its first bytes: names of files are often wrong."""

import zipfile
from pathlib import Path

from engine.data.read.stream import opened
from engine.diagnostics import DiagnosticError
from engine.spec.table import FileKind

_FIELD = "data.source.path"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_STARTS: tuple[tuple[bytes, FileKind], ...] = (
    (b"PAR1", "parquet"),
    (b"ARROW1", "parquet"),
    (b"FEA1", "parquet"),
    (b"\xff\xff\xff\xff", "parquet"),  # a stream of Arrow
    (b"SQLite format 3\0", "sqlite"),
    (_OLE, "spreadsheet"),
)
_NO_TABLES = (
    b"%PDF",
    b"\x89PNG",
    b"\x89HDF",
    b"\xff\xd8\xff",
    b"GIF8",
    b"BZh",
    b"\xfd7zXZ",
    b"7z\xbc\xaf",
    b"Rar!",
)
_MARKUP = (b"<!doctype html", b"<html", b"<?xml")
_SHEETS = ("xl/workbook.xml", "xl/workbook.bin", "content.xml")
_MOST_MEMBERS = 10_000


def binary_kind(sample: bytes, path: Path) -> FileKind | None:
    """Return the kind of a binary file, None for text.

    Raises ``DiagnosticError`` (D022) for a file that is no table: an archive, a picture, a page.
    """
    for start, kind in _STARTS:
        if sample.startswith(start):
            return kind
    if sample.startswith(b"PK\x03\x04") and _is_workbook(path):
        return "spreadsheet"
    text = sample[:200].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if sample.startswith((b"PK", *_NO_TABLES)) or text.startswith(_MARKUP):
        raise DiagnosticError.of("D022", field=_FIELD, file=str(path))
    return None


def _is_workbook(path: Path) -> bool:
    with opened(path) as stream:
        try:
            with zipfile.ZipFile(stream) as archive:
                names = archive.namelist()
        except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError):
            return True  # damaged: its reader says so
    return len(names) < _MOST_MEMBERS and any(name in names for name in _SHEETS)
