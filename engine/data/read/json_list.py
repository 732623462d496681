"""Reader of JSON lists: objects between brackets, whose names are the columns.

The list may be all of the file, or what a name of an outer object has (``{"data": [...]}``).
"""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path

from engine.data.read.cell import Head, Table
from engine.data.read.json_lines import JsonRow, head_of_rows, table_of_rows
from engine.data.read.stream import LONGEST_LINE, opened, text_pieces, unpacked
from engine.diagnostics import DiagnosticError
from engine.spec.table import TableFormat

_FIELD = "data.source.path"
_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"\s*")
_NAME = re.compile(r'\s*"((?:[^"\\]|\\.){0,200})"\s*:\s*')
_OBJECTS = re.compile(r"\ufeff?\s*\[\s*(?=\{)")
_MOST_NAMES = 100  # of an outer object, before its list


def is_json_list(text: str) -> bool:
    """Return whether a text starts a list of JSON objects."""
    return _start(text) is not None


def json_list_head(path: Path, text: str, *, is_complete: bool) -> Head:
    """Return the first rows of a text that starts a file. Raises as :func:`read_json_list`."""
    rows = list(_rows(path, [text], is_whole=is_complete))
    return head_of_rows(path, rows, TableFormat(kind="json"), is_complete=is_complete)


def read_json_list(path: Path, form: TableFormat) -> Table:
    """Return a whole table; a name that an object lacks is a missing value.

    Raises ``DiagnosticError``: D030 and D031 as for other text, D038 for too many names, D495 for
    what is no JSON or no object, with its number in the list.
    """
    with (
        opened(path) as stream,
        closing(text_pieces(unpacked(stream, path), form.encoding, path)) as pieces,
    ):
        return table_of_rows(path, _rows(path, pieces), form)


def _rows(path: Path, pieces: Iterable[str], *, is_whole: bool = True) -> Iterator[JsonRow]:
    """Yield the objects of a list with their numbers in it, counted from 1; where the text is not
    ``is_whole``, those that end in it.
    """
    more = iter(pieces)
    text = next(more, "")
    at = _start(text)
    number = 0
    for piece in chain(more, ("",)):
        at, text = 0, text[at:] + piece
        while True:
            found = _next(path, text, at, number + 1)
            if found is None:
                break
            at, one = found
            if one is None:
                return
            number += 1
            yield number, one
        if len(text) - at > LONGEST_LINE:
            raise _wrong(path, number + 1)
    if is_whole:
        raise _wrong(path, number + 1)


def _next(
    path: Path, text: str, at: int, number: int
) -> tuple[int, dict[str, object] | None] | None:
    """Return where an object of a list ends, with it, or None for it after the last; None where the
    text ends before that.
    """
    at = _past(text, at)
    if number > 1 and text.startswith(",", at):
        at = _past(text, at + 1)
    elif number > 1 and at < len(text) and text[at] != "]":
        raise _wrong(path, number)
    if text.startswith("]", at):
        return at + 1, None
    if at < len(text) and text[at] != "{":
        raise _wrong(path, number)
    try:
        one, end = _DECODER.raw_decode(text, at)
    except json.JSONDecodeError:
        return None  # or what follows is still to be read
    except (ValueError, RecursionError) as error:
        raise _wrong(path, number) from error
    return end, one


def _start(text: str) -> int | None:
    """Return where the first object of a list starts, None where there is none."""
    for at in _values(text):
        if match := _OBJECTS.match(text, at):
            return match.end()
    return None


def _values(text: str) -> Iterator[int]:
    """Yield where the value of a text begins, and those of the names in it where it has some."""
    yield 0
    at = _past(text, 1 if text.startswith("\ufeff") else 0)
    mark = "{"
    for _ in range(_MOST_NAMES):
        name = _NAME.match(text, at + 1) if text.startswith(mark, at) else None
        if name is None:
            return
        yield name.end()
        try:
            _, at = _DECODER.raw_decode(text, name.end())
        except (ValueError, RecursionError):
            return
        at, mark = _past(text, at), ","


def _past(text: str, at: int) -> int:
    """Return where the spaces at a place end."""
    match = _SPACE.match(text, at)
    return at if match is None else match.end()


def _wrong(path: Path, number: int) -> DiagnosticError:
    return DiagnosticError.of("D495", field=_FIELD, file=str(path), row=number)
