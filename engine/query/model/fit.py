"""Models with as many rows and scores as the data of a run has tokens and categories."""

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from engine.diagnostics import Diagnostic
from engine.graph.edit.edits import apply
from engine.graph.model import Graph
from engine.graph.repair.case import RepairProposal
from engine.graph.repair.proposals import proposals
from engine.query.model.answer import check
from engine.query.model.request import Check, CheckReport, FitModels, FittedModel, FittedModels
from engine.spec.run import RunSpec

_FEW_ROWS, _FEW_SCORES = "R075", "R035"
_ROUNDS = 8  # a node that several places call is mended by the first of them


def fit_models(request: FitModels) -> FittedModels:
    """Return the model for the data of each run; never raises for what cannot be fitted."""
    known: dict[bytes, FittedModel] = {}
    models: list[FittedModel] = []
    for spec in request.specs:
        same = msgspec.json.encode(replace(spec, seed=0))  # which changes nothing of the data
        if same not in known:
            known[same] = _fitted(request.graph, spec)
        models.append(known[same])
    return FittedModels(models=tuple(models))


def _fitted(graph: Graph, spec: RunSpec) -> FittedModel:
    changes: list[Diagnostic] = []
    report = check(Check(graph=graph, spec=spec))
    for _ in range(_ROUNDS):
        found = next(_growing(graph, report), None)
        if found is None or found.edit is None:
            break
        graph = apply(found.edit, graph)
        changes.append(found.words)
        report = check(Check(graph=graph, spec=spec))
    return FittedModel(graph=graph, changes=tuple(changes), problems=report.problems)


def _growing(graph: Graph, report: CheckReport) -> Iterator[RepairProposal]:
    """Yield what gives an embedding the rows, or a head the scores, that a vocabulary needs."""
    for problem in report.problems:
        if problem.code == _FEW_ROWS or (problem.code == _FEW_SCORES and _is_text(problem, report)):
            yield from proposals(problem, graph, report.analysis)


def _is_text(problem: Diagnostic, report: CheckReport) -> bool:
    """Return whether the classes are tokens; those of labels are the same however it is split."""
    field = None if report.data is None else report.data.field(str(problem.params.get("target")))
    return field is not None and bool(field.words)
