"""Entries of the palette, by category or best match first."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.catalog.ranking import ranked
from engine.catalog.spec import Entry
from engine.catalog.text import category_label, entry_label, entry_summary
from studio.i18n import translate


@dataclass(frozen=True, kw_only=True)
class PaletteItem:
    """One layer or operator of the palette."""

    key: str
    label: str
    summary: str
    category: str


@dataclass(frozen=True, kw_only=True)
class PaletteGroup:
    """Items under one heading."""

    title: str
    category: str
    items: tuple[PaletteItem, ...]


def present_palette(entries: Sequence[Entry], text: str, language: str) -> tuple[PaletteGroup, ...]:
    """Return the categories with their items, or one group of what fits a search text."""
    if text.strip():
        found = tuple(_item(entry, language) for entry in ranked(entries, text))
        title = translate("Palette", "Results ({count})").format(count=len(found))
        return (PaletteGroup(title=title, category="", items=found),)
    by_category: dict[str, list[PaletteItem]] = {}
    for entry in entries:
        by_category.setdefault(entry.category, []).append(_item(entry, language))
    return tuple(
        PaletteGroup(
            title=category_label(category, language), category=category, items=tuple(items)
        )
        for category, items in by_category.items()
    )


def _item(entry: Entry, language: str) -> PaletteItem:
    return PaletteItem(
        key=entry.key,
        label=entry_label(entry, language),
        summary=entry_summary(entry, language),
        category=entry.category,
    )
