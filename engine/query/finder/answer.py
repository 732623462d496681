"""Search for a learning rate: the loss of a copy of the model while the rate rises.

After L. N. Smith, Cyclical learning rates for training neural networks, 2017 (arXiv:1506.01186),
section 3.3, with a rate that rises by the same factor in each step. Data, loss, optimizer,
precision and accumulation are those of the run; nothing of it is written. Of several phases the
rate of one rises in its own steps. Phases that minimize the same loss train beside it, or in
between, as in the run; one that minimizes another one stands still: an opponent that learns
meanwhile would hide what the rate does.
"""

import math
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec.structs import replace

from engine.diagnostics import DiagnosticError
from engine.model.module import to_module
from engine.query.finder.request import (
    FEWEST_STEPS,
    MOST_STEPS,
    FinderMessage,
    FindRate,
    RateFound,
    RateMeasured,
)
from engine.query.finder.suggestion import RatePoint, Smoothing, suggest
from engine.query.landscape.answer import begin_like_run
from engine.spec.fields import field_names
from engine.spec.phase import phase_list, phase_named, rate_field, terms_at
from engine.spec.run import RunSpec
from engine.spec.technique import AveragingSpec
from engine.train.devices import run_settings
from engine.train.driver import StepResult
from engine.train.finite import NotFiniteError
from engine.train.loop import train_epoch
from engine.train.training import Training, build_training

_DIVERGED = 4.0  # times the lowest smoothed loss

Tell = Callable[[FinderMessage], object]


def find_rate(request: FindRate, tell: Tell) -> None:
    """Tell the loss at each rate, and at the end which rates it suggests.

    Raises :class:`DiagnosticError`: R463 for an optimizer without a learning rate, R573 for a phase
    that there is not, R464 for steps or rates that make no search, and what keeps the run from
    beginning.
    """
    spec = _search_spec(request)
    with run_settings(spec):
        model = to_module(request.graph)
        begin_like_run(model, request.graph, spec, Path(request.project))
        training = build_training(request.graph, spec, model)
        tell(_search(request, training, tell))


def _search_spec(request: FindRate) -> RunSpec:
    """Return the recipe of a search: that of the run without what sets the rate or ends it."""
    spec, steps = request.spec, request.steps
    index = phase_named(spec, str(request.phase + 1))
    name = rate_field(index)
    if name not in field_names(spec, request.graph.code):
        kind = phase_list(spec)[index].optimizer.type
        raise DiagnosticError.of("R463", field=name.removesuffix(".lr"), optimizer=kind)
    is_range = 0 < request.lowest < request.highest < math.inf
    if not is_range or not FEWEST_STEPS <= steps <= MOST_STEPS:
        raise DiagnosticError.of("R464", fewest=FEWEST_STEPS, most=MOST_STEPS)
    return replace(
        spec,
        scheduler=None,
        schedules=(),
        phases=tuple(replace(phase, scheduler=None) for phase in spec.phases),
        averaging=AveragingSpec(),
        non_finite="stop",
        mode="process",
        compute=replace(spec.compute, compile=False),  # more minutes than it saves here
    )


def _search(request: FindRate, training: Training, tell: Tell) -> RateFound:
    """Take the steps; a loss that is not finite ends them as one that diverges does."""
    smoothing, points = Smoothing(), list[RatePoint]()
    factor = (request.highest / request.lowest) ** (1 / (request.steps - 1))
    _hold_opponents(training, request.phase)
    steps = _endless(training, request.phase)
    schedule = training.phases.all[request.phase].schedule
    for number in range(request.steps):
        rate = request.lowest * factor**number
        schedule.set_learning_rate(rate)
        try:
            loss = float(next(steps).loss)
        except NotFiniteError:
            loss = math.inf
        if not math.isfinite(loss):
            return _found(points, is_diverged=True)
        smoothed = smoothing.add(loss)
        lowest = min((point.loss for point in points), default=smoothed)
        points.append(RatePoint(rate, smoothed))
        tell(
            RateMeasured(
                step=number + 1, count=request.steps, rate=rate, loss=loss, smoothed=smoothed
            )
        )
        if lowest > 0 and smoothed > _DIVERGED * lowest:
            return _found(points, is_diverged=True)
    return _found(points)


def _found(points: list[RatePoint], *, is_diverged: bool = False) -> RateFound:
    suggestion = suggest(points)
    return RateFound(steepest=suggestion.steepest, tenth=suggestion.tenth, is_diverged=is_diverged)


def _hold_opponents(training: Training, phase: int) -> None:
    """Give the phases that minimize another loss than one a rate of 0."""
    rules, count = phase_list(training.spec), len(training.spec.losses)
    own = terms_at(rules, (phase,), count)
    for index, other in enumerate(training.phases.all):
        for group in (
            other.optimizer.param_groups if terms_at(rules, (index,), count) != own else ()
        ):
            group["lr"] = 0.0


def _endless(training: Training, phase: int) -> Iterator[StepResult]:
    """Yield the steps of a phase, in the epochs in which it is at work; those of others are taken
    in between.
    """
    rule = phase_list(training.spec)[phase]
    epoch = rule.start
    while True:
        for result in train_epoch(training, epoch, 0, training.epoch_meter()):
            if not training.phases.is_varied or phase in result.phases:
                yield result
        epoch += 1
        if rule.end and epoch >= rule.end:
            epoch = rule.start
