"""Transforms that can be added to data, by their kind."""

from collections.abc import Collection
from dataclasses import dataclass

from engine.catalog.ranking import ranked
from engine.catalog.spec import Entry, EntryGroup, Need
from engine.catalog.text import category_label, entry_label, entry_summary
from engine.spec.choice import NO_CODE, Code, available_entries
from engine.spec.data import DataInfo
from engine.spec.transform_field import LISTS
from studio.i18n import translate


@dataclass(frozen=True, kw_only=True)
class Offer:
    """A transform that can be added."""

    key: str
    title: str
    summary: str
    note: str


@dataclass(frozen=True, kw_only=True)
class OfferGroup:
    """Transforms of one kind."""

    title: str
    items: tuple[Offer, ...]


def present_offer(
    text: str,
    language: str,
    info: DataInfo | None = None,
    code: Code = NO_CODE,
    used: Collection[str] = (),
) -> tuple[OfferGroup, ...]:
    """Return the transforms that can be added to data, those of batches last; or what fits a
    search. Those of sounds are offered for sounds, all others for pictures and videos, and those of
    the user's own code, which come first, for all data, and so are containers. What keeps frames
    is offered for videos. What the model itself is made of (``used``, keys of its nodes) is not.
    """
    kinds = {field.kind for field in info.fields} if info is not None else set[str]()
    groups: dict[str, list[Offer]] = {}
    for name, group in LISTS.items():
        entries = tuple(
            entry
            for entry in sorted(available_entries(group, code), key=lambda e: not e.is_custom())
            if _is_offered(entry, kinds) and not (entry.is_custom() and entry.key in used)
        )
        for entry in ranked(entries, text) if text.strip() else entries:
            groups.setdefault(entry.category, []).append(_offer(name, entry, language))
    return tuple(
        OfferGroup(title=category_label(category, language), items=tuple(items))
        for category, items in groups.items()
    )


def _is_offered(entry: Entry, kinds: set[str]) -> bool:
    """Return whether a transform is offered for data with fields of some kinds (none: unknown)."""
    if entry.is_custom() or Need.STEPS in entry.needs:
        return True
    if Need.VIDEO in entry.needs:
        return "video" in kinds
    has_sounds = "sound" in kinds
    has_others = not kinds or bool(kinds & {"image", "mask", "video"})
    return has_sounds if Need.SOUND in entry.needs else has_others or not has_sounds


def _offer(name: str, entry: Entry, language: str) -> Offer:
    if LISTS[name] is EntryGroup.BATCH_TRANSFORM:
        note = translate("Transforms", "Blends training batches.")
    elif entry.is_custom() and Need.RANDOM_NUMBERS not in entry.needs:
        note = translate("Transforms", "Of your code: applied to all parts.")
    elif Need.RANDOM_NUMBERS in entry.needs:
        note = translate("Transforms", "Random: applied to training only.")
    else:
        note = translate("Transforms", "Not random: applied to all parts.")
    return Offer(
        key=f"{name}.{entry.key}",
        title=entry_label(entry, language),
        summary=entry_summary(entry, language),
        note=note,
    )
