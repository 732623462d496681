"""The window's end of the process that draws loss landscapes and races optimizers."""

from collections.abc import Callable

from engine.diagnostics import Diagnostic
from engine.query.landscape.request import (
    LandscapeDone,
    LandscapeFailed,
    LandscapeMessage,
    LandscapeRequest,
)
from engine.runtime.job.request_job import RequestJob


class LandscapeJob(RequestJob[LandscapeMessage]):
    """One landscape or race in a process of its own; the last that it says is ``LandscapeDone`` or
    ``LandscapeFailed``.
    """

    def __init__(
        self, request: LandscapeRequest, tell: Callable[[LandscapeMessage], object]
    ) -> None:
        super().__init__(
            request,
            tell,
            worker="engine.runtime.job.landscape_worker",
            messages=LandscapeMessage,
            ends=(LandscapeDone, LandscapeFailed),
            failed=_failed,
            lost="V020",
        )


def _failed(problem: Diagnostic) -> LandscapeFailed:
    return LandscapeFailed(problems=(problem,))
