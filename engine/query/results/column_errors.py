"""Errors of each of several numbers that a model predicts."""

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
