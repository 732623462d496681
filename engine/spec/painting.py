"""Layers painted frozen, trained, or into a group of parameters or a phase: a change of model and
recipe.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from engine.catalog.spec import EntryGroup, Value
from engine.graph.block import Path, block_at
from engine.graph.edit.edits import EditBlock, apply
from engine.graph.model import Graph
from engine.graph.module_name import module_names
from engine.graph.node_state.freezing import FreezeNodes, can_be_frozen, weights_owner
from engine.spec.choice import chosen_entry
from engine.spec.group import group_of, patterns
from engine.spec.module_pattern import module_pattern, without
from engine.spec.phase_painting import PHASE, put_in_phase
from engine.spec.run import ParameterGroup, RunSpec

FROZEN, REST = -1, 0


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
    new group that learns at a tenth of the rate. From ``PHASE`` on it is that of a phase.

    Raises :class:`GraphError` when none of the nodes has anything to be painted, and
    :class:`DiagnosticError` R578 when another phase would have nothing left.
    """
    edit = FreezeNodes(ids=ids, frozen=paint == FROZEN)
    name = block_at(graph, path)
    frozen = apply(EditBlock(block=name, edit=edit) if name else edit, graph)
    if paint == FROZEN:
        return frozen, spec
    modules = frozenset(module_names(graph).values())
    wanted = tuple(filter(None, (module_pattern(graph, (*path, each)) for each in ids)))
    if paint >= PHASE:
        return frozen, put_in_phase(spec, wanted, paint - PHASE, modules)
    return frozen, replace(spec, groups=_put(spec, wanted, paint, modules))


def group_of_module(graph: Graph, spec: RunSpec, place: Path) -> int:
    """Return the number of the group that the weights of a node are in; 0 for the rest."""
    pattern = module_pattern(graph, place)
    if not pattern or not spec.groups:
        return REST
    name = pattern.removesuffix(".*").replace("*", "0")
    return group_of(spec.groups, f"{name}.weight")


def _put(
    spec: RunSpec, wanted: tuple[str, ...], paint: int, modules: frozenset[str]
) -> tuple[ParameterGroup, ...]:
    """Return the groups with modules in one of them and in no other by their name; a group that
    nothing is left in goes.
    """
    groups: list[ParameterGroup] = []
    for index, group in enumerate(spec.groups, 1):
        kept = [rest for each in patterns(group.match) for rest in without(each, wanted, modules)]
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
