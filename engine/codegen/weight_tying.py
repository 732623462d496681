"""Tied weights in an analysis: two modules with one parameter have one shape, counted once."""

from collections.abc import Iterable
from math import prod

from msgspec.structs import replace

from engine.catalog.spec import EntryGroup
from engine.codegen.generated import Tie
from engine.diagnostics import Diagnostic
from engine.graph.block import SEPARATOR, body, entry_of
from engine.graph.model import Graph
from engine.graph.module_name import WeightLocation, weight_location
from engine.graph.node_state.bypass import active
from engine.shape.execute import build_module, shown_shape
from engine.shape.survey import Survey
from engine.syntax.call import complete_params

Shape = tuple[int, ...]


def with_ties(found: Survey, ties: Iterable[Tie], graph: Graph) -> Survey:
    """Return a survey in which a weight that is another one's does not count again.

    S047 stands at a node whose weight would have to have another shape.
    """
    outcomes = dict(found.outcomes)
    for target, source in _places(found, ties, active(graph)):
        shape, other = (_shape(found, place) for place in (target, source))
        if shape is None or other is None or target == source:
            continue
        outcome = outcomes[target.path]
        if shape == other:
            count = prod(shape)
            outcomes[target.path] = replace(outcome, parameters=outcome.parameters - count)
        else:
            problem = _unlike(found, source, shape, other)
            outcomes[target.path] = replace(outcome, findings=(*outcome.findings, problem))
    return found._replace(outcomes=outcomes)


def _places(
    found: Survey, ties: Iterable[Tie], graph: Graph
) -> Iterable[tuple[WeightLocation, WeightLocation]]:
    """Yield the weights of each tie at each use of its class; each weight is given once."""
    seen: set[WeightLocation] = set()
    for tie in ties:
        uses = [path for path, name in found.flat.owners.items() if name == tie.block]
        level = body(graph, graph.blocks[tie.block]) if tie.block in graph.blocks else graph
        for above in [f"{path}{SEPARATOR}" for path in uses] if tie.block else [""]:
            target, source = (weight_location(level, name, above) for name in tie[1:])
            if target is None or source is None or target in seen:
                continue
            if target.path not in found.flat.tied:  # else it does not count already
                seen.add(target)
                yield target, source


def _shape(found: Survey, place: WeightLocation) -> Shape | None:
    """Return the shape of a weight of a layer of the catalogue; nothing for any other."""
    node, outcome = found.flat.graph.nodes.get(place.path), found.outcomes.get(place.path)
    entry = None if node is None else entry_of(found.flat.graph, node)
    if node is None or outcome is None or entry is None:
        return None
    if not place.weight:
        signal = outcome.outputs.get("output")
        return None if signal is None else signal.shapes[0]
    if entry.group is not EntryGroup.LAYER:
        return None
    try:
        values = complete_params(entry, node.params, outcome.resolved)
        weight = build_module(entry, values).get_parameter(place.weight)
    except Exception:  # noqa: BLE001 - what PyTorch says about the layer is told at the layer
        return None
    return tuple(weight.shape)


def _unlike(found: Survey, source: WeightLocation, shape: Shape, other: Shape) -> Diagnostic:
    params: dict[str, str | int | float] = {
        "source": found.flat.graph.nodes[source.path].name,
        "shape": shown_shape(shape),
        "other": shown_shape(other),
    }
    return Diagnostic(code="S047", params=params)
