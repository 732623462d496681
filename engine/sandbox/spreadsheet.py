"""Reader of workbooks (xlsx, xlsb, xls, ods) in a confined process: cells as text, no formulas."""

import io
import re
import zipfile
import zlib
from array import array
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from itertools import islice
from typing import IO

from python_calamine import CalamineError, CalamineWorkbook, PasswordError, SheetTypeEnum

from engine.sandbox.answer import Answer, CellBlock, Cells, Refused

_LONGEST_MANIFEST = 1 << 20
_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_FILE_PASS = re.compile(rb"\x2f\x00.\x00\x01\x00[\x01-\x04]\x00[\x01\x02]\x00", re.DOTALL)
_BAD_ARCHIVE = (zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError, EOFError, OSError)
_BLOCK_ROWS = 1 << 12
_LARGE = 64 << 20  # bytes of a member of an archive that are looked at
_PACKED_SHARE = 300  # times its packed size: more than the plainest sheet of equal cells has
_LEAST_COLUMNS, _LEAST_ROWS = 2, 3  # of a table: names, and some rows below them
_WHOLE = 1e15  # below it every whole number is a float of its own


def read_spreadsheet(
    stream: IO[bytes], sheet: str, most: str, tell: Callable[[int, int], object]
) -> Answer:
    """Return the cells of a sheet; where ``sheet`` is empty, of the first one that is as large as a
    table, else of the first one with cells; ``most`` rows of it (0: all). ``tell`` hears how many
    rows are read of how many.
    """
    content = stream.read()
    if content.startswith(b"PK") and (bomb := _bomb(content)):
        return Refused.because("D148", bomb)
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(content))
        names = [one.name for one in book.sheets_metadata if one.typ == SheetTypeEnum.WorkSheet]
        if sheet and sheet not in names:
            return Refused.because("D041", ", ".join(names[:20]))
        return _cells(book, [sheet] if sheet else names, tuple(names), int(most), tell)
    except MemoryError as error:
        return Refused.because("D031", str(error))
    except PasswordError as error:
        return Refused.because("D034", str(error))
    except CalamineError as error:
        return Refused.because("D034" if _is_locked(content) else "D033", str(error))


def _bomb(content: bytes) -> str:
    """Return the name of a member that grows far beyond its size when it is unpacked; empty without
    one, and for an archive that is none.
    """
    try:
        members = zipfile.ZipFile(io.BytesIO(content)).infolist()
    except _BAD_ARCHIVE:
        return ""
    grown = (
        member.filename
        for member in members
        if member.file_size > _LARGE and member.file_size > _PACKED_SHARE * member.compress_size
    )
    return next(grown, "")


def _is_locked(content: bytes) -> bool:
    """Return whether a workbook that cannot be read is one with a password: to the library it is of
    no known format then.
    """
    if content.startswith(b"PK"):
        try:
            with (
                zipfile.ZipFile(io.BytesIO(content)) as archive,
                archive.open("META-INF/manifest.xml") as member,
            ):
                return b"encryption-data" in member.read(_LONGEST_MANIFEST)
        except (KeyError, *_BAD_ARCHIVE):
            return False
    return _PACKAGE in content or _FILE_PASS.search(content) is not None


def _cells(
    book: CalamineWorkbook,
    choices: Sequence[str],
    names: tuple[str, ...],
    most: int,
    tell: Callable[[int, int], object],
) -> Answer:
    """Return the cells of the first of some sheets that is as large as a table, else of the first
    that has any: notes and titles are often before what is meant.
    """
    found = None
    for name in choices:
        sheet = book.get_sheet_by_name(name)
        is_table = sheet.width >= _LEAST_COLUMNS and sheet.height >= _LEAST_ROWS
        if is_table or (found is None and sheet.height and sheet.width):
            found = sheet
        if is_table:
            break
    if found is not None:
        source = found.iter_rows()
        start = found.start or (0, 0)
        blocks, count = list[tuple[CellBlock, ...]](), 0
        while rows := [list(map(_cell, row)) for row in islice(source, most or _BLOCK_ROWS)]:
            blocks.append(tuple(map(_block, zip(*rows, strict=True))))
            count += len(rows)
            tell(count, most or found.height)
            if most and count >= most:
                break
        return Cells(
            blocks=tuple(blocks),
            width=len(blocks[0]) if blocks else 0,
            start=start[0] + 1,
            sheet=found.name,
            sheets=names,
            is_complete=count >= found.height,
        )
    return Cells(blocks=(), width=0, sheet=choices[0] if choices else "", sheets=names)


def _block(cells: Sequence[str]) -> CellBlock:
    encoded = [cell.encode("utf-8", "replace") for cell in cells]
    lengths = array("i", map(len, encoded))
    return CellBlock(b"".join(encoded), lengths.tobytes())


def _cell(value: object) -> str:
    """Return the value of a cell as text: a whole number without a point, a date as ISO has it."""
    if isinstance(value, datetime):
        is_day = value.time() == time.min
        return value.date().isoformat() if is_day else value.isoformat(" ", "seconds")
    match value:
        case None:
            text = ""
        case bool():
            text = "true" if value else "false"
        case float():
            is_whole = value.is_integer() and abs(value) < _WHOLE
            text = str(int(value)) if is_whole else repr(value)
        case date() | time():
            text = value.isoformat()
        case timedelta():
            text = repr(value.total_seconds())
        case _:
            text = str(value).strip()
    return text
