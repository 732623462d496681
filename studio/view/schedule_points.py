"""Points of a drawn learning-rate curve, where the plan of the rates is drawn."""

from collections.abc import Sequence

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.diagnostics import DiagnosticError
from engine.spec.drawn_curve import JOINED, POINTS, CurvePoint, points_text, read_points
from engine.spec.run import Choice, RunSpec
from engine.spec.schedule import DRAWN
from widgets.plots.view_model import SeriesView

POINTS_FIELD = f"scheduler.{POINTS}"
_FINEST = 1e-6  # of the learning rate, on a logarithmic scale
_MOST_STEPS = 100_000  # of a plan; of a longer run the end is not drawn

Place = tuple[float, float]


def schedule_points(spec: RunSpec, plan: Sequence[SeriesView]) -> tuple[Place, ...]:
    """Return step and learning rate of each point of the only schedule, where it is a drawn curve
    and its plan is shown whole.
    """
    rate, total = _rate(spec), _steps(plan)
    if rate is None or total is None or spec.scheduler is None:
        return ()
    try:
        points = read_points(str(_value(spec.scheduler, POINTS)), is_log=_is_log(spec.scheduler))
    except DiagnosticError:  # told at its field
        return ()
    return tuple((1 + point.share * (total - 1), point.factor * rate) for point in points)


def lowest_rate(spec: RunSpec) -> float:
    """Return the lowest learning rate that a point may have."""
    rate = _rate(spec)
    if rate is None or spec.scheduler is None or not _is_log(spec.scheduler):
        return 0.0
    return rate * _FINEST


def points_setting(spec: RunSpec, plan: Sequence[SeriesView], places: Sequence[Place]) -> str:
    """Return the setting that points drawn at steps and learning rates stand for, rounded so far
    that all stay apart; empty where no curve is drawn.
    """
    rate, total = _rate(spec), _steps(plan)
    if rate is None or total is None:
        return ""
    shares = [min(max((step - 1) / (total - 1), 0.0), 1.0) for step, _ in places]
    digits = next(
        (each for each in range(3, 9) if len({round(s, each) for s in shares}) == len(shares)), 15
    )
    factors = [float(f"{height / rate:.3g}") for _, height in places]
    return points_text(
        tuple(
            CurvePoint(round(share, digits), factor)
            for share, factor in zip(shares, factors, strict=True)
        )
    )


def _rate(spec: RunSpec) -> float | None:
    """Return the learning rate that the only schedule, a drawn curve, multiplies."""
    is_only = not spec.schedules and not spec.phases and not spec.layer_rates.is_on
    if spec.scheduler is None or spec.scheduler.type != DRAWN or not is_only:
        return None
    entry = catalog().entry(EntryGroup.OPTIMIZER, spec.optimizer.type)
    rate = None if entry is None else entry.value(spec.optimizer.params, "lr")
    return float(rate) if isinstance(rate, int | float) and rate > 0 else None


def _steps(plan: Sequence[SeriesView]) -> int | None:
    total = int(plan[0].steps[-1]) if plan and plan[0].steps.size else 0
    return total if 1 < total < _MOST_STEPS else None


def _value(choice: Choice, name: str) -> object:
    entry = catalog().entry(EntryGroup.SCHEDULER, choice.type)
    return None if entry is None else entry.value(choice.params, name)


def _is_log(choice: Choice) -> bool:
    return _value(choice, JOINED) == "log"
