"""Cross-validation: one run for each fold, and what they reached together.

The runs of a cross-validation are ordinary runs of a project whose model and specification differ
in the number of the fold alone; nothing else says that they belong together.
"""

from collections.abc import Sequence
from math import isfinite
from statistics import fmean, stdev

import msgspec
from msgspec.structs import replace

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.runs.folder import RunDocument, RunFolder
from engine.runs.follow import read_state
from engine.runs.record.state import RunState, RunStatus
from engine.spec.codec import to_document
from engine.spec.run import LoaderSpec, RunSpec


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """A metric over the folds: the values of those that have it, by number of the fold, their mean
    and their sample standard deviation (None of one value alone).
    """

    values: dict[int, float]
    mean: float
    std: float | None


class FoldRun(msgspec.Struct, frozen=True, kw_only=True):
    """The run of a fold, numbered from 0."""

    fold: int
    run: str
    name: str
    status: RunStatus
    metrics: dict[str, float] = {}


class CrossValidation(msgspec.Struct, frozen=True, kw_only=True):
    """What the folds reached: the newest run of each, and the metrics of those that finished."""

    folds: int
    runs: tuple[FoldRun, ...]
    metrics: dict[str, Spread]

    @property
    def missing(self) -> tuple[int, ...]:
        """The folds that no run has finished."""
        finished = {run.fold for run in self.runs if run.status is RunStatus.FINISHED}
        return tuple(fold for fold in range(self.folds) if fold not in finished)


def fold_specs(spec: RunSpec, folds: int) -> tuple[RunSpec, ...]:
    """Return the specification of each fold."""
    split = spec.data.split
    return tuple(
        replace(spec, data=replace(spec.data, split=replace(split, folds=folds, fold=fold)))
        for fold in range(folds)
    )


def fold_name(name: str, fold: int) -> str:
    """Return the name of the run of a fold."""
    return f"{name} fold {fold}".strip()


def summarize(runs: Sequence[tuple[RunFolder, RunState]]) -> CrossValidation:
    """Return what the runs of one cross-validation reached; of a fold the newest counts."""
    newest = {folder.document.spec.data.split.fold: (folder, state) for folder, state in runs}
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
    return CrossValidation(
        folds=max((folder.document.spec.data.split.folds for folder, _ in runs), default=0),
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
    groups: dict[bytes, list[tuple[RunFolder, RunState]]] = {}
    for folder in runs:
        if not folder.document.spec.data.split.folds:
            continue
        try:
            state = read_state(folder, problems)
        except DiagnosticError as error:
            problems += error.problems
            continue
        groups.setdefault(_key(folder.document), []).append((folder, state))
    return tuple(summarize(group) for group in groups.values())


def _key(document: RunDocument) -> bytes:
    """Return what the runs of all folds have in common: all but the fold and the machine."""
    spec = document.spec
    spec = replace(
        spec,
        data=replace(spec.data, split=replace(spec.data.split, fold=0), loader=LoaderSpec()),
        device="auto",
        mode="process",
        compute=replace(spec.compute, gpus=""),
    )
    return msgspec.json.encode((document.graph, to_document(spec)), order="sorted")
