"""What the processes of a run tell of themselves now and then: equal weights, loss, speed."""

import time

from engine.diagnostics import Diagnostic, Severity
from engine.events import RanksCompared, Warned
from engine.train.ranks.world import World
from engine.train.report import Reporter

_REST_S = 1.0


class RankReporter:
    """Tells each comparison of the processes, at most one a second while all is well."""

    def __init__(self, world: World, reporter: Reporter) -> None:
        self._world = world
        self._reporter = reporter
        self._told_at = 0.0
        self._is_equal = True

    def step_done(self, step: int) -> None:
        """Tell what was compared in a step; the weights are those before it."""
        if not self._world.compared:
            return
        told = RanksCompared(
            step=step - 1, ranks=self._world.compared, is_sharded=self._world.is_sharded
        )
        now = time.monotonic()
        if told.is_equal and now - self._told_at < _REST_S:
            return
        self._told_at = now
        self._reporter.append(told)
        if self._is_equal and not told.is_equal:
            params: dict[str, str | int | float] = {"step": step - 1}
            problem = Diagnostic(code="R178", severity=Severity.WARNING, params=params)
            self._reporter.append(Warned(problem=problem, step=step - 1))
        self._is_equal = told.is_equal
