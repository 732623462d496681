"""The window's end of the process that measures which settings make a run faster."""

from collections.abc import Callable

from engine.diagnostics import Diagnostic
from engine.query.speed.request import BenchmarkSpeed, SpeedDone, SpeedFailed, SpeedMessage
from engine.runtime.job.request_job import RequestJob


class SpeedJob(RequestJob[SpeedMessage]):
    """One measurement in a process of its own; the last that it says is ``SpeedDone`` or
    ``SpeedFailed``.
    """

    def __init__(self, request: BenchmarkSpeed, tell: Callable[[SpeedMessage], object]) -> None:
        super().__init__(
            request,
            tell,
            worker="engine.runtime.job.speed_worker",
            messages=SpeedMessage,
            ends=(SpeedDone, SpeedFailed),
            failed=_failed,
            lost="R188",
        )


def _failed(problem: Diagnostic) -> SpeedFailed:
    return SpeedFailed(problems=(problem,))
