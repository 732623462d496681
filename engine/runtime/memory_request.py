"""The question to the host process what memory a training step would take."""

from engine.graph.memory_report import MemoryReport
from engine.graph.model import Graph
from engine.runtime.request import Request
from engine.spec.run import RunSpec


class EstimateMemory(Request[MemoryReport], frozen=True, kw_only=True, tag="EstimateMemory"):
    """What a step of a recipe would keep, found without allocating it."""

    graph: Graph
    spec: RunSpec

    answer_type = MemoryReport
    is_slow = True
    supersedes = True
