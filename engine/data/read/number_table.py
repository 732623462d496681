"""Tables of numbers, read strictly: a CSV with a header, or an npy file."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

import numpy as np

from engine.data.read.array import SUFFIXES as ARRAYS
from engine.data.read.array import find_arrays
from engine.data.read.cell import MISSING
from engine.data.read.csv_format import delimiter_of, plain_rows
from engine.data.read.gaps import GapFill, fill_gaps, parse_columns
from engine.data.read.idx import is_idx
from engine.data.read.listening import tell_progress
from engine.data.read.series_text import series_text
from engine.data.read.time_axis import TimeAxis, times_of
from engine.diagnostics import DiagnosticError

_MOST_COLUMNS = 10_000
_SHOWN = 12
_TOLD_ROWS = 1 << 13
_LOOKED_AT = 1000  # rows, for what a column has where its first cells are empty
_PLACE = re.compile(r"at row (\d+), column (\d+)")
_FIELD = "data.source.path"


@dataclass(frozen=True, eq=False)
class NumberTable:
    """Named columns of ``values``, float32, of shape (rows, columns), and the ``times`` of the rows
    where a column of them is chosen. ``words`` are the other columns, which are left out;
    ``filled`` says how many numbers were missing in a column and are filled in.
    """

    names: tuple[str, ...]
    values: np.ndarray
    times: TimeAxis | None = None
    words: tuple[str, ...] = ()
    filled: Mapping[str, int] = field(default_factory=dict)

    def positions(self, names: Sequence[str], field: str) -> list[int]:
        """Return the positions of some columns. Raises :class:`DiagnosticError` D121 where there
        is none of that name.
        """
        for name in names:
            if name not in self.names:
                known = ", ".join(self.names[:_SHOWN])
                raise DiagnosticError.of("D121", field=field, name=name[:60], names=known)
        return [self.names.index(name) for name in names]


def read_numbers(path: Path, time: str = "", fill: GapFill = "none") -> NumberTable:
    """Return the columns of numbers in a file; with ``time`` the rows in the order of that column,
    which is left out; so are columns of words. Numbers may have a decimal comma, within quotes
    where commas are between the columns. Missing ones are filled in as ``fill`` says, in that
    order.

    Raises :class:`DiagnosticError`: D121 to D126 for a table that is none of numbers, D020 to D041
    and D131 to D148 for a file that cannot be read.
    """
    if path.suffix.lower() in ARRAYS or is_idx(path.name):
        return _filled(_of_array(path), fill)
    return _filled(_of_text(series_text(path), path, time, has_gaps=fill != "none"), fill)


def _filled(table: NumberTable, fill: GapFill) -> NumberTable:
    """Return a table without gaps; one with some as it is where none are to be filled."""
    counts = np.isnan(table.values).sum(axis=0).tolist()
    if fill == "none" or not any(counts):
        return table
    times = None if table.times is None else table.times.values
    values = fill_gaps(table.values.astype(np.float64), fill, times).astype(np.float32)
    filled = {name: count for name, count in zip(table.names, counts, strict=True) if count}
    return replace(table, values=values, filled=filled)


def _of_array(path: Path) -> NumberTable:
    name, array = next(iter(find_arrays(path).items()))
    if len(array.shape) not in (1, 2) or array.dtype.kind not in "biuf":
        shape = " × ".join(map(str, array.shape))
        raise DiagnosticError.of("D147", name=name, shape=shape, dtype=str(array.dtype))
    values = array.read().astype(np.float32).reshape(array.shape[0], -1)
    return NumberTable(tuple(f"x{index + 1}" for index in range(values.shape[1])), values)


def _of_text(text: str, path: Path, time: str, *, has_gaps: bool) -> NumberTable:
    delimiter = delimiter_of(text)
    body = _body(text)
    try:
        rows = list(islice(plain_rows(text), _LOOKED_AT if has_gaps else 2))
    except csv.Error as error:
        raise DiagnosticError.of("D125", detail=str(error), field=_FIELD, file=path.name) from error
    if (
        not body
        or body.isspace()
        or len(rows) < 2
        or len(rows[0]) > _MOST_COLUMNS
        or len(rows[1]) != len(rows[0])
    ):
        raise DiagnosticError.of("D125", field=_FIELD, file=path.name)
    names = [name.strip() for name in rows[0]]
    if all(_is_number(name) for name in names):
        raise DiagnosticError.of("D126", field=_FIELD, file=path.name)
    cells = [_first(rows[1:], at) for at in range(len(names))] if has_gaps else rows[1]
    numeric = [at for at, value in enumerate(cells) if names[at] != time and _is_number(value)]
    if not numeric:
        raise DiagnosticError.of("D125", field=_FIELD, file=path.name)
    values = _values(body, path, delimiter, numeric, names, has_gaps=has_gaps)
    kept = tuple(names[at] for at in numeric)
    words = tuple(name for name in names if name not in kept and name != time)
    if time:
        if time not in names:
            known = ", ".join(names[:_SHOWN])
            raise DiagnosticError.of("D121", field="data.source.time", name=time[:60], names=known)
        order, times = times_of(_words(body, delimiter, [names.index(time)]), time)
        return NumberTable(kept, values[order], times, words)
    return NumberTable(kept, values, words=words)


def _first(rows: Sequence[Sequence[str]], column: int) -> str:
    """Return the first cell of a column in which something stands, empty where none does."""
    cells = (row[column].strip() for row in rows if len(row) > column)
    return next((cell for cell in cells if cell not in MISSING), "")


def _values(
    body: str, path: Path, delimiter: str, columns: list[int], names: list[str], *, has_gaps: bool
) -> np.ndarray:
    """Return columns of numbers, float32; NaN for missing ones where these are to be filled."""
    try:
        return _loaded(body, path, delimiter, columns, names).astype(np.float32)
    except DiagnosticError as error:
        if not has_gaps or error.problems[0].code != "D122":
            raise
    try:
        cells = _words(body, delimiter, columns).reshape(-1, len(columns))
    except ValueError as error:  # of a row that is shorter than the others
        raise _problem(str(error), names) from error
    return parse_columns(cells, [names[at] for at in columns]).astype(np.float32)


def _body(text: str) -> str:
    """Return a table without its header, which may go over several lines within quotes."""
    end, quotes = -1, 0
    while True:
        start, end = end + 1, text.find("\n", end + 1)
        if end < 0:
            return ""
        quotes += text.count('"', start, end)
        if quotes % 2 == 0:
            return text[end + 1 :]


def _lines(body: str) -> Iterator[str]:
    """Yield the lines that are not blank, of which NumPy warns."""
    return (line for line in io.StringIO(body) if not line.isspace())


def _told(lines: Iterable[str], path: Path) -> Iterator[str]:
    """Yield lines, of which whoever listens is told."""
    for done, line in enumerate(lines):
        if done % _TOLD_ROWS == 0:
            tell_progress(path, done, "rows")
        yield line


def _loaded(
    body: str, path: Path, delimiter: str, columns: list[int], names: list[str]
) -> np.ndarray:
    try:
        return np.loadtxt(
            _told(_lines(body), path), delimiter=delimiter, quotechar='"', comments=None,
            usecols=columns, ndmin=2,
        )  # fmt: skip
    except ValueError as error:
        raise _problem(str(error), names) from error


def _problem(message: str, names: list[str]) -> DiagnosticError:
    """Return what NumPy says of a value (its rows start at 0, its columns at 1) or of a row."""
    position = _PLACE.search(message)
    if position:
        column = names[int(position[2]) - 1]
        return DiagnosticError.of(
            "D122", detail=message, field=_FIELD, row=int(position[1]) + 1, column=column
        )
    return DiagnosticError.of("D124", detail=message, field=_FIELD, columns=len(names))


def _words(body: str, delimiter: str, columns: list[int]) -> np.ndarray:
    """Return what is written in some columns; of a single one without an axis for it."""
    return np.loadtxt(
        _lines(body), delimiter=delimiter, quotechar='"', comments=None,
        usecols=columns, dtype=str, ndmin=1,
    )  # fmt: skip


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
