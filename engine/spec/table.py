"""Description of a table as plain values: its format, its columns, its first rows."""

import csv
import io
from collections.abc import Iterable
from typing import Literal

import msgspec

from engine.diagnostics import Diagnostic

FileKind = Literal["csv", "json", "jsonl", "spreadsheet", "parquet", "sqlite", "shards", "captions"]
"""Which reader a file needs; ``parquet`` is Feather and Arrow IPC, too, ``shards`` a folder of
these, ``captions`` those of COCO."""

ColumnKind = Literal[
    "number",
    "binary",
    "category",
    "tags",
    "date",
    "text",
    "id",
    "empty",
    "image",
    "mask",
    "array",
    "sound",
    "video",
    "textfile",
]
"""What the values of a column are.

``number``: also whole numbers with an order. ``binary``: two values. ``category``: few values that
come again. ``tags``: any number of labels in a cell. ``date``: a day, perhaps with a time.
``text``: sentences, or values too many to be
categories. ``id``: names the row and says nothing about it. ``empty``: no values at all.
``image``, ``mask`` (a picture of classes), ``array``, ``sound``, ``video`` and ``textfile``: paths
of files with one each.
"""

ColumnRole = Literal["input", "target", "group", "weight", "ignored"]
"""What a column is for."""


class TableOptions(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the user decides about a file; empty, ``auto`` and -1: found by looking at it."""

    encoding: str = ""
    delimiter: str = ""
    header: Literal["auto", "yes", "no"] = "auto"
    sheet: str = ""
    decimal: Literal["", ".", ","] = ""
    skip: int = -1
    keeps_totals: bool = False


_OF_TEXT = ("encoding", "delimiter", "decimal", "skip_rows")
_UNUSED: dict[FileKind, tuple[str, ...]] = {
    "csv": (),
    "spreadsheet": _OF_TEXT,
    "json": ("delimiter", "decimal", "skip_rows", "header"),
    "jsonl": ("delimiter", "decimal", "skip_rows", "header"),
}


def unused_options(kind: FileKind) -> tuple[str, ...]:
    """Return the names of the options that say nothing of a kind of file."""
    return _UNUSED.get(kind, (*_OF_TEXT, "header"))


class TableFormat(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a table stands in a file.

    ``encoding``, ``delimiter``, ``quote`` (empty: cells are not quoted) and ``decimal`` are those
    of text; ``is_decimal_chosen`` says that the user has chosen it for all columns, else it is that
    of the columns that do not tell their own. ``skip`` rows stand before the table (a title,
    ``sep=;``), of a text lines; ``title`` is what the first of them says, if it is none of these
    that name the delimiter. With ``has_units`` the row below the header has units of the columns
    and is left out; ``totals`` are the words for totals in last rows that are left out, from the
    last one up. So many lines ``below`` the table are no rows of it, the first of which says
    ``footer``; so many ``notes`` are last rows with text in one cell, the first of which says
    ``note``. ``sheet`` is the sheet of a workbook or the table of a database, ``sheets`` are all
    that there are.
    """

    kind: FileKind
    encoding: str = ""
    delimiter: str = ""
    quote: str = ""
    has_header: bool = True
    skip: int = 0
    title: str = ""
    has_units: bool = False
    totals: tuple[str, ...] = ()
    below: int = 0
    footer: str = ""
    notes: int = 0
    note: str = ""
    decimal: Literal[".", ","] = "."
    is_decimal_chosen: bool = False
    is_gzip: bool = False
    sheet: str = ""
    sheets: tuple[str, ...] = ()


class ColumnInfo(msgspec.Struct, frozen=True, kw_only=True):
    """One column with what is proposed for it. ``missing`` and ``distinct`` count the values that
    were looked at; ``examples`` are the first that differ. ``is_number`` says whether they are
    numbers, whatever they stand for.
    """

    name: str
    kind: ColumnKind
    role: ColumnRole
    missing: int
    distinct: int
    examples: tuple[str, ...] = ()
    is_number: bool = False


class TableColumns(msgspec.Struct, frozen=True, kw_only=True):
    """The columns of a table, in its order: with what is ``proposed`` where nothing is said of
    them, and as they are ``used``. ``problems``: why what is said of them cannot be used.
    """

    proposed: tuple[ColumnInfo, ...]
    used: tuple[ColumnInfo, ...]
    problems: tuple[Diagnostic, ...] = ()


class TableHead(msgspec.Struct, frozen=True, kw_only=True):
    """The first rows of a table, as they stand in the file, and what is proposed for its columns.

    ``is_complete`` says whether these are all rows there are. ``target`` is empty where no column
    can be one.
    """

    format: TableFormat
    columns: tuple[ColumnInfo, ...]
    rows: tuple[tuple[str, ...], ...]
    target: str
    is_complete: bool


def names_text(names: Iterable[str]) -> str:
    """Return names of columns with commas between, as settings of a table have them: in quotes
    where one has a comma.
    """
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()
