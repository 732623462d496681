"""What needs torch, as functions of plain values: the window asks them through the host process,
the command line calls them in its own. torch is imported inside the functions only.
"""

import os
import platform
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from importlib import import_module, metadata
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import psutil

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.export.report import (
    CheckpointComparison,
    CheckpointContents,
    ExportReport,
    Renaming,
    WeightsReport,
)
from engine.graph.analysis import Analysis
from engine.graph.memory_report import MemoryReport
from engine.graph.model import Graph
from engine.query.distance.report import DistanceReport
from engine.query.doctor.report import CheckUpReport
from engine.query.gradient.report import GradientReport
from engine.query.listing.report import ModelListing, WeightPreview
from engine.query.memory.freezing_report import FreezingReport
from engine.query.results.request import ResultRequest
from engine.query.trace.report import TraceReport
from engine.runs.process.gpus import gpu_numbers
from engine.runtime.protocol import (
    Capabilities,
    CheckReport,
    Evaluation,
    Following,
    Gpu,
    LrPreview,
    Ready,
    Repairs,
    SavedTensor,
    SaveTensor,
    SourceText,
    Split,
)
from engine.spec.data import DataInfo, PreviewInfo
from engine.spec.placement import placements
from engine.spec.run import DataSpec, RunSpec

if TYPE_CHECKING:
    from engine.model.analysis import Analyser

_PACKAGES = (
    "torch",
    "torchvision",
    "numpy",
    "msgspec",
    "PySide6-Essentials",
    "pyqtgraph",
    "safetensors",
    "scikit-learn",
    "torchmetrics",
)
_import_lock = threading.Lock()  # two threads that import torch at once see half of it


def warm_up() -> Ready:
    """Import torch and what the first analysis needs; returns how long it took."""
    begun = time.monotonic()
    _load_torch()
    from engine.model.analysis import warm_up as warm_up_analysis

    warm_up_analysis()
    return Ready(seconds=time.monotonic() - begun)


def package_versions() -> dict[str, str]:
    """Return the installed versions of what the product stands on (empty: not installed)."""
    versions: dict[str, str] = {}
    for package in _PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = ""
    return versions


def capabilities() -> Capabilities:
    """Return what this machine has for computing."""
    _load_torch()
    import torch

    memory = psutil.virtual_memory()
    gpus: list[Gpu] = []
    if torch.cuda.is_available():
        for index in range(torch.cuda.device_count()):
            found = torch.cuda.get_device_properties(index)
            gpus.append(Gpu(index=index, name=found.name, memory_bytes=found.total_memory))
    has_mps = torch.backends.mps.is_available()
    devices = ["auto", "cpu", *(["cuda"] if gpus else [])]
    devices += [f"cuda:{gpu.index}" for gpu in gpus if len(gpus) > 1]
    devices += ["mps"] if has_mps else []
    return Capabilities(
        python=platform.python_version(),
        versions=package_versions(),
        threads=_usable_cores(),
        memory_bytes=memory.total,
        free_memory_bytes=memory.available,
        gpus=tuple(gpus),
        has_mps=has_mps,
        devices=tuple(devices),
    )


def analyse(graph: Graph, precision: str = "float32") -> Analysis:
    """Return shapes, dtypes, parameter counts, problems and source of a graph, as a run of a
    precision computes it.

    What an edit did not touch comes from memory.
    """
    _load_torch()
    return _analyser(precision).analyse(graph)


def source(graph: Graph) -> SourceText:
    """Return the generated class. Raises :class:`DiagnosticError` when it cannot be made."""
    found = analyse(graph)
    if not found.source:
        errors = [problem for problem in found.problems if problem.severity == "error"]
        raise DiagnosticError(*errors)
    return SourceText(text=found.source, lines=found.lines)


