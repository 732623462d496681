"""The values that a model begins with in a run, drawn as the run draws them."""

from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor, nn

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import confined
from engine.graph.block import SEPARATOR, node_at
from engine.graph.model import Graph
from engine.graph.opaque_model import opaque_node
from engine.model.module import to_module
from engine.query.initial_values.request import PreviewWeights
from engine.query.listing.report import WeightPreview, WeightValues
from engine.spec.weight_name import NOTHING
from engine.train.archive.weights import start_from
from engine.train.tensor_file import start_from_files

_BINS = 40
_MOST = 20_000_000  # elements of a parameter that are looked at


Start = tuple[Path | None, Mapping[str, str]]
"""A file of weights, and what modules were called when it was written."""


def answer(request: PreviewWeights) -> WeightPreview:
    """Return what the parameters of a layer begin with. Raises as :func:`preview_weights`."""
    folder = Path(request.project)
    start = (confined(folder, request.weights) if request.weights else None, request.renamed)
    return preview_weights(request.graph, request.place, request.seed, folder, start)


def preview_weights(
    graph: Graph, place: str, seed: int, project: Path, start: Start = (None, NOTHING)
) -> WeightPreview:
    """Return what the parameters of the layer at a place begin with; of a repeated one its first.

    Raises :class:`DiagnosticError` when the model cannot be made or a file cannot be read.
    """
    model = _begun(graph, seed, project)
    file, renamed = start
    if file is not None:
        start_from(model, file, renamed)
    try:
        module = model.get_submodule(module_name(graph, place))
    except AttributeError as error:  # it leads to no output, or is no module
        raise DiagnosticError(Diagnostic(code="R145", params={"place": place})) from error
    return WeightPreview(
        weights=tuple(_values(name, value) for name, value in module.named_parameters())
    )


def module_name(graph: Graph, place: str) -> str:
    """Return the name of the module at a place: that of its owner where it is shared, that of the
    first copy where there are several; empty for the model itself.
    """
    if opaque_node(graph) is not None:
        return ""
    names: list[str] = []
    parts = place.split(SEPARATOR)
    for depth in range(len(parts)):
        at = node_at(graph, SEPARATOR.join(parts[: depth + 1]))
        if at is None:
            return ""
        level, node = at
        node = level.nodes.get(node.shares, node)
        names.append(node.name)
        if node.repeat > 1 and not node.tied:
            names.append("0")
    return ".".join(names)


def _begun(graph: Graph, seed: int, project: Path) -> nn.Module:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = to_module(graph)
        start_from_files(model, graph, project)
    return model


def _values(name: str, parameter: Tensor) -> WeightValues:
    values = parameter.detach().flatten()[:_MOST].double()
    finite = values[torch.isfinite(values)]
    if not finite.numel():
        return WeightValues(
            name=name,
            shape=tuple(parameter.shape),
            mean=0.0,
            std=0.0,
            minimum=0.0,
            maximum=0.0,
            counts=(),
        )
    low, high = float(finite.min()), float(finite.max())
    counts = torch.histc(finite, _BINS, low, high) if high > low else torch.tensor([len(finite)])
    return WeightValues(
        name=name,
        shape=tuple(parameter.shape),
        mean=float(finite.mean()),
        std=float(finite.std(correction=0)),
        minimum=low,
        maximum=high,
        counts=tuple(int(count) for count in counts.tolist()),
    )
