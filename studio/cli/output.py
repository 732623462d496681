"""What a command writes: documents and texts to standard output, one line of error."""

import json
import math
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from shutil import get_terminal_size

from engine.diagnostics import STEERING, Diagnostic, printable, sentence
from studio.cli.wording import said
from studio.installation import language

_TOLD = 3  # errors that one line tells
_WIDTH = 100  # of a table, where there is no terminal


def write(text: str = "") -> None:
    """Write a line to standard output. Texts of runs and machines are not ours: what steers a
    terminal is left out of them.
    """
    sys.stdout.write(f"{printable(text)}\n")


def write_json(text: str) -> None:
    """Write a line of JSON to standard output, with what steers a terminal in its escapes."""
    safe = STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    sys.stdout.write(f"{safe}\n")


def in_line(text: str) -> str:
    """Return a name of the user's data as it stands in a line with others."""
    return " ".join(text.split())


def write_document(document: object) -> None:
    """Write one JSON document; numbers that JSON does not know become null."""
    write_json(json.dumps(_plain(document), ensure_ascii=False, allow_nan=False))


def write_error(text: str) -> None:
    """Write one line to standard error."""
    line = printable(" ".join(text.split()))
    sys.stderr.write(f"trellis: {line}\n")


def write_table(rows: list[tuple[str, ...]], *, wraps: bool = False) -> None:
    """Write rows in columns, each on one line; the first row is the head. With ``wraps`` columns
    for which a terminal has no room go on below, each time behind the first one.
    """
    rows = [tuple(" ".join(cell.splitlines()) for cell in row) for row in rows]
    widths = [max(columns(row[column]) for row in rows) for column in range(len(rows[0]))]
    room = get_terminal_size((_WIDTH, 24)).columns if wraps else math.inf
    for number, shown in enumerate(_pieces(widths, room)):
        if number:
            write()
        for row in rows:
            write("  ".join(padded(row[at], widths[at]) for at in shown).rstrip())


def _pieces(widths: Sequence[int], room: float) -> Iterator[list[int]]:
    """Yield the columns that stand beside each other, the first one each time."""
    shown, used = [0], widths[0]
    for at, width in enumerate(widths[1:], 1):
        if used + 2 + width > room and len(shown) > 1:
            yield shown
            shown, used = [0], widths[0]
        shown.append(at)
        used += 2 + width
    yield shown


def in_words(problem: Diagnostic) -> str:
    """Return the sentence of a finding in the language of the terminal."""
    return sentence(problem, language())


def summary(problems: tuple[Diagnostic, ...]) -> str:
    """Return findings as one line: the first errors, and how many others there are."""
    errors = [problem for problem in problems if problem.severity == "error"] or list(problems)
    sentences = list(dict.fromkeys(map(in_words, errors)))
    others = len(sentences[_TOLD:])
    more = f" ({said('+{count} more', count=others)})" if others else ""
    return " ".join(sentences[:_TOLD]) + more


def padded(text: str, width: int) -> str:
    """Return a text with spaces behind it to a width in columns, of which a letter of East Asia
    takes two.
    """
    return text + " " * (width - columns(text))


def columns(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def amount(count: int, one: str = "", several: str = "") -> str:
    """Return how many: ``1 sample``, ``2,000 samples``; ``several`` where it does not end in s.
    Without a word the number alone.
    """
    word = one and f" {one if count == 1 else several or one + 's'}"
    return f"{count:,}{word}"


def number(value: float) -> str:
    """Return a number for people."""
    return f"{value:.4g}"


def _plain(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value