def follow_text(graph: Graph, text: str, shown: str) -> Following:
    """Return what a graph becomes by another text than was shown; never raises for the text."""
    _load_torch()
    from engine.reader.merge.completed import why_whole
    from engine.reader.merge.follow import follow

    try:
        after = follow(text, graph, _analyser().resolved(graph), shown)
        return Following(graph=after, problems=why_whole(graph, after))
    except DiagnosticError as error:
        return Following(problems=error.problems)


def list_model(graph: Graph) -> ModelListing:
    """Return the text of the module and its weights. Raises :class:`DiagnosticError` when the class
    cannot be written.
    """
    _load_torch()
    from engine.query.listing.answer import list_model as listing

    return listing(graph)


def check_gradient(graph: Graph, place: str) -> GradientReport:
    """Return whether the backward pass of the node at a place computes the derivatives of its
    forward pass, in double precision. Raises :class:`DiagnosticError` when it cannot be tried.
    """
    _load_torch()
    from engine.query.gradient.answer import check_gradient as compare

    return compare(graph, place)


def trace_forward(graph: Graph, precision: str) -> TraceReport:
    """Return what each line of a forward pass makes in a run of a precision. Raises
    :class:`DiagnosticError`.
    """
    _load_torch()
    from engine.query.trace.answer import trace_forward as trace

    return trace(graph, precision)


def preview_weights(
    graph: Graph,
    place: str,
    seed: int,
    project: Path,
    start: tuple[Path | None, Mapping[str, str]],
) -> WeightPreview:
    """Return the values that the parameters of the layer at a place begin with in a run of that
    seed, and with the file of weights that it starts from, if any, with what modules were called
    in it. Raises :class:`DiagnosticError` when the model cannot be made.
    """
    _load_torch()
    from engine.query.initial_values.answer import preview_weights as preview

    return preview(graph, place, seed, project, start)


def estimate_memory(graph: Graph, spec: RunSpec) -> MemoryReport:
    """Return what a training step would keep in memory. Raises :class:`DiagnosticError`."""
    _load_torch()
    from engine.query.memory.answer import estimate

    return estimate(graph, spec)


def savings_of_freezing(graph: Graph, spec: RunSpec) -> FreezingReport:
    """Return what frozen layers save in a step. Raises :class:`DiagnosticError`."""
    _load_torch()
    from engine.query.memory.freezing import savings_of_freezing as savings

    return savings(graph, spec)


def check(graph: Graph, spec: RunSpec) -> CheckReport:
    """Return all that can be found before a run, in graph, data and specification."""
    analysis = analyse(graph, spec.compute.precision)
    problems = list(analysis.problems)
    info: DataInfo | None = None
    try:
        info = describe_data(spec.data)
    except DiagnosticError as error:
        problems += error.problems
    else:
        problems += info.problems
    from engine.shape.custom_loss import check_own_losses
    from engine.spec.validate import validate

    problems += validate(spec, graph, analysis, info)
    problems += check_own_losses(spec, graph, analysis, info)
    problems += _missing_device(spec, graph)
    unique = {msgspec.json.encode(problem): problem for problem in problems}
    return CheckReport(analysis=analysis, data=info, problems=tuple(unique.values()))


def repair(graph: Graph, spec: RunSpec, problems: tuple[Diagnostic, ...]) -> Repairs:
    """Return what mends problems; each fix was tried on tensors without values."""
    _load_torch()
    from engine.model.repair import Mender

    info: DataInfo | None = None
    with suppress(DiagnosticError):  # without data the rest can be tried all the same
        info = describe_data(spec.data)
    in_precision = partial(analyse, precision=spec.compute.precision)
    return Repairs(fixes=Mender(graph, in_precision, spec, info).all_fixes(problems))


def find_remedies(
    graph: Graph, spec: RunSpec, project: Path, problems: tuple[Diagnostic, ...]
) -> Repairs:
    """Return what mends findings of the doctor; each was tried by an examination of its own."""
    _load_torch()
    from engine.query.doctor.repair import find_remedies as find

    info: DataInfo | None = None
    with suppress(DiagnosticError):  # the doctor tells of data that cannot be read
        info = describe_data(spec.data)
    return Repairs(fixes=find(graph, spec, project, problems, info))


