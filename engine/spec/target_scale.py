"""The scale of a number to predict, which a first model ends with: prices of millions lie too far
from what a new layer gives, and steps of the usual rates take long to get there.
"""

import math
from typing import NamedTuple

import msgspec

from engine.graph.draft import laid_out
from engine.graph.model import Edge, Graph, Node
from engine.graph.query import OUTPUT
from engine.spec.data import DataInfo

_LEAST, _MOST = 0.2, 5.0
"""Deviations that a new layer's outputs come near to in few steps; means up to the same size."""


class TargetScale(NamedTuple):
    """Mean and standard deviation of a number to predict, rounded: in the unit of the target."""

    mean: float
    deviation: float


def target_scale(info: DataInfo) -> TargetScale | None:
    """Return the scale of the number to predict in the training part, as its histogram has it; None
    where there is none, or a model can do without.
    """
    training, edges = info.part("train"), info.value_edges
    counts = training.value_counts if training is not None else ()
    total = sum(counts)
    if not total or len(edges) != len(counts) + 1:
        return None
    middles = [(low + high) / 2 for low, high in zip(edges, edges[1:], strict=False)]
    pairs = list(zip(middles, counts, strict=True))
    mean = sum(middle * count for middle, count in pairs) / total
    deviation = math.sqrt(sum((middle - mean) ** 2 * count for middle, count in pairs) / total)
    if not deviation or (_LEAST <= deviation <= _MOST and abs(mean) <= _MOST):
        return None
    step = 10.0 ** math.floor(math.log10(deviation))
    return TargetScale(_rounded(mean, step), _rounded(deviation, step / 10))


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


def _rounded(value: float, step: float) -> float:
    digits = -round(math.log10(step))
    return round(value, digits)
