"""The scale of a number to predict, which a first model ends with: prices of millions lie too far
from what a new layer gives, and steps of the usual rates take long to get there.
"""

import math
from collections.abc import Sequence

import msgspec

from engine.catalog.spec import Value
from engine.graph.code import code_loss, needed_files
from engine.graph.draft import laid_out
from engine.graph.model import Edge, Graph, Node
from engine.graph.query import OUTPUT
from engine.graph.shipped_code import shipped_files
from engine.spec.data import DataInfo, TargetScale
from engine.spec.run import Choice, LossTerm

_LEAST, _MOST = 0.2, 5.0
"""Deviations that a new layer's outputs come near to in few steps; means up to the same size."""


_CODE, _LOSS = "scaled_error.py", "code.scaled_error.ScaledMSELoss"
_NODES = ("scale", "shift", "deviations", "means")
_ALIKE = 5.0  # deviations
_SEVERAL = 2
_SMALL, _LARGE = 1e-2, 1e7
"""Deviations between which an optimizer takes the gradients of a squared error well."""


def loss_weight(scale: TargetScale | None) -> float:
    """Return the weight of a squared error of a number to predict: 1, or a power of ten by which
    it comes near 1 where gradients would fall below the ``eps`` of an optimizer such as Adam, or
    their squares leave the range of float32.
    """
    if scale is None or not scale.deviation > 0 or _SMALL <= scale.deviation <= _LARGE:
        return 1.0
    return float(f"1e{-2 * round(math.log10(scale.deviation))}")


def usual_scales(scales: Sequence[TargetScale]) -> tuple[TargetScale, ...]:
    """Return the scales of several numbers to predict, rounded; none where a model can do without:
    where each has a usual size.
    """
    found = [usual_scale(scale) for scale in scales]
    if not any(found):
        return ()
    return tuple(one or TargetScale(0.0, 1.0) for one in found)


def usual_scale(scale: TargetScale | None) -> TargetScale | None:
    """Return the scale of a number to predict, rounded; None where there is none, or a model can do
    without.
    """
    if scale is None or not scale.deviation > 0:
        return None
    mean, deviation = scale
    if _LEAST <= deviation <= _MOST and abs(mean) <= _MOST:
        return None
    step = 10.0 ** math.floor(math.log10(deviation))
    return TargetScale(_rounded(mean, step), _rounded(deviation, step / 10))


def are_unlike(scales: Sequence[TargetScale]) -> bool:
    """Return whether a common scale would be too large for some and too small for others."""
    deviations = [scale.deviation for scale in scales if scale.deviation > 0]
    if not deviations:
        return False
    means = [scale.mean for scale in scales]
    least = min(deviations)
    return max(deviations) > _ALIKE * least or max(means) - min(means) > _ALIKE * least


def scaled_model(model: Graph, scales: Sequence[TargetScale], shape: tuple[int, ...]) -> Graph:
    """Return a model of one output with the scales of what it predicts, of a ``shape``, where it
    cannot do without.
    """
    if len(scales) > 1:
        usual = usual_scales(scales)
        return with_target_scales(model, usual, shape) if usual else model
    scale = usual_scale(scales[0]) if scales else None
    return model if scale is None else with_target_scale(model, scale)


def rescaled(graph: Graph, info: DataInfo) -> Graph:
    """Return a model that ends with the scale of what it predicts with that of other data; one that
    does not stays as it is.
    """
    target = next((field for field in info.fields if field.role == "target"), None)
    plain = _without_scale(graph)
    if plain is None or target is None:
        return graph
    fitted = scaled_model(plain, info.target_scales, target.shape)
    places = {name: node.position for name, node in graph.nodes.items() if name in _NODES}
    nodes = {
        name: msgspec.structs.replace(node, position=places.get(name, node.position))
        if name in _NODES
        else graph.nodes[name]
        for name, node in fitted.nodes.items()
    }
    return msgspec.structs.replace(fitted, nodes=nodes)


def ends_with_scale(graph: Graph) -> bool:
    """Return whether a model ends with the scale of what it predicts."""
    return _without_scale(graph) is not None


