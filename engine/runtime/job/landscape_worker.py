"""The process that draws loss landscapes and races optimizers."""

import os
from pathlib import Path
from typing import assert_never

from engine.diagnostics import Diagnostic
from engine.query.landscape.request import (
    DrawLandscape,
    LandscapeDone,
    LandscapeFailed,
    LandscapeRequest,
    RaceFunction,
    RaceModel,
)
from engine.runtime.job.request_worker import Say, work

_NICENESS = 10


def _draw(request: LandscapeRequest, say: Say) -> None:
    from engine.custom.trust import set_trust
    from engine.query.landscape.answer import draw_landscape
    from engine.query.race.answer import race_function, race_model
    from engine.runs.folder import RunFolder

    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    match request:
        case DrawLandscape():
            graph = RunFolder.open(Path(request.run_folder)).document.graph
            set_trust(graph.code, trusted=request.trusted)
            draw_landscape(request, say)
        case RaceModel():
            set_trust(request.graph.code, trusted=request.trusted)
            race_model(request, say)
        case RaceFunction():
            race_function(request, say)
        case _:
            assert_never(request)


def _failed(problems: tuple[Diagnostic, ...]) -> LandscapeFailed:
    return LandscapeFailed(problems=problems)


if __name__ == "__main__":
    work(LandscapeRequest, _draw, done=LandscapeDone(), failed=_failed, lost="V020")
