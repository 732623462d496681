"""Questions about the memory of a training step, and a report."""

import msgspec

from engine.graph.memory_report import MemoryReport
from engine.graph.model import Graph
from engine.query.request import Request
from engine.spec.run import RunSpec


class StepCost(msgspec.Struct, frozen=True, kw_only=True):
    """A training step: floating-point operations of forward and backward pass, and bytes: those
    that are kept when the backward pass begins, with the gradients that it makes.
    """

    flops: int
    memory: int


class FreezingReport(msgspec.Struct, frozen=True, kw_only=True):
    """A step as it is, and one that trains all layers."""

    step: StepCost
    unfrozen: StepCost

    @property
    def saved_flops(self) -> float:
        """The share of the operations that is saved, 0 to 1."""
        return 1 - self.step.flops / self.unfrozen.flops if self.unfrozen.flops else 0.0

    @property
    def saved_memory(self) -> int:
        """The bytes that are saved."""
        return self.unfrozen.memory - self.step.memory


class RecomputationReport(msgspec.Struct, frozen=True, kw_only=True):
    """A step as it is, and one after activations are recomputed; ``memory`` of both is the most
    that is taken at once.
    """

    step: StepCost
    after: StepCost

    @property
    def saved_memory(self) -> int:
        """The bytes that the change saves; negative where it takes more."""
        return self.step.memory - self.after.memory

    @property
    def more_flops(self) -> float:
        """The operations that it adds, as a share of those of the step; negative where it saves."""
        return self.after.flops / self.step.flops - 1 if self.step.flops else 0.0


class EstimateMemory(Request[MemoryReport], frozen=True, kw_only=True):
    """What a step of a recipe would keep, found without allocating it. ``project`` is the folder in
    which its teacher is looked for; without one that is not counted.
    """

    graph: Graph
    spec: RunSpec
    project: str = ""

    handler = "engine.query.memory.answer.answer"
    custom_code = "graph"
    is_slow = True
    supersedes = True


class EstimateFreezing(Request[FreezingReport], frozen=True, kw_only=True):
    """What the frozen layers of a recipe save in a step."""

    graph: Graph
    spec: RunSpec

    handler = "engine.query.memory.answer.savings_of_freezing"
    custom_code = "graph"
    is_slow = True
    supersedes = True


class EstimateRecomputation(Request[RecomputationReport], frozen=True, kw_only=True):
    """What a step of a recipe costs for a graph, and what for the graph after a change."""

    graph: Graph
    after: Graph
    spec: RunSpec

    handler = "engine.query.memory.answer.cost_of_recomputation"
    custom_code = "graph"
    is_slow = True
    supersedes = True
