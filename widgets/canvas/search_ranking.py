"""Which entries a search finds, in which order, and which were used lately."""

from collections.abc import Iterable, Mapping

from widgets.canvas.view_model import SearchEntry

_MOST_RECENT = 12


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
    words = query.lower().split()
    found: list[tuple[float, int, SearchEntry]] = []
    for place, entry in enumerate(entries):
        scores = [_score(entry, word) for word in words]
        if all(scores):
            rank = sum(scores) + usage.weight(entry.key) * (0.9 if words else 1.0)
            found.append((-rank, place, entry))
    found.sort(key=lambda row: row[:2])
    return [entry for _, _, entry in found]


def _score(entry: SearchEntry, word: str) -> float:
    """Return how well a word fits; 0 where it does not. The first rule that holds counts."""
    label, key = entry.label.lower(), entry.key.lower()
    aliases = [alias.lower() for alias in entry.aliases]
    loose = _compactness(word, key)
    rules = (
        (word in (label, key), 12.0),
        (label.startswith(word) or key.startswith(word), 9.0 - len(label) * 0.02),
        (word in aliases, 8.0),
        (word in label or word in key, 6.0 - len(label) * 0.02),
        (any(alias.startswith(word) for alias in aliases), 5.0),
        (entry.category.lower().startswith(word), 3.0),
        (loose > 0.0, 1.0 + 1.5 * loose),
        (any(word in alias for alias in aliases) or word in entry.summary.lower(), 0.8),
    )
    return next((score for holds, score in rules if holds), 0.0)


def _compactness(word: str, text: str) -> float:
    """Return 0 unless the letters of a word stand in a text in their order, else how close."""
    if not word or text[:1] != word[0]:
        return 0.0
    place = -1
    for letter in word:
        place = text.find(letter, place + 1)
        if place < 0:
            return 0.0
    return len(word) / (place + 1)
