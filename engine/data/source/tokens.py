"""Texts as arrays of small numbers: a token takes a few bytes, not an object."""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.data.read.tokenizer import SubwordTokenizer
from engine.spec.vocabulary import (
    BYTES,
    END,
    MARKS,
    PADDING,
    START,
    WORD,
    Letters,
    TokenUnit,
)

WHOLE = " (whole)"
"""What follows the name of a tokenizer by which samples are laid out before some are trained on."""

_BLOCK = 1 << 20  # characters at a time
_CODE_POINTS = 0x110000
_LEAST = {"words": 2, "characters": 1, "bytes": 0}
"""How often a token has to come up: rare words count as unknown, so that this is trained, too."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Tokens:
    """Tokens of some texts in a row: ``ids`` are indices into ``alphabet``, and a text is those
    from ``starts`` to ``ends`` of its number. ``tokenizer`` is what cut them, of subwords.
    """

    ids: np.ndarray
    alphabet: tuple[str, ...]
    starts: np.ndarray
    ends: np.ndarray
    unit: TokenUnit
    letters: Letters
    tokenizer: SubwordTokenizer | None = None

    def of(self, index: int, most: int) -> np.ndarray:
        """Return the first tokens of a text."""
        start = int(self.starts[index])
        return self.ids[start : min(int(self.ends[index]), start + most)]

    def counts(self, indices: np.ndarray, most: int) -> np.ndarray:
        """Return how often each token comes up in the first tokens of some texts."""
        total = np.zeros(len(self.alphabet), np.int64)
        for first in range(0, len(indices), 4096):
            pieces = [self.of(int(index), most) for index in indices[first : first + 4096]]
            total += np.bincount(np.concatenate(pieces), minlength=len(total))
        return total


@dataclass(frozen=True, eq=False, kw_only=True)
class Encoding:
    """Numbers that a model reads: ``words`` by number, the number of each token, and those that
    fill a text up, start and end it.
    """

    words: tuple[str, ...]
    numbers: np.ndarray
    padding: int = PADDING
    start: int = START
    end: int = END


def tokenized(text: str, spans: np.ndarray, unit: TokenUnit, letters: Letters) -> Tokens:
    """Return the tokens of the parts of a text, whose ``spans`` are (start, end), of shape
    (parts, 2), int64; ``text`` is in the letters that it keeps.
    """
    if unit == "characters":
        ids, alphabet = _characters(text)
        starts, ends = spans[:, 0], spans[:, 1]
    else:
        split = _words if unit == "words" else _bytes
        ids, alphabet, ends = split(text, spans)
        starts = np.concatenate(([0], ends[:-1])).astype(np.int64)
    return Tokens(ids=ids, alphabet=alphabet, starts=starts, ends=ends, unit=unit, letters=letters)


def fitted_encoding(tokens: Tokens, counts: np.ndarray, marks: Sequence[str] = ()) -> Encoding:
    """Return an encoding by how often each token comes up in training: the most frequent first,
    those of one frequency by the alphabet; ``marks`` come after :data:`MARKS`.
    """
    least = _LEAST[tokens.unit]
    order = range(len(BYTES))
    if tokens.unit != "bytes":
        frequent = np.flatnonzero(counts >= max(least, 1)).tolist()
        order = sorted(frequent, key=lambda each: (-int(counts[each]), tokens.alphabet[each]))
    first = len(MARKS) + len(marks)
    numbers = np.ones(len(tokens.alphabet), np.int64)  # unknown
    numbers[list(order)] = np.arange(first, first + len(order))
    words = (*MARKS, *marks, *(tokens.alphabet[each] for each in order))
    return Encoding(words=words, numbers=numbers)


def _characters(text: str) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the characters as indices into their alphabet, in the order of their code points."""
    is_used = np.zeros(_CODE_POINTS, bool)
    for block in _blocks(text):
        is_used[block] = True
    codes = np.flatnonzero(is_used)
    lookup = np.zeros(_CODE_POINTS, _dtype(len(codes)))
    lookup[codes] = np.arange(len(codes))
    ids = np.empty(len(text), lookup.dtype)
    for number, block in enumerate(_blocks(text)):
        ids[number * _BLOCK : number * _BLOCK + len(block)] = lookup[block]
    return ids, tuple(map(chr, codes.tolist()))


def _blocks(text: str) -> Iterator[np.ndarray]:
    for start in range(0, len(text), _BLOCK):
        block = text[start : start + _BLOCK].encode("utf-32-le", "surrogatepass")
        yield np.frombuffer(block, "<u4")


def _words(text: str, spans: np.ndarray) -> tuple[np.ndarray, tuple[str, ...], np.ndarray]:
    numbers: dict[str, int] = {}
    ids, ends = array("i"), array("q")
    for start, end in spans.tolist():
        for first, last in _cuts(text, start, end):
            for word in WORD.finditer(text[first:last].lower()):
                ids.append(numbers.setdefault(word[0], len(numbers)))
        ends.append(len(ids))
    return _array(ids, np.int32), tuple(numbers), _array(ends, np.int64)


def _cuts(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return blocks of a long text that end at the end of a line, or where there is none."""
    cuts = [start]
    while end - cuts[-1] > _BLOCK:
        line = text.rfind("\n", cuts[-1], cuts[-1] + _BLOCK)
        cuts.append(line + 1 if line > cuts[-1] else cuts[-1] + _BLOCK)
    return list(zip(cuts, [*cuts[1:], end], strict=True))


def _bytes(text: str, spans: np.ndarray) -> tuple[np.ndarray, tuple[str, ...], np.ndarray]:
    content, ends = bytearray(), array("q")
    for start, end in spans.tolist():
        content += text[start:end].encode("utf-8", "surrogatepass")
        ends.append(len(content))
    return np.frombuffer(bytes(content), np.uint8), BYTES, _array(ends, np.int64)


def _array(values: "array[int]", dtype: type[np.integer]) -> np.ndarray:
    return np.frombuffer(values.tobytes(), dtype)


def _dtype(count: int) -> np.dtype:
    return np.dtype(np.uint8 if count <= 1 << 8 else np.uint16 if count <= 1 << 16 else np.int32)
