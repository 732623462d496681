"""Scores of predicted classes and numbers."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from engine.query.results.number_score import NumberScore
from engine.query.results.request import ClassScore, ScoreCurve

_MOST_POINTS = 400  # of a curve: more cannot be seen
_MEAN_POINTS = 101
_ROUNDING = 2.0**-50  # of the mean, which is no deviation


def confusion(target: Tensor, predicted: Tensor, classes: int) -> Tensor:
    """Return how often each class (a row, int64) was taken for each (a column). Targets that name
    no class are left out.
    """
    is_class = (target >= 0) & (target < classes)
    cells = target[is_class] * classes + predicted[is_class]
    return cells.bincount(minlength=classes * classes).reshape(classes, classes)


class ClassCounts(NamedTuple):
    """How often each class was hit, predicted and true (int64, all of shape (classes,))."""

    hits: Tensor
    predicted: Tensor
    support: Tensor

    @classmethod
    def of(cls, matrix: Tensor) -> "ClassCounts":
        """Return the counts that a confusion matrix holds."""
        return cls(matrix.diagonal(), matrix.sum(dim=0), matrix.sum(dim=1))


def class_scores(counts: ClassCounts, names: tuple[str, ...]) -> tuple[ClassScore, ...]:
    """Return precision, recall, F1 and IoU of each class."""
    columns = (overlaps(counts), *(column.tolist() for column in counts))
    return tuple(
        ClassScore(
            name=name,
            precision=_share(hits, predicted),
            recall=_share(hits, support),
            f1=_share(2 * hits, predicted + support),
            iou=iou,
            support=support,
        )
        for name, iou, hits, predicted, support in zip(names, *columns, strict=True)
    )


def overlaps(counts: ClassCounts) -> list[float | None]:
    """Return for each class what the true and the predicted share over what is one of both; None
    for a class that is neither.
    """
    unions = counts.predicted + counts.support - counts.hits
    pairs = zip(counts.hits.tolist(), unions.tolist(), strict=True)
    return [_share(hits, union) for hits, union in pairs]


def roc_curve(name: str, chance: Tensor, is_positive: Tensor) -> ScoreCurve | None:
    """Return the share of hits (y) over that of false alarms (x) as the threshold falls; None where
    one of both kinds is missing.
    """
    hits, misses = _counts(chance, is_positive)
    if not hits[-1] or not misses[-1]:
        return None
    zero = torch.zeros(1, dtype=torch.float64)
    x = torch.cat((zero, misses / misses[-1]))
    y = torch.cat((zero, hits / hits[-1]))
    return curve_of(name, x, y, float(torch.trapezoid(y, x)))


def precision_recall_curve(name: str, chance: Tensor, is_positive: Tensor) -> ScoreCurve | None:
    """Return precision (y) over recall (x) as the threshold falls; None without a sample of the
    class. The area is the average precision: the sum of precision times the gain in recall.
    """
    hits, misses = _counts(chance, is_positive)
    if not hits[-1]:
        return None
    precision, recall = hits / (hits + misses), hits / hits[-1]
    zero = torch.zeros(1, dtype=torch.float64)
    area = float((recall.diff(prepend=zero) * precision).sum())
    return curve_of(name, torch.cat((zero, recall)), torch.cat((precision[:1], precision)), area)


def mean_curve(name: str, curves: tuple[ScoreCurve, ...]) -> ScoreCurve:
    """Return the mean height of curves at places that they share; its area is that of theirs."""
    grid = torch.linspace(0, 1, _MEAN_POINTS, dtype=torch.float64)
    heights = torch.stack([_heights(curve, grid) for curve in curves]).mean(dim=0)
    area = sum(curve.area for curve in curves) / len(curves)
    return ScoreCurve(name=name, x=tuple(grid.tolist()), y=tuple(heights.tolist()), area=area)


class ErrorSums:
    """Errors of numbers, counted as they come: nothing is kept of a sample."""

    def __init__(self) -> None:
        self._samples = 0
        self._width = 0
        zeros = torch.zeros(0, dtype=torch.float64)
        self._absolute = self._lost = self._mean = self._spread = zeros

    def add(self, target: Tensor, predicted: Tensor) -> None:
        """Count numbers of shape (samples, outputs)."""
        target, predicted = target.double(), predicted.double()
        residual = predicted - target
        if not self._samples:
            self._width = target.shape[1]
            zeros = target.new_zeros(self._width)
            self._absolute = self._lost = self._mean = self._spread = zeros
        self._absolute = self._absolute + residual.abs().sum(dim=0)
        self._lost = self._lost + residual.square().sum(dim=0)
        # Two means that are far from 0 do not swallow a small spread (Chan, Golub, LeVeque, 1979).
        mean, count = target.mean(dim=0), len(target)
        total = self._samples + count
        away = mean - self._mean
        inside = (target - mean).square().sum(dim=0)
        self._spread = self._spread + inside + away.square() * (self._samples * count / total)
        self._mean = self._mean + away * (count / total)
        self._samples = total

    def metrics(self) -> dict[str, float]:
        """Return mean absolute and root mean square error, and R² where there are two samples or
        more: the mean over the outputs, as the curve of a run has it.
        """
        numbers = self._samples * self._width
        square = float(self._lost.sum()) / numbers
        metrics = {"mae": float(self._absolute.sum()) / numbers, "rmse": square**0.5}
        if self._samples > 1:
            metrics["r2"] = float(self._determination().mean())
        return metrics

    def columns(self, names: Sequence[str]) -> tuple[NumberScore, ...]:
        """Return the errors of each number; ``names`` are what they are called."""
        means = [sums / self._samples for sums in (self._absolute, self._lost, self._spread)]
        absolute, lost, spread = (each.tolist() for each in means)
        r2 = self._determination().tolist() if self._samples > 1 else [None] * self._width
        values = zip(names, absolute, lost, r2, self._mean.tolist(), spread, strict=True)
        return tuple(
            NumberScore(
                name=name, mae=mae, rmse=mse**0.5, r2=r2, mean=mean, deviation=variance**0.5
            )
            for name, mae, mse, r2, mean, variance in values
        )

    def _determination(self) -> Tensor:
        """Return R² of each number: of one that never changes 1 where it is hit, else 0."""
        rounded = self._samples * (self._mean * _ROUNDING).square()
        share = 1 - self._lost / self._spread
        return torch.where(self._spread > rounded, share, (self._lost <= rounded).double())


def _counts(chance: Tensor, is_positive: Tensor) -> tuple[Tensor, Tensor]:
    """Return hits and false alarms (float64) at each threshold, the highest first."""
    ordered, order = chance.sort(descending=True, stable=True)
    hits = is_positive[order].double().cumsum(dim=0)
    misses = (~is_positive[order]).double().cumsum(dim=0)
    ends = torch.cat((ordered.diff() != 0, torch.ones(1, dtype=torch.bool)))
    return hits[ends], misses[ends]


def curve_of(name: str, x: Tensor, y: Tensor, area: float) -> ScoreCurve:
    """Return a curve, with as many of its points as can be seen."""
    if len(x) > _MOST_POINTS:
        kept = torch.linspace(0, len(x) - 1, _MOST_POINTS).round().long()
        x, y = x[kept], y[kept]
    return ScoreCurve(name=name, x=tuple(x.tolist()), y=tuple(y.tolist()), area=area)


def _heights(curve: ScoreCurve, grid: Tensor) -> Tensor:
    x, y = (torch.tensor(values, dtype=torch.float64) for values in (curve.x, curve.y))
    after = torch.searchsorted(x, grid, right=True).clamp(1, len(x) - 1)
    width = (x[after] - x[after - 1]).clamp(min=1e-12)
    part = ((grid - x[after - 1]) / width).clamp(0, 1)
    return y[after - 1] + part * (y[after] - y[after - 1])


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
