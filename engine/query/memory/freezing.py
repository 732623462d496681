"""Savings of frozen layers: the step of a recipe is taken on the meta device, as it is and with all
layers trained, and its operations (``torch.utils.flop_counter``) and memory are counted.
"""

from torch.utils.flop_counter import FlopCounterMode

from engine.graph.model import Graph
from engine.graph.node_state.freezing import all_trained
from engine.query.memory.answer import estimate
from engine.query.memory.freezing_report import FreezingReport, StepCost
from engine.query.memory.request import EstimateFreezing
from engine.spec.run import RunSpec


def answer(request: EstimateFreezing) -> FreezingReport:
    """Return what frozen layers save in a step. Raises as :func:`savings_of_freezing`."""
    return savings_of_freezing(request.graph, request.spec)


def savings_of_freezing(graph: Graph, spec: RunSpec) -> FreezingReport:
    """Return what a step costs, and what it would cost without frozen layers.

    Raises :class:`DiagnosticError` as :func:`estimate` does.
    """
    return FreezingReport(step=_cost(graph, spec), unfrozen=_cost(all_trained(graph), spec))


def _cost(graph: Graph, spec: RunSpec) -> StepCost:
    counter = FlopCounterMode(display=False)
    report = estimate(graph, spec, during=counter)
    return StepCost(flops=int(counter.get_total_flops()), memory=report.total)
