"""Question about the tensors that each line of a forward pass makes."""

from engine.graph.model import Graph
from engine.query.request import Request
from engine.query.trace.report import TraceReport


class TraceForward(Request[TraceReport], frozen=True, kw_only=True, tag="TraceForward"):
    """What the lines of a forward pass make in a run of a precision, on random numbers."""

    graph: Graph
    precision: str = "float32"

    answer_type = TraceReport
    handler = "engine.query.trace.answer.trace_forward"
    custom_code = "graph"
    is_slow = True
    supersedes = True
