"""Schedule of the learning rate as it is made of schedulers of PyTorch: one, or several in series
or chained.
"""

from typing import NamedTuple

from engine.catalog.registry import catalog
from engine.catalog.spec import AUTO, EntryGroup, Value
from engine.diagnostics import DiagnosticError
from engine.spec.expression import Expression
from engine.spec.run import Choice, RunSpec

WARMUP_COSINE, WARMUP_STABLE_DECAY = "WarmupCosine", "WarmupStableDecay"
COMPOSED = (WARMUP_COSINE, WARMUP_STABLE_DECAY)
"""Schedules that are several of PyTorch's in series."""
EXPRESSIONS = ("LambdaLR", "MultiplicativeLR")
"""Schedulers whose factor is an expression."""
EXPRESSION = "lr_lambda"
PLATEAU = "ReduceLROnPlateau"
DRAWN = "DrawnCurve"
"""A factor of the learning rate that goes through points."""
ALONE = (*COMPOSED, PLATEAU, DRAWN)
"""Schedules that go with no other."""


class Piece(NamedTuple):
    """A scheduler that is stepped ``length`` times, from ``start`` on."""

    choice: Choice
    start: int
    length: int


class SchedulePlan(NamedTuple):
    """The schedulers of a run; in series each begins where the one before it ends."""

    pieces: tuple[Piece, ...]
    is_chained: bool = False

    @property
    def milestones(self) -> list[int]:
        """The steps at which the next one begins, where they are in series."""
        return [piece.start for piece in self.pieces[1:]]


def follows_length(choice: Choice) -> bool:
    """Return whether a scheduler cannot be made before the length of the run is known."""
    entry = catalog().entry(EntryGroup.SCHEDULER, choice.type)
    if entry is None or choice.type in (*COMPOSED, DRAWN):
        return entry is not None
    values = {param.name: entry.value(choice.params, param.name) for param in entry.params}
    if choice.type in EXPRESSIONS:
        return _asks_length(str(values.get(EXPRESSION, "")))
    has_length = values.get("total_steps") or values.get("epochs")
    return AUTO in values.values() or (choice.type == "OneCycleLR" and not has_length)


def _asks_length(text: str) -> bool:
    try:
        return Expression.of(text).follows_length
    except DiagnosticError:
        return False  # told by the rule for expressions


def schedule_plan(spec: RunSpec, length: int) -> SchedulePlan | None:
    """Return what the schedule of a run is made of, which is stepped ``length`` times; None without
    one.
    """
    first = spec.scheduler
    if first is None:
        return None
    if first.type in COMPOSED and not spec.schedules:
        return SchedulePlan(_composed(first, length))
    if spec.schedule_order == "chained":
        choices = (first, *(each.scheduler for each in spec.schedules))
        pieces = tuple(Piece(choice, 0, length) for choice in choices)
        return SchedulePlan(pieces, is_chained=bool(spec.schedules))
    starts = [0, *(each.start for each in spec.schedules)]
    ends = [*starts[1:], max(length, starts[-1] + 1)]
    choices = (first, *(each.scheduler for each in spec.schedules))
    return SchedulePlan(
        tuple(
            Piece(choice, start, max(1, end - start))
            for choice, start, end in zip(choices, starts, ends, strict=True)
        )
    )


def _composed(choice: Choice, length: int) -> tuple[Piece, ...]:
    """Return the parts of a schedule with a warm-up. A share that is not 0 has a step at least, and
    what follows the warm-up one, too.
    """
    warmup = min(_steps(choice, "warmup", length), length - 1)
    start = _number(choice, "start_factor")
    rise = _linear(start, 1.0, warmup)
    if choice.type == WARMUP_COSINE:
        params: dict[str, Value] = {
            "T_max": length - warmup,
            "eta_min": _number(choice, "eta_min"),
        }
        fall = Choice(type="CosineAnnealingLR", params=params)
        return (Piece(rise, 0, warmup), Piece(fall, warmup, length - warmup))
    decay = min(_steps(choice, "decay", length), length - warmup)
    stable = Choice(type="ConstantLR", params={"factor": 1.0})
    fall = _linear(1.0, _number(choice, "end_factor"), decay)
    return (
        Piece(rise, 0, warmup),
        Piece(stable, warmup, length - decay - warmup),
        Piece(fall, length - decay, decay),
    )


def _linear(start: float, end: float, steps: int) -> Choice:
    params: dict[str, Value] = {"start_factor": start, "end_factor": end, "total_iters": steps}
    return Choice(type="LinearLR", params=params)


def _steps(choice: Choice, name: str, length: int) -> int:
    share = _number(choice, name)
    return max(1, round(share * length)) if share > 0 else 0


def _number(choice: Choice, name: str) -> float:
    entry = catalog().entry(EntryGroup.SCHEDULER, choice.type)
    value = None if entry is None else entry.value(choice.params, name)
    return float(value) if isinstance(value, int | float) else 0.0
