"""What is known about the document that is worked on."""

import msgspec

from engine.diagnostics import Diagnostic, Severity
from engine.graph.analysis import Analysis
from engine.graph.block import SEPARATOR, Path
from engine.graph.inside import analysis_at, problems_at
from engine.graph.repair.case import RepairProposal
from engine.spec.data import DataColumn, DataInfo


class Findings(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about the document; while an answer is awaited, what was known before.

    ``analysis`` is of the graph alone and comes first; ``other_problems`` are those of data and
    specification and of both together with the graph. ``is_current`` says that the analysis is that
    of the graph as it is, ``is_checked`` that everything is. ``file_columns`` are those of the
    table as it is, where what was chosen of it is not there. ``fixes`` are what mends problems, as
    far as it is known.
    """

    analysis: Analysis = Analysis()
    data: DataInfo | None = None
    file_columns: tuple[DataColumn, ...] = ()
    other_problems: tuple[Diagnostic, ...] = ()
    is_current: bool = False
    is_checked: bool = False
    fixes: tuple[tuple[Diagnostic, tuple[RepairProposal, ...]], ...] = ()

    @property
    def problems(self) -> tuple[Diagnostic, ...]:
        """All problems, the errors first."""
        found = [*self.analysis.problems]
        found += [problem for problem in self.other_problems if problem not in found]
        order = list(Severity)
        return tuple(sorted(found, key=lambda problem: order.index(problem.severity)))

    def repairs_of(self, problem: Diagnostic) -> tuple[RepairProposal, ...]:
        """Return what mends a problem, best first."""
        return next((fixes for known, fixes in self.fixes if known == problem), ())

    def repairs_at(self, place: str) -> tuple[RepairProposal, ...]:
        """Return what mends the problems of a node and of what is inside of it."""
        found = [
            fix
            for problem, fixes in self.fixes
            if problem.node == place or (problem.node or "").startswith(place + SEPARATOR)
            for fix in fixes
        ]
        return tuple(fix for at, fix in enumerate(found) if fix not in found[:at])

    def at(self, path: Path) -> "Findings":
        """Return what is known about the inside of a block, with the ids that nodes have there."""
        found = analysis_at(self.analysis, path)
        return msgspec.structs.replace(
            self,
            analysis=msgspec.structs.replace(found, problems=problems_at(found.problems, path)),
            other_problems=problems_at(self.other_problems, path),
        )

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The problems that block a run."""
        return tuple(problem for problem in self.problems if problem.severity is Severity.ERROR)
