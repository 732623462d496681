"""Fine-tuning as one change of model and specification: the first parts frozen, a new head, and a
learning rate for the head and one for the rest of what is trained.
"""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from engine.catalog.spec import EntryGroup
from engine.graph.analysis import Analysis, NodeReport
from engine.graph.block import SEPARATOR, block_of, body, node_at, place_name
from engine.graph.edit.head import Head, heads, replace_heads
from engine.graph.edit.inward import Change, change_at
from engine.graph.model import Graph, Node
from engine.graph.module_name import module_names
from engine.graph.node_state.freezing import can_be_frozen, weights_owner
from engine.graph.query import order
from engine.spec.choice import chosen_entry, with_param
from engine.spec.run import ParameterGroup, RunSpec


class FineTuning(msgspec.Struct, frozen=True, kw_only=True):
    """What is chosen: how many of the parts stay as they are, how many classes there are, the
    learning rate of the head and that of the rest.
    """

    frozen: int
    classes: int
    head_rate: float
    rate: float


class Part(NamedTuple):
    """A part of the model in the order of computing: its path, its name in words, its parameters,
    whether it is frozen now, and whether it is a head.
    """

    place: str
    name: str
    parameters: int
    is_frozen: bool
    is_head: bool


def parts_of(graph: Graph, analysis: Analysis) -> tuple[Part, ...]:
    """Return the parts with weights that can be frozen one after the other; the block that a head
    is in is shown by its own parts.
    """
    ends = frozenset(head.place for head in heads(graph).values())
    return tuple(
        Part(
            place,
            place_name(graph, place).replace(SEPARATOR, "."),
            analysis.nodes.get(place, _NOTHING).parameters,
            _is_still(node, analysis.nodes.get(place, _NOTHING)),
            place in ends,
        )
        for place, node in _steps(graph, "", ends)
    )


_NOTHING = NodeReport()


def _is_still(node: Node, report: NodeReport) -> bool:
    return node.frozen or 0 < report.parameters == report.frozen


def _steps(level: Graph, prefix: str, ends: frozenset[str]) -> Iterator[tuple[str, Node]]:
    for node_id in order(level):
        node = level.nodes[node_id]
        place = prefix + node_id
        block = block_of(level, node)
        is_around = any(end.startswith(place + SEPARATOR) for end in ends)
        if block is not None and is_around and node.repeat == 1:
            yield from _steps(body(level, block), place + SEPARATOR, ends)
        elif not node.shares and can_be_frozen(level, node):
            yield place, node


def trained_count(
    graph: Graph, analysis: Analysis, parts: tuple[Part, ...], choice: FineTuning
) -> tuple[int, int]:
    """Return how many parameters would be trained, and how many there would be in all."""
    sizes = {head.place: head.size for head in heads(graph).values()}
    trained = 0
    total = analysis.parameters
    for index, part in enumerate(parts):
        count = part.parameters
        size = sizes.get(part.place)
        if size:  # weight and bias alike have as many rows as there are classes
            count = count // size * choice.classes
            total += count - part.parameters
        if part.is_head or index >= choice.frozen:
            trained += count
    return trained, total


def fine_tuned(graph: Graph, spec: RunSpec, choice: FineTuning) -> tuple[Graph, RunSpec]:
    """Return model and specification after the change.

    Raises :class:`GraphError` where an output has no head, or a repeated block is in the way.
    """
    parts = parts_of(graph, Analysis())
    graph = replace_heads(graph, choice.classes)
    for index, part in enumerate(parts):
        is_still = index < choice.frozen and not part.is_head
        at = node_at(graph, part.place)
        if at is not None and weights_owner(*at).frozen is not is_still:
            graph = change_at(graph, part.place, _frozen(is_on=is_still))
    for head in heads(graph).values():
        graph = _opened_up(graph, head)
    is_alone = all(part.is_head for part in parts[choice.frozen :])
    return graph, _with_rates(spec, graph, choice, is_alone=is_alone)


def _frozen(*, is_on: bool) -> Change:
    def change(level: Graph, node: Node) -> Graph:
        return replace(level, nodes={**level.nodes, node.id: replace(node, frozen=is_on)})

    return change


def _opened_up(graph: Graph, head: Head) -> Graph:
    """Return the graph where no block around a head is frozen as a whole."""
    steps = head.place.split(SEPARATOR)
    for depth in range(1, len(steps)):
        place = SEPARATOR.join(steps[:depth])
        at = node_at(graph, place)
        if at is not None and at[1].frozen:
            graph = change_at(graph, place, _frozen(is_on=False))
    return graph


def _with_rates(spec: RunSpec, graph: Graph, choice: FineTuning, *, is_alone: bool) -> RunSpec:
    """Return the specification with the two learning rates: one is enough for a head alone."""
    entry = chosen_entry(EntryGroup.OPTIMIZER, spec.optimizer)
    if entry is None or entry.param("lr") is None:
        return spec
    names = module_names(graph)
    found = [names[head.place] for head in heads(graph).values() if head.place in names]
    match = ", ".join(dict.fromkeys(found))
    others = tuple(group for group in spec.groups if group.match != match)
    is_one = is_alone or choice.rate == choice.head_rate or not match
    optimizer = with_param(entry, spec.optimizer, "lr", choice.head_rate if is_one else choice.rate)
    own = ParameterGroup(match=match, params={"lr": choice.head_rate})
    return replace(spec, optimizer=optimizer, groups=others if is_one else (own, *others))
