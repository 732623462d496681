"""Search by typing: the entries that fit a text, best first."""

import re
from collections.abc import Iterable

from engine.catalog.spec import Entry
from engine.catalog.text import LANGUAGES, category_label, entry_label, entry_summary

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+d?")


def ranked(entries: Iterable[Entry], text: str) -> tuple[Entry, ...]:
    """Return the entries that fit every word of a text, best first; all of them for no text.

    A key or a name that is the text comes before one that begins with it, then initials (``mha``),
    other search words, parts of keys, words of the summary and letters in order (``cnv2``). Words
    in another language are looked for in the translations.
    """
    words = text.casefold().split()
    scored = [(_score(entry, words), place, entry) for place, entry in enumerate(entries)]
    fitting = [item for item in scored if item[0] > 0]
    fitting.sort(key=lambda item: (-item[0], len(item[2].key) if words else 0, item[1]))
    return tuple(entry for _, _, entry in fitting)


def _score(entry: Entry, words: list[str]) -> int:
    total = 1
    for word in words:
        score = _word_score(entry, word)
        if score == 0:
            return 0
        total += score
    return total


def _word_score(entry: Entry, word: str) -> int:
    if not word.isascii():
        return max((_translated_score(entry, word, language) for language in LANGUAGES), default=0)
    key = entry.key.casefold()
    parts = [part.casefold() for part in _WORDS.findall(entry.key)]
    aliases = [alias.casefold() for alias in entry.aliases]
    label = entry.label.casefold()
    tests = (
        (1000, word in (key, label)),
        (900, word in aliases),
        (800, key.startswith(word)),
        (700, "".join(part[0] for part in parts) == word),
        (650, any(alias.startswith(word) for alias in aliases)),
        (600, label.startswith(word)),
        (550, any(part.startswith(word) for part in parts)),
        (500, word in key),
        (400, word in label or any(word in alias for alias in aliases)),
        (300, entry.category.casefold().startswith(word)),
        (200, re.search(rf"\b{re.escape(word)}", entry.summary.casefold()) is not None),
        (50, len(word) > 2 and _is_subsequence(word, key)),
    )
    return next((score for score, fits in tests if fits), 0)


def _translated_score(entry: Entry, word: str, language: str) -> int:
    label = entry_label(entry, language).casefold()
    summary = entry_summary(entry, language).casefold()
    tests = (
        (800, label == word),
        (700, label.startswith(word)),
        (600, summary.startswith(word)),
        (500, word in label),
        (400, word in summary),
        (300, category_label(entry.category, language).casefold().startswith(word)),
        (900, word in (alias.casefold() for alias in entry.aliases)),
    )
    return next((score for score, fits in tests if fits), 0)


def _is_subsequence(letters: str, text: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in letters)