def describe_data(data: DataSpec) -> DataInfo:
    """Return fields, task, samples and parts of the chosen data."""
    _load_torch()
    from engine.data.preview import describe

    return describe(data)


def preview_data(
    data: DataSpec, split: Split = "train", start: int = 0, count: int = 64
) -> PreviewInfo:
    """Return some samples of a part as they are before normalisation."""
    _load_torch()
    from engine.data.load import load_data
    from engine.data.preview import preview

    return preview(load_data(data), split, start, count)


def lr_preview(spec: RunSpec, steps_per_epoch: int = 0) -> LrPreview:
    """Return the learning rate of each group over a run, from stepping the real scheduler."""
    _load_torch()
    from engine.query.rate.answer import learning_rate_curve

    return learning_rate_curve(spec, steps_per_epoch)


def evaluate(run_folder: Path, checkpoint: str = "best", split: Split = "test") -> Evaluation:
    """Return loss and metrics of a checkpoint of a run on one part of its data.

    ``checkpoint`` is ``best``, ``last`` or a file name. Raises :class:`DiagnosticError`.
    """
    _load_torch()
    from engine.query.results.evaluation import evaluate_run

    return evaluate_run(run_folder, checkpoint, split)


def save_tensor(request: SaveTensor) -> SavedTensor:
    """Write a tensor into a file of PyTorch. Raises :class:`DiagnosticError`."""
    _load_torch()
    import numpy as np

    from engine.export.tensor_file import write_tensor

    array = np.frombuffer(request.data, dtype=request.stored).reshape(request.shape)
    write_tensor(Path(request.file), array, request.dtype)
    return SavedTensor(file=request.file)


def answer_about_results(request: ResultRequest) -> msgspec.Struct:
    """Return what a model predicts, for the data or for input of the user's own.

    Raises :class:`DiagnosticError` (K0xx, V00x, D0xx).
    """
    _load_torch()
    from engine.query.results.answer import answer_about_results as answer

    return answer(request)


def check_up(graph: Graph, spec: RunSpec, project: Path, run_folder: str = "") -> CheckUpReport:
    """Return what the doctor finds in a model as a run would begin, or in the last checkpoint of a
    run. Raises :class:`DiagnosticError` when it cannot be trained at all.
    """
    _load_torch()
    from engine.query.doctor import answer
    from engine.runs.folder import RunFolder

    if run_folder:
        return answer.check_up_run(RunFolder.open(run_folder))
    return answer.check_up(graph, spec, project)


def compare_weights(run_folders: Sequence[str], checkpoint: str = "last") -> DistanceReport:
    """Return how far the weights of runs are from those of the first, layer by layer.

    Raises :class:`DiagnosticError` (R157, R158, K0xx).
    """
    _load_torch()
    from engine.query.distance.answer import compare_weights as compare

    return compare([Path(folder) for folder in run_folders], checkpoint)


def read_checkpoint(file: Path) -> CheckpointContents:
    """Return names, shapes, dtypes and sizes of what a file of weights holds.

    Raises :class:`DiagnosticError` (X0xx) for what is no such file, damaged, or holds code.
    """
    _load_torch()
    from engine.export.load import contents

    return contents(file)


def compare_checkpoint(file: Path, graph: Graph) -> CheckpointComparison:
    """Return which weights of a file fit a graph and which do not."""
    _load_torch()
    from engine.export.load import compare
    from engine.model.module import to_module

    return compare(file, to_module(graph))


def report_weights(
    file: Path, graph: Graph, renaming: Renaming | None, names: Mapping[str, str]
) -> WeightsReport:
    """Return how the weights of a file and a graph go together under other names."""
    _load_torch()
    from engine.export.warm_start import report_weights as report
    from engine.model.module import to_module

    return report(file, to_module(graph), renaming, names)


