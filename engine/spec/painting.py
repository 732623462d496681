"""Layers painted frozen, trained, or into a group of parameters: a change of model and groups."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from engine.catalog.spec import EntryGroup, Value
from engine.graph.block import Path, block_at, block_of, body
from engine.graph.edit.edits import EditBlock, apply
from engine.graph.model import Graph, Node
from engine.graph.module_name import module_names
from engine.graph.node_state.freezing import FreezeNodes, can_be_frozen, weights_owner
from engine.spec.choice import chosen_entry
from engine.spec.group import fits, group_of, patterns
from engine.spec.run import ParameterGroup, RunSpec

FROZEN, REST = -1, 0
_WILD = ("*", "?", "[")


def paintable(level: Graph, ids: Iterable[str]) -> tuple[str, ...]:
    """Return which of the nodes have parameters or running statistics; for a node that uses the
    weights of another one, that one.
    """
    owners = (weights_owner(level, level.nodes[each]) for each in ids if each in level.nodes)
    return tuple(dict.fromkeys(node.id for node in owners if can_be_frozen(level, node)))


def painted(
    graph: Graph, spec: RunSpec, path: Path, ids: tuple[str, ...], paint: int
) -> tuple[Graph, RunSpec]:
    """Return model and specification with nodes of one level painted: ``FROZEN``, ``REST`` (trained
    with the settings of the optimizer) or the number of a group, from 1. One number more makes a
    new group that learns at a tenth of the rate.

    Raises :class:`GraphError` when none of the nodes has anything to be painted.
    """
    edit = FreezeNodes(ids=ids, frozen=paint == FROZEN)
    name = block_at(graph, path)
    frozen = apply(EditBlock(block=name, edit=edit) if name else edit, graph)
    if paint == FROZEN:
        return frozen, spec
    wanted = tuple(filter(None, (module_pattern(graph, (*path, each)) for each in ids)))
    groups = _put(spec, wanted, paint, frozenset(module_names(graph).values()))
    return frozen, replace(spec, groups=groups)


def group_of_module(graph: Graph, spec: RunSpec, place: Path) -> int:
    """Return the number of the group that the weights of a node are in; 0 for the rest."""
    pattern = module_pattern(graph, place)
    if not pattern or not spec.groups:
        return REST
    name = pattern.removesuffix(".*").replace("*", "0")
    return group_of(spec.groups, f"{name}.weight")


def module_pattern(graph: Graph, place: Path) -> str:
    """Return what names the parameters of a node, as a group has it: ``layer1.0.conv1``; with a
    star where the node is inside of a block that is repeated: ``layers.*.linear.*``.
    """
    names: list[str] = []
    level = graph
    is_each = False
    for part in place:
        if names and is_each:
            names.append("*")
        node = level.nodes.get(part)
        if node is None:
            return ""
        names.append(node.name)
        is_each = node.repeat > 1 and not node.tied
        level = _inside(level, node)
    return ".".join((*names, "*") if "*" in names else names)


def _inside(level: Graph, node: Node) -> Graph:
    block = block_of(level, node)
    return level if block is None else body(level, block)


def _put(
    spec: RunSpec, wanted: tuple[str, ...], paint: int, modules: frozenset[str]
) -> tuple[ParameterGroup, ...]:
    """Return the groups with modules in one of them and in no other by their name; a group that
    nothing is left in goes.
    """
    groups: list[ParameterGroup] = []
    for index, group in enumerate(spec.groups, 1):
        kept = [rest for each in patterns(group.match) for rest in _without(each, wanted, modules)]
        if index == paint:
            kept += wanted
        if kept:
            groups.append(replace(group, match=", ".join(dict.fromkeys(kept))))
    if paint > len(spec.groups):
        match = ", ".join(dict.fromkeys(wanted))
        groups.append(ParameterGroup(match=match, params=_slower(spec)))
    return tuple(groups)


def rate_of(spec: RunSpec, group: int) -> float | None:
    """Return the learning rate of a group of parameters, 0 being the rest; None where the optimizer
    has none, or finds it by itself.
    """
    entry = chosen_entry(EntryGroup.OPTIMIZER, spec.optimizer)
    rate = None if entry is None else entry.value(spec.optimizer.params, "lr")
    if group:
        rate = spec.groups[group - 1].params.get("lr", rate)
    return float(rate) if isinstance(rate, int | float) else None


def _slower(spec: RunSpec) -> dict[str, Value]:
    rate = rate_of(spec, REST)
    return {} if rate is None else {"lr": float(f"{rate / 10:.6g}")}


def _without(pattern: str, taken: tuple[str, ...], modules: frozenset[str]) -> Iterator[str]:
    """Yield what a pattern named but for what is taken out of it. One with a star of the user's own
    stays as it is: it may name parameters, such as ``*.bias``.
    """
    if any(pattern == each or (not _is_wild(each) and fits(each, pattern)) for each in taken):
        return
    if _is_wild(pattern) or not any(each.startswith(f"{pattern}.") for each in taken):
        yield pattern
        return
    depth = pattern.count(".") + 2
    below = (name for name in modules if name.startswith(f"{pattern}."))
    children = {".".join(name.split(".")[:depth]) for name in below}
    for child in sorted(children):
        yield from _without(child, taken, modules)


def _is_wild(pattern: str) -> bool:
    return any(sign in pattern for sign in _WILD)
