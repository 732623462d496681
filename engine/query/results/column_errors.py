"""Errors of each of several numbers that a model predicts."""

from msgspec.structs import replace

from engine.query.results.number_score import NumberScore
from engine.query.results.output_name import output_names
from engine.query.results.score import ErrorSums
from engine.train.losses import Batch, Outputs
from engine.train.training import Training

_MOST = 64


class ColumnErrors:
    """Counts what a model says about batches where it predicts several numbers with names."""

    def __init__(self, training: Training) -> None:
        self._comparison = training.comparison
        is_numbers = training.comparison.task == "regression"
        names = output_names(training) if is_numbers else ()
        self._names = names if 1 < len(names) <= _MOST else ()
        self._sums = ErrorSums()
        self._is_counted = False

    def add(self, outputs: Outputs, batch: Batch) -> None:
        """Count a batch."""
        pair = self._comparison.pick(outputs, batch) if self._names else None
        if pair is None:
            return
        predicted, target = self._comparison.prepared(*pair)
        if predicted.shape == target.shape and target.shape[1] == len(self._names):
            self._sums.add(target.cpu(), predicted.cpu())
            self._is_counted = True

    def columns(self) -> tuple[NumberScore, ...]:
        """Return the errors of each number; nothing where there are no names."""
        return self._sums.columns(self._names) if self._is_counted else ()


class OutputErrors:
    """Counts what a model says in all its outputs that are compared with the data."""

    def __init__(self, training: Training) -> None:
        self._errors = {
            name: ColumnErrors(training.judging(name)) for name in ("", *training.others)
        }

    def add(self, outputs: Outputs, batch: Batch) -> None:
        """Count a batch."""
        for each in self._errors.values():
            each.add(outputs, batch)

    def columns(self) -> tuple[NumberScore, ...]:
        """Return the errors of each number, those of further outputs with their name before it."""
        return tuple(
            replace(score, name=f"{name}:{score.name}") if name else score
            for name, each in self._errors.items()
            for score in each.columns()
        )
