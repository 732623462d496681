"""Edits of model and recipe as changes of a run of them that goes on."""

from collections.abc import Iterator
from typing import NamedTuple

from engine.catalog.spec import EntryGroup
from engine.graph.block import Path, block_name, block_of, body, entry_of
from engine.graph.model import Graph, Node
from engine.spec.choice import NO_CODE, Code
from engine.spec.field import Field
from engine.spec.fields import fields
from engine.spec.live import (
    DROPOUT,
    FROZEN,
    LiveValue,
    layer_name,
    live_names,
    live_value,
    phase_setting,
)
from engine.spec.painting import module_pattern
from engine.spec.phase import recipe_of
from engine.spec.run import RunSpec

_DROPS = ("p", "dropout")


class LiveEdit(NamedTuple):
    """A setting of a run by its name, with the value that an edit gave it."""

    name: str
    value: LiveValue


def edits_of_spec(
    old: RunSpec, new: RunSpec, running: RunSpec, code: Code = NO_CODE
) -> Iterator[LiveEdit]:
    """Yield what an edit of a recipe changes of a run: settings that it has too, of the same
    optimizer and losses, and that can be changed meanwhile.
    """
    if old is new:
        return
    before, after = fields(old, code), fields(new, code)
    for name in sorted(live_names(running, code)):
        if name in before and name in after and has_same_owner(name, old, new, running):
            value = _read(after[name], new)
            if value != _read(before[name], old):
                yield LiveEdit(name, value)


def _read(field: Field, spec: RunSpec) -> LiveValue:
    return live_value(field.read(spec))


def has_same_owner(name: str, *specs: RunSpec) -> bool:
    """Return whether recipes have the same optimizer, groups or loss term that a setting is of."""
    index, own = phase_setting(name)
    if index:
        if any(index > len(spec.phases) for spec in specs):
            return False
        trained = {(each.match, each.parameters) for each in (s.phases[index - 1] for s in specs)}
        alone = [recipe_of(spec, index) for spec in specs]
        return len(trained) == 1 and has_same_owner(own, *alone)
    first, _, rest = name.partition(".")
    if first in ("optimizer", "groups"):
        types = {spec.optimizer.type for spec in specs}
        matches = {tuple(group.match for group in spec.groups) for spec in specs}
        return len(types) == 1 and (first == "optimizer" or len(matches) == 1)
    if first == "losses":
        number = int(rest.partition(".")[0])
        terms = [spec.losses[number : number + 1] for spec in specs]
        return len({term[0].loss.type for term in terms if term}) == 1 and all(terms)
    return True


def edits_of_layers(old: Graph, new: Graph) -> Iterator[LiveEdit]:
    """Yield what an edit of a model changes of the layers of a run: their dropout, and whether they
    learn. Other edits count for the next run.
    """
    if old is new:
        return
    before = dict(_layers(old))
    for path, (level, node) in _layers(new):
        level_before, was = before.get(path, (level, node))
        if was.type != node.type:
            continue
        pattern = module_pattern(new, path)
        if pattern and was.frozen is not node.frozen:
            yield LiveEdit(layer_name(pattern, FROZEN), node.frozen)
        drop = _drop(level, node)
        if pattern and drop is not None and drop != _drop(level_before, was):
            yield LiveEdit(layer_name(pattern.removesuffix(".*"), DROPOUT), drop)


def _layers(graph: Graph) -> Iterator[tuple[Path, tuple[Graph, Node]]]:
    yield from _inside(graph, (), ())


def _inside(
    level: Graph, path: Path, names: tuple[str, ...]
) -> Iterator[tuple[Path, tuple[Graph, Node]]]:
    for node in level.nodes.values():
        place = (*path, node.id)
        yield place, (level, node)
        block, name = block_of(level, node), block_name(node)
        if block is not None and name not in names:
            yield from _inside(body(level, block), place, (*names, name))


def _drop(level: Graph, node: Node) -> float | None:
    """Return with which probability a layer drops values; None for one that drops none."""
    entry = entry_of(level, node)
    if entry is None or entry.group is not EntryGroup.LAYER:
        return None
    for name in _DROPS:
        if (name == "dropout" or "Dropout" in entry.key) and entry.param(name) is not None:
            value = entry.value(node.params, name)
            return float(value) if isinstance(value, int | float) else None
    return None
