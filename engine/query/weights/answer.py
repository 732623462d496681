"""Weights of a file, and what of them fits a model."""

from pathlib import Path

from engine.export import load, warm_start
from engine.export.report import CheckpointComparison, CheckpointContents, WeightsReport
from engine.model.module import to_module
from engine.query.weights.request import (
    CompareCheckpoint,
    ReadCheckpoint,
    ReportStart,
    ReportWeights,
    TakeWeights,
)


def read_checkpoint(request: ReadCheckpoint) -> CheckpointContents:
    """Return names, shapes, dtypes and sizes of what a file of weights holds.

    Raises :class:`DiagnosticError` (X0xx) for what is no such file, damaged, or holds code.
    """
    return load.contents(Path(request.file))


def compare_checkpoint(request: CompareCheckpoint) -> CheckpointComparison:
    """Return which weights of a file fit a graph and which do not."""
    return load.compare(Path(request.file), to_module(request.graph))


def report_weights(request: ReportWeights) -> WeightsReport:
    """Return how the weights of a file and a graph go together under other names."""
    module = to_module(request.graph)
    return warm_start.report_weights(Path(request.file), module, request.renaming, request.names)


def report_start(request: ReportStart) -> CheckpointComparison:
    """Return which weights of a file a run of a graph would begin with."""
    return warm_start.report_start(Path(request.file), to_module(request.graph), request.names)


def take_weights(request: TakeWeights) -> CheckpointComparison:
    """Write the weights of a file that fit a graph into a safetensors file."""
    file, target = Path(request.file), Path(request.target)
    module = to_module(request.graph)
    return warm_start.take_weights(file, module, target, request.renaming, request.names)
