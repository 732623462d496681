"""Questions about a model and its run before it begins, and their reports."""

import msgspec

from engine.diagnostics import Diagnostic, Severity
from engine.graph.analysis import Analysis
from engine.graph.model import Graph
from engine.graph.repair.case import RepairProposal
from engine.query.request import Request
from engine.spec.data import DataColumn, DataInfo
from engine.spec.run import RunSpec


class SourceText(msgspec.Struct, frozen=True, kw_only=True):
    """The generated class and which line (from 1) belongs to which node id."""

    text: str
    lines: dict[int, str] = {}


class CheckReport(msgspec.Struct, frozen=True, kw_only=True):
    """All that can be known before a run: the analysis of the graph, the description of the data
    (None when it cannot be made) and every problem of graph, data and specification together.
    ``file_columns`` are those of the table where it can be read, but what was chosen of it cannot.
    """

    analysis: Analysis
    data: DataInfo | None = None
    problems: tuple[Diagnostic, ...] = ()
    file_columns: tuple[DataColumn, ...] = ()

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


class FittedModel(msgspec.Struct, frozen=True, kw_only=True):
    """A model for the data of one run. ``changes`` say what it has otherwise than the one that was
    asked about (codes ``F0xx``), ``problems`` all that is found before the run.
    """

    graph: Graph
    changes: tuple[Diagnostic, ...] = ()
    problems: tuple[Diagnostic, ...] = ()

    @property
    def errors(self) -> list[Diagnostic]:
        """What stands in the way of the run."""
        return [each for each in self.problems if each.severity is Severity.ERROR]


class FittedModels(msgspec.Struct, frozen=True, kw_only=True):
    """A model for the data of each run that was asked about, in that order."""

    models: tuple[FittedModel, ...] = ()


class Analyse(Request[Analysis], frozen=True, kw_only=True):
    """Shapes, dtypes, counts, problems and source of a graph, as a run of a precision has it."""

    graph: Graph
    precision: str = "float32"

    handler = "engine.query.model.answer.analyse"
    custom_code = "graph"
    supersedes = True


class Check(Request[CheckReport], frozen=True, kw_only=True):
    """Everything that can be found before a run. Ask it before ``start_run``."""

    graph: Graph
    spec: RunSpec

    handler = "engine.query.model.answer.check"
    custom_code = "graph"
    supersedes = True


class FitModels(Request[FittedModels], frozen=True, kw_only=True):
    """A model with as many rows and scores for tokens and categories as the data of each run has:
    what it numbers is made of the training part. What has enough stays as it is.
    """

    graph: Graph
    specs: tuple[RunSpec, ...]

    handler = "engine.query.model.fit.fit_models"
    custom_code = "graph"
    is_slow = True


class Repair(Request[Repairs], frozen=True, kw_only=True):
    """What mends problems of a document; each fix was tried without values and helps."""

    graph: Graph
    spec: RunSpec
    problems: tuple[Diagnostic, ...]

    handler = "engine.query.model.answer.repair"
    custom_code = "graph"
    is_slow = True
    supersedes = True


class GetSource(Request[SourceText], frozen=True, kw_only=True):
    """The generated class."""

    graph: Graph

    handler = "engine.query.model.answer.source"
    custom_code = "graph"


class FollowText(Request[Following], frozen=True, kw_only=True):
    """What becomes of a graph when its model has another text than the one that was ``shown``."""

    graph: Graph
    text: str
    shown: str

    handler = "engine.query.model.answer.follow_text"
    custom_code = "graph"
    supersedes = True
