"""Weights of low-rank blocks: counted, merged, written as an adapter file and read from one."""

from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor

from engine.archive.weights import write_weights
from engine.export.load import read_weights
from engine.export.lora import merged, pair_weights, with_adapter, write_adapter
from engine.graph.edit.lora import loras
from engine.model.module import to_module
from engine.query.lora.request import (
    CountTrained,
    LoadAdapter,
    LoraReport,
    MergeLora,
    ParameterCount,
    SaveAdapter,
    WeightsSource,
)
from engine.runs.folder import RunFolder
from engine.spec.weight_name import with_current_names
from engine.train.checkpoint.lookup import open_checkpoint


def count_trained(request: CountTrained) -> ParameterCount:
    """Return how many parameters of a graph are trained. Raises :class:`DiagnosticError` with what
    keeps the model from being made.
    """
    with torch.device("meta"):
        parameters = list(to_module(request.graph).parameters())
    trained = sum(each.numel() for each in parameters if each.requires_grad)
    return ParameterCount(trained=trained, total=sum(each.numel() for each in parameters))


def merge_lora(request: MergeLora) -> LoraReport:
    """Write merged weights. Raises :class:`DiagnosticError` as :func:`merged`, or for a source that
    cannot be read.
    """
    weights = merged(request.graph, _weights(request.source), request.modules)
    return _written(request.target, weights, len(request.modules), 0)


def save_adapter(request: SaveAdapter) -> LoraReport:
    """Write an adapter file. Raises :class:`DiagnosticError` as :func:`write_adapter`."""
    weights = _weights(request.source)
    count = write_adapter(request.graph, weights, Path(request.target))
    blocks = len(loras(request.graph))
    return LoraReport(file=request.target, blocks=blocks, parameters=count)


def load_adapter(request: LoadAdapter) -> LoraReport:
    """Write weights with the pairs of an adapter file. Raises :class:`DiagnosticError` as
    :func:`with_adapter`.
    """
    graph = request.graph
    weights, has_scales = with_adapter(graph, _weights(request.source), Path(request.adapter))
    count = sum(each.numel() for each in pair_weights(graph, weights).values())
    return _written(request.target, weights, len(loras(graph)), count, has_scales=has_scales)


def _weights(source: WeightsSource) -> Mapping[str, Tensor]:
    if source.run_folder:
        return open_checkpoint(RunFolder.open(Path(source.run_folder)), source.checkpoint).model
    return with_current_names(read_weights(Path(source.file))[1], source.names)


def _written(
    target: str, weights: Mapping[str, Tensor], blocks: int, count: int, *, has_scales: bool = True
) -> LoraReport:
    file = Path(target)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_weights(weights, file)
    return LoraReport(file=target, blocks=blocks, parameters=count, has_scales=has_scales)
