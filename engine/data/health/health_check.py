"""Health check of data: all checks, a little at a time, so that whoever waits can leave it."""

from collections.abc import Callable, Generator

from engine.data.health.balance import check_balance
from engine.data.health.boxes import check_boxes, with_boxes
from engine.data.health.column import check_columns
from engine.data.health.cut_box import check_cut, evaluated_samples
from engine.data.health.duplicate import check_duplicates
from engine.data.health.finding import finding, with_pictures
from engine.data.health.group import check_groups
from engine.data.health.label_error import Chances, check_labels
from engine.data.health.mask import check_masks
from engine.data.health.near_duplicate import check_near_duplicates
from engine.data.health.picture import PICTURE_CHECKS
from engine.data.health.scan import scan
from engine.data.health.sound import check_sounds
from engine.data.health.subject import Subject
from engine.data.health.video import check_videos
from engine.data.health.written import check_texts, text_names
from engine.data.load.pixel_counts import mask_field
from engine.data.time_slice import time_slice
from engine.diagnostics import Diagnostic
from engine.spec.health import CheckResult, HealthFinding, HealthReport

ChanceReader = Callable[[], Generator[int, None, tuple[Chances | None, tuple[Diagnostic, ...]]]]
"""Goes through the predictions of trained models, telling how many samples it has seen; returns
them, or why there are none.
"""

_REPLACED = {"D012": "constant", "D064": "damaged", "D291": "boxes"}
"""Findings of the sources that a check here tells with samples and repairs, by that check."""


class HealthCheck:
    """Goes on for a while with each call, until a report is there.

    ``chances`` reads out-of-sample predictions of ``predicted`` samples, where there are any.
    """

    def __init__(
        self, subject: Subject, chances: ChanceReader | None = None, predicted: int = 0
    ) -> None:
        self._subject = subject
        self._chances = chances if subject.labels is not None else None
        texts = subject.samples if text_names(subject) else 0
        self._columns = subject.samples // max(subject.width, 1)  # that a column counts for
        looked_at = self._columns * subject.width
        media = [each for each in (subject.sound, subject.video) if each is not None]
        heard = subject.samples * sum(map(subject.has_files, media))
        masks = 0 if mask_field(subject.source) is None else subject.samples
        known = subject.samples + texts + heard + masks + looked_at
        known += len(evaluated_samples(subject))
        self.total = known + (predicted if self._chances else 0)
        self.done = 0
        self._report: HealthReport | None = None
        self._work = self._run()

    def advance(self, seconds: float) -> bool:
        """Go on for about so long; return whether all is done. Raises what reading raises."""
        for done in time_slice(self._work, seconds):
            self.done += done
        if self._report is not None:
            self.done = self.total
        return self._report is not None

    def report(self) -> HealthReport:
        """Return what was found, when all is done."""
        assert self._report is not None
        return self._report

    def is_current(self) -> bool:
        """Return whether the files are as they were, as far as that is known at little cost."""
        return self._subject.source.is_current()

    def _run(self) -> Generator[int]:
        subject = self._subject
        looked = yield from scan(subject)
        found: dict[str, tuple[HealthFinding, ...] | None] = {}
        found |= {name: check(subject, looked) for name, check in PICTURE_CHECKS.items()}
        yield 0
        found["duplicates"] = check_duplicates(subject, looked)
        yield 0
        found["near_duplicates"] = check_near_duplicates(subject, looked)
        yield 0
        found["texts"] = yield from check_texts(subject)
        for check in (check_sounds, check_videos, check_masks):
            more = yield from check(subject)
            if "damaged" in more:  # a table can have files of several kinds
                more["damaged"] = (*(found["damaged"] or ()), *more["damaged"])
            found |= more
        found["groups"] = check_groups(subject)
        if "balance" not in found:
            found["balance"] = check_balance(subject)
        found["boxes"] = check_boxes(subject)
        found["cut_boxes"] = yield from check_cut(subject)
        for count in (columns := _Returned(check_columns(subject))):
            yield count * self._columns
        found |= {result.check: result.findings for result in columns.value}
        chances, reasons = (yield from self._chances()) if self._chances else (None, ())
        if chances is not None:
            found["labels"] = check_labels(subject, chances)
        elif reasons:
            found["labels"] = tuple(finding(reason, subject) for reason in reasons)
        told = {name: each for name, each in found.items() if each is not None}
        results: list[CheckResult] = [CheckResult(check="source", findings=self._of_source(told))]
        for name, findings in told.items():
            shown: list[HealthFinding] = []
            for each in findings:
                shown.append(each if name == "damaged" else _illustrated(each, subject))
                yield 0
            results.append(CheckResult(check=name, findings=tuple(shown)))
        self._report = HealthReport(
            samples=subject.samples,
            checks=tuple(results),
            label_basis=chances.basis if chances is not None else "none",
            label_samples=len(chances.indices) if chances is not None else 0,
        )

    def _of_source(self, told: dict[str, tuple[HealthFinding, ...]]) -> tuple[HealthFinding, ...]:
        """Return what the source itself says of its values, unless a check here has told it."""
        problems = self._subject.source.check(self._subject.indices)
        return tuple(
            finding(problem, self._subject)
            for problem in problems
            if not told.get(_REPLACED.get(problem.code, ""))
        )


def _illustrated(found: HealthFinding, subject: Subject) -> HealthFinding:
    """Return a finding with the pictures of its samples, and the boxes on these."""
    return with_boxes(with_pictures(found, subject), subject)


class _Returned:
    """Generator whose returned value is kept."""

    def __init__(self, work: Generator[int, None, tuple[CheckResult, ...]]) -> None:
        self._work = work
        self.value: tuple[CheckResult, ...] = ()

    def __iter__(self) -> Generator[int, None, None]:
        self.value = yield from self._work
