"""What is asked of the doctor."""

from engine.graph.model import Graph
from engine.query.doctor.report import CheckUpReport
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
    is_slow = True
    supersedes = True
