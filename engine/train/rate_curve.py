"""Learning rates over the steps of a run, found by stepping its schedulers on a few weights."""

import warnings
from collections.abc import Sequence
from typing import NamedTuple

from engine.diagnostics import Diagnostic
from engine.spec.extension import extension
from engine.spec.length import planned_steps
from engine.spec.phase import is_at_work, phase_list, phases_at, recipe_of
from engine.spec.run import RunSpec
from engine.spec.trained_group import TrainedGroup, of_phase, rate_groups
from engine.train.optim import learning_rates, rates_only
from engine.train.phase import phase_schedule

_MAXIMUM_STEPS = 100_000
_MAXIMUM_POINTS = 1_000


class RateCurve(NamedTuple):
    """The rates of each group at the beginning of some steps, from 1, and how much of its schedule
    each phase has behind it: 0 in its first step, 1 in its last one, more afterwards.
    """

    steps: list[int]
    values: list[tuple[float, ...]]
    shares: list[tuple[float, ...]]


def rate_curve(
    spec: RunSpec, groups: Sequence[TrainedGroup], steps_per_epoch: int, steps: int
) -> RateCurve:
    """Return at most 1,000 points of so many steps (of the first 100,000), which may be more than
    the schedules are made for; a plateau schedule is shown as if the monitored value improved all
    the time. Raises :class:`DiagnosticError` for an optimizer or scheduler that cannot be built.
    """
    total = min(max(steps, 0), _MAXIMUM_STEPS)
    stride = max(1, -(-total // _MAXIMUM_POINTS))
    rules = phase_list(spec)
    optimizers = [
        rates_only(rule.optimizer, recipe_of(spec, index).groups, of_phase(groups, index))
        for index, rule in enumerate(rules)
    ]
    shown: list[int] = []
    rates: list[list[float]] = []
    done = [0] * len(rules)  # steps in which each phase trained
    behind: list[tuple[int, ...]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the scheduler moves without the optimizer, on purpose
        schedules = [
            phase_schedule(spec, index, optimizer, steps_per_epoch)
            for index, optimizer in enumerate(optimizers)
        ]
        for step in range(1, total + 1):
            if (step - 1) % stride == 0 or step == total:
                shown.append(step)
                rates.append([rate for each in optimizers for rate in learning_rates(each)])
                behind.append(tuple(done))
            epoch = (step - 1) // steps_per_epoch
            for index in phases_at(rules, epoch, step - 1):
                schedules[index].step_done(epoch)
                done[index] += 1
            for rule, schedule in zip(rules, schedules, strict=True):
                if step % steps_per_epoch == 0 and is_at_work(rule, epoch):
                    schedule.epoch_done(-float(step), epoch)
    count = sum(len(each.param_groups) for each in optimizers)
    values = zip(*rates, strict=True) if rates else [()] * count
    shares = [
        tuple(each[index] / max(last - 1, 1) for each in behind) for index, last in enumerate(done)
    ]
    return RateCurve(shown, list(values), shares)


def extension_of(
    spec: RunSpec, groups: Sequence[TrainedGroup], steps_per_epoch: int, steps: int
) -> Diagnostic | None:
    """Return what the schedule does where a run goes on to a number of steps, if there is anything
    to tell. Raises as :func:`rate_curve`.
    """
    planned = planned_steps(spec, steps_per_epoch)
    if spec.scheduler is None or not planned or steps <= planned:
        return None
    curve = rate_curve(spec, rate_groups(groups), steps_per_epoch, steps)
    return extension(spec, curve.steps, curve.values[0], planned)
