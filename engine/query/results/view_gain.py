"""What several views of each sample bring: how good predictions are with and without them."""

from collections.abc import Iterator
from typing import Protocol

import torch
from torch import Tensor

from engine.diagnostics import Diagnostic, Severity
from engine.spec.view_rule import FIELD
from engine.train.training import Training


class _Examined(Protocol):
    @property
    def predicted(self) -> Tensor: ...
    @property
    def target(self) -> Tensor: ...
    @property
    def losses(self) -> list[float]: ...


class ViewGain:
    """Mean loss and, of classes, accuracy, each of the mean over views and of the sample alone."""

    def __init__(self, training: Training) -> None:
        self._training = training
        self._losses = [0.0, 0.0]
        self._right = [0, 0]
        self._samples = 0

    def add(self, viewed: _Examined, alone: _Examined) -> None:
        """Count the samples of a batch."""
        self._samples += len(alone.losses)
        for at, found in enumerate((viewed, alone)):
            self._losses[at] += sum(found.losses)
            self._right[at] += self._count_right(found)

    def notices(self) -> Iterator[Diagnostic]:
        """Yield R598, of classes R599, where samples were looked at in several views."""
        if not self._samples:
            return
        views = self._training.spec.test_time.views
        losses = [value / self._samples for value in self._losses]
        params: dict[str, str | int | float] = {
            "views": views,
            "loss": f"{losses[0]:.4g}",
            "loss_alone": f"{losses[1]:.4g}",
        }
        code = "R598"
        if self._has_classes:
            shares = [f"{100 * count / self._samples:.2f}" for count in self._right]
            params |= {"accuracy": shares[0], "accuracy_alone": shares[1]}
            code = "R599"
        yield Diagnostic(code=code, severity=Severity.HINT, field=FIELD, params=params)

    @property
    def _has_classes(self) -> bool:
        comparison = self._training.comparison
        return comparison.task != "regression" and not comparison.labels

    def _count_right(self, found: _Examined) -> int:
        if not self._has_classes:
            return 0
        predicted = found.predicted
        classes = (predicted > 0.5).long() if predicted.ndim == 1 else predicted.argmax(dim=1)
        return int(torch.eq(classes, found.target).sum())
