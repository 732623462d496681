"""Questions about a model and its run before it begins."""

from engine.diagnostics import Diagnostic
from engine.graph.analysis import Analysis
from engine.graph.model import Graph
from engine.query.model.report import CheckReport, Following, Repairs, SourceText
from engine.query.request import Request
from engine.spec.run import RunSpec


class Analyse(Request[Analysis], frozen=True, kw_only=True, tag="Analyse"):
    """Shapes, dtypes, counts, problems and source of a graph, as a run of a precision has it."""

    graph: Graph
    precision: str = "float32"

    answer_type = Analysis
    handler = "engine.query.model.answer.analyse"
    custom_code = "graph"
    supersedes = True


class Check(Request[CheckReport], frozen=True, kw_only=True, tag="Check"):
    """Everything that can be found before a run. Ask it before ``start_run``."""

    graph: Graph
    spec: RunSpec

    answer_type = CheckReport
    handler = "engine.query.model.answer.check"
    custom_code = "graph"
    supersedes = True


class Repair(Request[Repairs], frozen=True, kw_only=True, tag="Repair"):
    """What mends problems of a document; each fix was tried without values and helps."""

    graph: Graph
    spec: RunSpec
    problems: tuple[Diagnostic, ...]

    answer_type = Repairs
    handler = "engine.query.model.answer.repair"
    custom_code = "graph"
    is_slow = True
    supersedes = True


class GetSource(Request[SourceText], frozen=True, kw_only=True, tag="GetSource"):
    """The generated class."""

    graph: Graph

    answer_type = SourceText
    handler = "engine.query.model.answer.source"
    custom_code = "graph"


class FollowText(Request[Following], frozen=True, kw_only=True, tag="FollowText"):
    """What becomes of a graph when its model has another text than the one that was ``shown``."""

    graph: Graph
    text: str
    shown: str

    answer_type = Following
    handler = "engine.query.model.answer.follow_text"
    custom_code = "graph"
    supersedes = True
