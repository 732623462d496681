"""The memory of a training step before the run: the step is taken on the meta device, on which
tensors have shapes and no numbers, and what it would keep is counted.
"""

from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path

import torch
from msgspec.structs import replace
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.utils.flop_counter import FlopCounterMode

from engine.data.preview import describe
from engine.diagnostics import DiagnosticError
from engine.graph.memory_report import KeptModel, MemoryReport
from engine.graph.model import Graph
from engine.graph.node_state.freezing import all_trained
from engine.inspect.memory_observer import MemoryObserver
from engine.inspect.node_path import NodePaths
from engine.inspect.peak import PeakMemory
from engine.model.module import to_module
from engine.query.memory.request import (
    EstimateFreezing,
    EstimateMemory,
    EstimateRecomputation,
    FreezingReport,
    RecomputationReport,
    StepCost,
)
from engine.runs.teacher import teacher_source
from engine.shape.execute import dtype_of
from engine.spec.data import FieldInfo
from engine.spec.distillation import names_file
from engine.spec.run import RunSpec
from engine.train.devices import pick_device
from engine.train.losses import Batch, LossTerms
from engine.train.model_data import input_fields
from engine.train.optim import needs_closure
from engine.train.phase import KeptState, build_optimizers
from engine.train.precision import fields_in_precision, loss_in_precision, model_in_precision
from engine.train.technique.averaging import Averaging
from engine.train.technique.teacher import read_teacher
from engine.train.technique.unfreezing import release

_META = torch.device("meta")
_MOST_BYTES = 1 << 28  # of weights that are made to see what an optimizer keeps
_SOME = 8  # boxes of a picture


def answer(request: EstimateMemory) -> MemoryReport:
    """Return what a training step would keep in memory. Raises as :func:`estimate`."""
    teacher = _teacher(request.graph, request.spec, request.project)
    return estimate(request.graph, request.spec, teacher=teacher)


def _teacher(graph: Graph, spec: RunSpec, project: str) -> nn.Module | None:
    """Return the teacher of a run as it would be kept; None where there is none (any more), which
    the other checks tell.
    """
    wanted = spec.distillation.teacher
    if not (project and wanted):
        return None
    with suppress(DiagnosticError):
        own = None if names_file(wanted) else Path(project)
        teacher = read_teacher(teacher_source(Path(project), wanted), graph, own)
        return model_in_precision(teacher.model.float(), spec.compute)
    return None


def estimate(
    graph: Graph,
    spec: RunSpec,
    during: AbstractContextManager[object] | None = None,
    teacher: nn.Module | None = None,
) -> MemoryReport:
    """Return what a step of a recipe keeps, with the copy of the weights that is averaged and the
    ``teacher`` of a distillation; ``during`` is entered for its forward and backward.

    Raises :class:`DiagnosticError` with what keeps the model from being made, or A012 when it
    cannot compute without numbers.
    """
    names = [node.name for node in graph.nodes.values() if node.type == "Output"]
    with _META:
        model = model_in_precision(to_module(graph), spec.compute)
    model.train()
    release(model, spec)  # what a step needs once all is trained
    described = describe(spec.data, graph.code).fields
    fields = {field.name: _blank(field, spec.data.batch_size) for field in described}
    fields = fields_in_precision(fields, spec.compute)
    kept = _kept_models(spec, model, teacher)
    observer = MemoryObserver(NodePaths.of(graph), kept)
    inputs = [fields[name] for name in input_fields(graph) if name in fields]
    watched = PeakMemory([*model.parameters(), *model.buffers(), *fields.values()])
    try:
        with watched, during or nullcontext():
            with observer.forward(model):
                outputs = model(*inputs)
                terms = LossTerms(spec.losses, names, _META, graph.code)
                loss = _loss(outputs, fields, loss_in_precision(terms, spec.compute))
            loss.backward()
    except (RuntimeError, NotImplementedError, TypeError, ValueError, IndexError) as error:
        raise DiagnosticError.of("A012", reason=str(error)) from error
    optimizers = build_optimizers(graph, spec, model)
    step = PeakMemory([*model.parameters(), *model.buffers(), *fields.values()])
    for optimizer in optimizers:
        _choose_foreach(optimizer, spec)
    known = [_step(optimizer, model, step) for optimizer in optimizers]
    observer.finish(model, KeptState(optimizers), is_known=all(known))
    rows = observer.report.rows
    states = sum(row.optimizer for row in rows)
    beside = sum(row.total for row in rows if row.kept is not None)
    return replace(observer.report, peak=max(watched.peak + states, step.peak) + beside)


