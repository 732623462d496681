"""Arguments of a block's class: those inferred from what arrives ("auto") that differ between its
uses. A size that is the same everywhere is written as a number.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from engine.catalog.spec import AUTO, EntryGroup, Value
from engine.codegen.inline import is_inline
from engine.graph.block import (
    SEPARATOR,
    block_name,
    block_of,
    body,
    entry_of,
    used_blocks,
)
from engine.graph.expand import Flat, copy_mark
from engine.graph.model import Block, Graph, Node
from engine.graph.naming import free_name, sanitized_name
from engine.syntax.call import SlotName

Resolved = Mapping[str, Mapping[str, int]]
"""By path of a node (with the numbers of copies) the numbers that stand for "auto"."""


class Slot(NamedTuple):
    """A size inside a class: the path of the node from the class on, and its parameter."""

    path: str
    param: str


class Sizes:
    """The sizes of a model's classes, by the name of the block; that of the model itself is ""."""

    def __init__(self, graph: Graph, flat: Flat, resolved: Resolved) -> None:
        self._graph = graph
        self._resolved = resolved
        self._uses = _uses(flat)
        self.slots: dict[str, dict[Slot, str]] = {"": {}}
        self.open: set[str] = set()
        self._written: dict[str, tuple[tuple[Slot, Value], ...]] = {}
        for name in used_blocks(graph.blocks, graph.nodes.values()):
            self._add(name, graph.blocks[name])

    def first_use(self, name: str) -> str:
        """Return the path of the first use of a block with a separator behind, "" for the model."""
        return self._uses.get(name, [""])[0]

    def value(self, name: str, slot: Slot) -> Value:
        """Return what is written for a size inside a class: a number or the name of an argument."""
        argument = self.slots[name].get(slot)
        if argument is not None:
            return SlotName(argument)
        return self._number(self.first_use(name), slot)

    def written(self, name: str) -> tuple[tuple[Slot, Value], ...]:
        """Return what is written for each size on "auto" inside the class of a block."""
        return self._written.get(name, ())

    def values(self, name: str, path: str, node: Node) -> dict[str, Value]:
        """Return what is written for the sizes of a node at a path inside a class."""
        entry = entry_of(self._graph, node)
        found: dict[str, Value] = {}
        for spec in entry.params if entry is not None else ():
            if spec.auto:
                value = self.value(name, Slot(path, spec.name))
                if value is not None:
                    found[spec.name] = value
        return found

    def _number(self, prefix: str, slot: Slot) -> int | None:
        return self._resolved.get(prefix + slot.path, {}).get(slot.param)

    def _add(self, name: str, block: Block) -> None:
        prefixes = self._uses.get(name, [])
        if not prefixes:  # only inside itself, or beyond what can be looked at
            self.open.add(name)
        found: dict[Slot, str] = {}
        labels: set[str] = set()
        slots = list(self._sizes(body(self._graph, block), ""))
        params = [slot.param for slot, _ in slots]
        for slot, label in slots:
            numbers = {self._number(prefix, slot) for prefix in prefixes}
            if None in numbers:
                self.open.add(name)
            if len(numbers) > 1:
                wanted = (
                    slot.param
                    if params.count(slot.param) == 1
                    else sanitized_name(f"{label}_{slot.param}")
                )
                found[slot] = free_name(wanted, labels)
                labels.add(found[slot])
        self.slots[name] = found
        self._written[name] = tuple((slot, self.value(name, slot)) for slot, _ in slots)

    def _sizes(self, graph: Graph, prefix: str) -> Iterator[tuple[Slot, str]]:
        """Yield the sizes on "auto" inside a class, with the name of the node or argument."""
        for node in graph.nodes.values():
            if node.shares:
                continue
            for path in copies(prefix, node):
                yield from self._node_sizes(graph, node, path)

    def _node_sizes(self, graph: Graph, node: Node, path: str) -> Iterator[tuple[Slot, str]]:
        block = block_of(graph, node)
        if block is None:
            yield from ((Slot(path, name), node.name) for name in _on_auto(graph, node))
        elif is_inline(graph, block):
            yield from self._sizes(body(graph, block), path + SEPARATOR)
        else:
            for inner in self.slots.get(block_name(node), {}):
                yield Slot(f"{path}{SEPARATOR}{inner.path}", inner.param), node.name


def copies(prefix: str, node: Node) -> list[str]:
    """Return the paths of the copies of a node that have weights of their own."""
    count = 1 if node.tied else node.repeat
    return [f"{prefix}{node.id}{copy_mark(copy)}" for copy in range(count)]


def _on_auto(graph: Graph, node: Node) -> list[str]:
    entry = entry_of(graph, node)
    if entry is None or entry.group is not EntryGroup.LAYER:
        return []
    return [
        spec.name
        for spec in entry.params
        if spec.auto and node.params.get(spec.name, AUTO if spec.required else spec.default) == AUTO
    ]


def _uses(flat: Flat) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path, name in flat.owners.items():
        if path not in flat.tied:
            found.setdefault(name, []).append(path + SEPARATOR)
    return found
