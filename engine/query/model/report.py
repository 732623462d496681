"""Reports about a model and its run before it begins, as plain values."""

import msgspec

from engine.diagnostics import Diagnostic
from engine.graph.analysis import Analysis
from engine.graph.model import Graph
from engine.graph.repair.case import RepairProposal
from engine.spec.data import DataInfo


class SourceText(msgspec.Struct, frozen=True, kw_only=True):
    """The generated class and which line (from 1) belongs to which node id."""

    text: str
    lines: dict[int, str] = {}


class CheckReport(msgspec.Struct, frozen=True, kw_only=True):
    """All that can be known before a run: the analysis of the graph, the description of the data
    (None when it cannot be made) and every problem of graph, data and specification together.
    """

    analysis: Analysis
    data: DataInfo | None = None
    problems: tuple[Diagnostic, ...] = ()

    def is_ok(self) -> bool:
        """Return whether nothing found blocks a run."""
        return all(problem.severity != "error" for problem in self.problems)


class Repairs(msgspec.Struct, frozen=True, kw_only=True):
    """The fixes of each problem that was asked about, in that order, best first; of fewer problems
    than asked where time ran out.
    """

    fixes: tuple[tuple[RepairProposal, ...], ...] = ()


class Following(msgspec.Struct, frozen=True, kw_only=True):
    """The graph that a text says, or why it says none. With a graph ``problems`` tell why its model
    became one node.
    """

    graph: Graph | None = None
    problems: tuple[Diagnostic, ...] = ()
