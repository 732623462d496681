"""Reader of workbooks and Parquet files, which a confined process takes apart."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.data.read.block import TableBuilder
from engine.data.read.cell import CellBlock, CellColumn, Head, Table, block_rows, unique_names
from engine.data.read.csv_format import has_header
from engine.data.read.delimited import require_width
from engine.data.read.enclosed import enclosed_place
from engine.data.read.features import Features, class_names, decode_metadata, kind_of, named
from engine.data.read.listening import tell_progress
from engine.data.read.stream import damaged, opened, require_size
from engine.diagnostics import DiagnosticError
from engine.sandbox import answer, reading
from engine.sandbox.answer import LONGEST_CELLS, UNKNOWN_ENDING, Cells, Refused
from engine.spec.table import FileKind, TableFormat, TableOptions

_FIELD = "data.source.path"
_PATIENCE_S = 150.0  # a little more than its process may compute
_HEAD = 200
_MOST_TITLES = 20
_LONGEST_TITLE = 60
_ENDINGS = {"Image": "png", "Audio": "wav", "Video": "mp4"}
"""What the names of files end with whose first bytes do not say what they are."""

_READERS = {"spreadsheet": reading.Reader.SPREADSHEET, "parquet": reading.Reader.PARQUET}


class Belonging(NamedTuple):
    """What a data set says of one of its files: the ``features`` of its columns, and its ``place``
    in the folder, which is else its name.
    """

    features: Features = MappingProxyType({})
    place: str = ""


_ALONE = Belonging()


def foreign_head(
    path: Path,
    kind: FileKind,
    options: TableOptions,
    count: int,
    belonging: Belonging = _ALONE,
) -> Head:
    """Return the first rows of a table, as :func:`read_foreign` does, and raise as that does."""
    cells = _ask(path, kind, options.sheet, count + _MOST_TITLES + 1)
    if kind == "parquet":
        form = TableFormat(kind="parquet")
        columns = _columns(path, cells, belonging)
        rows = [list(row) for row in zip(*(each.cells() for each in columns), strict=True)]
        if not rows:
            raise DiagnosticError.of("D024", field=_FIELD, file=str(path))
        complete = cells.is_complete and len(rows) <= count
        return Head(form, unique_names(cells.names), rows[:count], complete)
    form, names, rows, _ = _sheet(path, cells, options.header)
    return Head(form, names, rows[:count], cells.is_complete and len(rows) <= count)


def read_foreign(path: Path, form: TableFormat, belonging: Belonging = _ALONE) -> Table:
    """Return a whole table. Numbers of classes become their names, as far as the file tells them in
    its metadata, or else its data set. Files inside become their places
    (:mod:`engine.data.read.enclosed`).

    Raises ``DiagnosticError``: D023 and D024 for one without rows, D031 for one that is too large,
    D032 where pyarrow is not installed, D033 for a damaged file, D034 for one with a password, D041
    where there is no such sheet, D148 for a zip bomb, D445 where all that could be learned from is
    in files inside that are none that can be read.
    """
    cells = _ask(path, form.kind, form.sheet, 0)
    if form.kind == "parquet":
        columns = _columns(path, cells, belonging)
        rows = len(columns[0]) if columns else 0
        if not rows:
            raise DiagnosticError.of("D024", field=_FIELD, file=str(path))
        return Table(format=form, columns=columns, lines=np.arange(1, rows + 1, dtype=np.int64))
    header = "yes" if form.has_header else "no"
    form, names, rows, lines = _sheet(path, cells, header)
    builder = TableBuilder(names)
    size = block_rows(len(names))
    for start in range(0, len(rows), size):
        end = start + size
        builder.add(rows[start:end], lines[start:end])
    return builder.table(form)


def _ask(path: Path, kind: FileKind, sheet: str, most: int) -> Cells:
    """Return the cells that the confined process reads, looked over."""
    with opened(path) as stream:
        if kind != "parquet":  # in which pictures may be, that stay there
            require_size(path, stream.seek(0, 2))
            stream.seek(0)
        try:
            reply = reading.ask(
                _READERS[kind], stream, sheet, str(most), patience_s=_PATIENCE_S,
                tell=lambda done, total: tell_progress(path, done, "rows", total),
            )  # fmt: skip
        except reading.NoAnswerError as error:
            raise damaged(path, error) from error
    if isinstance(reply, Refused):
        raise _refused(path, reply, sheet)
    if not isinstance(reply, Cells) or not _is_sound(reply):
        raise damaged(path, "no answer")
    require_width(path, reply.width)
    return reply


def _refused(path: Path, refusal: Refused, sheet: str) -> DiagnosticError:
    if refusal.code == "D041":
        return DiagnosticError.of(
            "D041", field="data.source.sheet", file=str(path), name=sheet, names=refusal.detail
        )
    if refusal.code == "D031":
        size = f"{LONGEST_CELLS / 1e9:.1f}"
        return DiagnosticError.of(
            "D031", field=_FIELD, detail=refusal.detail, file=str(path), size=size, limit=size
        )
    code = refusal.code if refusal.code in ("D032", "D034", "D148") else "D033"
    return DiagnosticError.of(code, field=_FIELD, detail=refusal.detail, file=str(path))


def _is_sound(cells: Cells) -> bool:
    """Return whether an answer is a table: the lengths of the cells are those of the text."""
    if cells.names and len(cells.names) != cells.width:
        return False
    for block in cells.blocks:
        lengths = [_lengths(each) for each in block]
        rows = len(lengths[0]) if lengths else 0
        if len(block) != cells.width or rows == 0:
            return False
        for each, sizes in zip(block, lengths, strict=True):
            if len(sizes) != rows or int(sizes.min()) < 0:
                return False
            if int(sizes.sum(dtype=np.int64)) != len(each.text):
                return False
            try:
                each.text.decode()
            except UnicodeDecodeError:
                return False
    return True


def _lengths(block: answer.CellBlock) -> NDArray[np.int32]:
    whole = len(block.lengths) // 4 * 4
    return np.frombuffer(block.lengths[:whole], "<i4").astype(np.int32)


def _column(cells: Cells, index: int) -> CellColumn:
    blocks = [CellBlock(block[index].text, _lengths(block[index])) for block in cells.blocks]
    return CellColumn("", tuple(blocks))


def _columns(path: Path, cells: Cells, belonging: Belonging) -> tuple[CellColumn, ...]:
    """Return the columns of a file, with names in place of numbers of classes, and places in place
    of pictures and sounds.
    """
    told = decode_metadata(cells.description) or belonging.features
    classes = class_names(told)
    inside = {
        name: _ending(_column(cells, cells.names.index(name)), kind_of(told.get(name)))
        for name in cells.contents
    }
    others = [name for name in cells.names if name not in inside and name not in classes]
    if inside and not any(inside.values()) and len(others) < (1 if classes else 2):
        names = ", ".join(inside)
        raise DiagnosticError.of("D445", field=_FIELD, folder=str(path), columns=names)
    columns: list[CellColumn] = []
    for index, (name, unique) in enumerate(
        zip(cells.names, unique_names(cells.names), strict=True)
    ):
        column = _column(cells, index)
        blocks = column.blocks
        if name in inside:
            blocks = _places(column, belonging.place or path.name, name, inside[name])
        elif name in classes:
            blocks = tuple(
                CellBlock.of([named(cell, classes[name]) for cell in block.cells()])
                for block in blocks
            )
        columns.append(CellColumn(unique, blocks))
    return tuple(columns)


def _ending(column: CellColumn, kind: str) -> str:
    """Return what the names of the files in a column end with, whose ``kind`` a description may
    tell; empty where they are none that are read.
    """
    found = next(filter(None, column.cells()), "")
    return _ENDINGS.get(kind, "") if found == UNKNOWN_ENDING else found


def _places(column: CellColumn, place: str, name: str, ending: str) -> tuple[CellBlock, ...]:
    """Return a column with the places of the files in it."""
    blocks, row = list[CellBlock](), 1
    for block in column.blocks:
        cells = block.cells() if ending else [""] * len(block)
        places = (
            cell and enclosed_place(place, at, name, ending)
            for at, cell in enumerate(cells, start=row)
        )
        blocks.append(CellBlock.of(list(places)))
        row += len(block)
    return tuple(blocks)


def _sheet(
    path: Path, cells: Cells, header: str
) -> tuple[TableFormat, tuple[str, ...], list[list[str]], np.ndarray]:
    """Return format, names, rows and their numbers of a sheet: titles above the table and empty
    rows are left out, columns without a cell too.
    """
    columns = [list(_column(cells, index).cells()) for index in range(cells.width)]
    numbered = [
        (number, list(row))
        for number, row in enumerate(zip(*columns, strict=True), start=cells.start)
        if any(row)
    ]
    if not numbered:
        raise DiagnosticError.of("D023", field=_FIELD, file=str(path))
    skip = _titles([row for _, row in numbered[:_HEAD]])
    title = " ".join(filter(None, numbered[0][1]))[:_LONGEST_TITLE] if skip else ""
    numbered = numbered[skip:]
    rows = [row for _, row in numbered]
    named = has_header(rows[:_HEAD]) if header == "auto" else header == "yes"
    if named and len(rows) < 2:
        raise DiagnosticError.of("D024", field=_FIELD, file=str(path))
    names = rows[0] if named else [""] * cells.width
    body = numbered[1:] if named else numbered
    form = TableFormat(
        kind="spreadsheet",
        has_header=named,
        skip=skip,
        title=title,
        sheet=cells.sheet,
        sheets=cells.sheets,
    )
    lines = np.fromiter((number for number, _ in body), np.int64, len(body))
    return form, unique_names(names), [row for _, row in body], lines


def _titles(rows: Sequence[Sequence[str]]) -> int:
    """Return how many rows stand above a table: those with less than half of its cells."""
    counts = [sum(map(bool, row)) for row in rows]
    usual = Counter(counts).most_common(1)[0][0]
    for index, count in enumerate(counts[:_MOST_TITLES]):
        if count > usual / 2 or index + 1 == len(rows):
            return index
    return 0
