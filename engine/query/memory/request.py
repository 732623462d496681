"""Questions about the memory of a training step."""

from engine.graph.memory_report import MemoryReport
from engine.graph.model import Graph
from engine.query.memory.freezing_report import FreezingReport
from engine.query.request import Request
from engine.spec.run import RunSpec


class EstimateMemory(Request[MemoryReport], frozen=True, kw_only=True, tag="EstimateMemory"):
    """What a step of a recipe would keep, found without allocating it."""

    graph: Graph
    spec: RunSpec

    answer_type = MemoryReport
    handler = "engine.query.memory.answer.answer"
    custom_code = "graph"
    is_slow = True
    supersedes = True


class EstimateFreezing(Request[FreezingReport], frozen=True, kw_only=True, tag="EstimateFreezing"):
    """What the frozen layers of a recipe save in a step."""

    graph: Graph
    spec: RunSpec

    answer_type = FreezingReport
    handler = "engine.query.memory.freezing.answer"
    custom_code = "graph"
    is_slow = True
    supersedes = True
