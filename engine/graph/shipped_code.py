"""Texts of the code that ships with the program (``resources/code``): it goes into a project like
any other own code.
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from engine.graph.code import needed_files

_FOLDER = Path(__file__).parents[2] / "resources" / "code"


def shipped_text(file: str) -> str:
    """Return the text of a file."""
    return (_FOLDER / file).read_text(encoding="utf-8")


def shipped_files(file: str) -> dict[str, str]:
    """Return the texts of a file and of those that it imports, by their names."""
    texts = {path.name: shipped_text(path.name) for path in sorted(_FOLDER.glob("*.py"))}
    return {name: texts[name] for name in needed_files(texts, (file,))}


def is_shipped(texts: Iterable[str]) -> bool:
    """Return whether all of these texts are those of files that ship with the program, which need
    nobody's trust.
    """
    return _shipped_texts().issuperset(texts)


@cache
def _shipped_texts() -> frozenset[str]:
    return frozenset(shipped_text(path.name) for path in _FOLDER.glob("*.py"))
