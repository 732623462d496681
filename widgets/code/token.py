"""Python's own tokens of a line, as far as colours, brackets and completion need them."""

import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass

_WORDS = "|".join(keyword.kwlist)
_TOKEN = re.compile(
    rf"""(?P<comment>\#.*)
    |(?P<string>[rbfuRBFU]{{0,2}}(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'))
    |(?P<open>[rbfuRBFU]{{0,2}}["'].*)
    |(?P<number>\b(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d*)?(?:[eE][-+]?\d+)?)\b)
    |(?P<keyword>\b(?:{_WORDS})\b)
    |(?P<self>\bself\b)
    |(?P<decorator>@\w+)
    |(?<=\bdef\s)(?P<definition>\w+)|(?<=\bclass\s)(?P<type>\w+)
    """,
    re.VERBOSE,
)
_QUOTES = ('"""', "'''")


@dataclass(frozen=True, slots=True)
class Token:
    """A part of a line; ``kind`` is a group of the pattern above (``open``: a string that the line
    does not end). ``state`` is what follows the
    line where the token runs over its end: 0, or 1 and 2 inside triple quotes.
    """

    start: int
    end: int
    kind: str
    state: int = 0


def tokens(text: str, state: int = 0) -> Iterator[Token]:
    """Yield the tokens of a line; ``state`` is that in which the line before ended."""
    start = 0
    if state > 0:  # inside triple quotes since an earlier line
        end = text.find(_QUOTES[state - 1])
        if end < 0:
            yield Token(0, len(text), "string", state)
            return
        start = end + 3
        yield Token(0, start, "string")
    while start < len(text):
        quote = next((q for q in _QUOTES if text.startswith(q, start)), None)
        if quote is not None:
            end = text.find(quote, start + 3)
            stop = len(text) if end < 0 else end + 3
            yield Token(start, stop, "string", _QUOTES.index(quote) + 1 if end < 0 else 0)
            start = stop
            continue
        match = _TOKEN.match(text, start)
        if match is None or not match.lastgroup:
            start += 1
            continue
        yield Token(start, match.end(), match.lastgroup)
        start = match.end()


def is_code(text: str, state: int, column: int) -> bool:
    """Return whether what is typed at a column is code, not part of a string or a comment."""
    for token in tokens(text, state):
        if token.kind in ("comment", "open") and column > token.start:
            return False
        if token.kind == "string":
            is_open = token.state > 0 and column >= token.end
            if token.start < column < token.end or is_open:
                return False
    return True
