"""Catalogue in memory: entries by group and key, read from ``resources/catalog``."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from engine.catalog import ranking
from engine.catalog.spec import Entry, EntryGroup
from engine.decoding import decode_json, json_decoder

_FOLDER = Path(__file__).parents[2] / "resources" / "catalog"
_FILES: dict[EntryGroup, str] = {
    EntryGroup.IO: "io",
    EntryGroup.TENSOR: "tensors",
    EntryGroup.LAYER: "layers",
    EntryGroup.OPERATOR: "operators",
    EntryGroup.LOSS: "losses",
    EntryGroup.OPTIMIZER: "optimizers",
    EntryGroup.SCHEDULER: "schedulers",
    EntryGroup.METRIC: "metrics",
    EntryGroup.DATA: "data",
    EntryGroup.TRANSFORM: "transforms",
    EntryGroup.BATCH_TRANSFORM: "batch_transforms",
    EntryGroup.SETTING: "settings",
    EntryGroup.INITIALISER: "initialisers",
}
_NODE_GROUPS = (EntryGroup.IO, EntryGroup.LAYER, EntryGroup.TENSOR, EntryGroup.OPERATOR)
_decoder = json_decoder(tuple[Entry, ...])


class Catalog:
    """All entries, in the order in which palettes and lists show them.

    A group is read when it is first asked for. Immutable after that; safe on any thread.
    """

    def __init__(self, folder: Path = _FOLDER) -> None:
        self._folder = folder
        self._groups: dict[EntryGroup, dict[str, Entry]] = {}
        self._nodes: dict[str, Entry] = {}

    def group(self, group: EntryGroup) -> tuple[Entry, ...]:
        """Return the entries of a group, in order."""
        return tuple(self._by_key(group).values())

    def entry(self, group: EntryGroup, key: str) -> Entry | None:
        """Return one entry of a group, if there is one with that key."""
        return self._by_key(group).get(key)

    def node(self, key: str) -> Entry | None:
        """Return the layer, tensor, operator, input or output with that key, if there is one."""
        if not self._nodes:
            self._nodes = {entry.key: entry for entry in reversed(self.nodes())}
        return self._nodes.get(key)

    def nodes(self) -> tuple[Entry, ...]:
        """Return everything that can stand on the canvas, in the order of the palette."""
        return tuple(entry for group in _NODE_GROUPS for entry in self._by_key(group).values())

    def categories(self, entries: Iterable[Entry] | None = None) -> tuple[str, ...]:
        """Return the categories of entries (all nodes where none are given), in order."""
        chosen = self.nodes() if entries is None else entries
        return tuple(dict.fromkeys(entry.category for entry in chosen))

    def search(self, text: str, entries: Iterable[Entry] | None = None) -> tuple[Entry, ...]:
        """Return the entries (all nodes where none are given) that fit a text, best first."""
        return ranking.ranked(self.nodes() if entries is None else entries, text)

    def not_offered(self) -> dict[str, str]:
        """Return the torch classes that are left out on purpose, with the reason of each."""
        data = (self._folder / "not_offered.json").read_bytes()
        return decode_json(data, dict[str, str])

    def _by_key(self, group: EntryGroup) -> dict[str, Entry]:
        if group not in _FILES:  # blocks: they are in graphs
            return {}
        if group not in self._groups:
            path = self._folder / f"{_FILES[group]}.json"
            self._groups[group] = {entry.key: entry for entry in _decoder.decode(path.read_bytes())}
        return self._groups[group]


@cache
def catalog() -> Catalog:
    """Return the catalogue of the program."""
    return Catalog()
