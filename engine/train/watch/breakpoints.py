"""Breakpoints of a run, and the end of a debugger's step."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.events import Breakpoint
from engine.inspect.step_tracer import Spot
from engine.inspect.tensor_observer import dense_values
from engine.runs.condition import Condition, parse_condition

_MOST_NAMES = 20  # of Functions in a sentence

Over = Literal["layer", "function", "optimizer", "batch", "epoch"]


@dataclass
class _Armed:
    """A breakpoint with its condition; ``hits`` counts how often the run reached it, ``stopped`` is
    the last step in which it stopped the run; ``is_reported``: its Function is missing, and that
    was said.
    """

    point: Breakpoint
    condition: Condition | None
    hits: int = 0
    stopped: int = 0
    is_reported: bool = False


class Breakpoints:
    """Decides at each spot that a step reaches whether to stop there, and why."""

    def __init__(self, steps_per_epoch: int) -> None:
        self._armed: list[_Armed] = []
        self._condition_names: frozenset[str] = frozenset()  # numbers in conditions
        self._numbers: dict[str, float] = {}
        self.step = 1  # the current or the next one
        self._steps_per_epoch = steps_per_epoch
        self._over: Over | None = None
        self._start: Spot | None = None
        self._start_step = 0
        self._entered_step = 0  # the last step whose first spot was reached
        self._last = (0, "", "")
        self._bad_step = 0

    @property
    def is_armed(self) -> bool:
        """Whether there is anything to stop at."""
        return bool(self._armed) or self._over is not None

    def set_points(self, points: Sequence[Breakpoint]) -> list[Diagnostic]:
        """Stop at those of these breakpoints that are on; return what is wrong with conditions: a
        breakpoint whose condition cannot be parsed is ignored.
        """
        problems: list[Diagnostic] = []
        armed = {each.point: each for each in self._armed}
        self._armed = []
        for point in points:
            try:
                if point.is_on:
                    condition = parse_condition(point.condition) if point.condition else None
                    self._armed.append(armed.get(point) or _Armed(point, condition))
            except DiagnosticError as error:
                problems += error.problems
        conditions = [each.condition for each in self._armed if each.condition is not None]
        self._condition_names = frozenset(name for each in conditions for name in each.names)
        return problems

    def begin_step(self, over: Over, start: Spot | None) -> None:
        """Stop at the next spot of a kind after ``start`` (None: the next one at all)."""
        self._over, self._start, self._start_step = over, start, self.step

    def clear(self) -> None:
        """Stop nowhere any more."""
        self._armed, self._over = [], None

    def reason(self, spot: Spot) -> str:
        """Return why the run stops here: the kind of a breakpoint, ``step``, or nothing."""
        is_first = spot.phase == "forward" and self._entered_step != self.step
        if is_first:
            self._entered_step = self.step
        if self._over is not None and self._is_end(spot, is_first=is_first):
            self._over = None
            return "step"
        previous, self._last = self._last, (self.step, spot.phase, spot.place)
        is_new = previous != self._last
        self._update_numbers(spot)
        for armed in self._armed:
            if self._is_at(armed, spot, is_first=is_first, is_new=is_new):
                armed.hits += 1
                if self._holds(armed, spot):
                    armed.stopped = self.step
                    self._over = None  # as in any debugger: a breakpoint ends the step
                    return armed.point.kind
        return ""

    def missing(self, spot: Spot) -> list[Diagnostic]:
        """Return, once for each, which breakpoints are at a Function that is not in the autograd
        graph of the loss computed here.
        """
        problems: list[Diagnostic] = []
        for armed in self._armed if spot.phase == "loss" else ():
            function = armed.point.place
            is_there = armed.point.kind != "function" or function in spot.functions
            if not is_there and not armed.is_reported:
                armed.is_reported = True
                names = sorted(spot.functions)
                listed = ", ".join(names[:_MOST_NAMES]) + ("…" if len(names) > _MOST_NAMES else "")
                params: dict[str, str | int | float] = {
                    "step": self.step,
                    "function": function,
                    "functions": listed,
                }
                problems.append(Diagnostic(code="A016", severity=Severity.WARNING, params=params))
        return problems

    def _update_numbers(self, spot: Spot) -> None:
        """Keep the numbers that are computed here, where a condition names them."""
        if spot.phase == "loss" and "loss" in self._condition_names:
            self._numbers["loss"] = _sum(spot)
        if spot.phase == "gradients" and "grad_norm" in self._condition_names:
            self._numbers["grad_norm"] = _norm(spot)

    def _holds(self, armed: _Armed, spot: Spot) -> bool:
        condition = armed.condition
        if condition is None:
            return True
        numbers = self._numbers | {
            "step": float(self.step),
            "epoch": float((self.step - 1) // self._steps_per_epoch + 1),
            "hits": float(armed.hits),
        }
        if "nan" in condition.names:
            numbers["nan"] = float(not _is_finite(spot))
        return condition.holds(numbers)

    def _is_end(self, spot: Spot, *, is_first: bool) -> bool:
        """Return whether a debugger's step is over here."""
        match self._over:
            case "layer":
                return (
                    self._start is None or spot.phase != self._start.phase or self._is_other(spot)
                )
            case "function":
                was_backward = self._start is not None and self._start.phase == "backward"
                return spot.phase == "backward" or (was_backward and spot.phase == "gradients")
            case "optimizer":
                return spot.phase in ("gradients", "updated")
            case "batch":
                return is_first and (self._start is None or self.step > self._start_step)
            case "epoch":
                is_begin = (self.step - 1) % self._steps_per_epoch == 0
                return is_first and is_begin and self.step > self._start_step
            case None:
                return False

    def _is_other(self, spot: Spot) -> bool:
        start = self._start
        return start is None or spot.place != start.place or self.step != self._start_step

    def _is_at(  # noqa: PLR0911 - one case a kind
        self, armed: _Armed, spot: Spot, *, is_first: bool, is_new: bool
    ) -> bool:
        point = armed.point
        match point.kind:
            case "layer":
                return is_new and spot.phase == "forward" and spot.place == point.place
            case "backward":
                return is_new and spot.phase == "backward" and spot.place == point.place
            case "function":
                is_there = point.within in ("", spot.place, spot.parameter)
                return spot.function == point.place and is_there
            case "step":
                return is_first and self.step == int(point.value)
            case "not_finite":
                return self._is_first_bad(spot)
            case "loss":
                return spot.phase == "loss" and _sum(spot) > point.value
            case "gradient":
                return spot.phase == "gradients" and _norm(spot) > point.value
            case "condition":
                is_due = _is_due(armed.condition, spot, is_first=is_first)
                return is_due and armed.stopped != self.step

    def _is_first_bad(self, spot: Spot) -> bool:
        """Return whether a value here is not finite, the first in this step."""
        if self._bad_step == self.step or _is_finite(spot):
            return False
        self._bad_step = self.step
        return True


def _is_due(condition: Condition | None, spot: Spot, *, is_first: bool) -> bool:
    """Return whether the numbers that a condition names have just been computed; where it names
    none, whether a step begins.
    """
    if condition is None or "nan" in condition.names:
        return condition is not None
    if "grad_norm" in condition.names:
        return spot.phase == "gradients"
    return spot.phase == "loss" if "loss" in condition.names else is_first


def _is_finite(spot: Spot) -> bool:
    """Return whether all values at a spot are finite."""
    tensors = (dense_values(each.tensor) for each in spot.held().values())
    return all(bool(torch.isfinite(each).all()) for each in tensors)


def _sum(spot: Spot) -> float:
    return sum(each.tensor.item() for each in spot.held().values())


def _norm(spot: Spot) -> float:
    """Return the norm of all gradients."""
    gradients = [each.tensor for each in spot.held().values() if each.kind == "gradient"]
    return float(torch.nn.utils.get_total_norm(gradients)) if gradients else 0.0
