"""Titles of the classes of ImageNet, whose folders have numbers of WordNet (``n01440764``).

torchvision's ``ImageNet`` keeps them in ``meta.bin`` beside ``train`` and ``val``: a pair of which
the first has the synonyms of each number. The copy of Kaggle has a line for each in
``LOC_synset_mapping.txt``: the number, then the synonyms with commas between.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from engine.archive.tensor_archive import read_archive
from engine.diagnostics import DiagnosticError
from engine.files import is_file, read_file

_NUMBER = re.compile(r"n\d{8}")
_META, _LINES = "meta.bin", "LOC_synset_mapping.txt"
_LONGEST = 4 << 20  # bytes of the lines
_LONGEST_TITLE = 100


def class_titles(root: Path, classes: Sequence[str]) -> tuple[str, ...]:
    """Return what the classes of a folder are called, in their order; none where they are no
    numbers of WordNet, or nothing in the folder or the one around it says what these mean. Of
    classes with the same title each has its number behind it, too.
    """
    if not classes or not all(map(_NUMBER.fullmatch, classes)):
        return ()
    for folder in (root, root.parent):
        known = _of_meta(folder / _META) or _of_lines(folder / _LINES)
        if known:
            titles = [known.get(name, name) for name in classes]
            counts = Counter(titles)
            named = zip(titles, classes, strict=True)
            return tuple(
                f"{title} ({name})" if counts[title] > 1 else title for title, name in named
            )
    return ()


def _of_meta(path: Path) -> Mapping[str, str]:
    if not is_file(path):
        return {}
    try:
        content = read_archive(path)
    except DiagnosticError:  # it only says what the classes are called
        return {}
    match content:
        case (dict() as synonyms, list()):
            pairs = cast("dict[object, object]", synonyms).items()
        case _:
            return {}
    found: dict[str, str] = {}
    for number, names in pairs:
        match number, names:
            case str(), [str() as first, *_]:
                found[number] = _title(first)
            case _:
                return {}
    return found


def _of_lines(path: Path) -> Mapping[str, str]:
    if not is_file(path):
        return {}
    try:
        lines = read_file(path, _LONGEST).decode().splitlines()
    except (OSError, UnicodeError):
        return {}
    pairs = (line.split(None, 1) for line in lines)
    return {pair[0]: _title(pair[1].split(",")[0]) for pair in pairs if len(pair) > 1}


def _title(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_TITLE]
