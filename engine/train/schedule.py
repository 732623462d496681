"""Learning-rate schedule of a run, stepped by epoch or by step."""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from torch.optim import Optimizer, lr_scheduler
from torch.optim.lr_scheduler import (
    ChainedScheduler,
    LRScheduler,
    OneCycleLR,
    ReduceLROnPlateau,
    SequentialLR,
)
from torch.optim.swa_utils import SWALR

from engine.catalog.spec import AUTO, EntryGroup, Value
from engine.diagnostics import DiagnosticError
from engine.spec.drawn_curve import drawn_factor
from engine.spec.expression import Expression
from engine.spec.length import planned_epochs, planned_steps
from engine.spec.run import Choice, RunSpec
from engine.spec.schedule import DRAWN, EXPRESSION, EXPRESSIONS, Piece, SchedulePlan, schedule_plan
from engine.train.checkpoint.restored import fitted
from engine.train.choice import arguments, chosen_class
from engine.train.optim import (
    learning_rates,
    rate_ratios,
    scale_learning_rates,
    scale_start,
    set_learning_rate,
)

_AVERAGED = "averaged"  # the state of SWALR beside that of the schedule
_OWN_RATIOS = "own_ratios"
_RATES = ("max_lr", "base_lr", "min_lr")  # a number, or one for each group
_KEPT_RATES = ("base_lrs", "max_lrs")  # that a scheduler computes with, one for each group


class Schedule:
    """A scheduler with its rhythm; does nothing where none is chosen. It is stepped ``length``
    times, if not in each epoch, or step, of the run.

    ``exhausted`` becomes true when a schedule of fixed length is over and the rate stays.
    """

    def __init__(
        self, spec: RunSpec, optimizer: Optimizer, steps_per_epoch: int, length: int | None = None
    ) -> None:
        self._optimizer = optimizer
        self._ratios = rate_ratios(optimizer)
        self._has_own_ratios = False  # set by hand
        self._scheduler: LRScheduler | None = None
        self._pieces: list[LRScheduler] = []  # that it is made of
        self._milestones: list[int] = []
        self._averaged: SWALR | None = None  # takes its place while weights are averaged
        self._start = spec.averaging.start
        self.exhausted = False
        self.by_step = False
        if spec.scheduler is not None:
            is_plateau = spec.scheduler.type == "ReduceLROnPlateau"
            self.by_step = spec.scheduler_interval == "step" and not is_plateau
            if length is None:
                of_run = planned_steps if self.by_step else planned_epochs
                length = of_run(spec, steps_per_epoch)
            length = max(length, 1)  # 1: by time, none asks for the length
            plan = schedule_plan(spec, length)
            assert plan is not None
            self._milestones = plan.milestones
            self._pieces = [_piece(one, optimizer, length, self._ratios) for one in plan.pieces]
            self._scheduler = _joined(plan, self._pieces, optimizer)
        if spec.averaging.anneals:
            rates = [spec.averaging.swa_lr * ratio for ratio in self._ratios]
            self._averaged = SWALR(optimizer, rates, spec.averaging.anneal_epochs)  # pyright: ignore[reportArgumentType] - annotated as one rate, takes one for each group

    def step_done(self, epoch: int) -> None:
        """Advance after an optimizer step of the epoch with this number (from 0)."""
        if self.by_step and not self._is_averaged(epoch):
            self._advance()

    def epoch_done(self, monitored: float | None, epoch: int) -> None:
        """Advance after the epoch with this number (from 0); ``monitored`` is what a plateau
        schedule looks at.
        """
        if self._averaged is not None and self._is_averaged(epoch):
            self._averaged.step()
        elif isinstance(self._scheduler, ReduceLROnPlateau):
            if monitored is not None:
                self._scheduler.step(monitored)
        elif not self.by_step:
            self._advance()

    def _is_averaged(self, epoch: int) -> bool:
        """Return whether the learning rate goes to that of averaged weights in an epoch."""
        return self._averaged is not None and epoch >= self._start

    def set_learning_rate(self, rate: float) -> None:
        """Set the learning rate of the first group now; the others keep their ratio to it, and the
        rest of the schedule is scaled along.
        """
        old = learning_rates(self._optimizer)
        set_learning_rate(self._optimizer, rate, self._ratios)
        self._scale_pieces(old)

    def _scale_pieces(self, old: Sequence[float]) -> None:
        """Scale what the schedulers go by as the rates of the groups changed from ``old``."""
        new = learning_rates(self._optimizer)
        for scheduler in self._pieces:
            for name in _KEPT_RATES:
                rates = getattr(scheduler, name, None)
                if rates is not None:
                    scaled = [
                        value * now / before if before > 0 else value
                        for value, before, now in zip(rates, old, new, strict=True)
                    ]
                    setattr(scheduler, name, scaled)

    def set_group_rates(self, rates: Mapping[int, float]) -> None:
        """Set the learning rates of some groups, by number; what follows keeps their new ratio to
        that of the first group, and the rest of their schedule is scaled along.
        """
        groups = self._optimizer.param_groups
        before = learning_rates(self._optimizer)
        for index, rate in rates.items():
            old = float(groups[index]["lr"])
            groups[index]["lr"] = rate
            scale_start(groups[index], old)
        self._scale_pieces(before)
        first = learning_rates(self._optimizer)[0]
        for index, rate in rates.items():
            self._ratios[index] = rate / first if first > 0 else 1.0
        self._has_own_ratios = True

    def scale(self, factor: float) -> None:
        """Multiply the learning rates of all groups, now and in the rest of the schedule. What is
        set as the lowest rate of a schedule stays as it is.
        """
        scale_learning_rates(self._optimizer, factor)
        for scheduler in self._pieces:
            for name in _KEPT_RATES:
                rates = getattr(scheduler, name, None)
                if rates is not None:
                    setattr(scheduler, name, [rate * factor for rate in rates])

    def state_dict(self) -> dict[str, object]:
        """Return the state for a checkpoint (empty without a scheduler)."""
        state: dict[str, object] = {}
        if self._has_own_ratios:
            state[_OWN_RATIOS] = list(self._ratios)
        if self._scheduler is not None:
            state |= self._scheduler.state_dict()
        if self._averaged is not None:
            state = {**state, _AVERAGED: self._averaged.state_dict()}
        return state

    def load_state_dict(self, state: dict[str, object]) -> None:
        """Go on from a state. Raises :class:`ValueError` for that of another schedule."""
        # An epoch whose steps another session took may end first: PyTorch would warn of the order.
        setattr(self._optimizer, "_opt_called", True)  # noqa: B010 - PyTorch's own mark
        ratios = state.get(_OWN_RATIOS)
        if ratios is not None:
            self._ratios = cast("list[float]", fitted(ratios, self._ratios))
            self._has_own_ratios = True
            state = {name: value for name, value in state.items() if name != _OWN_RATIOS}
        if self._scheduler is not None and state:
            own = self._scheduler.state_dict()
            self._scheduler.load_state_dict(cast("dict[str, Any]", fitted(state, own)))
        if self._averaged is not None and _AVERAGED in state:
            own = self._averaged.state_dict()
            fitting = cast("dict[str, Any]", fitted(state[_AVERAGED], own))
            self._averaged.load_state_dict(fitting)

    def _advance(self) -> None:
        if self._scheduler is None or self.exhausted:
            return
        if any(_is_over(each) for each in self._next()):
            self.exhausted = True  # one more step would raise: the run was extended
            return
        self._scheduler.step()

    def _next(self) -> Sequence[LRScheduler]:
        """Return the schedulers that the next step is one of."""
        if not isinstance(self._scheduler, SequentialLR):
            return self._pieces
        step = self._scheduler.last_epoch + 1
        if step in self._milestones:
            return ()
        return (self._pieces[bisect_right(self._milestones, step)],)


