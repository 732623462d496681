"""Reporter of what the processes of a run tell of themselves."""

import time

from engine.diagnostics import Diagnostic, Severity
from engine.events import RanksCompared, Warned
from engine.train.ranks.world import World
from engine.train.report import Reporter

_REST_S = 1.0  # between comparisons that are recorded


class RankReporter:
    """Records comparisons of the ranks, at most one a second while weights are equal."""

    def __init__(self, world: World, reporter: Reporter) -> None:
        self._world = world
        self._reporter = reporter
        self._recorded_at = 0.0
        self._is_equal = True

    def step_done(self, step: int) -> None:
        """Record what was compared in a step; the weights are those before it."""
        compared = self._world.take_compared()
        if not compared:
            return
        comparison = RanksCompared(step=step - 1, ranks=compared, is_sharded=self._world.is_sharded)
        now = time.monotonic()
        if comparison.is_equal and now - self._recorded_at < _REST_S:
            return
        self._recorded_at = now
        self._reporter.append(comparison)
        if self._is_equal and not comparison.is_equal:
            params: dict[str, str | int | float] = {"step": step - 1}
            problem = Diagnostic(code="R178", severity=Severity.WARNING, params=params)
            self._reporter.append(Warned(problem=problem, step=step - 1))
        self._is_equal = comparison.is_equal
