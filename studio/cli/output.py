"""What a command writes: documents and texts to standard output, one line of error."""

import json
import math
import sys
import unicodedata

from engine.diagnostics import STEERING, Diagnostic, printable, sentence
from studio.cli.wording import said
from studio.installation import language


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


def write_table(rows: list[tuple[str, ...]]) -> None:
    """Write rows in columns, each on one line; the first row is the head."""
    rows = [tuple(" ".join(cell.splitlines()) for cell in row) for row in rows]
    widths = [max(columns(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        write(
            "  ".join(padded(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip()
        )


def in_words(problem: Diagnostic) -> str:
    """Return the sentence of a finding in the language of the terminal."""
    return sentence(problem, language())


def summary(problems: tuple[Diagnostic, ...]) -> str:
    """Return findings as one line: the first error, and how many others there are."""
    errors = [problem for problem in problems if problem.severity == "error"] or list(problems)
    sentences = list(dict.fromkeys(map(in_words, errors)))
    others = len(sentences) - 1
    more = f" ({said('+{count} more, which “check” lists', count=others)})" if others else ""
    return sentences[0] + more


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