def _is_over(scheduler: LRScheduler) -> bool:
    is_cycle = isinstance(scheduler, OneCycleLR)
    return is_cycle and scheduler.last_epoch + 1 >= scheduler.total_steps


def _joined(plan: SchedulePlan, made: list[LRScheduler], optimizer: Optimizer) -> LRScheduler:
    """Return what steps the schedulers of a plan."""
    if len(made) == 1:
        return made[0]
    try:
        if plan.is_chained:
            return ChainedScheduler(made, optimizer)
        return SequentialLR(optimizer, made, plan.milestones)
    except (TypeError, ValueError) as error:
        name = plan.pieces[-1].choice.type
        raise DiagnosticError.of("R118", field="scheduler", detail=str(error), name=name) from error


def _piece(piece: Piece, optimizer: Optimizer, length: int, ratios: Sequence[float]) -> LRScheduler:
    choice = piece.choice
    if choice.type == DRAWN:
        return lr_scheduler.LambdaLR(optimizer, _factor(drawn_factor(choice), length))
    scheduler_class = chosen_class(EntryGroup.SCHEDULER, choice, lr_scheduler)
    settings = scheduler_settings(choice, piece.length, ratios)
    if choice.type in EXPRESSIONS:
        settings[EXPRESSION] = _factor(Expression.of(str(settings[EXPRESSION])), length)
    try:
        return scheduler_class(optimizer, **settings)
    except (TypeError, ValueError, KeyError, ZeroDivisionError) as error:
        raise DiagnosticError.of(
            "R118", field="scheduler", detail=str(error), name=choice.type
        ) from error


def _factor(expression: Expression, length: int) -> Callable[[int], float]:
    """Return the factor of the learning rate by step; the function raises :class:`DiagnosticError`
    R437 in a step in which there is none.
    """

    def factor(step: int) -> float:
        try:
            return expression.value(step, length)
        except ArithmeticError as error:
            raise DiagnosticError.of("R437", field="scheduler", step=step) from error

    return factor


def scheduler_settings(
    choice: Choice, length: int | str, ratios: Sequence[float]
) -> dict[str, Any]:
    """Return all settings of a scheduler: ``length`` where it follows the length of the run, and a
    rate for each group where the learning rates of groups stand in ``ratios`` to the first one.
    """
    values = {
        name: cast("Value", length) if value == AUTO else value
        for name, value in arguments(EntryGroup.SCHEDULER, choice).items()
    }
    if choice.type == "OneCycleLR" and not (values.get("total_steps") or values.get("epochs")):
        values["total_steps"] = length
    return _in_ratio(values, ratios)


def _in_ratio(values: dict[str, Value], ratios: Sequence[float]) -> dict[str, Any]:
    """Return the settings of a scheduler with a rate for each group where it names rates."""
    if len(ratios) == 1:
        return dict(values)
    return {
        name: [value * ratio for ratio in ratios]
        if name in _RATES and isinstance(value, int | float)
        else value
        for name, value in values.items()
    }
