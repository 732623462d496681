"""Vocabulary: tokens and their indices, from a sentence to what a model reads, and back."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import msgspec

TokenUnit = Literal["words", "characters", "bytes", "bpe"]
"""What a token is; ``bpe`` are subwords by a tokenizer, which a vocabulary alone cannot cut."""

Letters = Literal["all", "lowercase", "ascii"]
"""Which letters a text keeps: all, small ones, or small ones without their accents."""

PADDING, UNKNOWN, START, END = range(4)
MARKS = ("<pad>", "<unk>")
"""What stands for the first two numbers: what fills a sentence up, and a word that is not known."""

SENTENCE_MARKS = ("<start>", "<end>")
"""What comes next where sentences are generated: what they start and end with."""

BYTES = tuple(chr(each) if 0x20 < each < 0x7F else f"0x{each:02x}" for each in range(256))
"""The names of the bytes, by their value."""

_WORD_START = "▁"  # of SentencePiece
_PLAIN = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_OTHERS = tuple(byte for byte in range(0x100) if byte not in _PLAIN)
_BYTE_LETTERS = {chr(byte): byte for byte in _PLAIN} | {
    chr(0x100 + number): byte for number, byte in enumerate(_OTHERS)
}
"""Bytes by the letters that tokenizers of the kind of GPT-2 write them with."""

_BYTES = {name: value for value, name in enumerate(BYTES)}

WORD_PATTERN = r"\w+(?:'\w+)*"
"""What a word is, in small letters: letters and digits, with apostrophes inside."""

WORD = re.compile(WORD_PATTERN)


@dataclass(frozen=True)
class Vocabulary:
    """The tokens in the order of their numbers, ``MARKS`` first; ``unit`` and ``letters`` say how
    a text becomes tokens.
    """

    words: tuple[str, ...]
    unit: TokenUnit = "words"
    letters: Letters = "all"

    @classmethod
    def of(cls, texts: Iterable[str], least: int = 1) -> "Vocabulary":
        """Return the words that come up in the texts at least ``least`` times, the most frequent
        first; those of one frequency by the alphabet.
        """
        counts = Counter(word for text in texts for word in words_of(text))
        frequent = sorted(
            (word for word, count in counts.items() if count >= least),
            key=lambda word: (-counts[word], word),
        )
        return cls((*MARKS, *frequent))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words) if number >= len(MARKS)}

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of a text."""
        return tokens_of(with_letters(text, self.letters), self.unit)

    def encode(self, text: str, length: int) -> tuple[int, ...]:
        """Return the numbers of the first ``length`` tokens of a text, filled up with padding."""
        numbers = [self._numbers.get(word, UNKNOWN) for word in self.tokens(text)[:length]]
        return (*numbers, *[PADDING] * (length - len(numbers)))

    def decode(self, numbers: Sequence[int]) -> tuple[str, ...]:
        """Return the word of each number; a number that is none of a word is unknown."""
        known = range(len(self.words))
        return tuple(self.words[at] if at in known else MARKS[UNKNOWN] for at in numbers)

    def unknown(self, text: str) -> tuple[str, ...]:
        """Return the tokens of a text that have no number of their own, each once."""
        tokens = self.tokens(text)
        return tuple(dict.fromkeys(each for each in tokens if each not in self._numbers))


class CountedToken(msgspec.Struct, frozen=True, kw_only=True):
    """A token, its number, and how often a model reads it in an epoch of the training part."""

    token: str
    number: int
    count: int


class PartTokens(msgspec.Struct, frozen=True, kw_only=True):
    """How many ``tokens`` a model reads in a part, those that fill a text up left out, and how many
    of them are ``unknown``; ``read`` of its ``samples`` were counted.
    """

    part: Literal["train", "validation", "test"]
    tokens: int
    unknown: int
    samples: int
    read: int


class VocabularyReport(msgspec.Struct, frozen=True, kw_only=True):
    """The vocabulary of one of the ``fields`` that are texts: some of the ``found`` tokens that
    were looked for, of ``size`` altogether, in the order of their numbers. Without such a field all
    is empty.
    """

    fields: tuple[str, ...] = ()
    field: str = ""
    unit: TokenUnit = "words"
    size: int = 0
    found: int = 0
    tokens: tuple[CountedToken, ...] = ()
    parts: tuple[PartTokens, ...] = ()


def words_of(text: str) -> list[str]:
    """Return the words of a text in small letters, without punctuation."""
    return WORD.findall(text.lower())


def tokens_of(text: str, unit: TokenUnit) -> list[str]:
    """Return the tokens of a text: words, characters, or the names of its bytes in UTF-8."""
    if unit == "words":
        return words_of(text)
    return list(text) if unit == "characters" else [BYTES[byte] for byte in text.encode()]


def joined(tokens: Iterable[str], unit: TokenUnit) -> str:
    """Return tokens as a text: words with spaces between them, bytes as what they are in UTF-8,
    subwords without the letters that tokenizers write bytes and spaces with.
    """
    if unit in ("words", "characters"):
        return (" " if unit == "words" else "").join(tokens)
    content = bytearray()
    for token in tokens:
        pieces = (token,) if unit == "bytes" else token.replace(_WORD_START, " ")
        known = _BYTES if unit == "bytes" else _BYTE_LETTERS
        is_bytes = all(piece in known for piece in pieces)
        content += bytes(known[piece] for piece in pieces) if is_bytes else "".join(pieces).encode()
    return content.decode("utf-8", "replace")


def with_letters(text: str, letters: Letters) -> str:
    """Return a text in the letters that it keeps."""
    if letters == "all":
        return text
    if letters == "ascii":
        plain = unicodedata.normalize("NFD", text)
        text = "".join(each for each in plain if unicodedata.category(each) != "Mn")
    return text.lower()
