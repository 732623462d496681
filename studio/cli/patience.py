"""Word of a command that custom code is at work: nobody can know whether it comes to an end, and
the user may give it up.
"""

import time
from collections.abc import Callable, Mapping
from typing import Protocol

import msgspec

from engine.query.data.request import DescribeData, DescribeStatistics, DrawSamples
from engine.query.generation.request import Generate
from engine.query.model.request import Analyse, Check
from engine.query.predicting.request import PredictFile
from studio.cli.output import write_error
from studio.cli.wording import said, worded

_PATIENCE_S = 30.0
_AGAIN_S = 60.0
_WORK: Mapping[type[msgspec.Struct], str] = {
    Analyse: "checking the model",
    Check: "checking model and recipe",
    DescribeData: "reading the data",
    DescribeStatistics: "measuring the data",
    DrawSamples: "drawing samples",
    Generate: "generating",
    PredictFile: "predicting",
}


class Worker(Protocol):
    """Another process that runs custom code."""

    @property
    def running(self) -> str:
        """The custom code that runs at this moment; empty for none that is known."""
        ...

    @property
    def has_run_code(self) -> bool:
        """Whether custom code has run by now; before that the process starts."""
        ...


class Patience:
    """Says, when nothing has come for a while, and then each minute, what is being done with custom
    code, for a request. It says nothing while the process only starts.
    """

    def __init__(
        self,
        worker: Worker,
        request: msgspec.Struct,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._worker = worker
        self._work = worded(_WORK.get(type(request), "computing"))
        self._clock = clock
        self._since = clock()
        self._next = _PATIENCE_S

    def look(self) -> None:
        """Say it where it is time to."""
        now = self._clock()
        if not self._worker.has_run_code:
            self._since = now
            return
        passed = now - self._since
        if passed < self._next:
            return
        self._next = passed + _AGAIN_S
        name = self._worker.running
        seconds = f"{passed:.0f}"
        if name:
            text = said(
                "still {work} after {seconds} s; “{name}” of the project's own code is running. "
                "Ctrl+C gives up",
                work=self._work,
                seconds=seconds,
                name=name,
            )
        else:
            text = said(
                "still {work} after {seconds} s, with the project's own code. Ctrl+C gives up",
                work=self._work,
                seconds=seconds,
            )
        write_error(text)