def _without_scale(graph: Graph) -> Graph | None:
    """Return a model without the nodes of :func:`with_target_scale`; None for one without them."""
    types = {name: graph.nodes[name].type for name in _NODES if name in graph.nodes}
    by_source = {edge.source: edge for edge in graph.edges}
    by_target = {edge.target: edge for edge in graph.edges if edge.source not in _NODES[2:]}
    first, between, last = by_target.get("scale"), by_source.get("scale"), by_source.get("shift")
    is_made = types.get("scale") == "mul" and types.get("shift") == "add"
    if not is_made or first is None or between is None or last is None:
        return None
    if between.target != "shift":
        return None
    gone = {name for name, kind in types.items() if kind in ("mul", "add", "Buffer")}
    wire = msgspec.structs.replace(first, target=last.target, target_port=last.target_port)
    edges = [edge for edge in graph.edges if not {edge.source, edge.target} & gone]
    nodes = {name: node for name, node in graph.nodes.items() if name not in gone}
    return msgspec.structs.replace(graph, nodes=nodes, edges=(*edges, wire))


def with_target_scale(graph: Graph, scale: TargetScale) -> Graph:
    """Return a model of one output whose values are multiplied by the deviation and have the mean
    added, so that what comes before predicts numbers of the usual size.
    """
    (output,) = [node for node in graph.nodes.values() if node.type == OUTPUT]
    (wire,) = [edge for edge in graph.edges if edge.target == output.id]
    nodes = {
        "scale": Node(id="scale", type="mul", name="scale", params={"other": scale.deviation}),
        "shift": Node(id="shift", type="add", name="shift", params={"other": scale.mean}),
    }
    ports = ("input", "output")
    edges = (
        *(edge for edge in graph.edges if edge is not wire),
        msgspec.structs.replace(wire, target="scale", target_port=ports[0]),
        Edge(source="scale", source_port=ports[1], target="shift", target_port=ports[0]),
        msgspec.structs.replace(wire, source="shift", source_port=ports[1]),
    )
    whole = msgspec.structs.replace(graph, nodes={**graph.nodes, **nodes}, edges=edges)
    return laid_out(whole)


def with_target_scales(
    graph: Graph, scales: Sequence[TargetScale], shape: tuple[int, ...]
) -> Graph:
    """Return a model of one output as :func:`with_target_scale` does, with a scale for each number
    of a target of a ``shape``; with it comes the code of a loss that weighs them alike.
    """
    model = with_target_scale(graph, TargetScale(0.0, 1.0))
    values = {
        "deviations": tuple(scale.deviation for scale in scales),
        "means": tuple(scale.mean for scale in scales),
    }
    nodes = dict(model.nodes)
    for name, node, each in zip(values, ("scale", "shift"), values.values(), strict=True):
        params: dict[str, Value] = {"shape": shape, "fill": "values", "values": each}
        nodes[name] = Node(id=name, type="Buffer", name=name, params=params)
        nodes[node] = msgspec.structs.replace(nodes[node], params={})
    edges = [
        Edge(source=name, source_port="output", target=node, target_port="other")
        for name, node in (("deviations", "scale"), ("means", "shift"))
    ]
    return laid_out(
        msgspec.structs.replace(
            model,
            nodes=nodes,
            edges=(*model.edges, *edges),
            code={**model.code, **shipped_files(_CODE)},
        )
    )


def scaled_loss(graph: Graph, scales: Sequence[TargetScale]) -> Choice | None:
    """Return the loss of several numbers of unlike size, where the code of a model has it."""
    if len(scales) < _SEVERAL or code_loss(graph.code, _LOSS) is None:
        return None
    deviations = tuple(scale.deviation or 1.0 for scale in scales)
    return Choice(type=_LOSS, params={"deviations": deviations})


def without_idle_loss(graph: Graph, losses: Sequence[LossTerm]) -> Graph:
    """Return a model without the code of :func:`scaled_loss` where no loss is of it, no other code
    imports it, and nobody has changed it.
    """
    shipped = shipped_files(_CODE)
    is_whole = all(graph.code.get(name) == text for name, text in shipped.items())
    if not is_whole or any(term.loss.type == _LOSS for term in losses):
        return graph
    others = {name: text for name, text in graph.code.items() if name not in shipped}
    if set(needed_files(graph.code, tuple(others))) & shipped.keys():
        return graph
    return msgspec.structs.replace(graph, code=others)


def is_of_scale(losses: Sequence[LossTerm]) -> bool:
    """Return whether a loss goes by the size of what is predicted, as :func:`loss_weight` and
    :func:`scaled_loss` have it.
    """
    if len(losses) != 1:
        return False
    (term,) = losses
    is_weighed = not _LARGE**-2 < term.weight < _SMALL**-2
    return term.loss.type == _LOSS or (term.loss.type == "MSELoss" and is_weighed)


def _rounded(value: float, step: float) -> float:
    digits = -round(math.log10(step))
    return round(value, digits)
