"""Questions about weights that lie in a file."""

import msgspec

from engine.export.report import (
    CheckpointComparison,
    CheckpointContents,
    Renaming,
    WeightsReport,
)
from engine.graph.model import Graph
from engine.query.request import Request


class ReadCheckpoint(Request[CheckpointContents], frozen=True, kw_only=True):
    """What a file of weights holds."""

    file: str

    handler = "engine.query.weights.answer.read_checkpoint"
    is_slow = True


class CompareCheckpoint(Request[CheckpointComparison], frozen=True, kw_only=True):
    """Which weights of a file fit a graph and which do not."""

    file: str
    graph: Graph

    handler = "engine.query.weights.answer.compare_checkpoint"
    custom_code = "graph"
    is_slow = True


class ReportWeights(Request[WeightsReport], frozen=True, kw_only=True):
    """How the weights of a file and a graph go together under other names; without ``renaming``
    under those that make the most fit. ``names`` holds by the name of a module what it is called in
    the file, where it was renamed since.
    """

    file: str
    graph: Graph
    renaming: Renaming | None = None
    names: dict[str, str] = msgspec.field(default_factory=dict[str, str])

    handler = "engine.query.weights.answer.report_weights"
    custom_code = "graph"
    is_slow = True
    supersedes = True


class TakeWeights(Request[CheckpointComparison], frozen=True, kw_only=True):
    """Write the weights of a file that fit a graph into a safetensors file, under other names;
    ``names`` as in :class:`ReportWeights`.
    """

    file: str
    graph: Graph
    target: str
    renaming: Renaming = Renaming()
    names: dict[str, str] = msgspec.field(default_factory=dict[str, str])

    handler = "engine.query.weights.answer.take_weights"
    custom_code = "graph"
    is_slow = True


class ReportStart(Request[CheckpointComparison], frozen=True, kw_only=True):
    """Which weights of a file a run of a graph would begin with; ``names`` as in
    :class:`ReportWeights`.
    """

    file: str
    graph: Graph
    names: dict[str, str] = msgspec.field(default_factory=dict[str, str])

    handler = "engine.query.weights.answer.report_start"
    custom_code = "graph"
    is_slow = True


class LayerMatch(msgspec.Struct, frozen=True, kw_only=True):
    """What a file has for all parameters of a layer: what their names begin with there, and the
    name of the tensor for each parameter.
    """

    name: str
    tensors: dict[str, str]


class LayerMatches(msgspec.Struct, frozen=True, kw_only=True):
    """The layers of a file that have the parameters of one of the model, the likeliest first."""

    matches: tuple[LayerMatch, ...] = ()


class MatchLayer(Request[LayerMatches], frozen=True, kw_only=True):
    """Which tensors of a file fit the parameters of the layer at a place of a graph."""

    file: str
    graph: Graph
    place: str

    handler = "engine.query.weights.layer.match_layer"
    custom_code = "graph"
    is_slow = True
