"""Templates: the ready projects that ship with the program, as welcome page and command line list
them.

A template is a folder with ``template.json`` and ``project.json``.
"""

from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from engine.decoding import decode_json

TemplateTask = Literal[
    "classification",
    "binary",
    "regression",
    "segmentation",
    "detection",
    "image to image",
    "generation",
    "sequence to sequence",
    "language model",
    "none",
]
"""What a template learns to do, as its card says."""

Group = Literal["first", "image", "table", "sequence", "block"]
"""What a template is an example of: first steps, images, tables and functions, sequences, blocks
(the order of the welcome page).
"""

_FOLDER = Path(__file__).parents[2] / "resources" / "templates"


class TemplateInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a template without opening it.

    ``title``, ``description`` and ``data`` (origin and licence of the data) are texts by language;
    ``minutes`` says how long it trains on two cores, about; ``order`` places it in lists, where
    those of a group stand together.
    """

    name: str
    title: dict[str, str]
    description: dict[str, str]
    data: dict[str, str]
    group: Group
    task: TemplateTask
    minutes: float
    order: int
    path: Path

    def title_in(self, language: str) -> str:
        """Return the title in a language; English where it has none."""
        return self.title.get(language, self.title["en"])

    def description_in(self, language: str) -> str:
        """Return the description in a language; English where it has none."""
        return self.description.get(language, self.description["en"])

    def data_in(self, language: str) -> str:
        """Return origin and licence of the data in a language; English where it has none."""
        return self.data.get(language, self.data["en"])


class _TemplateDocument(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    title: dict[str, str]
    description: dict[str, str]
    data: dict[str, str]
    group: Group
    task: TemplateTask
    minutes: float
    order: int


@cache
def templates() -> tuple[TemplateInfo, ...]:
    """Return all templates in the order of the welcome page."""
    templates_read = [_read(path) for path in _FOLDER.glob("*/template.json")]
    return tuple(sorted(templates_read, key=lambda info: (info.order, info.name)))


def template(name: str) -> TemplateInfo | None:
    """Return the template with that name, if there is one."""
    return next((info for info in templates() if info.name == name), None)


def _read(path: Path) -> TemplateInfo:
    document = decode_json(path.read_bytes(), _TemplateDocument)
    return TemplateInfo(
        name=path.parent.name,
        title=document.title,
        description=document.description,
        data=document.data,
        group=document.group,
        task=document.task,
        minutes=document.minutes,
        order=document.order,
        path=path.parent,
    )