def report_start(file: Path, graph: Graph, names: Mapping[str, str]) -> CheckpointComparison:
    """Return which weights of a file a run of a graph would begin with."""
    _load_torch()
    from engine.export.warm_start import report_start as report
    from engine.model.module import to_module

    return report(file, to_module(graph), names)


def take_weights(
    file: Path, graph: Graph, target: Path, renaming: Renaming, names: Mapping[str, str]
) -> CheckpointComparison:
    """Write the weights of a file that fit a graph into a safetensors file."""
    _load_torch()
    from engine.export.warm_start import take_weights as take
    from engine.model.module import to_module

    return take(file, to_module(graph), target, renaming, names)


def export_formats() -> tuple[str, ...]:
    """Return the formats that can be written, in the order of the form."""
    from engine.export.formats import FORMATS

    return tuple(FORMATS)


def require_format(name: str) -> None:
    """Raise :class:`DiagnosticError` (X003) when an export format is not offered."""
    from engine.export.formats import find_format

    find_format(name)


def export(
    run_folder: Path,
    format_name: str,
    output: Path,
    checkpoint: str = "best",
    *,
    overwrite: bool = True,
) -> ExportReport:
    """Write the weights of a run in a format, load them back and compare.

    Raises :class:`DiagnosticError` (X0xx, K0xx, P00x); what stood at ``output`` before stays then.
    """
    _load_torch()
    from engine.export.write import export_run

    return export_run(run_folder, format_name, output, checkpoint, overwrite=overwrite)


def _missing_device(spec: RunSpec, graph: Graph) -> list[Diagnostic]:
    """Return the findings about devices and tools that this machine lacks, and what does not go
    with those it has; a wrong name is told elsewhere.
    """
    import torch

    from engine.spec.process_rule import check_gpus
    from engine.train.compiled import missing_tools
    from engine.train.devices import pick_device

    found: list[Diagnostic] = []
    numbers, count = gpu_numbers(spec.compute.gpus), torch.cuda.device_count()
    if any(number >= count for number in numbers):
        params: dict[str, str | int | float] = {"gpus": spec.compute.gpus, "count": count}
        found.append(Diagnostic(code="R185", field="compute.gpus", params=params))
    elif numbers and spec.device.startswith("cuda:"):
        index = int(spec.device.removeprefix("cuda:"))
        if index >= len(numbers):
            params = {"device": spec.device, "kind": "cuda", "count": len(numbers)}
            return [Diagnostic(code="R111", field="device", params=params)]
    try:
        device = pick_device(spec.device)
        found += check_gpus(spec, graph, device.type, len(numbers) or count)
    except DiagnosticError as error:
        found += [problem for problem in error.problems if problem.code == "R111"]
    found += _missing_parts(spec)
    if spec.compute.compile and (missing := missing_tools()):
        params = {"missing": missing}
        problem = Diagnostic(
            code="R181", severity=Severity.WARNING, field="compute.compile", params=params
        )
        found.append(problem)
    return found


def _missing_parts(spec: RunSpec) -> list[Diagnostic]:
    """Return the devices of parts of the model that this machine lacks."""
    from engine.train.devices import pick_device

    found: list[Diagnostic] = []
    for part, device in (placements(spec.compute.placement) or {}).items():
        try:
            pick_device(device)
        except DiagnosticError as error:
            params = {**error.problems[0].params, "part": part}
            found.append(Diagnostic(code="R211", field="compute.placement", params=params))
    return found


@cache
def _analyser(precision: str = "float32") -> "Analyser":
    from engine.model.analysis import Analyser
    from engine.shape.execute import floating_of
    from engine.shape.propagate import shared

    return Analyser(shared(floating_of(precision)))


def _load_torch() -> None:
    """Import torch, one thread at a time. Raises :class:`DiagnosticError` (E001) where it fails."""
    with _import_lock:
        try:
            import_module("torch")
        except (ImportError, OSError) as error:
            raise DiagnosticError(Diagnostic(code="E001", detail=str(error))) from error


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
