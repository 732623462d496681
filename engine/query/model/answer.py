"""Checks of a model and its run before it begins."""

from contextlib import suppress
from functools import cache, partial

import msgspec
import torch

from engine.data.preview import describe
from engine.data.source.column_now import columns_of_file
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.graph.analysis import Analysis
from engine.graph.model import Graph
from engine.graph.repair.case import RepairProposal
from engine.model.analysis import Analyser
from engine.model.repair import Repairer
from engine.query.memory.room import check_room
from engine.query.model.request import (
    Analyse,
    Check,
    CheckReport,
    Following,
    FollowText,
    GetSource,
    Repair,
    Repairs,
    SourceText,
)
from engine.runs.process.gpus import gpu_numbers
from engine.shape.custom_loss import check_custom_losses
from engine.shape.execute import floating_of
from engine.shape.propagate import shared
from engine.spec.data import DataColumn, DataInfo
from engine.spec.memory_repair import memory_repairs
from engine.spec.placement import placements
from engine.spec.repair import repaired
from engine.spec.run import RunSpec
from engine.spec.run_rule import check_gpus
from engine.spec.series import is_custom_metric
from engine.spec.transform_repair import transform_repairs
from engine.spec.transform_rule import check_transforms
from engine.spec.validate import validate
from engine.train.compiled import missing_tools
from engine.train.devices import pick_device


def analyse(request: Analyse) -> Analysis:
    """Return shapes, dtypes, parameter counts, problems and source of a graph, as a run of a
    precision computes it. What an edit did not touch comes from memory.
    """
    return _analysed(request.graph, request.precision)


def source(request: GetSource) -> SourceText:
    """Return the generated class. Raises :class:`DiagnosticError` when it cannot be made."""
    analysis = _analysed(request.graph)
    if not analysis.source:
        errors = [problem for problem in analysis.problems if problem.severity == "error"]
        raise DiagnosticError(*errors)
    return SourceText(text=analysis.source, lines=analysis.lines)


def follow_text(request: FollowText) -> Following:
    """Return what a graph becomes by another text than was shown; never raises for the text."""
    from engine.reader.merge.completed import why_opaque  # reading text takes 0.3 s to import
    from engine.reader.merge.follow import follow

    graph = request.graph
    try:
        after = follow(request.text, graph, _analyser().resolved(graph), request.shown)
        return Following(graph=after, problems=why_opaque(graph, after))
    except DiagnosticError as error:
        return Following(problems=error.problems)


def check(request: Check) -> CheckReport:
    """Return all that can be found before a run, in graph, data and specification."""
    graph, spec = request.graph, request.spec
    analysis = _analysed(graph, spec.compute.precision)
    problems = list(analysis.problems)
    info: DataInfo | None = None
    columns: tuple[DataColumn, ...] = ()
    try:
        info = describe(spec.data, graph.code)
    except DiagnosticError as error:
        problems += error.problems
        columns = columns_of_file(spec.data.source, error.problems)
    else:
        problems += info.problems
    problems += validate(spec, graph, analysis, info)
    problems += check_custom_losses(spec, graph, analysis, info)
    problems += _metric_problems(spec, graph, analysis, info)
    problems += _missing_device(spec, graph)
    if all(problem.severity != "error" for problem in problems):
        problems += check_room(graph, spec, analysis, info)
    unique = {msgspec.json.encode(problem): problem for problem in problems}
    return CheckReport(
        analysis=analysis, data=info, problems=tuple(unique.values()), file_columns=columns
    )


def _metric_problems(
    spec: RunSpec, graph: Graph, analysis: Analysis, info: DataInfo | None
) -> tuple[Diagnostic, ...]:
    if not any(map(is_custom_metric, spec.metrics)):
        return ()
    from engine.train.metric_check import check_custom_metrics  # what trains takes time to import

    return tuple(check_custom_metrics(spec, graph, analysis, info))


def repair(request: Repair) -> Repairs:
    """Return what mends problems; each fix was tried on tensors without values."""
    graph, spec = request.graph, request.spec
    info: DataInfo | None = None
    with suppress(DiagnosticError):  # without data the rest can be tried all the same
        info = describe(spec.data, graph.code)
    in_precision = partial(_analysed, precision=spec.compute.precision)
    fixes = Repairer(graph, in_precision, spec, info).all_repairs(request.problems)
    of_data = (
        (*_data_repairs(problem, request, info), *memory_repairs(problem, spec, info))
        for problem in request.problems
    )
    return Repairs(
        fixes=tuple((*found, *more) for found, more in zip(fixes, of_data, strict=False))
    )


def _data_repairs(
    problem: Diagnostic, request: Repair, info: DataInfo | None
) -> tuple[RepairProposal, ...]:
    """Return what repairs a finding about the transforms, tried on a sample."""

    def helps(proposal: RepairProposal) -> bool:
        try:
            _, spec = repaired(proposal, request.graph, request.spec, info)
            after = (
                *describe(spec.data, request.graph.code).problems,
                *check_transforms(spec, info),
            )
        except DiagnosticError:
            return False
        return (problem.code, problem.field) not in {(each.code, each.field) for each in after}

    return tuple(filter(helps, transform_repairs(problem, request.spec, info, request.graph.code)))


def _analysed(graph: Graph, precision: str = "float32") -> Analysis:
    return _analyser(precision).analyse(graph)


@cache
def _analyser(precision: str = "float32") -> Analyser:
    return Analyser(shared(floating_of(precision)))


def _missing_device(spec: RunSpec, graph: Graph) -> list[Diagnostic]:
    """Return the findings about devices and tools that this machine lacks, and what does not go
    with those it has; a wrong name is told elsewhere.
    """
    problems: list[Diagnostic] = []
    numbers, count = gpu_numbers(spec.compute.gpus), torch.cuda.device_count()
    if any(number >= count for number in numbers):
        params: dict[str, str | int | float] = {"gpus": spec.compute.gpus, "count": count}
        problems.append(Diagnostic(code="R185", field="compute.gpus", params=params))
    elif numbers and spec.device.startswith("cuda:"):
        index = int(spec.device.removeprefix("cuda:"))
        if index >= len(numbers):
            params = {"device": spec.device, "kind": "cuda", "count": len(numbers)}
            return [Diagnostic(code="R111", field="device", params=params)]
    try:
        device = pick_device(spec.device)
        problems += check_gpus(spec, graph, device.type, len(numbers) or count)
    except DiagnosticError as error:
        problems += [problem for problem in error.problems if problem.code == "R111"]
    problems += _missing_parts(spec)
    if spec.compute.compile and (missing := missing_tools()):
        params = {"missing": missing}
        problem = Diagnostic(
            code="R181", severity=Severity.WARNING, field="compute.compile", params=params
        )
        problems.append(problem)
    return problems


def _missing_parts(spec: RunSpec) -> list[Diagnostic]:
    """Return the devices of parts of the model that this machine lacks."""
    problems: list[Diagnostic] = []
    for part, device in (placements(spec.compute.placement) or {}).items():
        try:
            pick_device(device)
        except DiagnosticError as error:
            params = {**error.problems[0].params, "part": part}
            problems.append(Diagnostic(code="R211", field="compute.placement", params=params))
    return problems
