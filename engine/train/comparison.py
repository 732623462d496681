"""What metrics compare: an output of a model with a field of the data, by a term of the loss."""

import math
from collections.abc import Sequence

from torch import Tensor

from engine.spec.choice import NO_CODE, Code
from engine.spec.data import IGNORED, FieldInfo, Task
from engine.spec.judged import judged_outputs
from engine.spec.run import RunSpec
from engine.spec.series import number_names
from engine.train.box_comparison import box_comparison
from engine.train.losses import Batch, BoundTerm, LossTerms, Outputs

_BINARY_LOSSES = ("BCELoss", "BCEWithLogitsLoss")


class Comparison:
    """Output and data field that metrics compare, and how: taken from a term of the loss."""

    def __init__(self, term: BoundTerm, fields: Sequence[FieldInfo]) -> None:
        bound = term.comparison()
        self._prediction, self.field = bound or (None, "")
        self.boxes = box_comparison(term.output_names, fields)
        if self.boxes is not None:
            self._prediction, self.field = None, self.boxes.labels
        loss = type(term.module).__name__
        info = next((field for field in fields if field.name == self.field), None)
        self.names = () if info is None else info.classes
        self.classes = len(self.names)
        self._is_logit = loss == "BCEWithLogitsLoss"
        ignored = getattr(term.module, "ignore_index", None)
        self.ignored: int | None = ignored if isinstance(ignored, int) and ignored >= 0 else None
        self.is_mask = info is not None and info.kind == "mask"
        if self.is_mask and self.ignored is None:
            self.ignored = IGNORED
        self.task: Task = "regression"
        if self.classes:
            self.task = "classification"
        elif loss in _BINARY_LOSSES:
            self.task = "binary"

        is_vector = info is not None and info.kind == "vector" and math.prod(info.shape) > 1
        is_several = self.task == "binary" and is_vector
        self.labels = info.entry_names if info is not None and is_several else ()
        """The labels of which a sample has any number, a yes or no for each."""
        is_number = info is not None and self.task == "regression"
        self.numbers = number_names(info) if info is not None and is_number else ()
        """The names of the numbers, where these are several."""

    @property
    def metric_task(self) -> str:
        """The task whose metrics fit, as :func:`~engine.spec.series.metric_task` has it."""
        if self.boxes is not None:
            return "instances" if self.boxes.masks else "detection"
        return "segmentation" if self.is_mask else self.task

    def pick(self, outputs: Outputs, batch: Batch) -> tuple[Tensor, Tensor] | None:
        """Return prediction and target of a batch, detached; None where they do not compare."""
        if self._prediction is None:
            return None
        predicted, target = self._prediction(outputs, batch).detach(), batch[self.field]
        if self.task == "classification" and target.is_floating_point():
            target = target.argmax(dim=1)  # probabilities: the labels of blended samples
        axes = target.ndim + 1 if self.task == "classification" else target.ndim
        return (predicted, target) if predicted.ndim == axes else None

    def prepared(self, predicted: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        """Return both in the form that the metrics of the task take."""
        if self.task == "binary":
            chance = predicted.sigmoid() if self._is_logit else predicted
            return chance.flatten(), target.flatten().long()
        if self.task == "regression":
            return predicted.reshape(len(target), -1), target.reshape(len(target), -1)
        return predicted, target


def further_comparisons(
    spec: RunSpec,
    loss: LossTerms,
    first: Comparison,
    fields: Sequence[FieldInfo],
    code: Code = NO_CODE,
) -> dict[str, Comparison]:
    """Return what the metrics of further terms of the loss compare, by the names that these metrics
    begin with; where boxes are found, they alone are measured.
    """
    if first.boxes is not None:
        return {}
    return {
        judged.name: Comparison(loss.terms[judged.term], fields)
        for judged in judged_outputs(spec, code)[1:]
    }
