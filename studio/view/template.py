"""Templates in lists: by group, with words to find them by."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from engine.graph.templates import TemplateInfo
from studio.i18n import translate


@dataclass(frozen=True, kw_only=True)
class TemplateItem:
    """One template; ``words`` are what it is found by, in small letters."""

    name: str
    title: str
    description: str
    words: str


def group_title(group: str) -> str:
    """Return what a group of templates is called."""
    return {
        "first": translate("Welcome", "First steps"),
        "image": translate("Welcome", "Images"),
        "table": translate("Welcome", "Tables and functions"),
        "sequence": translate("Welcome", "Sequences"),
        "block": translate("Welcome", "Blocks"),
    }[group]


def present_templates(
    infos: Sequence[TemplateInfo], language: str
) -> tuple[tuple[str, tuple[TemplateItem, ...]], ...]:
    """Return the groups, each with its title and its templates in order."""
    return tuple(
        (title, tuple(_item(info, title, language) for info in members))
        for group, members in groupby(infos, key=lambda info: info.group)
        if (title := group_title(group))
    )


def _item(info: TemplateInfo, group: str, language: str) -> TemplateItem:
    title, description = info.title_in(language), info.description_in(language)
    words = f"{group} {info.name} {info.title_in('en')} {title} {description}".casefold()
    return TemplateItem(name=info.name, title=title, description=description, words=words)
