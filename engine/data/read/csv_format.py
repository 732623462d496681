"""Format of a delimited text: delimiter, quotes, lines before the table, header, decimal mark."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Protocol

import msgspec

from engine.data.read.cell import MISSING
from engine.data.read.date import parse_date
from engine.data.read.number import Mark, decimal_of, parse_number
from engine.spec.table import TableFormat

_DELIMITERS = ("\t", ";", "|", ",")
_PLAIN_DELIMITERS = ",;\t|"  # of as many the first
_SEP_LINE = re.compile(r"sep=(.)\s*", re.IGNORECASE)
_SINGLE_QUOTED = re.compile(r"(?:^|[,;|\t])'[^'\r\n]*'(?=[,;|\t]|$)", re.MULTILINE)
_GAP = re.compile(r"\S {2,}\S")
_COMMA_WITHIN = re.compile(r",\S")
_LEAST_SHARE = 0.6  # of the rows that have the same number of cells
_MOST_ROWS = 200
_MOST_TITLES = 20
_LONGEST_TITLE = 60
_LEAST_BODY = 5  # rows with the header, of which one may have units
_YEAR = re.compile(r"(1[89]|20)\d\d")
_REMEMBERED = 1 << 14  # cells of which is known whether they are values: many are alike

Rows = list[list[str]]


class RowReader(Protocol):
    """Reader of the rows of a text; ``line_num`` counts the lines that it took."""

    @property
    def line_num(self) -> int:
        """The number of lines."""
        ...

    def __iter__(self) -> "RowReader":
        """Return the reader itself."""
        ...

    def __next__(self) -> list[str]:
        """Return the next row."""
        ...


def delimiter_of(text: str) -> str:
    """Return what is between the cells of the first row of a table, which is plain by its kind:
    labels, boxes, numbers.
    """
    line = text[: text.find("\n") + 1 or len(text)]
    return max(_PLAIN_DELIMITERS, key=line.count)


def plain_rows(text: str) -> RowReader:
    """Return the reader of the rows of such a table; it raises ``csv.Error`` for a cell too
    long.
    """
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text))


def csv_rows(lines: Iterable[str], form: TableFormat) -> RowReader:
    """Return the reader of the rows of a format; it raises ``csv.Error`` for a cell too long."""
    is_spaced = form.delimiter == " "
    return csv.reader(
        (line.replace("\t", " ").strip(" ") for line in lines) if is_spaced else lines,
        delimiter=form.delimiter,
        quotechar=form.quote or None,
        quoting=csv.QUOTE_MINIMAL if form.quote else csv.QUOTE_NONE,
        skipinitialspace=True,
    )


def detect_csv(text: str, *, delimiter: str = "", is_complete: bool = True) -> TableFormat:
    """Return the format of a delimited text from its start; encoding and packing are left out.

    ``delimiter`` is what the user chose, empty to find it.
    """
    first = text.split("\n", 1)[0].rstrip("\r")
    named = _SEP_LINE.fullmatch(first)
    if named is not None and not delimiter:
        delimiter = named[1]
    choices = [delimiter] if delimiter else _DELIMITERS
    forms = [_measured(text, choice, named is not None, is_complete) for choice in choices]
    best, form = max(forms, key=lambda pair: pair[0])
    if best < _LEAST_SHARE and not delimiter:
        best, form = _measured_spaces(text, is_complete)
    if best < _LEAST_SHARE and not delimiter:
        form = TableFormat(kind="csv", delimiter=",", quote='"')
        rows = sample_rows(text, form, is_complete=is_complete)
        if any(len(row) > 1 for row in rows):  # sentences with commas, a line each
            form = msgspec.structs.replace(form, delimiter="\t")
    form, rows = _without_titles(text, form, is_complete)
    is_named = has_header(rows)
    return msgspec.structs.replace(
        form,
        has_header=is_named,
        has_units=is_named and _has_units(rows),
        decimal=_decimal(rows[1:], form.delimiter),
    )


def sample_rows(
    text: str, form: TableFormat, *, is_complete: bool = True, is_strict: bool = False
) -> Rows:
    """Return the first rows of a text, header included, without the one that it breaks off in; up
    to a cell that never ends, for which ``csv.Error`` is raised where ``is_strict``.
    """
    rows = list[list[str]]()
    lines = text.splitlines(keepends=True) if form.delimiter == " " else io.StringIO(text, "")
    source = iter(lines)
    for _ in range(form.skip):
        next(source, "")
    reader = csv_rows(source, form)
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append([cell.strip() for cell in row])
            if len(rows) > _MOST_ROWS:
                return rows
    except csv.Error:
        if is_strict:
            raise
        return rows
    return rows if is_complete or len(rows) < 2 else rows[:-1]


def has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row of a table has the names of the columns."""
    first, body = (rows[0], rows[1:]) if rows else ([], [])
    named = [cell for cell in first if cell]
    if any(is_value(cell) for cell in named):
        return _are_names(first, body)
    columns = list(zip(*(row for row in body if len(row) == len(first)), strict=True))
    if not named or any(cell in MISSING and len(cell) > 1 for cell in named):
        columns_of = zip(first, columns, strict=False)
        return any(name not in MISSING and _is_mostly_values(cells) for name, cells in columns_of)
    if any(_is_mostly_values(column) for column in columns):
        return True
    if len(set(named)) < len(named):
        return False
    return not any(name in column for name, column in zip(first, columns, strict=False) if name)


