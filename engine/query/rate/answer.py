"""The learning-rate curve and the parameter groups of a specification, before the run."""

import torch

from engine.data.load.load import load_data
from engine.model.module import to_module
from engine.query.rate.request import (
    ExplainExtension,
    Extension,
    GroupsPreview,
    LrPreview,
    PreviewGroups,
    PreviewLr,
)
from engine.spec.choice import Code
from engine.spec.length import planned_steps, steps_per_epoch
from engine.spec.run import RunSpec
from engine.train.phase import groups_of
from engine.train.rate_curve import extension_of, rate_curve


def learning_rate_curve(request: PreviewLr) -> LrPreview:
    """Return the curve of a specification. Raises as :func:`~engine.train.rate_curve.rate_curve`
    does.
    """
    spec = request.spec
    per_epoch = request.steps_per_epoch or _steps_per_epoch(spec, request.code)
    steps = planned_steps(spec, per_epoch) or spec.epochs * per_epoch
    curve = rate_curve(spec, request.groups, per_epoch, steps)
    return LrPreview(
        steps=tuple(curve.steps), values=tuple(curve.values), shares=tuple(curve.shares)
    )


def explain_extension(request: ExplainExtension) -> Extension:
    """Return what the schedule does in further steps. Raises as :func:`learning_rate_curve`."""
    groups, per_epoch = request.groups, max(1, request.steps_per_epoch)
    return Extension(problem=extension_of(request.spec, groups, per_epoch, request.steps))


def trained_groups(request: PreviewGroups) -> GroupsPreview:
    """Divide the parameters of a model, made without numbers, as the optimizer will have them.
    Raises :class:`DiagnosticError` with what keeps the model from being made.
    """
    with torch.device("meta"):
        model = to_module(request.graph)
    return GroupsPreview(groups=groups_of(request.graph, request.spec, model))


def _steps_per_epoch(spec: RunSpec, code: Code) -> int:
    sampler = load_data(spec.data, code, is_normalized=False).sampler
    return max(1, steps_per_epoch(sampler.count, spec))
