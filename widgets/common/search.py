"""Fuzzy ranking that the command palette, the node search and filter boxes share."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TypeVar

Item = TypeVar("Item")

_PREFIX, _WORD, _INSIDE, _INITIALS, _SCATTERED = 100.0, 80.0, 60.0, 50.0, 20.0


def score(query: str, texts: Sequence[str], titles: int = 1) -> float:
    """Return how well texts (titles first, then path and aliases) answer a query; 0: not at all.

    Every word of the query has to be found in one of the texts. A title's beginning beats the
    beginning of a word, that beats the middle, initials (``mhs`` in ``Multi Head Self``) and
    letters in order with gaps. Texts after the ``titles`` count less. An empty query fits
    everything.
    """
    words = query.casefold().split()
    if not words:
        return 1.0
    total = 0.0
    for word in words:
        best = 0.0
        for index, text in enumerate(texts):
            best = max(best, _word_score(word, text) * (1.0 if index < titles else 0.7))
        if best <= 0:
            return 0.0
        total += best
    return total / len(words)


def _word_score(word: str, text: str) -> float:
    folded = text.casefold()
    if not folded:
        return 0.0
    index = folded.find(word)
    shortness = len(word) / len(folded)
    if index == 0:
        return _PREFIX + 10 * shortness
    if index > 0:
        is_start = not folded[index - 1].isalnum() or (
            text[index].isupper() and text[index - 1].islower()
        )
        return (_WORD if is_start else _INSIDE) + 10 * shortness
    if _is_subsequence(word, initials(text)):
        return _INITIALS + 10 * shortness
    return _scattered_score(word, folded)


@lru_cache(4096)  # titles of layers and commands, at each letter that is typed
def initials(text: str) -> str:
    """Return the first letters of words and humps, folded: ``BatchNorm2d`` gives ``bn2``."""
    kept = []
    for index, letter in enumerate(text):
        previous = text[index - 1] if index else " "
        starts = letter.isalnum() and not previous.isalnum()
        hump = letter.isupper() and previous.islower()
        digit = letter.isdigit() and not previous.isdigit()
        if starts or hump or digit:
            kept.append(letter.casefold())
    return "".join(kept)


def _is_subsequence(word: str, text: str) -> bool:
    letters = iter(text)
    return all(letter in letters for letter in word)


def _scattered_score(word: str, folded: str) -> float:
    """Score letters in order with gaps; too many gaps are no match."""
    index = folded.find(word[0])
    if index < 0:
        return 0.0
    first = index
    for letter in word[1:]:
        index = folded.find(letter, index + 1)
        if index < 0:
            return 0.0
    gaps = index - first + 1 - len(word)
    return max(0.0, _SCATTERED - 4 * gaps) if len(word) > 2 else 0.0


def ranked(
    query: str,
    items: Iterable[tuple[Item, Sequence[str]]],
    recent: Sequence[Item] = (),
    titles: int = 1,
) -> list[Item]:
    """Return the items that fit, best first; among equals recent ones, then the given order. So
    many of the texts of each are ``titles``.
    """
    position = {item: index for index, item in enumerate(recent)}
    kept: list[tuple[float, int, int, Item]] = []
    for order, (item, texts) in enumerate(items):
        points = score(query, texts, titles)
        if points > 0:
            kept.append((-points, position.get(item, len(position)), order, item))
    if not query.strip():
        kept.sort(key=lambda row: row[1:3])
    else:
        kept.sort(key=lambda row: row[:3])
    return [row[3] for row in kept]
