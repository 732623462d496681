"""Repairs that were tried: each proposal is analysed on the meta device before it is offered."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf
from typing import NamedTuple

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.graph.analysis import Analysis
from engine.graph.model import Graph
from engine.graph.repair.case import RepairProposal
from engine.graph.repair.proposals import proposals
from engine.spec.data import DataInfo
from engine.spec.first_run import first_models, models_instead
from engine.spec.repair import repaired
from engine.spec.run import RunSpec
from engine.spec.validate import validate

MOST = 5
"""Fixes that are offered for one problem."""

_BUDGET_S = 1.0  # the host answers about shapes meanwhile, but more slowly


class _Look(NamedTuple):
    """A model with what is wrong with it."""

    analysis: Analysis
    problems: tuple[Diagnostic, ...]

    def errors(self) -> list[Diagnostic]:
        return [problem for problem in self.problems if problem.severity is Severity.ERROR]


class Repairer:
    """Tries fixes on one model and its specification; without one only the model is looked at.

    ``analyse`` is that of an :class:`~engine.model.analysis.Analyser`, which computes only what an
    attempt changes.
    """

    def __init__(
        self,
        graph: Graph,
        analyse: Callable[[Graph], Analysis],
        spec: RunSpec | None = None,
        info: DataInfo | None = None,
    ) -> None:
        self._graph = graph
        self._analyse = analyse
        self._spec = spec
        self._info = info
        self._before = self._look(graph, spec)

    @property
    def problems(self) -> tuple[Diagnostic, ...]:
        """What is wrong as things are."""
        return self._before.problems

    def all_repairs(self, problems: Sequence[Diagnostic]) -> tuple[tuple[RepairProposal, ...], ...]:
        """Return the fixes of each problem, of as many as time allows: one at least."""
        found: list[tuple[RepairProposal, ...]] = []
        until = time.monotonic() + _BUDGET_S
        for problem in problems:
            found.append(self.repairs(problem, until))
            if time.monotonic() > until:
                break
        return tuple(found)

    def repairs(self, problem: Diagnostic, until: float = inf) -> tuple[RepairProposal, ...]:
        """Return the fixes after which a problem is gone and nothing new is wrong, best first.

        Where there is none, those that only bring to light what could not be seen before, further
        on in the model. None makes more errors than there were. Those that are tried after
        ``until`` (of the monotonic clock) are left out, where one was found before.
        """
        proposed = self._helpful(problem, self._proposals(problem), until)
        if proposed or self._info is None:
            return proposed
        return self._helpful(problem, self._others(problem), until)

    def _helpful(
        self, problem: Diagnostic, proposed: Iterable[RepairProposal], until: float
    ) -> tuple[RepairProposal, ...]:
        clean: list[tuple[int, RepairProposal]] = []
        revealing: list[RepairProposal] = []
        for proposal in proposed:
            after = self._after(proposal)
            if after is None or not self._helps(problem, after):
                continue
            if self._new_errors(after):
                revealing.append(proposal)
            else:
                clean.append((len(_added(self._before.problems, after.problems)), proposal))
            if len(clean) == MOST or (clean and time.monotonic() > until):
                break
        clean.sort(key=lambda found: found[0])
        return tuple(proposal for _, proposal in clean) or tuple(revealing[:MOST])

    def _proposals(self, problem: Diagnostic) -> Iterator[RepairProposal]:
        yield from proposals(problem, self._graph, self._before.analysis)
        spec = RunSpec() if self._spec is None else self._spec
        yield from first_models(problem, self._graph, spec, self._info, self._analyse)

    def _others(self, problem: Diagnostic) -> Iterator[RepairProposal]:
        """Yield what takes the place of the whole model, where nothing less helps."""
        spec = RunSpec() if self._spec is None else self._spec
        yield from models_instead(problem, self._graph, spec, self._info, self._analyse)

    def _after(self, proposal: RepairProposal) -> _Look | None:
        spec = RunSpec() if self._spec is None else self._spec
        try:
            graph, spec = repaired(proposal, self._graph, spec, self._info)
        except DiagnosticError:
            return None  # not a fix: what it changes is not there or may not be so
        return self._look(graph, None if self._spec is None else spec)

    def _look(self, graph: Graph, spec: RunSpec | None) -> _Look:
        analysis = self._analyse(graph)
        more = () if spec is None else validate(spec, graph, analysis, self._info)
        return _Look(analysis, (*analysis.problems, *more))

    def _helps(self, problem: Diagnostic, after: _Look) -> bool:
        is_there = any((p.code, p.node) == (problem.code, problem.node) for p in after.problems)
        is_worse = len(after.errors()) > len(self._before.errors())
        return not (is_there or is_worse) and all(
            self._was_hidden(error, problem) for error in self._new_errors(after)
        )

    def _new_errors(self, after: _Look) -> list[Diagnostic]:
        return _added(self._before.errors(), after.errors())

    def _was_hidden(self, error: Diagnostic, problem: Diagnostic) -> bool:
        """Return whether an error could not be seen before: it is where nothing was known to
        arrive, or about what comes out in the end, of which nothing was known.
        """
        if error.node is None or error.code.startswith("R"):
            return True
        if error.node == problem.node:
            return False
        report = self._before.analysis.nodes.get(error.node)
        return report is not None and not report.outputs


def _added(before: Sequence[Diagnostic], after: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return the problems that were not there, wherever their numbers differ only."""
    known = Counter((problem.code, problem.node, problem.field) for problem in before)
    found: list[Diagnostic] = []
    for problem in after:
        key = (problem.code, problem.node, problem.field)
        if known[key] > 0:
            known[key] -= 1
        else:
            found.append(problem)
    return found
