"""Questions that a report asks about each of its runs, one after the other.

Window and command line ask them in their own way: :attr:`Gathering.request` is the next question,
:meth:`Gathering.take` its answer and :meth:`Gathering.fail` why there is none.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from engine.diagnostics import Diagnostic
from engine.query.request import Request, Split
from engine.query.results.request import (
    Examine,
    ExamineStep,
    LookUp,
    PredictBoxes,
    PredictMasks,
    PredictSequences,
    ResultReport,
)
from engine.report.content import RunResults
from engine.runs.folder import RunFolder
from engine.spec.custom_code import data_code

WORST = 12
"""Samples that are shown of each run."""

_PARTS: tuple[Split, ...] = ("test", "validation", "train")
_NO_SAMPLES = "K014"


class Gathering:
    """Results of runs as they come. ``results`` has those of the runs that are done."""

    def __init__(self, runs: Sequence[RunFolder]) -> None:
        self._runs = runs
        self.results: list[RunResults] = []
        self.request: Request[Any] | None = None
        self._part = 0
        self._report: ResultReport | None = None
        self._share = 0.0
        self._begin()

    @property
    def run(self) -> RunFolder | None:
        """The run that is asked about; None once all are done."""
        return self._runs[len(self.results)] if len(self.results) < len(self._runs) else None

    @property
    def share(self) -> float:
        """How much is done, from 0 to 1."""
        return (len(self.results) + self._share) / max(len(self._runs), 1)

    def take(self, answer: object) -> None:
        """Go on with the answer to the question."""
        if not isinstance(answer, ExamineStep):
            self._end(RunResults(report=self._report, numbers=self._worst(), samples=answer))  # pyright: ignore[reportArgumentType]
            return
        self._share = answer.done / max(answer.total, 1)
        if answer.report is None:
            self.request = self._examine(answer.checkpoint, answer.sha256)
            return
        self._report = answer.report
        self.request = self._look(answer.report)

    def fail(self, problems: Sequence[Diagnostic]) -> None:
        """Go on without an answer: the next part where one has no samples, else the next run."""
        is_empty = problems[0].code == _NO_SAMPLES
        if is_empty and self._report is None and self._part + 1 < len(_PARTS):
            self._part += 1
            self.request = self._examine()
        else:
            self._end(RunResults(report=self._report, problems=tuple(problems)))

    def _begin(self) -> None:
        self._part, self._report, self._share = 0, None, 0.0
        self.request = None if self.run is None else self._examine()

    def _end(self, results: RunResults) -> None:
        self.results.append(results)
        self._begin()

    def _examine(self, checkpoint: str = "best", sha256: str = "") -> Request[Any]:
        assert self.run is not None
        return Examine(
            run_folder=str(self.run.path),
            checkpoint=checkpoint,
            sha256=sha256,
            split=_PARTS[self._part],
        )

    def _look(self, report: ResultReport) -> Request[Any]:
        """Return the question what the worst samples look like."""
        assert self.run is not None
        numbers = self._worst()
        ask: Callable[..., Request[Any]] | None = None
        if report.ious:
            ask = PredictMasks
        elif report.box_counts:
            ask = PredictBoxes
        elif report.hits:
            ask = PredictSequences
        if ask is not None:
            return ask(
                run_folder=str(self.run.path),
                checkpoint=report.checkpoint,
                split=_PARTS[self._part],
                numbers=numbers,
            )
        document = self.run.document
        return LookUp(
            data=document.spec.data,
            code=data_code(document.spec.data, document.graph.code),
            places=tuple(report.indices[number] for number in numbers),
        )

    def _worst(self) -> tuple[int, ...]:
        report = self._report
        return () if report is None else worst_numbers(report, WORST)


def worst_numbers(report: ResultReport, most: int) -> tuple[int, ...]:
    """Return the numbers of the samples that a model does worst, the worst first: by overlap where
    masks are compared, else by loss; a loss that is no number is the worst of all.
    """
    costs = [-iou for iou in report.ious] or list(report.losses)
    missing = -math.inf if report.ious else math.inf
    ranked = [(missing if math.isnan(cost) else cost, number) for number, cost in enumerate(costs)]
    ranked.sort(key=lambda each: (-each[0], each[1]))
    return tuple(number for _, number in ranked[:most])