def _kept_models(
    spec: RunSpec, model: nn.Module, teacher: nn.Module | None
) -> dict[KeptModel, nn.Module]:
    """Return the models that are kept beside the one that trains."""
    kept: dict[KeptModel, nn.Module] = {}
    if spec.averaging.kind != "none":
        kept |= Averaging(spec.averaging, model).kept_models()
    if teacher is not None:
        kept["teacher"] = teacher
    return kept


def _blank(field: FieldInfo, batch: int) -> Tensor:
    some = field.longest or _SOME  # of boxes there is any number
    shape = [some if size < 0 else size for size in field.shape]
    return torch.empty((batch, *shape), dtype=dtype_of(field.dtype), device=_META)


def _loss(outputs: Tensor | tuple[Tensor, ...], batch: Batch, terms: LossTerms) -> Tensor:
    """Return the loss; where it needs numbers, the sum of the outputs, which keeps nothing."""
    with suppress(RuntimeError, NotImplementedError):
        return terms(outputs, batch)[0]
    tensors = (outputs,) if isinstance(outputs, Tensor) else outputs
    return torch.stack([each.float().sum() for each in tensors]).sum()


def _choose_foreach(optimizer: Optimizer, spec: RunSpec) -> None:
    """Let an optimizer compute with all weights at once where it will: by itself on a GPU."""
    with suppress(DiagnosticError):  # a device that is not there is told by the other checks
        if pick_device(spec.device).type != "cuda":
            return
        for group in optimizer.param_groups:
            if group.get("foreach", True) is None and not group.get("fused"):
                group["foreach"] = True


def _step(optimizer: Optimizer, model: nn.Module, watched: PeakMemory) -> bool:
    """Let the optimizer make its state; return whether it could. ``watched`` is entered."""
    if needs_closure(optimizer):
        return False  # what it keeps comes with the steps
    weights = [weight for group in optimizer.param_groups for weight in group["params"]]
    for weight in weights:
        weight.grad = None
    with watched:
        for weight in weights:
            weight.grad = torch.empty_like(weight)
        with suppress(RuntimeError, NotImplementedError):
            optimizer.step()
            return True
    del model
    if sum(weight.nbytes for weight in weights) > _MOST_BYTES:
        return False
    return _step_with_numbers(optimizer, weights)


def _step_with_numbers(optimizer: Optimizer, weights: list[Tensor]) -> bool:
    """Step weights of zeros on the CPU, and hand what was kept for them to the real ones."""
    optimizer.state.clear()
    made = {
        weight: nn.Parameter(torch.zeros(weight.shape, dtype=weight.dtype)) for weight in weights
    }
    for group in optimizer.param_groups:
        group["params"] = [made[weight] for weight in group["params"]]
    for weight in made.values():
        weight.grad = torch.zeros_like(weight)
    with suppress(RuntimeError):
        optimizer.step()
        for weight, zeros in made.items():
            optimizer.state[weight] = optimizer.state[zeros]
        return True
    return False


def savings_of_freezing(request: EstimateFreezing) -> FreezingReport:
    """Return what a step costs, and what it would cost without frozen layers: operations
    (``torch.utils.flop_counter``) and memory of both are counted. Raises as :func:`estimate`.
    """
    graph, spec = request.graph, request.spec
    return FreezingReport(step=_cost(graph, spec), unfrozen=_cost(all_trained(graph), spec))


def cost_of_recomputation(request: EstimateRecomputation) -> RecomputationReport:
    """Return what a step costs before and after a change of what is recomputed: of memory the most
    at once, with what the backward pass computes again. Raises as :func:`estimate`.
    """
    costs: list[StepCost] = []
    for graph in (request.graph, request.after):
        most = estimate(graph, request.spec).most  # by itself: to count operations keeps tensors
        costs.append(replace(_cost(graph, request.spec), memory=most))
    return RecomputationReport(step=costs[0], after=costs[1])


def _cost(graph: Graph, spec: RunSpec) -> StepCost:
    counter = FlopCounterMode(display=False)
    report = estimate(graph, spec, during=counter)
    return StepCost(flops=int(counter.get_total_flops()), memory=report.total)
