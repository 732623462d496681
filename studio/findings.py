"""What is known about the document that is worked on."""

import msgspec

from engine.diagnostics import Diagnostic, Severity
from engine.graph.analysis import Analysis
from engine.spec.data import DataInfo


class Findings(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about the document; while an answer is awaited, what was known before.

    ``analysis`` is of the graph alone and comes first; ``other_problems`` are those of data and
    specification and of both together with the graph. ``is_current`` says that the analysis is that
    of the graph as it is, ``is_checked`` that everything is.
    """

    analysis: Analysis = Analysis()
    data: DataInfo | None = None
    other_problems: tuple[Diagnostic, ...] = ()
    is_current: bool = False
    is_checked: bool = False

    @property
    def problems(self) -> tuple[Diagnostic, ...]:
        """All problems, the errors first."""
        found = [*self.analysis.problems]
        found += [problem for problem in self.other_problems if problem not in found]
        order = list(Severity)
        return tuple(sorted(found, key=lambda problem: order.index(problem.severity)))

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The problems that block a run."""
        return tuple(problem for problem in self.problems if problem.severity is Severity.ERROR)
