"""What a model says about the samples of a part, counted as it comes: of a sample few numbers are
kept, of a whole part never more than a bounded number.
"""

from collections.abc import Sequence

import torch
from msgspec.structs import replace
from torch import Tensor

from engine.diagnostics import DiagnosticError
from engine.query.results.request import ResultReport, ScoreCurve
from engine.query.results.score import (
    ClassCounts,
    ErrorSums,
    class_scores,
    confusion,
    mean_curve,
    precision_recall_curve,
    roc_curve,
)

MOST_MATRIX = 1000
"""Classes of a confusion matrix; of more there is none: it grows with their square."""

_MOST_OUTPUTS = 64  # of a sample that are told one by one
_MOST_TOLD = 1 << 21  # numbers of all samples together
_MOST_CHANCES = 1 << 24
_MOST_CURVES = 1000
_EVEN = 0.5


class NumberTally:
    """Numbers beside the right ones, for ``samples`` samples."""

    def __init__(self, samples: int) -> None:
        self._most = max(1, min(_MOST_OUTPUTS, _MOST_TOLD // samples))
        self._sums = ErrorSums()
        self._width = 0
        self._predicted: list[Tensor] = []
        self._targets: list[Tensor] = []

    def add(self, predicted: Tensor, target: Tensor) -> None:
        """Count a batch, both of shape (samples, outputs)."""
        self._width = target.shape[1]
        self._sums.add(target.cpu(), predicted.cpu())
        self._predicted.append(predicted[:, self._columns].cpu())
        self._targets.append(target[:, self._columns].cpu())

    def complete(self, report: ResultReport) -> ResultReport:
        """Return the report with what was counted."""
        has_columns = 1 < self._width == len(self._columns) == len(report.names)
        return replace(
            report,
            columns=self._sums.columns(report.names) if has_columns else (),
            outputs=len(self._columns),
            width=self._width,
            names=self._told(report.names),
            targets=tuple(torch.cat(self._targets).flatten().tolist()),
            predictions=tuple(torch.cat(self._predicted).flatten().tolist()),
            metrics=self._sums.metrics(),
        )

    def _told(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of the outputs that are told, of those of all."""
        has_names = len(names) == self._width
        return tuple(names[at] for at in self._columns.tolist()) if has_names else ()

    @property
    def _columns(self) -> Tensor:
        """The outputs that are told of each sample."""
        return torch.arange(0, self._width, max(1, -(-self._width // self._most)))


class LabelTally:
    """Probabilities of labels beside those that ``samples`` samples have, any number each."""

    def __init__(self, samples: int, names: tuple[str, ...]) -> None:
        self._numbers = NumberTally(samples)
        self._names = names
        self._counts = torch.zeros(4, len(names), dtype=torch.int64)
        self._chances: list[Tensor] = []
        self._targets: list[Tensor] = []

    def add(self, chances: Tensor, target: Tensor) -> None:
        """Count a batch, both of shape (samples, labels)."""
        self._numbers.add(chances, target)
        chances, is_true = chances.cpu(), target.cpu() > _EVEN
        is_told = chances > _EVEN
        counted = (is_told & is_true, is_told, is_true, is_told == is_true)
        self._counts += torch.stack([each.sum(dim=0) for each in counted])
        if len(self._names) <= _MOST_OUTPUTS:
            self._chances.append(chances)
            self._targets.append(is_true)

    def complete(self, report: ResultReport) -> ResultReport:
        """Return the report with what was counted."""
        hits, predicted, support, right = self._counts
        scores = class_scores(ClassCounts(hits, predicted, support), self._names)
        asked = len(report.losses) * len(self._names)
        metrics = {"accuracy": int(right.sum()) / asked}
        told = int(predicted.sum()) + int(support.sum())
        if told:
            metrics["f1"] = 2 * int(hits.sum()) / told
        roc, recall = self._curves()
        return replace(
            self._numbers.complete(report),
            columns=(),
            scores=scores,
            roc=roc,
            precision_recall=recall,
            metrics=metrics,
        )

    def _curves(self) -> tuple[tuple[ScoreCurve, ...], tuple[ScoreCurve, ...]]:
        """Return both curves of each label, where there are not very many."""
        if not self._chances:
            return (), ()
        chances, targets = torch.cat(self._chances), torch.cat(self._targets)
        both: list[list[ScoreCurve]] = [[], []]
        for at, name in enumerate(self._names):
            for curves, make in zip(both, (roc_curve, precision_recall_curve), strict=True):
                curve = make(name, chances[:, at], targets[:, at])
                if curve is not None:
                    curves.append(curve)
        return tuple(both[0]), tuple(both[1])


class ClassTally:
    """Probabilities of classes (``names``) beside the right ones, for ``samples`` samples.
    ``counts`` are the samples of each class, none where that is not known: the probabilities of the
    most frequent classes are kept for curves where those of all would take too much memory.
    """

    def __init__(self, samples: int, names: tuple[str, ...], counts: Sequence[int]) -> None:
        self._samples = samples
        self._names = names
        self._counts = counts
        self._chosen = torch.zeros(0, dtype=torch.int64)
        self._targets: list[Tensor] = []
        self._best: list[Tensor] = []
        self._highest: list[Tensor] = []
        self._chances: list[Tensor] = []

    def add(self, chances: Tensor, target: Tensor) -> None:
        """Count a batch: probabilities (samples, classes) beside classes (samples,).

        Raises :class:`DiagnosticError` V001 for a model that knows fewer classes.
        """
        if not self._targets:
            self._begin(chances.shape[1])
        highest = chances.max(dim=1)
        self._targets.append(target.long().cpu())
        self._best.append(highest.indices.cpu())
        self._highest.append(highest.values.cpu())
        is_all = len(self._chosen) == len(self._names)
        kept = chances if is_all else chances.index_select(1, self._chosen.to(chances.device))
        self._chances.append(kept.cpu())

    def complete(self, report: ResultReport) -> ResultReport:
        """Return the report with what was counted."""
        target, best = torch.cat(self._targets), torch.cat(self._best)
        classes = len(self._names)
        has_matrix = classes <= MOST_MATRIX
        matrix = confusion(target, best, classes) if has_matrix else torch.zeros(0, 0)
        counts = ClassCounts.of(matrix) if has_matrix else _counts(target, best, classes)
        scores = class_scores(counts, self._names)
        roc, recall = self._curves(target)
        metrics = {"accuracy": int(counts.hits.sum()) / len(target)}
        f1_scores = [score.f1 for score in scores if score.f1 is not None]
        if f1_scores:
            metrics["f1"] = sum(f1_scores) / len(f1_scores)
        if roc and len(self._chosen) == classes:
            metrics["auroc"] = roc[-1].area
        return replace(
            report,
            classes=self._names,
            targets=tuple(target.tolist()),
            predictions=tuple(best.tolist()),
            chances=tuple(torch.cat(self._highest).tolist()),
            matrix=tuple(tuple(row) for row in matrix.tolist()),
            scores=scores,
            roc=roc,
            precision_recall=recall,
            metrics=metrics,
        )

    def _begin(self, known: int) -> None:
        if known < len(self._names):
            raise DiagnosticError.of("V001")
        self._names += tuple(str(index) for index in range(len(self._names), known))
        self._chosen = torch.arange(known)
        if known * self._samples > _MOST_CHANCES or known > _MOST_CURVES:
            most = min(_MOST_CURVES, max(1, _MOST_CHANCES // self._samples))
            counts = torch.zeros(known, dtype=torch.int64)
            counts[: len(self._counts)] = torch.tensor(self._counts, dtype=torch.int64)
            self._chosen = counts.argsort(descending=True, stable=True)[:most].sort().values

    def _curves(self, target: Tensor) -> tuple[tuple[ScoreCurve, ...], tuple[ScoreCurve, ...]]:
        """Return both curves of each class, of two classes those of the second; then their mean
        where they are those of all classes.
        """
        chances = torch.cat(self._chances)
        both: tuple[list[ScoreCurve], list[ScoreCurve]] = ([], [])
        for column, index in enumerate(self._chosen.tolist()):
            if len(self._names) == 2 and index == 0:
                continue
            for curves, make in zip(both, (roc_curve, precision_recall_curve), strict=True):
                curve = make(self._names[index], chances[:, column], target == index)
                if curve is not None:
                    curves.append(curve)
        is_all = len(self._chosen) == len(self._names)
        roc, recall = (
            (*curves, mean_curve("", tuple(curves)))
            if len(curves) > 1 and is_all
            else tuple(curves)
            for curves in both
        )
        return roc, recall


def _counts(target: Tensor, best: Tensor, classes: int) -> ClassCounts:
    """Return the counts of a confusion matrix that is too large; targets that name no class are
    left out.
    """
    is_class = (target >= 0) & (target < classes)
    target, best = target[is_class], best[is_class]
    hits, predicted, support = (
        numbers.bincount(minlength=classes) for numbers in (target[target == best], best, target)
    )
    return ClassCounts(hits, predicted, support)
