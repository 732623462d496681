"""Cells with several labels (``circle square``, ``a;b;c``): tags, of which a row has any number."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from engine.data.read.cell import MISSING
from engine.data.read.column_name import words_in
from engine.data.read.number import parse_number

MOST_TAGS = 1000
"""A column with more different tags is none unless somebody says so."""

_MARKS = ("|", ";", "；", "、", ",", "，")
_SPACE = " "
_NAMED = frozenset(
    [
        "tags",
        "labels",
        "genres",
        "keywords",
        "topics",
        "themes",
        "categories",
        "classes",
        "标签",
        "关键词",
    ]
)
_LEAST_COMBINED = 2  # cells of several tags
_LEAST_TIMES = 2  # that a tag comes, in the mean
_LONGEST, _MOST_WORDS = 40, 4  # of a tag


def mark_of(cells: Iterable[str]) -> str:
    """Return what stands between the tags of cells: the first of some marks that one of them has,
    else a space.
    """
    seen = {mark for cell in cells for mark in _MARKS if mark in cell}
    return next((mark for mark in _MARKS if mark in seen), _SPACE)


def split_tags(cell: str, mark: str) -> tuple[str, ...]:
    """Return the tags of a cell, each once; of a list in brackets (``['a', 'b']``) what is quoted
    in it. A missing value has none.
    """
    return tuple(dict.fromkeys(_words(cell, mark)))


def tags_in(name: str, cells: Collection[str]) -> tuple[str, ...]:
    """Return the tags of a column that plainly has some: few, most of them in several combinations,
    none of which has one twice. Spaces are between tags only where the column is called so, or each
    tag stands alone somewhere too: the colors of ``light blue`` do not. Nothing for other columns.
    """
    counts = Counter(cell for cell in cells if cell not in MISSING)
    mark = mark_of(counts)
    sets = {cell: _words(cell, mark) for cell in counts}
    words = dict.fromkeys(word for found in sets.values() for word in found)
    is_named = is_called_tags(name)
    if not words or len(words) > MOST_TAGS or not _are_sets(sets) or not _are_short(words):
        return ()
    if not is_named and all(parse_number(word, ".") is not None for word in words):
        return ()
    times = sum(len(found) * counts[cell] for cell, found in sets.items())
    combinations = Counter(word for found in sets.values() for word in found)
    shared = sum(count > 1 for count in combinations.values())
    alone = {found[0] for found in sets.values() if len(found) == 1}
    is_split = mark != _SPACE or is_named or len(alone) == len(words)
    is_small = len(words) * _LEAST_TIMES <= times and 2 * shared >= len(words)
    return tuple(words) if is_split and is_small else ()


def is_called_tags(name: str) -> bool:
    """Return whether a column is called as one of tags is."""
    return bool(words_in(name) & _NAMED)


def _are_sets(sets: Mapping[str, tuple[str, ...]]) -> bool:
    several = sum(len(found) > 1 for found in sets.values())
    return several >= _LEAST_COMBINED and all(len({*each}) == len(each) for each in sets.values())


def _are_short(words: Iterable[str]) -> bool:
    return all(len(word) <= _LONGEST and len(word.split()) <= _MOST_WORDS for word in words)


def _words(cell: str, mark: str) -> tuple[str, ...]:
    text = cell.strip()
    if text in MISSING:
        return ()
    if (text[0], text[-1]) in (("[", "]"), ("{", "}"), ("(", ")")):
        text = text[1:-1]
    parts = (part.strip() for part in text.split(mark if mark != _SPACE else None))
    return tuple(word for part in parts if (word := _unquoted(part)))


def _unquoted(word: str) -> str:
    is_quoted = len(word) > 1 and word[0] == word[-1] and word[0] in "'\""
    return word[1:-1].strip() if is_quoted else word
