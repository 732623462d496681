"""Repairs that help: the doctor tries each on its own before it is offered."""

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from engine.data.preview import describe
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.model import Graph
from engine.graph.repair.case import RepairProposal
from engine.query.doctor.answer import findings
from engine.query.doctor.proposals import UNTRIED, doctor_proposals
from engine.query.doctor.request import ProposeRepairs
from engine.query.model.request import Repairs
from engine.spec.data import DataInfo
from engine.spec.repair import repaired
from engine.spec.run import RunSpec

_MOST = 3  # offered for one finding
_TRIAL_S = 1.5
_BUDGET_S = 12.0

_HIDING = "H012"  # with a loss that is not finite nothing else can be measured

_Mark = tuple[str, str | None, str | None]
_Marks = set[_Mark]


def answer(request: ProposeRepairs) -> Repairs:
    """Return the repairs of findings of the doctor; each was tried on its own."""
    info: DataInfo | None = None
    with suppress(DiagnosticError):  # the doctor tells of data that cannot be read
        info = describe(request.spec.data, request.graph.code)
    project = Path(request.project)
    fixes = propose_repairs(request.graph, request.spec, project, request.problems, info)
    return Repairs(fixes=fixes)


@dataclass(frozen=True, kw_only=True)
class _Trial:
    """A remedy that was tried: the findings that it heals, and how many are left with it."""

    fix: RepairProposal
    left: int
    healed: _Marks = field(default_factory=set)


def propose_repairs(
    graph: Graph,
    spec: RunSpec,
    project: Path,
    problems: Sequence[Diagnostic],
    info: DataInfo | None = None,
) -> tuple[tuple[RepairProposal, ...], ...]:
    """Return what mends each finding of the doctor, best first: what leaves the fewest others; of
    as many as time allows.

    A remedy helps when the doctor no longer finds the same in the model that has it, and either
    nothing that was not there or fewer problems in all; what a loss that was not finite had hidden
    is no harm.
    What the doctor cannot show (clipping) is offered as it is. Behind the remedies of a finding
    stand those of others that heal it too.
    """
    marks = {_mark(problem) for problem in problems}
    until = time.monotonic() + _BUDGET_S
    repairs: list[list[RepairProposal]] = []
    healing: list[_Trial] = []
    for problem in problems:
        helping: list[RepairProposal] = []
        for fix in doctor_proposals(problem, graph, spec, info):
            if len(helping) == _MOST or time.monotonic() > until:
                break
            trial = next((each for each in healing if each.fix == fix), None)
            if trial is None:
                trial = _tried(fix, graph, spec, project, marks, info)
                healing.append(trial)
            if _is_untried(fix) or _mark(problem) in trial.healed:
                helping.append(fix)
        repairs.append(helping)
    offered: list[tuple[RepairProposal, ...]] = []
    for problem, fixes in zip(problems, repairs, strict=True):
        ranked = [each for each in healing if each.fix in fixes]
        ranked.sort(key=lambda each: each.left)
        others = [t for t in healing if _mark(problem) in t.healed and t.fix not in fixes]
        offered.append(tuple(each.fix for each in (*ranked, *others))[:_MOST])
    return tuple(offered)


def _is_untried(fix: RepairProposal) -> bool:
    return any(name in UNTRIED for name in fix.settings)


def _tried(  # noqa: PLR0917 - what the doctor needs
    fix: RepairProposal,
    graph: Graph,
    spec: RunSpec,
    project: Path,
    marks: _Marks,
    info: DataInfo | None,
) -> _Trial:
    """Examine with a remedy; it heals nothing where it does more harm."""
    vain = _Trial(fix=fix, left=len(marks))
    if _is_untried(fix):
        return vain
    try:
        graph, spec = repaired(fix, graph, spec, info)
        after = {_mark(problem) for problem in findings(graph, spec, project, _TRIAL_S)}
    except DiagnosticError:
        return vain  # not a remedy: it cannot be made, or the model cannot be trained with it
    healed = marks - after
    if after <= marks or len(after) < len(marks) or any(code == _HIDING for code, *_ in healed):
        return _Trial(fix=fix, healed=healed, left=len(after))
    return vain


def _mark(problem: Diagnostic) -> _Mark:
    return (problem.code, problem.node, problem.field)
