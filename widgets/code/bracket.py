"""Matching brackets; those in strings and comments do not count."""

from collections.abc import Iterator

from PySide6.QtGui import QTextBlock, QTextDocument

from widgets.code.token import tokens

_PAIRS = {"(": ")", "[": "]", "{": "}"}
_OPENING = {closing: opening for opening, closing in _PAIRS.items()}
_MOST_LINES = 2000


def bracket_pair(document: QTextDocument, position: int) -> tuple[int, int] | None:
    """Return the positions of the bracket beside a position and of the one that belongs to it."""
    for start in (position - 1, position):
        if start < 0:
            continue
        letter = document.characterAt(start)
        if letter not in _PAIRS and letter not in _OPENING:
            continue
        other = _partner(document, start, letter)
        if other is not None:
            return start, other
    return None


def _partner(document: QTextDocument, start: int, letter: str) -> int | None:
    is_opening = letter in _PAIRS
    wanted = _PAIRS.get(letter) or _OPENING[letter]
    depth = 0
    is_there = False
    for position, each in _brackets(document.findBlock(start), forwards=is_opening):
        if position == start:
            is_there = True
        if not is_there:
            continue
        if each == letter:
            depth += 1
        elif each == wanted:
            depth -= 1
            if not depth:
                return position
    return None


def _brackets(block: QTextBlock, *, forwards: bool) -> Iterator[tuple[int, str]]:
    for _ in range(_MOST_LINES):
        if not block.isValid():
            return
        brackets = [(block.position() + column, each) for column, each in _line_brackets(block)]
        yield from brackets if forwards else reversed(brackets)
        block = block.next() if forwards else block.previous()


def _line_brackets(block: QTextBlock) -> Iterator[tuple[int, str]]:
    text = block.text()
    state = max(block.previous().userState(), 0) if block.previous().isValid() else 0
    skipped = [
        (token.start, token.end)
        for token in tokens(text, state)
        if token.kind in ("string", "open", "comment")
    ]
    for column, letter in enumerate(text):
        if (letter in _PAIRS or letter in _OPENING) and not any(
            start <= column < end for start, end in skipped
        ):
            yield column, letter