@lru_cache(_REMEMBERED)
def is_value(cell: str) -> bool:
    """Return whether a cell holds a number or a date, which no name of a column is."""
    if cell in MISSING:
        return False
    is_number = parse_number(cell, ".") is not None or parse_number(cell, ",") is not None
    return is_number or _is_date(cell)


def _measured(
    text: str, delimiter: str, has_sep_line: bool, is_complete: bool
) -> tuple[float, TableFormat]:
    """Return how well a delimiter fits, and the format with it."""
    quote = "'" if '"' not in text and len(_SINGLE_QUOTED.findall(text)) >= 2 else '"'
    base = TableFormat(kind="csv", delimiter=delimiter, quote=quote, skip=1 if has_sep_line else 0)
    score, form = _scored(text, base, is_complete)
    if score < _LEAST_SHARE and quote in text:
        plain = _scored(text, msgspec.structs.replace(base, quote=""), is_complete)
        if plain[0] > max(score, 0.9):
            return plain
    return score, form


def _measured_spaces(text: str, is_complete: bool) -> tuple[float, TableFormat]:
    """Return how well spaces fit: numbers stand between them in every row."""
    form = TableFormat(kind="csv", delimiter=" ", quote='"')
    score, form = _scored(text, form, is_complete)
    rows = sample_rows(text, form, is_complete=is_complete)[1:]
    cells = [cell for row in rows for cell in row]
    numbers = sum(is_value(cell) for cell in cells)
    return (score if cells and numbers >= len(cells) / 2 and score > 0.9 else 0.0), form


def _scored(text: str, form: TableFormat, is_complete: bool) -> tuple[float, TableFormat]:
    rows = sample_rows(text, form, is_complete=is_complete)
    if not rows:
        return 0.0, form
    width, _ = Counter(map(len, rows)).most_common(1)[0]
    if width < 2:
        return 0.0, form
    skip = _titles(rows, width)
    kept = rows[skip:]
    has_short_header = len(kept[0]) == width - 1
    share = (sum(len(row) == width for row in kept) + has_short_header) / len(kept)
    cells = [cell for row in kept if len(row) == width for cell in row]
    mixed = sum(_is_mixed(cell, form.delimiter) for cell in cells)
    score = share - mixed / len(cells) + min(width, 50) * 1e-4 - (0.1 if skip else 0.0)
    return score, _with_skip(text, form, skip)


def _is_mixed(cell: str, delimiter: str) -> bool:
    """Return whether a cell looks as if another delimiter should have divided it; a number may have
    a comma, and so may a sentence.
    """
    if any(other in cell for other in "\t;|" if other != delimiter) or _GAP.search(cell):
        return True
    if delimiter == "," or "," not in cell or parse_number(cell, ",") is not None:
        return False
    return _COMMA_WITHIN.search(cell) is not None


