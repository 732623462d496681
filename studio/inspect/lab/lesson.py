"""The lessons of the autograd lab: code to be run, with what is to be seen in it."""

from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from engine.decoding import decode_json

_FOLDER = Path(__file__).parents[3] / "resources" / "lessons"

View = Literal["tensors", "graph", "memory", "broadcast", "einsum", "index"]


class Lesson(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One lesson. Title and text stand by language; ``rows`` are those of the table of capabilities
    that it meets. ``view`` is what it opens, with ``ask`` as the texts of its fields, or the tensor
    that it shows.
    """

    order: int
    title: dict[str, str]
    text: dict[str, str]
    code: tuple[str, ...]
    rows: tuple[str, ...] = ()
    view: View = "tensors"
    ask: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """The code as one text."""
        return "\n".join(self.code) + "\n"


@cache
def lessons() -> dict[str, Lesson]:
    """Return all lessons by name, in their order."""
    by_name = {path.stem: decode_json(path.read_bytes(), Lesson) for path in _FOLDER.glob("*.json")}
    return dict(sorted(by_name.items(), key=lambda item: item[1].order))


def in_language(texts: dict[str, str], language: str) -> str:
    """Return the text in a language; English where it has none."""
    return texts.get(language, texts["en"])
