"""Reader of tables: what a file is, its first rows, all of it."""

import codecs
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from engine.data.read.captions import captions_head, find_captions, is_captioned, read_captions
from engine.data.read.cell import CellBlock, CellColumn, Head, Table
from engine.data.read.delimited import delimited_head, read_delimited
from engine.data.read.encoding import detect_encoding, require_wide
from engine.data.read.footer import without_notes
from engine.data.read.foreign import foreign_head, read_foreign
from engine.data.read.json_lines import is_json_lines, json_lines_head, read_json_lines
from engine.data.read.json_list import is_json_list, json_list_head, read_json_list
from engine.data.read.kind import propose_columns
from engine.data.read.magic import binary_kind
from engine.data.read.shards import find_shards, read_shards, shards_head
from engine.data.read.sqlite_table import read_sqlite, sqlite_head
from engine.data.read.stream import (
    first_bytes,
    known_encoding,
    require_unpacked_size,
    unusual_lines,
)
from engine.data.read.total import without_totals
from engine.diagnostics import DiagnosticError
from engine.files import is_folder
from engine.spec.table import FileKind, TableFormat, TableHead, TableOptions

HEAD_ROWS = 200
_SAMPLES = (1 << 18, 1 << 21, 1 << 24)
"""How many bytes are looked at: more only where the rows are so long that it takes more."""

_FIELD = "data.source.path"
_AUTO = TableOptions()
_WITH_NOTES: tuple[FileKind, ...] = ("csv", "spreadsheet")
READERS: Mapping[FileKind, Callable[[Path, TableFormat], Table]] = {
    "csv": read_delimited,
    "json": read_json_list,
    "jsonl": read_json_lines,
    "spreadsheet": read_foreign,
    "parquet": read_foreign,
    "sqlite": read_sqlite,
    "shards": read_shards,
    "captions": read_captions,
}


def is_table_folder(path: Path) -> bool:
    """Return whether a folder is a table: files of a data set, or captions of pictures."""
    return is_folder(path) and (bool(find_shards(path)) or is_captioned(path))


def detect_format(path: Path, options: TableOptions = _AUTO) -> TableFormat:
    """Return how a table stands in a file, by its content and not by its name.

    Raises ``DiagnosticError`` (D020 to D041) for a file that cannot be read or is no table.
    """
    return _head(path, options).form


def read_head(path: Path, options: TableOptions = _AUTO) -> TableHead:
    """Return the first 200 rows of a table with what is proposed for its columns; of a text no more
    than that is read. Raises as :func:`detect_format` does.
    """
    head = _head(path, options)
    columns = list(zip(*head.rows, strict=True)) or [()] * len(head.names)
    if head.is_complete and not options.keeps_totals:
        columns = _without_end(head, columns)
    infos, target = propose_columns(head.names, columns, head.form)
    return TableHead(
        format=head.form,
        columns=infos,
        rows=tuple(map(tuple, head.rows)),
        target=target,
        is_complete=head.is_complete,
    )


def read_table(path: Path, options: TableOptions = _AUTO) -> Table:
    """Return a whole table as it stands in the file, without totals and notes at its end.

    Raises ``DiagnosticError`` (D020 to D041): what is wrong with the file, and in which row.
    """
    table = _whole_table(path, options)
    return table if options.keeps_totals else _above_end(table)


def _above_end(table: Table) -> Table:
    """Return a table without notes and totals at its end."""
    return without_totals(without_notes(table) if table.format.kind in _WITH_NOTES else table)


def _without_end(head: Head, columns: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Return columns of all rows without what is at their end: by it nothing is to be judged."""
    cells = tuple(
        CellColumn(name, (CellBlock.of(column),))
        for name, column in zip(head.names, columns, strict=True)
    )
    lines = 2 * np.arange(len(head.rows), dtype=np.int64)  # as if an empty one were before each
    rows = _above_end(Table(format=head.form, columns=cells, lines=lines)).rows
    return [column[:rows] for column in columns]


def _whole_table(path: Path, options: TableOptions) -> Table:
    form = detect_format(path, options)
    if form.is_gzip:
        require_unpacked_size(path)
    try:
        return READERS[form.kind](path, form)
    except DiagnosticError as error:
        is_guessed = not options.encoding and error.problems[0].code == "D030"
        if not is_guessed:
            raise
        encoding = detect_encoding(unusual_lines(path, _SAMPLES[0]), path)
        if encoding == form.encoding:
            raise
    return READERS[form.kind](path, msgspec.structs.replace(form, encoding=encoding))


def _head(path: Path, options: TableOptions) -> Head:
    if options.encoding:
        known_encoding(options.encoding)
    if find_captions(path) is not None and not (is_folder(path) and find_shards(path)):
        return captions_head(path, HEAD_ROWS)
    if is_folder(path):
        return shards_head(path, options, HEAD_ROWS)
    sample, _, _ = first_bytes(path, _SAMPLES[0])
    if not sample:
        raise DiagnosticError.of("D023", field=_FIELD, file=str(path))
    kind = binary_kind(sample, path)
    if kind == "sqlite":
        return sqlite_head(path, options, HEAD_ROWS)
    if kind is not None:
        return foreign_head(path, kind, options, HEAD_ROWS)
    sizes = iter(_SAMPLES)
    head, is_all = _text_head(path, options, next(sizes))
    for size in sizes:
        if is_all or len(head.rows) >= HEAD_ROWS:
            break
        head, is_all = _text_head(path, options, size)
    return head


def _text_head(path: Path, options: TableOptions, size: int) -> tuple[Head, bool]:
    """Return the head of a text by its first bytes, and whether these are all of it."""
    sample, is_all, is_gzip = first_bytes(path, size)
    encoding = options.encoding or detect_encoding(sample, path)
    if options.encoding:
        require_wide(sample, encoding, path)
    try:
        text = codecs.getincrementaldecoder(encoding)("strict").decode(sample, final=is_all)
    except UnicodeError as error:
        raise DiagnosticError.of(
            "D030",
            field="data.source.encoding",
            detail=str(error),
            file=str(path),
            encoding=encoding,
            row=sample[: getattr(error, "start", 0)].count(b"\n") + 1,
        ) from error
    head = _head_of_text(path, text, options, is_complete=is_all)
    form = msgspec.structs.replace(head.form, encoding=encoding, is_gzip=is_gzip)
    rows = head.rows[:HEAD_ROWS]
    return Head(form, head.names, rows, is_all and len(rows) == len(head.rows)), is_all


def _head_of_text(path: Path, text: str, options: TableOptions, *, is_complete: bool) -> Head:
    """Return the first rows by what the text is, not by the name of its file."""
    is_lines = is_json_lines(text)
    if is_json_list(text) and not (is_lines and len(text.split("\n", 2)) > 2):
        return json_list_head(path, text, is_complete=is_complete)
    if is_lines:
        return json_lines_head(path, text, options, is_complete=is_complete)
    is_json = ".json" in map(str.lower, path.suffixes)
    if is_json and text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        raise DiagnosticError.of("D496", field=_FIELD, file=str(path))
    return delimited_head(path, text, options, is_complete=is_complete)
