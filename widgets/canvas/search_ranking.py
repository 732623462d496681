"""Ranking of search entries: which match, in which order, and which were used lately."""

from collections.abc import Iterable, Mapping

from widgets.canvas.view_model import SearchEntry
from widgets.common.search import score

_MOST_RECENT = 12
_USED = 10.0  # what the entry used last gains; a better kind of fit gains more


class Usage:
    """What was added lately and how often; goes with the window's state."""

    def __init__(self) -> None:
        self.recent: list[str] = []
        self.counts: dict[str, int] = {}

    def used(self, key: str) -> None:
        """Note that an entry was added."""
        self.recent = [key, *(other for other in self.recent if other != key)][:_MOST_RECENT]
        self.counts[key] = self.counts.get(key, 0) + 1

    def restore(self, recent: object, counts: object) -> None:
        """Take up what an earlier window noted; anything else than keys and counts is ignored."""
        if isinstance(recent, list | tuple):
            self.recent = [key for key in recent if isinstance(key, str)][:_MOST_RECENT]
        if isinstance(counts, Mapping):
            pairs = counts.items()
            self.counts = {k: n for k, n in pairs if isinstance(k, str) and isinstance(n, int)}

    def weight(self, key: str) -> float:
        """Return between 0 and 1 how likely an entry is meant: lately used, then often used."""
        if key in self.recent:
            return 1.0 - 0.04 * self.recent.index(key)
        return min(self.counts.get(key, 0), 10) * 0.04


def ranked(entries: Iterable[SearchEntry], query: str, usage: Usage) -> list[SearchEntry]:
    """Return the entries that fit a query, the best first; without one all, the used ones first."""
    scored: list[tuple[float, int, SearchEntry]] = []
    for index, entry in enumerate(entries):
        fit = score(query, (entry.label, entry.key, *entry.aliases, entry.category))
        if fit > 0.0:
            scored.append((-fit - _USED * usage.weight(entry.key), index, entry))
    scored.sort(key=lambda row: row[:2])
    return [entry for _, _, entry in scored]