def _titles(rows: Rows, width: int) -> int:
    """Return how many rows stand before the table: shorter ones, a title or a comment."""
    for index, row in enumerate(rows[:_MOST_TITLES]):
        is_short_header = len(row) == width - 1 and width > 2 and index + 1 < len(rows)
        if len(row) >= width or (is_short_header and not any(map(is_value, row))):
            return index
    return 0


def _without_titles(text: str, form: TableFormat, is_complete: bool) -> tuple[TableFormat, Rows]:
    """Return a format that leaves out what stands above the header, with what that is, and the
    rows: also rows of the width of the table in which most cells are empty, as spreadsheets have
    them for a title or for names over several columns.
    """
    rows = sample_rows(text, form, is_complete=is_complete)
    has_sep_line = _SEP_LINE.fullmatch(text.split("\n", 1)[0].rstrip("\r")) is not None
    if form.skip > has_sep_line:
        above = sample_rows(text, msgspec.structs.replace(form, skip=int(has_sep_line)))
        form = msgspec.structs.replace(form, title=" ".join(above[0])[:_LONGEST_TITLE].strip())
    counts = [sum(map(bool, row)) for row in rows]
    usual = Counter(counts).most_common(1)[0][0] if counts else 0
    skip = next((at for at, count in enumerate(counts) if count > usual / 2), 0)
    kept = rows[skip:]
    if not 0 < skip <= _MOST_TITLES or any("\n" in cell for row in rows[:skip] for cell in row):
        return form, rows
    columns = list(zip(*(row for row in kept[1:] if len(row) == len(kept[0])), strict=True))
    if not (has_header(kept) and any(map(_is_mostly_values, columns))):
        return form, rows
    title = form.title or " ".join(filter(None, rows[0]))[:_LONGEST_TITLE].strip()
    return msgspec.structs.replace(_with_skip(text, form, skip), title=title), kept


def _has_units(rows: Rows) -> bool:
    """Return whether the row below the header has units: words, all in columns of numbers."""
    units, body = (rows[1], rows[2:]) if len(rows) >= _LEAST_BODY else ([], [])
    at = [index for index, cell in enumerate(units) if cell not in MISSING]
    return bool(at) and all(
        not is_value(units[index]) and _are_values([row[index] for row in body if len(row) > index])
        for index in at
    )


def _are_values(column: Sequence[str]) -> bool:
    values = [cell for cell in column if cell not in MISSING]
    return bool(values) and all(map(is_value, values))


def _with_skip(text: str, form: TableFormat, skip: int) -> TableFormat:
    """Return a format that leaves out the lines of the first ``skip`` rows that are not empty."""
    if skip == 0:
        return form
    lines, count = 0, 0
    for line in io.StringIO(text, ""):
        if lines >= form.skip:
            if count == skip:
                break
            count += bool(line.strip(f"{form.delimiter}{form.quote} \t\r\n"))
        lines += 1
    return msgspec.structs.replace(form, skip=lines)


def _decimal(rows: Rows, delimiter: str) -> Mark:
    """Return the decimal mark of a table, a point where nothing speaks for a comma."""
    cells = [cell for row in rows for cell in row if cell]
    found = decimal_of(cells)
    if found is not None:
        return found
    has_commas = any(re.fullmatch(r"[+-]?\d+,\d+", cell) for cell in cells)
    return "," if has_commas and delimiter in ";\t" else "."


def _is_mostly_values(column: Sequence[str]) -> bool:
    values = [cell for cell in column if cell not in MISSING]
    return bool(values) and sum(map(is_value, values)) > 0.7 * len(values)


def _are_names(first: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Return whether the values in a first row name columns: years or dates above what is neither,
    or the numbers of the columns.
    """
    at = [index for index, cell in enumerate(first) if is_value(cell)]
    if [first[index] for index in at] == list(map(str, range(len(at)))) and len(at) > 2:
        return True
    for is_kind in (_is_year, _is_date):
        if len(at) > 1 and all(is_kind(first[index]) for index in at):
            cells = [row[index] for row in body for index in at if index < len(row)]
            return sum(map(is_kind, cells)) < len(cells) / 2
    return False


def _is_year(cell: str) -> bool:
    return _YEAR.fullmatch(cell) is not None


def _is_date(cell: str) -> bool:
    return any(parse_date(cell, order) is not None for order in ("ymd", "dmy", "mdy", "name"))
