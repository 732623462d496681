"""Points of drawn learning-rate curves, where the plan of the rates is drawn."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.diagnostics import DiagnosticError
from engine.query.rate.request import LrPreview
from engine.spec.drawn_curve import JOINED, POINTS, CurvePoint, points_text, read_points
from engine.spec.group import rate_series
from engine.spec.phase import phase_field, phase_list, recipe_of
from engine.spec.run import Choice, RunSpec
from engine.spec.schedule import DRAWN
from engine.spec.trained_group import TrainedGroup, of_phase, rate_groups
from widgets.plots.view_model import HandlesView, Place

_FINEST = 1e-6  # of the learning rate, on a logarithmic scale
_MOST_STEPS = 100_000  # of a plan; of a longer run the end is not drawn


@dataclass(frozen=True, kw_only=True)
class RatePlan:
    """The planned rates of a recipe; ``groups`` are those of its optimizers that have a rate of
    their own, where layers have.
    """

    preview: LrPreview = field(default_factory=lambda: LrPreview(steps=(), values=()))
    groups: tuple[TrainedGroup, ...] = ()


def drawn_points(spec: RunSpec, plan: RatePlan) -> tuple[HandlesView, ...]:
    """Return step and learning rate of each point of the schedules that are drawn curves, each
    called by its setting, where their plan is shown whole.
    """
    found = (_points(spec, plan, index) for index in range(len(plan.preview.shares)))
    return tuple(each for each in found if each is not None)


def points_setting(spec: RunSpec, plan: RatePlan, name: str, places: Sequence[Place]) -> str:
    """Return what a setting, a drawn curve, becomes where its points are drawn at these steps and
    learning rates, rounded so far that all stay apart; empty where no curve is drawn.
    """
    for index in range(len(plan.preview.shares)):
        rate, over = _rate(spec, plan, index), _behind(plan, index)
        if rate is None or over is None or _setting(index) != name:
            continue
        steps, behind = over
        shares = [float(np.interp(step, steps, behind)) for step, _ in places]
        return points_text(_rounded(shares, [height / rate for _, height in places]))
    return ""


def _points(spec: RunSpec, plan: RatePlan, index: int) -> HandlesView | None:
    rate, over = _rate(spec, plan, index), _behind(plan, index)
    choice = phase_list(spec)[index].scheduler if index <= len(spec.phases) else None
    if rate is None or over is None or choice is None:
        return None
    is_log = _value(choice, JOINED) == "log"
    try:
        points = read_points(str(_value(choice, POINTS)), is_log=is_log)
    except DiagnosticError:  # told at its field
        return None
    steps, behind = over
    return HandlesView(
        name=_setting(index),
        curve=_curve(spec, plan, index),
        places=tuple(
            (float(np.interp(point.share, behind, steps)), point.factor * rate) for point in points
        ),
        lowest=rate * _FINEST if is_log else 0.0,
    )


def _rounded(shares: Sequence[float], factors: Sequence[float]) -> tuple[CurvePoint, ...]:
    digits = next(
        (each for each in range(3, 9) if len({round(s, each) for s in shares}) == len(shares)), 15
    )
    return tuple(
        CurvePoint(round(share, digits), float(f"{factor:.3g}"))
        for share, factor in zip(shares, factors, strict=True)
    )


def _setting(index: int) -> str:
    phase = f"{phase_field(index)}." if index else ""
    return f"{phase}scheduler.{POINTS}"


def _rate(spec: RunSpec, plan: RatePlan, index: int) -> float | None:
    """Return the highest learning rate that the schedule of a phase, a drawn curve, multiplies in
    parameters without a group.
    """
    if index > len(spec.phases) or (spec.schedules and not index):
        return None
    rule = phase_list(spec)[index]
    if rule.scheduler is None or rule.scheduler.type != DRAWN:
        return None
    entry = catalog().entry(EntryGroup.OPTIMIZER, rule.optimizer.type)
    rate = None if entry is None else entry.value(rule.optimizer.params, "lr")
    if not isinstance(rate, int | float) or rate <= 0:
        return None
    return rate * max((each.ratio for each in _own(plan, index) if not each.number), default=1.0)


def _own(plan: RatePlan, index: int) -> tuple[TrainedGroup, ...]:
    return rate_groups(of_phase(plan.groups, index))


def _curve(spec: RunSpec, plan: RatePlan, index: int) -> str:
    """Return the name of the curve that the points of a phase lie on."""
    counts = [
        len(_own(plan, phase)) or 1 + len(recipe_of(spec, phase).groups)
        for phase in range(1 + len(spec.phases))
    ]
    rest = [(-each.ratio, at) for at, each in enumerate(_own(plan, index)) if not each.number]
    first = min(rest)[1] if rest else 0
    return rate_series(sum(counts))[sum(counts[:index]) + first]


def _behind(plan: RatePlan, index: int) -> tuple[list[float], list[float]] | None:
    """Return the steps in which a phase trains and how much of its schedule is behind it there, as
    far as they are known; None where its end is not drawn or it has one step.
    """
    steps, shares = plan.preview.steps, plan.preview.shares[index]
    if not steps or not 1 < steps[-1] < _MOST_STEPS:
        return None
    kept: dict[float, float] = {}  # steps by share: the one in which it trains comes last
    for step, share in zip(steps, shares, strict=True):
        if share <= 1 or share not in kept:
            kept[share] = float(step)
    return (list(kept.values()), list(kept)) if len(kept) > 1 and max(kept) >= 1 else None


def _value(choice: Choice, name: str) -> object:
    entry = catalog().entry(EntryGroup.SCHEDULER, choice.type)
    return None if entry is None else entry.value(choice.params, name)
