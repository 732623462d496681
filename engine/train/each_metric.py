"""Measures of each class or number from the states of torchmetrics, and R² from its sums."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor

from engine.spec.defaults import CLASS_IOU
from engine.spec.series import class_series

if TYPE_CHECKING:
    from torchmetrics import Metric


def determination(metric: "Metric") -> Tensor | None:
    """Return the coefficient of determination of each output; None of a single sample. torchmetrics
    takes sums of squares below 1e-4 for 0, which those of small units are.
    """
    keys = ("sum_squared_error", "sum_error", "residual", "total")
    squares, sums, residual, total = (cast("Tensor", metric.metric_state[key]) for key in keys)
    if total < 2:
        return None
    deviations = squares - sums * sums / total
    return torch.where(deviations > 0, 1 - residual / deviations, (residual == 0).to(residual))


def of_each_number(name: str, metric: "Metric", names: Sequence[str]) -> dict[str, float]:
    """Return a measure of each of several numbers; no R² of a single sample."""
    is_r2 = name == "number_r2"
    values = determination(metric) if is_r2 else cast("Tensor", metric.compute())
    pairs = zip(names, () if values is None else values.double().tolist(), strict=False)
    return {class_series(name, each): value for each, value in pairs}


def of_each_class(name: str, metric: "Metric", names: Sequence[str]) -> dict[str, float]:
    """Return a measure of each class, without classes that it is not defined for: those that
    neither occur nor are predicted, for recall those that do not occur.
    """
    if name == CLASS_IOU:
        return _class_ious(metric, names)
    counts = {key: cast("Tensor", metric.metric_state[key]) for key in ("tp", "fp", "fn")}
    seen = counts["tp"] + counts["fn"]
    if name != "class_recall":
        seen = seen + counts["fp"]
    values = cast("Tensor", metric.compute()).double().tolist()
    rows = zip(names, values, seen.tolist(), strict=True)
    return {class_series(name, each): value for each, value, count in rows if count}


def _class_ious(metric: "Metric", names: Sequence[str]) -> dict[str, float]:
    """Return what a class has in common with its prediction, without classes that do not occur."""
    matrix = cast("Tensor", metric.metric_state["confmat"]).double()
    shared = matrix.diagonal()
    either = matrix.sum(dim=0) + matrix.sum(dim=1) - shared
    pairs = zip(names, shared.tolist(), either.tolist(), strict=True)
    return {class_series(CLASS_IOU, name): both / any_ for name, both, any_ in pairs if any_}
