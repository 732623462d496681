"""Repeated runs: one for each fold of a cross-validation or for each of several seeds, and what
they reached together.

They are ordinary runs of a project whose model and specification differ in the number of the fold,
or in the seed, alone; nothing else says that they belong together.
"""

from collections.abc import Iterator, Sequence
from math import isfinite
from statistics import fmean, stdev
from typing import Literal

import msgspec
from msgspec.structs import replace

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.runs.folder import RunDocument, RunFolder
from engine.runs.follow import read_state
from engine.runs.record.state import RunState, RunStatus
from engine.spec.codec import to_document
from engine.spec.run import LoaderSpec, RunSpec

By = Literal["fold", "seed"]
"""What repeated runs differ in."""


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """A metric over the folds or seeds: the values of those that have it, by number of the fold or
    seed, their mean and their sample standard deviation (None of one value alone).
    """

    values: dict[int, float]
    mean: float
    std: float | None


class FoldRun(msgspec.Struct, frozen=True, kw_only=True):
    """The run of a fold, numbered from 0, or of a seed."""

    fold: int
    run: str
    name: str
    status: RunStatus
    metrics: dict[str, float] = {}


class CrossValidation(msgspec.Struct, frozen=True, kw_only=True):
    """What the folds, or (``by``) the seeds, reached: the newest run of each, and the metrics of
    those that finished.
    """

    by: By = "fold"
    folds: int
    runs: tuple[FoldRun, ...]
    metrics: dict[str, Spread]

    @property
    def missing(self) -> tuple[int, ...]:
        """The folds that no run has finished; of seeds nobody knows how many there should be."""
        if self.by == "seed":
            return tuple(run.fold for run in self.runs if run.status is not RunStatus.FINISHED)
        finished = {run.fold for run in self.runs if run.status is RunStatus.FINISHED}
        return tuple(fold for fold in range(self.folds) if fold not in finished)


def fold_specs(spec: RunSpec, folds: int) -> tuple[RunSpec, ...]:
    """Return the specification of each fold."""
    split = spec.data.split
    return tuple(
        replace(spec, data=replace(spec.data, split=replace(split, folds=folds, fold=fold)))
        for fold in range(folds)
    )


def seed_specs(spec: RunSpec, count: int) -> tuple[RunSpec, ...]:
    """Return the specification with so many seeds, from its own on."""
    return tuple(replace(spec, seed=(spec.seed + number) % 2**32) for number in range(count))


def summarize(runs: Sequence[tuple[RunFolder, RunState]], by: By = "fold") -> CrossValidation:
    """Return what the runs of one cross-validation, or of several seeds, reached; of a fold or seed
    the newest counts.
    """
    newest = {_number(folder.document.spec, by): (folder, state) for folder, state in runs}
    rows = tuple(
        FoldRun(
            fold=fold,
            run=folder.id,
            name=folder.document.name,
            status=state.status,
            metrics=state.metrics,
        )
        for fold, (folder, state) in sorted(newest.items())
    )
    finished = [row for row in rows if row.status is RunStatus.FINISHED]
    names = dict.fromkeys(name for row in finished for name in row.metrics)
    folds = max((folder.document.spec.data.split.folds for folder, _ in runs), default=0)
    return CrossValidation(
        by=by,
        folds=folds if by == "fold" else len(rows),
        runs=rows,
        metrics={name: spread(finished, name) for name in names},
    )


def spread(rows: Sequence[FoldRun], name: str) -> Spread:
    """Return the values of a metric with their mean and deviation, which are NaN where one of them
    is not finite.
    """
    values = {row.fold: row.metrics[name] for row in rows if name in row.metrics}
    mean, deviation = mean_and_deviation(list(values.values()))
    return Spread(values=values, mean=mean, std=deviation)


def mean_and_deviation(values: Sequence[float]) -> tuple[float, float | None]:
    """Return the mean and the sample standard deviation, None of one value alone; NaN where a value
    is not finite.
    """
    if not values or not all(map(isfinite, values)):
        return float("nan"), float("nan") if len(values) > 1 else None
    return fmean(values), stdev(values) if len(values) > 1 else None


def cross_validations(
    runs: Sequence[RunFolder], problems: list[Diagnostic]
) -> tuple[CrossValidation, ...]:
    """Return the cross-validations among the runs of a project (oldest first); findings about runs
    that cannot be read go to ``problems``.
    """
    folded = [folder for folder in runs if folder.document.spec.data.split.folds]
    return tuple(summarize(group) for group in _groups(folded, problems, "fold"))


def repeated_seeds(
    runs: Sequence[RunFolder], problems: list[Diagnostic]
) -> tuple[CrossValidation, ...]:
    """Return what was trained with several seeds, among the runs of a project (oldest first);
    findings about runs that cannot be read go to ``problems``.
    """
    found = (summarize(group, "seed") for group in _groups(runs, problems, "seed"))
    return tuple(each for each in found if len(each.runs) > 1)


def _number(spec: RunSpec, by: By) -> int:
    return spec.data.split.fold if by == "fold" else spec.seed


def _groups(
    runs: Sequence[RunFolder], problems: list[Diagnostic], by: By
) -> Iterator[list[tuple[RunFolder, RunState]]]:
    """Yield the runs that differ in the fold, or the seed, alone."""
    groups: dict[bytes, list[tuple[RunFolder, RunState]]] = {}
    for folder in runs:
        try:
            state = read_state(folder, problems)
        except DiagnosticError as error:
            problems += error.problems
            continue
        groups.setdefault(_key(folder.document, by), []).append((folder, state))
    yield from groups.values()


def _key(document: RunDocument, by: By) -> bytes:
    """Return what the runs of all folds or seeds have in common: all but that and the machine."""
    spec = document.spec
    split = replace(spec.data.split, fold=0) if by == "fold" else spec.data.split
    spec = replace(
        spec,
        seed=spec.seed if by == "fold" else 0,
        data=replace(spec.data, split=split, loader=LoaderSpec()),
        device="auto",
        mode="process",
        compute=replace(spec.compute, gpus=""),
    )
    return msgspec.json.encode((document.graph, to_document(spec)), order="sorted")
