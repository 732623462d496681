"""Remedies that help: each is tried by an examination of its own before it is offered."""

import time
from collections.abc import Sequence
from pathlib import Path

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.model import Graph
from engine.graph.repair_case import Fix
from engine.inspect.doctor.remedy import UNTRIED, remedies
from engine.spec.data import DataInfo
from engine.spec.repair import mended
from engine.spec.run import RunSpec
from engine.train.checkup import findings

_MOST = 3  # offered for one finding
_TRIAL_S = 1.5
_BUDGET_S = 12.0

_Marks = set[tuple[str, str | None]]


def find_remedies(
    graph: Graph,
    spec: RunSpec,
    project: Path,
    problems: Sequence[Diagnostic],
    info: DataInfo | None = None,
) -> tuple[tuple[Fix, ...], ...]:
    """Return what mends each finding of the doctor, best first; of as many as time allows.

    A remedy helps when an examination of the model with it has not the finding, and either none
    that was not there or fewer in all. What no examination can show (clipping) is offered as it is.
    Behind the remedies of a finding stand those of others that heal it too.
    """
    before = {_mark(problem) for problem in problems}
    until = time.monotonic() + _BUDGET_S
    own: list[list[Fix]] = []
    healing: list[tuple[Fix, _Marks]] = []  # what was tried, with what it heals
    for problem in problems:
        helping: list[Fix] = []
        for fix in remedies(problem, graph, spec, info):
            if len(helping) == _MOST or time.monotonic() > until:
                break
            known = [healed for other, healed in healing if other == fix]
            healed = known[0] if known else _healed(fix, graph, spec, project, before, info)
            if not known:
                healing.append((fix, healed))
            if _is_untried(fix) or _mark(problem) in healed:
                helping.append(fix)
        own.append(helping)
    found = [
        [*fixes, *(fix for fix, healed in healing if _mark(problem) in healed and fix not in fixes)]
        for problem, fixes in zip(problems, own, strict=True)
    ]
    return tuple(tuple(fixes[:_MOST]) for fixes in found)


def _is_untried(fix: Fix) -> bool:
    return any(name in UNTRIED for name in fix.settings)


def _healed(  # noqa: PLR0917 - what an examination needs
    fix: Fix,
    graph: Graph,
    spec: RunSpec,
    project: Path,
    before: _Marks,
    info: DataInfo | None,
) -> _Marks:
    """Return what is no longer found with a remedy; nothing where it does more harm."""
    if _is_untried(fix):
        return set()
    try:
        graph, spec = mended(fix, graph, spec, info)
        after = {_mark(found) for found in findings(graph, spec, project, _TRIAL_S)}
    except DiagnosticError:
        return set()  # not a remedy: it cannot be made, or the model cannot be trained with it
    return before - after if after <= before or len(after) < len(before) else set()


def _mark(problem: Diagnostic) -> tuple[str, str | None]:
    return (problem.code, problem.node)
