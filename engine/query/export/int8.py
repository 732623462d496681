"""Comparison of an int8 file with the model that it was made of: size, and results on the data."""

from dataclasses import replace
from pathlib import Path

import msgspec
import torch
from torch import nn

from engine.archive.weights import read_safetensors
from engine.data.source.source import Part
from engine.diagnostics import DiagnosticError
from engine.export.int8_layer import with_int8
from engine.export.report import Int8Report
from engine.model.module import to_module
from engine.query.trained import Trained, open_trained
from engine.runs.folder import RunFolder
from engine.train.part_evaluation import evaluate_part
from engine.train.precision import model_in_precision

PARTS: tuple[Part, ...] = ("validation", "test", "train")


def compare(run_folder: Path, checkpoint: str, file: Path) -> Int8Report:
    """Return what an int8 file of a checkpoint saves and what it costs: loss and metrics before and
    after on the validation part, or the first that has samples. Without the data sizes alone.
    """
    run, tensors = RunFolder.open(run_folder), read_safetensors(file)
    graph, spec = run.document.graph, run.document.spec
    model = model_in_precision(to_module(graph), spec.compute)
    weights = model.state_dict().values()
    report = Int8Report(
        layers=sum(value.dtype is torch.int8 for value in tensors.values()),
        weights_bytes=sum(value.numel() * value.element_size() for value in weights),
        file_bytes=file.stat().st_size,
    )
    try:
        trained = open_trained(run, checkpoint)
    except DiagnosticError as error:
        return msgspec.structs.replace(report, problems=error.problems)
    return _measured(trained, report, with_int8(model, tensors))


def _measured(trained: Trained, report: Int8Report, model: nn.Module) -> Int8Report:
    with trained.in_use() as training:
        part: Part | None = next((x for x in PARTS if training.data.samples(x)), None)
        if part is None:
            return report
        before = evaluate_part(training, part)
        placed = model.to(training.device).eval()
        stored = replace(training, model=placed, network=placed, techniques={})
        after = evaluate_part(stored, part)
    return msgspec.structs.replace(report, split=part, before=before or {}, after=after or {})
