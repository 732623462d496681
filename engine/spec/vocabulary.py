"""Vocabulary: words and their indices, from a sentence to what a model reads, and back."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

PADDING, UNKNOWN = 0, 1
MARKS = ("<pad>", "<unk>")
"""What stands for the first two numbers: what fills a sentence up, and a word that is not known."""

WORD_PATTERN = r"\w+(?:'\w+)*"
"""What a word is, in small letters: letters and digits, with apostrophes inside."""

_WORD = re.compile(WORD_PATTERN)


@dataclass(frozen=True)
class Vocabulary:
    """The words in the order of their numbers, ``MARKS`` first."""

    words: tuple[str, ...]

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

    def encode(self, text: str, length: int) -> tuple[int, ...]:
        """Return the numbers of the first ``length`` words of a text, filled up with padding."""
        found = [self._numbers.get(word, UNKNOWN) for word in words_of(text)[:length]]
        return (*found, *[PADDING] * (length - len(found)))

    def decode(self, numbers: Sequence[int]) -> tuple[str, ...]:
        """Return the word of each number; a number that is none of a word is unknown."""
        known = range(len(self.words))
        return tuple(self.words[at] if at in known else MARKS[UNKNOWN] for at in numbers)

    def unknown(self, text: str) -> tuple[str, ...]:
        """Return the words of a text that have no number of their own, each once."""
        return tuple(dict.fromkeys(each for each in words_of(text) if each not in self._numbers))


def words_of(text: str) -> list[str]:
    """Return the words of a text in small letters, without punctuation."""
    return _WORD.findall(text.lower())
