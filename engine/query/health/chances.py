"""Out-of-sample probabilities of samples, from the runs of a project that were trained on others.

The folds of a cross-validation cover all samples between them; without one, what the newest run
was not trained on has to do.
"""

from collections.abc import Generator, Sequence
from pathlib import Path

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray
from torch import Tensor

from engine.data.health.label_error import Chances
from engine.data.health.subject import Subject
from engine.data.load.version import data_version
from engine.data.source.source import Part
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.query.results.evaluation import class_chances
from engine.query.trained import Trained, open_trained
from engine.runs.cross_validation import cross_validations
from engine.runs.folder import RunFolder, runs_of
from engine.runs.follow import read_state
from engine.runs.record.state import RunStatus
from engine.spec.health import LabelBasis

_MOST_NUMBERS = 1 << 28  # probabilities that are kept, a gigabyte
_MOST_TRIED = 5  # runs without folds

Found = tuple[Chances | None, tuple[Diagnostic, ...]]
Work = Generator[int, None, Found]


def out_of_sample(subject: Subject, project: Path) -> Work:
    """Return the probabilities of the samples that runs on the same data were not trained on, and
    why runs could not be asked; yields how many samples were predicted.
    """
    ignored: list[Diagnostic] = []  # runs that cannot be read are told on their page
    runs = _of_data(runs_of(project, ignored), subject, ignored)
    folds = _newest_folds(runs, ignored)
    if folds:
        found = yield from _of_folds(subject, folds)
        if found[0] is not None:
            return found
    return (yield from _of_newest(subject, runs, ignored))


def _of_folds(subject: Subject, folds: Sequence[RunFolder]) -> Work:
    table = _Table(subject)
    try:
        for number, run in enumerate(folds):
            trained = open_trained(run, "best")
            yield from table.fill(trained, "validation")
            if not number:  # no fold was trained on the test part
                yield from table.fill(trained, "test")
    except DiagnosticError as error:
        return None, _untold(error)
    return table.chances("folds"), ()


def _of_newest(subject: Subject, runs: Sequence[RunFolder], ignored: list[Diagnostic]) -> Work:
    reasons: tuple[Diagnostic, ...] = ()
    for run in _finished(runs, ignored)[:_MOST_TRIED]:
        table = _Table(subject)
        try:
            trained = open_trained(run, "best")
            parts: tuple[Part, ...] = ("validation", "test")
            for part in parts:
                yield from table.fill(trained, part)
        except DiagnosticError as error:
            reasons = reasons or _untold(error)
            continue
        chances = table.chances("part")
        if chances is not None:
            return chances, ()
    return None, reasons


class _Table:
    """Probabilities of samples as they come in."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._indices: list[NDArray[np.int64]] = []
        self._rows: list[NDArray[np.float32]] = []
        self._numbers = 0

    def fill(self, trained: Trained, part: Part) -> Generator[int, None, None]:
        """Add what a model says about a part. Raises :class:`DiagnosticError` V001 for one whose
        output is no probability of the classes.
        """
        training = trained.training
        indices = training.data.indices[part].numpy()
        if training.data.source.samples != self._subject.samples or not len(indices):
            return
        done = 0
        for batch in training.part_batches(part):
            with trained.in_use():
                outputs = training.model(*[batch[field] for field in training.input_fields])
                pair = training.comparison.pick(outputs, batch)
                rows = None if pair is None else training.comparison.prepared(*pair)[0]
            size = len(batch[training.input_fields[0]])
            self._add(indices[done : done + size], rows)
            done += size
            yield size
            if self._numbers >= _MOST_NUMBERS:
                return

    def chances(self, basis: LabelBasis) -> Chances | None:
        """Return what came in, None for nothing."""
        if not self._rows:
            return None
        return Chances(
            indices=np.concatenate(self._indices),
            probabilities=np.concatenate(self._rows),
            basis=basis,
        )

    def _add(self, indices: NDArray[np.int64], predicted: Tensor | None) -> None:
        classes = len(self._subject.classes)
        if predicted is None or predicted.ndim > 2 or len(predicted) != len(indices):
            raise DiagnosticError.of("V001")
        rows = class_chances(predicted).float().cpu().numpy()
        if rows.shape[1] < classes:
            raise DiagnosticError.of("V001")
        self._indices.append(indices)
        self._rows.append(rows[:, :classes])
        self._numbers += rows.size


def _of_data(
    runs: Sequence[RunFolder], subject: Subject, ignored: list[Diagnostic]
) -> list[RunFolder]:
    """Return the runs that were trained on the same samples, whatever they did with them: on equal
    files, as far as a run has noted what was in them.
    """
    same = [run for run in runs if run.document.spec.data.source == subject.spec.source]
    if not same:
        return []
    files = data_version(subject.spec, subject.code).files
    chosen: list[RunFolder] = []
    for run in same:
        try:
            version = read_state(run, ignored).data
        except DiagnosticError as error:
            ignored += error.problems
            continue
        if version is None or version.files == files:
            chosen.append(run)
    return chosen


def _newest_folds(runs: Sequence[RunFolder], ignored: list[Diagnostic]) -> list[RunFolder]:
    """Return the runs of the newest cross-validation all of whose folds are finished."""
    by_id = {run.id: run for run in runs}
    complete = [each for each in cross_validations(runs, ignored) if not each.missing]
    if not complete:
        return []
    newest = max(complete, key=lambda each: max(run.run for run in each.runs))
    return [by_id[each.run] for each in newest.runs]


def _finished(runs: Sequence[RunFolder], ignored: list[Diagnostic]) -> list[RunFolder]:
    """Return the runs that have something to be asked, the newest first."""
    finished: list[RunFolder] = []
    for run in reversed(runs):
        try:
            status = read_state(run, ignored).status
        except DiagnosticError as error:
            ignored += error.problems
            continue
        if status is RunStatus.FINISHED:
            finished.append(run)
    return finished


def _untold(error: DiagnosticError) -> tuple[Diagnostic, ...]:
    """Return that label errors were not looked for, and why, which is no fault of the data."""
    reasons = (replace(problem, severity=Severity.HINT) for problem in error.problems)
    return Diagnostic(code="D222", severity=Severity.HINT), *reasons
