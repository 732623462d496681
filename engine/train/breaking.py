"""Where a run stops by itself: breakpoints, and the end of a debugger's step."""

from typing import Literal

import torch

from engine.events import Breakpoint
from engine.inspect.step_tracer import Spot

Over = Literal["layer", "function", "optimizer", "batch", "epoch"]


class Breaks:
    """Says of each place that is arrived at whether to stop there, and why."""

    def __init__(self, steps_per_epoch: int) -> None:
        self.points: tuple[Breakpoint, ...] = ()
        self.step = 1  # the one that is being computed, or is next
        self._steps_per_epoch = steps_per_epoch
        self._over: Over | None = None
        self._from: Spot | None = None
        self._from_step = 0
        self._seen = 0  # the last step whose first place was arrived at
        self._last = (0, "", "")
        self._bad_step = 0

    @property
    def is_armed(self) -> bool:
        """Whether there is anything to stop at."""
        return bool(self.points) or self._over is not None

    def begin_step(self, over: Over, start: Spot | None) -> None:
        """Stop at the next place of a kind after ``start`` (nothing: wherever the run is)."""
        self._over, self._from, self._from_step = over, start, self.step

    def let_go(self) -> None:
        """Stop at nothing any more."""
        self.points, self._over = (), None

    def reason(self, spot: Spot) -> str:
        """Return why the run stops here: the kind of a breakpoint, ``step``, or nothing."""
        is_first = spot.phase == "forward" and self._seen != self.step
        if is_first:
            self._seen = self.step
        if self._over is not None and self._is_end(spot, is_first=is_first):
            self._over = None
            return "step"
        before, self._last = self._last, (self.step, spot.phase, spot.place)
        is_new = before != self._last
        for point in self.points:
            if self._is_at(point, spot, is_first=is_first, is_new=is_new):
                return point.kind
        return ""

    def _is_end(self, spot: Spot, *, is_first: bool) -> bool:
        """Return whether a debugger's step is over here."""
        match self._over:
            case "layer":
                return self._from is None or spot.phase != self._from.phase or self._is_other(spot)
            case "function":
                was_backward = self._from is not None and self._from.phase == "backward"
                return spot.phase == "backward" or (was_backward and spot.phase == "gradients")
            case "optimizer":
                return spot.phase in ("gradients", "updated")
            case "batch":
                return is_first and (self._from is None or self.step > self._from_step)
            case "epoch":
                is_begin = (self.step - 1) % self._steps_per_epoch == 0
                return is_first and is_begin and self.step > self._from_step
            case None:
                return False

    def _is_other(self, spot: Spot) -> bool:
        start = self._from
        return start is None or spot.place != start.place or self.step != self._from_step

    def _is_at(  # noqa: PLR0911 - one case a kind
        self, point: Breakpoint, spot: Spot, *, is_first: bool, is_new: bool
    ) -> bool:
        match point.kind:
            case "layer":
                return is_new and spot.phase == "forward" and spot.place == point.place
            case "backward":
                return is_new and spot.phase == "backward" and spot.place == point.place
            case "function":
                return spot.function == point.place
            case "step":
                return is_first and self.step == int(point.value)
            case "not_finite":
                return self._is_first_bad(spot)
            case "loss":
                return spot.phase == "loss" and _sum(spot) > point.value
            case "gradient":
                return spot.phase == "gradients" and _norm(spot) > point.value

    def _is_first_bad(self, spot: Spot) -> bool:
        """Return whether a value here is not finite, the first in this step."""
        if self._bad_step == self.step:
            return False
        tensors = (each.tensor.detach() for each in spot.held().values())
        if all(bool(torch.isfinite(each).all()) for each in tensors):
            return False
        self._bad_step = self.step
        return True


def _sum(spot: Spot) -> float:
    return sum(each.tensor.item() for each in spot.held().values())


def _norm(spot: Spot) -> float:
    """Return the norm of all gradients."""
    found = [each.tensor for each in spot.held().values() if each.kind == "gradient"]
    return float(torch.nn.utils.get_total_norm(found)) if found else 0.0
