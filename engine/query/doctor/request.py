"""Questions to the doctor."""

from engine.diagnostics import Diagnostic
from engine.graph.model import Graph
from engine.query.doctor.report import CheckUpReport
from engine.query.model.report import Repairs
from engine.query.request import Request
from engine.spec.run import RunSpec


class CheckUp(Request[CheckUpReport], frozen=True, kw_only=True, tag="CheckUp"):
    """What is wrong with a model and its data as a run would begin with them, or, where a
    ``run_folder`` is named, with the last checkpoint of that run, whose graph and specification are
    given.
    """

    graph: Graph
    spec: RunSpec
    project: str
    run_folder: str = ""

    answer_type = CheckUpReport
    handler = "engine.query.doctor.answer.answer"
    custom_code = "graph"
    is_slow = True
    supersedes = True


class ProposeRepairs(Request[Repairs], frozen=True, kw_only=True, tag="ProposeRepairs"):
    """What mends findings of the doctor; each remedy was tried on a copy and helps."""

    graph: Graph
    spec: RunSpec
    project: str
    problems: tuple[Diagnostic, ...]

    answer_type = Repairs
    handler = "engine.query.doctor.repair.answer"
    custom_code = "graph"
    is_slow = True
    supersedes = True
