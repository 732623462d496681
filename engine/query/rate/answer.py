"""The learning-rate curve and the parameter groups of a specification, before the run."""

import warnings

import torch

from engine.data.load.load import load_data
from engine.model.module import to_module
from engine.query.rate.request import LrPreview, PreviewGroups, PreviewLr
from engine.spec.choice import Code
from engine.spec.length import steps_per_epoch
from engine.spec.run import RunSpec
from engine.spec.trained_group import TrainedGroup
from engine.train.optim import learning_rates, rates_only
from engine.train.schedule import Schedule
from engine.train.technique.grouping import Grouping, divided

_MAXIMUM_STEPS = 100_000
_MAXIMUM_POINTS = 1_000


def learning_rate_curve(request: PreviewLr) -> LrPreview:
    """Step the real scheduler on one weight a group and note the rates before each step.

    At most 1,000 points come back, of the first 100,000 steps; a plateau schedule is shown as if
    the monitored value improved all the time. Raises :class:`DiagnosticError` for an optimizer or
    scheduler that cannot be built.
    """
    spec = request.spec
    per_epoch = request.steps_per_epoch or _steps_per_epoch(spec, request.code)
    total = min(max(spec.epochs, 0) * per_epoch, _MAXIMUM_STEPS)
    stride = max(1, -(-total // _MAXIMUM_POINTS))
    optimizer = rates_only(spec.optimizer, spec.groups, request.groups)
    steps: list[int] = []
    rates: list[list[float]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the scheduler moves without the optimizer, on purpose
        schedule = Schedule(spec, optimizer, per_epoch)
        for step in range(1, total + 1):
            if (step - 1) % stride == 0 or step == total:
                steps.append(step)
                rates.append(learning_rates(optimizer))
            epoch = (step - 1) // per_epoch
            schedule.step_done(epoch)
            if step % per_epoch == 0:
                schedule.epoch_done(-float(step), epoch)
    groups = zip(*rates, strict=True) if rates else [()] * len(optimizer.param_groups)
    return LrPreview(steps=tuple(steps), values=tuple(groups))


def trained_groups(request: PreviewGroups) -> tuple[TrainedGroup, ...]:
    """Divide the parameters of a model, made without numbers, as the optimizer will have them.
    Raises :class:`DiagnosticError` with what keeps the model from being made.
    """
    with torch.device("meta"):
        model = to_module(request.graph)
    grouping = Grouping.of(request.spec, request.graph, model)
    return tuple(member.group for member in divided(model, request.spec.groups, grouping))


def _steps_per_epoch(spec: RunSpec, code: Code) -> int:
    samples = load_data(spec.data, code, is_normalized=False).samples("train")
    return max(1, steps_per_epoch(samples, spec))
